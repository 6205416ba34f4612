"""Replacing the test set of a phase: what has to hold before, and what is scored again after."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from challenges.models import Phase
from challenges.queries.projections import projection_of
from datastore.test_sets import hooks
from datastore.test_sets.hooks import Dependents
from datastore.test_sets.models import TestSet
from registry.changes.models import ChangeRequest, ProposedChange

# What a registered design says about test cases and their references; who changes either asks for a change here.
REGISTERED_PARAMETERS = (
    "annotation_aggregation_test",
    "annotation_error_sources",
    "annotation_instructions_test",
    "annotators_test",
    "case_definition",
    "case_hierarchy",
    "case_number_justification",
    "case_table",
    "corrected_references",
    "data_filtering",
    "data_split",
    "number_of_annotators_test",
)


class TestSetError(ValueError):
    """References that cannot become a test set; the message is for the organizer."""

    __test__ = False


@dataclass(frozen=True)
class Replacement:
    """Reason for which an earlier version of a test set is replaced.

    Raises
    ------
    TestSetError
        Without a reason.
    """

    reason: str

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise TestSetError("A replacement needs a reason, which stays with the new version.")


def check(phase: Phase, geometries: Mapping[str, dict[str, Any]]) -> tuple[list[Dependents], ChangeRequest | None]:
    """Refuse a replacement that must not be.

    Returns what is to be scored again, locked until the transaction ends, and the approved change of the registration that
    allows it (MAN-4), for a challenge with a registration.

    Parameters
    ----------
    phase
        The phase, locked by the caller.
    geometries
        Grid of each new reference, by case in order.

    Raises
    ------
    TestSetError
        Where a registration promises the present version and no change was approved since it was sealed; where teams have
        submitted for other cases or grids; and while anything is being scored.
    """
    before = TestSet.objects.filter(phase=phase, is_active=True).first()
    if before is None:
        raise TestSetError(f"{phase.name} has no test set that could be replaced. Seal a first one, without a reason.")
    change = approved_change(phase, before)
    # With the lock, no submission of the phase can start a run against the old version while this is decided.
    dependents = [depending for provider in hooks.dependents if (depending := provider(phase)).exist]
    if not dependents:
        return [], change
    present = dict(before.cases.order_by("position").values_list("name", "geometry"))
    _check_cases(phase, present, geometries)
    if any(depending.are_being_scored for depending in dependents):
        raise TestSetError("Submissions are being scored at this moment. Replace the test set when that is done.")
    return dependents, change


def approved_change(phase: Phase, before: TestSet) -> ChangeRequest | None:
    """Return the approved change of the registration that allows to replace a version; None without a registration.

    Raises
    ------
    TestSetError
        Where a registration promises the version and no such change was approved since it was sealed.
    """
    projection = projection_of(phase.challenge)
    if projection is None:
        return None
    task = phase.task.design_key
    approved = ProposedChange.objects.filter(
        request__registration=projection.registration_id,
        parameter__in=REGISTERED_PARAMETERS,
        task__in=("", task),
        decision__outcome__in=("approved", "deviation"),
        decision__decided_at__gt=before.sealed_at,
    )
    change = approved.select_related("request").order_by("decision__decided_at", "pk").first()
    if change is None:
        page = reverse("changes:list", args=[projection.registration.identifier])
        raise TestSetError(
            f"The challenge is registered, and its sealed test set is part of what was promised. Ask for a change of what "
            f"the design says about test cases or their annotation, at {page}, and replace the test set when it is approved."
        )
    return change.request


def _check_cases(phase: Phase, present: Mapping[str, Any], geometries: Mapping[str, Any]) -> None:
    remedy = (
        f"Teams have submitted to {phase.name}, so a replacement keeps its cases and their grids. "
        "For other cases, make another phase."
    )
    for case in present:
        if case not in geometries:
            raise TestSetError(f"{case} is in the present version and not in the new one. {remedy}")
    for case, geometry in geometries.items():
        if case not in present:
            raise TestSetError(f"{case} is in the new version and not in the present one. {remedy}")
        if geometry != present[case]:
            raise TestSetError(f"{case} has another grid in the new version than in the present one. {remedy}")
