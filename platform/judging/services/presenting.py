"""Cases as a scoring image sees them: reference and prediction read here, and written anew under names that tell nothing."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath

import numpy as np

from confinement import archive
from confinement.containers.scoring import ScorerCase
from confinement.sandbox import answers
from evaluation.assessment import Assessment
from evaluation.problems.files import file_problem
from evaluation.readers import Limits, ReadError
from evaluation.running.scorer_declared import LABELS, written_anew
from test_sets import vault
from test_sets.models import TestCase
from test_sets.queries.test_sets import expectation
from uploads.storage import child_limits

PRESENTED_BYTES = 3
"""Of a voxel, for the room that is looked for: reference and prediction, each at most as large as their labels."""


def room_for(cases: Sequence[TestCase]) -> int:
    """Bytes that the open files of cases may need."""
    return (
        sum(PRESENTED_BYTES * int(np.prod((case.geometry or {}).get("shape", (1,)))) for case in cases) + 64 * 1024**2
    )


def references(
    assessment: Assessment, cases: Sequence[TestCase], folder: Path, beat: Callable[[], None]
) -> dict[str, Path]:
    """Write the reference of each case into a folder, by the name of the case."""
    kind = file_problem(assessment.problem)
    found = {}
    for number, case in enumerate(cases):
        with vault.opened(case.reference_file) as path:
            content = kind.read_reference(assessment, path)
        found[case.name] = written_anew(content, folder / f"reference-{number}")
        beat()
    return found


def predictions(
    assessment: Assessment,
    cases: Sequence[TestCase],
    source: Path,
    members: Mapping[str, str],
    folder: Path,
    beat: Callable[[], None],
) -> dict[str, Path]:
    """Write the prediction of each case into a folder, as a confined child read it; without those that cannot be read."""
    wanted = {case.name: case for case in expectation(cases[0].test_set, assessment).cases}
    kind = file_problem(assessment.kind.id)
    expected = kind.expected(assessment)
    handed = folder / "predictions"
    handed.mkdir()
    places = {case.name: f"prediction-{number}" for number, case in enumerate(cases)}

    def work(name: str, own: Path) -> str:
        target = own / PurePosixPath(members[name]).name
        limit = wanted[name].byte_limit
        try:
            archive.extract(source, members[name], target, limit=limit)
            read = kind.read_prediction(target, wanted[name].facts, expected, limits=Limits(decoded_bytes=limit))
        except (archive.ArchiveError, ReadError):
            return ""
        return written_anew(read, handed / places[name]).name

    found = {}
    for answer in answers(list(places), work, limits=child_limits(), reads=[source], beat=beat, hands_over=handed):
        name = answer.value if answer.failure is None else None
        # Only a name of ours: the child has read a stranger's file.
        if isinstance(name, str) and name.startswith(f"{places[answer.item]}.") and (handed / name).is_file():
            found[answer.item] = handed / name
    return found


def scorer_case(name: str, reference: Path, prediction: Path | None) -> ScorerCase:
    """A case by the name under which the image sees it."""
    given = {} if prediction is None else {LABELS + "".join(prediction.suffixes): prediction}
    return ScorerCase(name, {LABELS + "".join(reference.suffixes): reference}, given)
