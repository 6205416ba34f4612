"""Input files of cases for a container on this machine, as stored or converted to other conventions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from confinement.containers import orders
from confinement.containers.batches import CaseInput
from confinement.containers.orders import LayingError
from datastore.test_sets.models import TestCase
from datastore.uploads.storage import child_limits, local_path, working_folder
from evaluation.running.conventions import Conventions

__all__ = ["LayingError", "laid"]


@contextmanager
def laid(
    conventions: Conventions,
    socket: str,
    cases: Sequence[TestCase],
    names: Mapping[str, str],
    beat: Callable[[], None],
) -> Iterator[list[CaseInput]]:
    """Give the cases of a start by the names under which the container sees them; converted files are removed afterwards.

    Parameters
    ----------
    socket
        The input, the image of a case.
    names
        Names under which the container sees the cases.

    Raises
    ------
    LayingError
        For an image that cannot be converted.
    """
    images = {names[case.name]: local_path(case.image_file) for case in cases}
    with (
        working_folder() as folder,
        orders.laid(conventions, socket, images, folder, child_limits(), beat) as inputs,
    ):
        yield inputs
