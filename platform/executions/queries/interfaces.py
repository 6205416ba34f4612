"""What an algorithm of a phase is given and writes, by the cases that are there."""

from challenges.models import Phase
from evaluation.running.registered import Registered
from executions.domain.plans import NotRunnableError, Sockets, ending_of, sockets
from test_sets.models import TestCase


def sockets_of(phase: Phase) -> Sockets:
    """Input and output of a case.

    Raises
    ------
    NotRunnableError
        Where its cases have no images of one format.
    """
    rows = TestCase.objects.filter(test_set__phase=phase, test_set__is_active=True)
    endings = [ending_of(file) for file in rows.values_list("image_file", flat=True)]
    return sockets(Registered.of(phase.algorithms), phase.assessment, endings)


def places_of(phase: Phase) -> list[tuple[str, str]]:
    """Where a container finds its inputs and leaves its outputs, for people; nothing where none can be run."""
    try:
        return sockets_of(phase).conventions(Registered.of(phase.algorithms)).places()
    except NotRunnableError:
        return []
