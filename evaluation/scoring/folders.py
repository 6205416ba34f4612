"""Folders of references and predictions: which file is which case, and scoring them all."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from evaluation.assessment.instances import instance_rules
from evaluation.readers import ReadError, case_name, read_label_image
from evaluation.readers.cells import read_table
from evaluation.readers.instance_tables import INSTANCES_FILE, InstanceTable, check_instances, read_instances
from evaluation.readers.object_tables import ObjectTable, read_objects
from evaluation.scoring.instances import PreparedInstances, score_instances
from evaluation.scoring.objects import finish, finish_pieces, pooled_parts, score_objects, shared_evidence
from evaluation.scoring.semantic import prepare_reference, score_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from evaluation.assessment import Assessment
    from evaluation.readers import Issue
    from evaluation.scoring.evidence import Block
    from evaluation.scoring.rows import Row, ScoredCase

_CHUNKS_PER_JOB: Final = 32
"""Many, so that at the end no process waits long for another's last chunk."""
_ELSEWHERE: Final = {"image_classification": "evaluation.scoring.classification"}
"""Problems whose module has a ``score_folders`` of its own, with the same arguments."""


@dataclass
class ScoredFolders:
    """The rows of all cases and algorithms, and what was noticed on the way.

    Attributes
    ----------
    rows
        Sorted by algorithm, then by case; values of the whole data set last.
    reasons
        Why a prediction that is there was counted as missing, by algorithm and case.
    unexpected
        Files of an algorithm that belong to no case.
    blocks, parts, shared
        What the values of the whole data set are made of, as `evaluation.scoring.evidence.write_evidence` takes it.
    """

    rows: list[Row] = field(default_factory=list)
    reasons: dict[tuple[str, str], Issue] = field(default_factory=dict)
    unexpected: dict[str, list[str]] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    parts: dict[str, str] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)

    def add_dataset(self, rows: Sequence[Row], blocks: Sequence[Block]) -> None:
        """Add the values of the whole data set of one algorithm, with their evidence."""
        self.rows += rows
        self.blocks += blocks


def find_cases(folder: Path) -> dict[str, Path]:
    """Find the label images of a folder, by case, sorted.

    Raises
    ------
    ReadError
        If the folder is not there, or two files claim one case.
    """
    if not folder.is_dir():
        raise ReadError("not_found", folder.name or str(folder), "there is no such folder")
    cases: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        known = case_name(path)
        if known is None or path.name.startswith(".") or not path.is_file():
            continue
        if known[0] in cases:
            raise ReadError("table", path.name, f"a second file for the case {known[0]}", "one file a case")
        cases[known[0]] = path
    return cases


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
    if assessment.problem in _ELSEWHERE:
        module = importlib.import_module(_ELSEWHERE[assessment.problem])
        elsewhere: ScoredFolders = module.score_folders(
            assessment, references, predictions, jobs=jobs, progress=progress
        )
        return elsewhere
    if assessment.problem == "object_detection":
        return _score_object_tables(assessment, references, predictions)
    if assessment.problem not in ("semantic_segmentation", "instance_segmentation"):
        message = f"predictions of the problem {assessment.problem} cannot be scored from folders"
        raise ValueError(message)
    return _score_images(assessment, references, predictions, jobs, progress)


def _score_images(
    assessment: Assessment,
    references: Path,
    predictions: Mapping[str, Path],
    jobs: int,
    progress: Callable[[int, int], None] | None,
) -> ScoredFolders:
    found = ScoredFolders()
    tasks = find_tasks(references, predictions, found)
    cases = [case for case, *_ in tasks]
    work: Callable[[Task], _Scored] = _Semantic(assessment)
    if assessment.problem == "instance_segmentation":
        known = reference_instances(assessment, references)
        tables = {name: instances_of_algorithm(assessment, folder, name, found) for name, folder in predictions.items()}
        work = _Instances(assessment, known, tables)
    scored: dict[tuple[str, str], ScoredCase] = {}
    for done, (case, results) in enumerate(run_tasks(work, tasks, jobs), start=1):
        for algorithm, result in results.items():
            scored[algorithm, case] = result
            if result.reason is not None and (algorithm, "") not in found.reasons:
                found.reasons[algorithm, case] = result.reason
        if progress is not None:
            progress(done, len(tasks))
    patients = _patients(references, cases)
    for algorithm in predictions:
        own = {case: scored[algorithm, case] for case in cases}
        for result in own.values():
            found.rows += result
        if isinstance(work, _Instances):
            there = {case: result.pieces for case, result in own.items() if result.pieces is not None}
            missing = [case for case in cases if case not in there]
            lacking = {name for result in own.values() for name in result.lacking}
            found.add_dataset(
                *finish_pieces(assessment, algorithm, there, missing=missing, lacking=lacking, patients=patients)
            )
            found.parts, found.shared = pooled_parts(assessment), shared_evidence(assessment, patients)
    return found


