"""Input files of cases for a container, as stored or converted to other conventions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from confinement.containers.batches import CaseInput
from confinement.sandbox import answers
from datastore.test_sets.models import TestCase
from datastore.uploads.storage import child_limits, local_path, working_folder
from evaluation.readers import ReadError
from evaluation.running.conventions import Conventions


class LayingError(Exception):
    """The image of a case cannot be shown by the conventions of the phase: a fault on our side; the message names the case."""


@contextmanager
def laid(
    conventions: Conventions,
    socket: str,
    cases: Sequence[TestCase],
    names: Mapping[str, str],
    beat: Callable[[], None],
) -> Iterator[list[CaseInput]]:
    """Give the cases of a start by the names under which the container sees them; files that were written for it go away.

    Parameters
    ----------
    socket
        The input, the image of a case.
    names
        Under which the container sees the cases.

    Raises
    ------
    LayingError
        For an image that cannot be converted.
    """
    images = {case.name: local_path(case.image_file) for case in cases}
    with working_folder() as folder:
        if conventions.writes_inputs:
            files = _written(conventions, socket, images, names, folder, beat)
        else:
            files = {case: conventions.files_of_case(names[case], {socket: images[case]}, folder) for case in images}
        yield [CaseInput(names[case], files[case]) for case in images]


def _written(
    conventions: Conventions,
    socket: str,
    images: Mapping[str, Path],
    names: Mapping[str, str],
    folder: Path,
    beat: Callable[[], None],
) -> dict[str, dict[str, Path]]:
    """Write the inputs in a confined child, as for all files that came from outside."""
    places = {case: folder / str(number) for number, case in enumerate(images)}

    def work(case: str, _: Path) -> dict[str, str] | str:
        try:
            files = conventions.files_of_case(names[case], {socket: images[case]}, places[case])
        except ReadError as error:
            return error.message
        return {name: str(path) for name, path in files.items()}

    files_by_case = {}
    reads = sorted({path.parent for path in images.values()})
    for answer in answers(list(images), work, limits=child_limits(), reads=reads, beat=beat, hands_over=folder):
        if answer.failure is not None or not isinstance(answer.value, dict):
            raise LayingError(f"{answer.item}: its image cannot be converted ({answer.failure or answer.value}).")
        allowed = {str(images[answer.item])}
        input_files = {str(name): Path(str(path)) for name, path in answer.value.items()}
        # Only what was written here, or the image itself: the child has read a file from outside.
        if any(str(path) not in allowed and path.parent != places[answer.item] for path in input_files.values()):
            raise LayingError(f"{answer.item}: its image cannot be converted.")
        files_by_case[answer.item] = input_files
    return files_by_case
