"""Scoring of folders of references and predictions: every reference is read once, for any number of algorithms.

The kind of problem defines the location of files, how they are read and how a case is scored. A platform calls the
same object case by case.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from evaluation.problems import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment.model import Assessment
    from evaluation.checking import Finding
    from evaluation.problems import Opened, Problem, References
    from evaluation.readers import Issue
    from evaluation.scoring.evidence import Block
    from evaluation.scoring.rows import Row, ScoredCase

_UNREADABLE: Final = ("not_found", "empty_file", "format", "magic", "header", "truncated", "checksum", "compression")
"""Kinds of issues of files that cannot be read at all, unlike an image on another grid."""
_CHUNKS_PER_JOB: Final = 32
"""Many, so that at the end no process waits long for another's last chunk."""


@dataclass
class ScoredFolders:
    """The rows of all cases and algorithms, and what was noticed on the way.

    Attributes
    ----------
    rows
        Sorted by algorithm, then by case; values of the whole data set last.
    reasons
        Why a prediction that is there was counted as missing, by algorithm and case.
    unexpected, unread
        Files of an algorithm that belong to no case, and files of formats that are not read.
    findings
        Findings of an algorithm about missing cases and about all its predictions together.
    ignored
        Note on each ignored file of an algorithm, by path.
    cases
        Number of cases of the references.
    found_cases
        Number of cases of an algorithm for which there is a file or a row, usable or not.
    blocks, parts, shared
        What the values of the whole data set are made of, as `evaluation.scoring.evidence.write_evidence` takes it.
    """

    rows: list[Row] = field(default_factory=list)
    reasons: dict[tuple[str, str], Issue] = field(default_factory=dict)
    unexpected: dict[str, list[str]] = field(default_factory=dict)
    unread: dict[str, list[str]] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    ignored: dict[str, dict[str, Finding]] = field(default_factory=dict)
    cases: int = 0
    found_cases: dict[str, int] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)

    @property
    def has_predictions(self) -> bool:
        """True if any algorithm has a prediction that can be read, on whichever grid it is."""
        unreadable = Counter(name for (name, _), issue in self.reasons.items() if issue.kind in _UNREADABLE)
        return any(count > unreadable[name] for name, count in self.found_cases.items())

    def note(self, algorithm: str, opened: Opened) -> None:
        """Note what was found wrong with the files of an algorithm before any case was scored."""
        self.reasons |= {(algorithm, case): issue for case, issue in opened.reasons.items()}
        if opened.unexpected:
            self.unexpected[algorithm] = list(opened.unexpected)
        if opened.unread:
            self.unread[algorithm] = list(opened.unread)
        self.findings[algorithm] = list(opened.findings)
        self.ignored[algorithm] = dict(opened.ignored)
        self.found_cases[algorithm] = opened.found_cases

    def note_case(self, algorithm: str, case: str, reason: Issue | None) -> None:
        """Note why a case could not be read, unless the submission as a whole could not."""
        if reason is not None and (algorithm, "") not in self.reasons:
            self.reasons[algorithm, case] = reason


def open_folders(
    assessment: Assessment, references: Path, predictions: Mapping[str, Path], noticed: ScoredFolders
) -> tuple[References, dict[str, Opened]]:
    """Find references and the predictions of every algorithm; what is wrong with the latter is noted.

    Raises
    ------
    ReadError
        If references cannot be taken, or a folder is not there.
    ValueError
        For a kind of problem that has no predictions to score.
    """
    problem = kind_of(assessment)
    opened_references = problem.open_references(assessment, references)
    opened = problem.open_all(assessment, predictions, opened_references)
    for name, of_algorithm in opened.items():
        noticed.note(name, of_algorithm)
    return opened_references, opened


