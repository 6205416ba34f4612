"""Reading what a container wrote, in a confined child, as scoring will read it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from confinement.containers.batches import BatchReport, Taken
from confinement.sandbox import Failure, answers
from evaluation.assessment import Assessment
from evaluation.problems.files import file_problem
from evaluation.readers import Limits, ReadError
from evaluation.running.outcomes import Files
from executions.domain.plans import Sockets
from test_sets.models import TestCase
from uploads.storage import child_limits

Judged = dict[str, tuple[Files, str]]
_FAILURES = {
    Failure.TIME: "reading it took longer than is allowed",
    Failure.MEMORY: "reading it needs more memory than is allowed",
    Failure.SPACE: "reading it wrote more to the disk than any file of a case needs",
    Failure.CRASH: "the reader broke off at it",
}


def judged(
    assessment: Assessment,
    sockets: Sockets,
    cases: Sequence[TestCase],
    names: Mapping[str, str],
    report: BatchReport,
    beat: Callable[[], None],
) -> tuple[dict[str, Path], Judged]:
    """The file of each case that has one, and whether it is acceptable, with the sentence that says why not.

    Parameters
    ----------
    names
        Under which the container saw the cases.
    """
    file = sockets.prediction.file
    files: dict[str, Path] = {}
    found: Judged = {}
    for case in cases:
        collected = report.files.get(names[case.name], {}).get(file)
        if collected is None or collected.taken is Taken.ABSENT:
            found[case.name] = (Files.NONE, "")
        elif collected.taken is Taken.REFUSED or collected.path is None:
            found[case.name] = (Files.BAD, collected.reason)
        else:
            files[case.name] = collected.path
    facts = {case.name: case.geometry or {} for case in cases}
    found |= _read(assessment, files, facts, beat)
    return files, {case.name: found[case.name] for case in cases}


def _read(
    assessment: Assessment, files: Mapping[str, Path], facts: Mapping[str, Mapping[str, Any]], beat: Callable[[], None]
) -> Judged:
    if not files:
        return {}
    problem = file_problem(assessment.kind.id)
    expected = problem.expected(assessment)

    def work(name: str, _: Path) -> list[str]:
        limit = problem.byte_limit(facts[name])
        path = files[name]
        if path.stat().st_size > limit:
            return [f"{path.name}: the file is larger than any prediction of this case"]
        try:
            problem.read_prediction(path, facts[name], expected, limits=Limits(decoded_bytes=limit))
        except ReadError as error:
            return [f"{path.name}: {error.message}"]
        return []

    found: Judged = {}
    folders = sorted({path.parent for path in files.values()})
    for answer in answers(list(files), work, limits=child_limits(), reads=folders, beat=beat):
        if answer.failure is not None or not isinstance(answer.value, list):
            words = _FAILURES.get(answer.failure or Failure.CRASH, "it cannot be read")
            found[answer.item] = (Files.BAD, f"{files[answer.item].name}: {words}")
        elif answer.value:
            found[answer.item] = (Files.BAD, str(answer.value[0])[:500])
        else:
            found[answer.item] = (Files.VALID, "")
    return found
