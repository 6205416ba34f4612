"""A test set of cases alone: of phases whose values are measured outside, where the references never come here."""

import secrets

import pandas as pd
from django.db import transaction

from accounts.models import User
from challenges.models import Phase
from datastore.test_sets import hooks
from datastore.test_sets.models import TestCase, TestSet
from datastore.test_sets.services.checking import check_cases
from datastore.test_sets.services.replacing import TestSetError
from datastore.test_sets.services.sealing import seal_version


def seal_case_list(*, phase: Phase, metadata: pd.DataFrame, actor: User | None) -> TestSet:
    """Seal the complete list of the cases of a phase, with what is known of them, as a version of its test set.

    For phases whose registered rules let values be measured outside; who calls it has looked.

    Parameters
    ----------
    metadata
        A row a case, in their order, with a column `case` and one column a characteristic.

    Raises
    ------
    TestSetError
        Without a case, where a characteristic lacks that the ranking groups cases by, while
        another list is in use, and once values were brought.
    """
    cases = [str(name) for name in metadata["case"]] if "case" in metadata else []
    _, facts = check_cases(phase, cases, (), metadata)
    with transaction.atomic():
        phase = (
            Phase.objects.select_for_update(of=("self",), no_key=True)
            .select_related("task__challenge")
            .get(pk=phase.pk)
        )
        if hooks.was_submitted_to(phase):
            raise TestSetError(
                f"Values were brought into {phase.name}, so its list of cases stays. A case that is wrong is excluded by a change "
                "of the registered design."
            )
        if (present := TestSet.objects.filter(phase=phase, is_active=True).first()) is not None:
            raise TestSetError(
                f"Version {present.version} of the list is in use. Undo its sealing on the page Test sets, then seal this one."
            )
        sealed = TestSet.objects.create(
            phase=phase,
            version=TestSet.objects.filter(phase=phase).count() + 1,
            name=f"Cases of {phase.name}",
            salt=secrets.token_hex(32),
        )
        TestCase.objects.bulk_create(
            TestCase(test_set=sealed, name=case, position=position, geometry={}, metadata=facts.get(case, {}))
            for position, case in enumerate(cases, start=1)
        )
        seal_version(sealed, actor=actor, reason="")
        return sealed
