"""Inputs and outputs of the algorithms of a phase, derived from its cases."""

from collections.abc import Sequence

from challenges.models import Phase
from datastore.test_sets.models import TestCase, TestSet
from datastore.test_sets.queries.test_sets import expectation
from evaluation.assessment import Assessment
from evaluation.running.registered import Registered
from executions.domain.plans import NotRunnableError, Sockets, ending_of, sockets


def sockets_of(phase: Phase) -> Sockets:
    """Input and output of a case.

    Raises
    ------
    NotRunnableError
        Where its cases have no images of one format.
    """
    test_set = TestSet.objects.filter(phase=phase, is_active=True).first()
    rows = TestCase.objects.filter(test_set=test_set) if test_set is not None else TestCase.objects.none()
    endings = [ending_of(file) for file in rows.values_list("image_file", flat=True)]
    return sockets_for(Registered.of(phase.algorithms), phase.assessment, test_set, endings)


def sockets_for(plan: Registered, assessment: Assessment, test_set: TestSet | None, endings: Sequence[str]) -> Sockets:
    """Input and output of cases of a test set, by the endings of their images, and what tables of them have to hold.

    Raises
    ------
    NotRunnableError
        As `executions.domain.plans.sockets` does.
    """
    expected = None if test_set is None else expectation(test_set, assessment).table
    return sockets(plan, assessment, endings, expected)


def places_of(phase: Phase) -> list[tuple[str, str]]:
    """Return the paths of a container's inputs and outputs, for readers.

    The list is empty if no container can be run.
    """
    plan = Registered.of(phase.algorithms)
    try:
        phase_sockets = sockets_of(phase)
    except NotRunnableError:
        return []
    places = phase_sockets.conventions(plan).places()
    if phase_sockets.table is None:
        return places
    file = phase_sockets.beside or phase_sockets.prediction
    return [*places, (f"Columns of {file.file}", ", ".join(phase_sockets.table.columns))]