def _score_object_tables(assessment: Assessment, references: Path, predictions: Mapping[str, Path]) -> ScoredFolders:
    """One table of objects for all cases; an algorithm without a table has every case missing."""
    truth = read_objects(_object_file(references), scored=False)
    listed = references / "cases.csv"
    cases = sorted(set(read_table(listed, ("case",)).text("case")) if listed.is_file() else set(truth.cases))
    if not cases:
        raise ReadError("table", "objects", "no case at all")
    patients = _patients(references, cases)
    found = ScoredFolders()
    for algorithm, folder in predictions.items():
        table: ObjectTable | None = None
        try:
            table = read_objects(_object_file(folder), scored=True, known=truth, by_case=True)
        except ReadError as error:
            found.reasons[algorithm, ""] = error.issue
        invalid = {} if table is None else {case: table.invalid[case] for case in cases if case in table.invalid}
        found.reasons.update({(algorithm, case): issue for case, issue in invalid.items()})
        scores = {
            case: score_objects(
                assessment,
                case,
                truth.of(case),
                None if table is None or case in invalid else table.of(case),
                algorithm=algorithm,
            )
            for case in cases
        }
        unknown = [] if table is None else sorted(set(table.objects) - set(cases))
        if unknown:
            found.unexpected[algorithm] = unknown
        found.rows += [row for score in scores.values() for row in score.rows]
        missing = cases if table is None else list(invalid)
        found.add_dataset(*finish(assessment, algorithm, scores, missing=missing, patients=patients))
    found.parts, found.shared = pooled_parts(assessment), shared_evidence(assessment, patients)
    return found


def _object_file(folder: Path) -> Path:
    """The table of objects in a folder."""
    present = [folder / name for name in ("objects.csv", "objects.json") if (folder / name).is_file()]
    if len(present) == 2:
        raise ReadError("table", folder.name, "objects.csv and objects.json", "one of them")
    if not present:
        raise ReadError("not_found", "objects.csv", f"no objects.csv or objects.json in the folder {folder.name}")
    return present[0]


def find_tasks(references: Path, predictions: Mapping[str, Path], found: ScoredFolders) -> list[Task]:
    """Pair each reference with the predictions of its case; files that belong to no case are noted in `found`.

    Raises
    ------
    ReadError
        If a folder is not there, has two files of one case, or no reference.
    """
    cases = find_cases(references)
    if not cases:
        raise ReadError("not_found", references.name or str(references), "no label images in the folder")
    files = {algorithm: find_cases(folder) for algorithm, folder in predictions.items()}
    for name, of in files.items():
        if unexpected := [path.name for case, path in of.items() if case not in cases]:
            found.unexpected[name] = unexpected
    return [(case, path, {name: of.get(case) for name, of in files.items()}) for case, path in cases.items()]


def prepare_instances_of(
    assessment: Assessment, known: InstanceTable | None, case: str, path: Path
) -> PreparedInstances:
    """Read and prepare the reference of a case, with the classes that a table beside it tells."""
    image, classes = read_label_image(path), None
    if known is not None:
        classes = known.of(case)
        check_instances(image, classes, case=case, file=path.name)
    return PreparedInstances(assessment, image, classes)


def reference_instances(assessment: Assessment, folder: Path) -> InstanceTable | None:
    """Classes of the references' objects, if a table beside them tells."""
    path, rules = folder / INSTANCES_FILE, instance_rules(assessment)
    if path.is_file():
        return read_instances(path, rules, scored=False)
    if rules.need_class:
        what = f"no such table beside the references, and the assessment has {len(assessment.regions)} regions"
        raise ReadError("not_found", INSTANCES_FILE, what, "the class of each object")
    return None


def instances_of_algorithm(
    assessment: Assessment, folder: Path, algorithm: str, found: ScoredFolders
) -> InstanceTable | Issue | None:
    """Classes and scores of an algorithm's objects; if they cannot be read, so can no case."""
    path, rules = folder / INSTANCES_FILE, instance_rules(assessment)
    issue: Issue | None = None
    if path.is_file():
        try:
            return read_instances(path, rules, by_case=True)
        except ReadError as error:
            issue = error.issue
    elif rules.need_class:
        issue = ReadError("not_found", INSTANCES_FILE, "no such table", rules.purpose).issue
    if issue is not None:
        found.reasons[algorithm, ""] = issue
    return issue


def _patients(references: Path, cases: Sequence[str]) -> dict[str, str] | None:
    """Patient of each case, if ``cases.csv`` beside the references tells."""
    path = references / "cases.csv"
    if not path.is_file():
        return None
    table = read_table(path, ("case",))
    if "patient" not in table:
        return None
    known = dict(zip(table.text("case"), table.columns["patient"], strict=True))
    return {case: known.get(case, case) for case in cases}


Task = tuple[str, Path, dict[str, Path | None]]
"""A case, its reference, and each algorithm's prediction of it or none."""
_Scored = tuple[str, "dict[str, ScoredCase]"]
_Done = TypeVar("_Done")


@dataclass(frozen=True)
class _Semantic:
    """Scores regions of label images."""

    assessment: Assessment

    def __call__(self, task: Task) -> _Scored:
        case, path, predictions = task
        reference = prepare_reference(self.assessment, path)
        return case, {
            name: score_case(self.assessment, case, reference, prediction, algorithm=name)
            for name, prediction in predictions.items()
        }


@dataclass(frozen=True)
class _Instances:
    """Scores objects of label maps, with classes and scores from a table if there is one."""

    assessment: Assessment
    known: InstanceTable | None
    tables: Mapping[str, InstanceTable | Issue | None]

    def __call__(self, task: Task) -> _Scored:
        case, path, predictions = task
        reference = prepare_instances_of(self.assessment, self.known, case, path)
        return case, {
            name: score_instances(self.assessment, case, reference, prediction, self.tables[name], algorithm=name)
            for name, prediction in predictions.items()
        }


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
"""What this process was started for; sent once and not with every chunk, since tables of instances may be large."""


def _begin(work: Callable[[Any], Any]) -> None:
    _work_here[:] = [work]


def _score_chunk(chunk: Sequence[Any]) -> list[Any]:
    return [_work_here[0](task) for task in chunk]
