"""Checks of a registered design that need submissions and test sets; and its references, for the scan of pitfalls."""

import csv
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from django.db.models import Count, Min

from challenges.contributions.design_checks import challenge_of
from challenges.models import Phase
from datastore.test_sets import vault
from datastore.test_sets.models import TestCase, TestSet
from datastore.test_sets.queries.test_sets import has_one_table, is_scored_here
from datastore.test_sets.services.reference_tables import instances_file
from datastore.test_sets.services.sealing import manifest_digest
from designs.hooks import ReferenceSource
from designs.models import DesignTask
from evaluation.designs.checks import Subject, register
from evaluation.readers.instance_tables import INSTANCES_FILE
from submissions.models import Submission

# Columns of the case metadata that name what cases come from.
GROUPS: Final = ("patient", "subject", "animal", "video", "sequence")


@register("submission_quota", reads=("max_submissions",))
def submission_quota(subject: Subject) -> str | None:
    """No team has more submissions in the last phase of a task than the registered number."""
    challenge, limit = challenge_of(subject), subject.values.get("max_submissions")
    if challenge is None or limit is None:
        return None
    over = []
    for phases in _phases(challenge.pk).values():
        counted = (
            Submission.objects.filter(phase=phases[-1], is_late=False)
            .exclude(state__in=Submission.UNSUCCESSFUL)
            .values("team__name")
            .annotate(number=Count("pk"))
            .filter(number__gt=limit)
        )
        over += [f"{row['team__name']} ({row['number']})" for row in counted]
    return f"More than {limit}: {', '.join(sorted(over))}." if over else None


@register("test_set_hash_unchanged", reads=("number_test_cases",))
def test_set_hash_unchanged(subject: Subject) -> str | None:
    """Cases and references are those that were sealed, and were sealed before the first submission."""
    challenge = challenge_of(subject)
    if challenge is None:
        return None
    sets = TestSet.objects.filter(phase__task__challenge=challenge, is_active=True).select_related("phase")
    if subject.values.task_key is not None:
        sets = sets.filter(phase__task__design_key=subject.values.task_key)
    changed = [entry.phase.name for entry in sets if manifest_digest(entry) != entry.manifest_digest]
    if changed:
        return f"The sealed test set does not have its digest any more: {', '.join(changed)}."
    taken = Submission.objects.filter(phase__in=sets.values("phase")).exclude(state__in=Submission.UNSUCCESSFUL)
    first = dict(taken.values_list("phase").annotate(first=Min("created_at")))
    late = [entry.phase.name for entry in sets if first.get(entry.phase_id) and entry.sealed_at > first[entry.phase_id]]
    return f"The test set was replaced after the first submission: {', '.join(late)}." if late else None


# The name is that of the catalogue; pytest is not to take the function for a test.
test_set_hash_unchanged.__test__ = False  # type: ignore[attr-defined]


@register("no_group_leakage", reads=("case_hierarchy", "split_strategy"))
def no_group_leakage(subject: Subject) -> str | None:
    """No case, patient or video is in the test sets of two phases: what teams learn from one helps in no other."""
    challenge = challenge_of(subject)
    if challenge is None:
        return None
    shared = []
    for phases in _phases(challenge.pk, task=subject.values.task_key).values():
        seen: dict[tuple[str, str], str] = {}
        rows = TestCase.objects.filter(test_set__phase__in=phases, test_set__is_active=True).values_list(
            "name", "metadata", "test_set__phase__name"
        )
        for name, metadata, phase in rows:
            keys = [("case", name), *((group, str(metadata[group])) for group in GROUPS if metadata.get(group))]
            shared += [f"{kind} {text}" for kind, text in keys if seen.setdefault((kind, text), phase) != phase]
    some = sorted(set(shared))
    more = f" and {len(some) - 5} more" if len(some) > 5 else ""
    return f"In the test sets of two phases: {', '.join(some[:5])}{more}." if some else None


def reference_sources(user: Any, task: DesignTask) -> Iterable[ReferenceSource]:
    """Sealed test sets of the challenge that runs a design, for its organizers."""
    sets = TestSet.objects.filter(
        is_active=True,
        phase__task__challenge__projection__registration__design=task.design_id,
        phase__task__design_key=task.key,
        phase__task__challenge__organizers=user,
    ).select_related("phase")
    for entry in sets if user.is_authenticated else ():
        # Tables of classes and objects are kept in one piece; they are small enough to be uploaded again.
        if has_one_table(entry.phase.assessment) or not is_scored_here(entry.phase):
            continue
        yield ReferenceSource(f"test-set-{entry.pk}", f"the test set of the {entry.phase.name}", _Putting(entry.pk))


class _Putting:
    """Puts the references of a test set into a folder, named as contract section 3 asks."""

    def __init__(self, test_set: int) -> None:
        self._test_set = test_set

    def __call__(self, folder: Path) -> None:
        rows = TestCase.objects.filter(test_set=self._test_set, is_decoy=False).select_related("test_set")
        cases = list(rows.order_by("position"))
        columns = sorted({key for case in cases for key in case.metadata})
        for case in cases:
            with vault.opened(case.reference_file) as plain:
                shutil.copyfile(plain, folder / f"{case.name}.{plain.name.partition('.')[2]}")
        if cases and (table := instances_file(cases[0].test_set.shared)):
            with vault.opened(table) as plain:
                shutil.copyfile(plain, folder / INSTANCES_FILE)
        if columns:
            with (folder / "cases.csv").open("w", newline="", encoding="utf-8") as stream:
                writer = csv.writer(stream)
                writer.writerow(["case", *columns])
                writer.writerows([case.name, *(case.metadata.get(key, "") for key in columns)] for case in cases)


def _phases(challenge: int, *, task: str | None = None) -> dict[int, list[Phase]]:
    phases_by_task: dict[int, list[Phase]] = {}
    phases = Phase.objects.filter(task__challenge=challenge).order_by("task", "position")
    for phase in phases if task is None else phases.filter(task__design_key=task):
        phases_by_task.setdefault(phase.task_id, []).append(phase)
    return phases_by_task