def score_folders(
    assessment: Assessment,
    references: Path,
    predictions: Mapping[str, Path],
    *,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> ScoredFolders:
    """Score the predictions of one or more algorithms against all references of a folder.

    Parameters
    ----------
    assessment
        What is measured.
    references
        Folder of references, as files of the kind of problem are laid out.
    predictions
        Folder of each algorithm, by its name.
    jobs
        Number of processes.
    progress
        Called with the number of finished and of all cases.

    Raises
    ------
    ReadError
        If a reference cannot be read, or a folder is not there or empty.
    ValueError
        For a kind of problem that has no predictions to score.
    """
    result = ScoredFolders()
    problem = kind_of(assessment)
    opened_references, opened = open_folders(assessment, references, predictions, result)
    work = _Scoring(problem, assessment, opened_references, opened)
    result.cases = len(opened_references.cases)
    scored: dict[str, dict[str, ScoredCase]] = {}
    # Rows of a table are scored faster than a process starts.
    processes = 1 if problem.table_files else jobs
    at_once = {
        name: problem.performance.score_at_once(assessment, name, opened_references, each)
        for name, each in opened.items()
    }
    cases = [] if all(rows_and_blocks is not None for rows_and_blocks in at_once.values()) else opened_references.cases
    for done, (case, of_case) in enumerate(run_tasks(work, cases, processes), start=1):
        scored[case] = of_case
        for algorithm, each in of_case.items():
            result.note_case(algorithm, case, each.reason)
        if progress is not None:
            progress(done, len(opened_references.cases))
    if progress is not None and not cases:
        progress(len(opened_references.cases), len(opened_references.cases))
    for algorithm in opened:
        if not cases and (rows_and_blocks := at_once[algorithm]) is not None:
            result.rows += rows_and_blocks[0]
            result.blocks += rows_and_blocks[1]
            continue
        of_algorithm = {case: scored[case][algorithm] for case in opened_references.cases}
        for each in of_algorithm.values():
            result.rows += each
        features = {case: each.features for case, each in of_algorithm.items() if each.features}
        reasons = {case: issue for (name, case), issue in result.reasons.items() if name == algorithm}
        result.findings.setdefault(algorithm, []).extend(problem.plausibility.questions(features, reasons))
        rows, blocks = problem.evidence.assemble(
            assessment, algorithm, {case: each.pieces for case, each in of_algorithm.items()}, opened_references.shared
        )
        result.rows += rows
        result.blocks += blocks
    result.parts = problem.evidence.parts_by_metric(assessment)
    result.shared = dict(opened_references.shared)
    return result


@dataclass(frozen=True)
class _Scoring:
    """Prepares the reference of a case and scores the predictions of all algorithms against it."""

    problem: Problem
    assessment: Assessment
    references: References
    opened: Mapping[str, Opened]

    def __call__(self, case: str) -> tuple[str, dict[str, ScoredCase]]:
        reference = self.references.prepare(case)
        return case, {name: self._scored(case, name, reference, opened) for name, opened in self.opened.items()}

    def _scored(self, case: str, name: str, reference: Any, opened: Opened) -> ScoredCase:
        algorithm_reference = self.problem.reference_for(reference, name)
        return self.problem.score(
            self.assessment, case, algorithm_reference, opened.predictions.get(case), algorithm=name
        )


_Done = TypeVar("_Done")


def run_tasks(work: Callable[[Any], _Done], tasks: Sequence[Any], jobs: int) -> Iterator[_Done]:
    """Do all tasks, in any order; this process works as well, on what no other has begun."""
    jobs = min(jobs, len(tasks))
    if jobs <= 1:
        yield from map(work, tasks)
        return
    # Loads the libraries that this assessment needs, once and before the other processes begin as copies of this one.
    yield work(tasks[0])
    tasks = tasks[1:]
    # Loaded here for the sake of single jobs, which do without.
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    size = max(1, len(tasks) // (jobs * _CHUNKS_PER_JOB))
    chunks = [tasks[start : start + size] for start in range(0, len(tasks), size)]
    fork = "fork" in multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if fork else None)
    with ProcessPoolExecutor(jobs - 1, mp_context=context, initializer=_begin, initargs=(work,)) as pool:
        waiting = [(pool.submit(_score_chunk, chunk), chunk) for chunk in chunks]
        try:
            while waiting and waiting[-1][0].cancel():
                _, chunk = waiting.pop()
                yield from map(work, chunk)
                while waiting and waiting[0][0].done():
                    yield from waiting.pop(0)[0].result()
            for future, _ in waiting:
                yield from future.result()
        finally:  # after an error nobody asks for the rest
            pool.shutdown(wait=False, cancel_futures=True)


_work_here: list[Callable[[Any], Any]] = []
"""Function that this process was started for.

It is sent once and not with every chunk, because tables of instances can be large.
"""


def _begin(work: Callable[[Any], Any]) -> None:
    _work_here[:] = [work]


def _score_chunk(chunk: Sequence[Any]) -> list[Any]:
    return [_work_here[0](task) for task in chunk]
