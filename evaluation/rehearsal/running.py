"""Rehearsal of a design document: compile each task, and run it on sample data."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evaluation.admission import read_one_table
from evaluation.assessment import AssessmentError
from evaluation.assessment.columns import grouping_columns
from evaluation.assessment.options import option_sentences
from evaluation.designs.compilation import compile_values
from evaluation.outcomes import Outcome
from evaluation.problems import kind_of
from evaluation.problems.direct_values import DirectValue, Sample, direct_values
from evaluation.problems.files import FileProblem
from evaluation.problems.folders import facts_of
from evaluation.problems.registered_examples import names_of_cases, write_characteristics
from evaluation.problems.tables import ReferenceTableError, TableProblem
from evaluation.readers import ReadError
from evaluation.rehearsal.invented import invented_results, invented_rows
from evaluation.rehearsal.outcome import (
    Comparison,
    Obstacle,
    Rehearsal,
    SampleSubmission,
    SampleValue,
    Standing,
    TaskRehearsal,
)
from evaluation.rehearsal.sample_files import DESCRIPTIONS, GOOD, INCOMPLETE, MEDIOCRE, example_lines, write_incomplete
from evaluation.rehearsal.sample_sets import RefusedError, SampleTestSet, score, seal, validate
from evaluation.rehearsal.submit_pages import submit_page_of

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.designs.document import Document, Values
    from evaluation.scoring.evidence_blocks import Evidence
    from evaluation.scoring.rows import Row

MOST_RESAMPLES: Final = 200
"""Resamples of a sample board; the registered number is for the real one."""
_EMPTY: Final = (Outcome.PRED_EMPTY, Outcome.REF_EMPTY, Outcome.BOTH_EMPTY)
"""Outcomes of a case without objects: the registered rules decide its value, not the metric."""
FAILED_CALL: Final = "direct computation failed"
_MOST_FINDINGS: Final = 20
_MOST_OBSTACLES: Final = 20
Progress = Callable[[str, int, int], None]
"""Called with the step, and with the number of finished and of all steps."""


def rehearse(document: Document, *, progress: Progress | None = None) -> Rehearsal:
    """Rehearse every task of a design.

    Parameters
    ----------
    progress
        Called before each step.

    Examples
    --------
    >>> from evaluation.designs.catalogue import shipped
    >>> from evaluation.designs.document import from_json
    >>> document, _ = from_json({"challenge": {}, "tasks": [{"task_name": "Draft"}]}, catalogue=shipped())
    >>> outcome = rehearse(document)
    >>> outcome.is_passed, outcome.tasks[0].obstacles[0].step
    (False, 'compile')
    """
    tasks = list(document.each_task())
    outcome = Rehearsal()
    if not tasks:
        outcome.obstacles.append(Obstacle("compile", "The design has no task.", "task_name", remedy="Add a task."))
    for number, values in enumerate(tasks):

        def step(name: str, done: int, total: int, number: int = number) -> None:
            if progress is not None:
                progress(name, number * total + done, len(tasks) * total)

        outcome.tasks.append(rehearse_task(values, progress=step))
    return outcome


def rehearse_task(values: Values, *, progress: Progress | None = None) -> TaskRehearsal:
    """Rehearse one task of a design."""
    task = TaskRehearsal(values.task_key or "", values.name)
    compilation = compile_values(values)
    if compilation.gaps:
        task.obstacles = [
            Obstacle("compile", problem.message, problem.parameter, remedy="Complete or correct this field.")
            for problem in compilation.gaps
        ]
    elif compilation.assessment is None:
        task.is_skipped = True
        task.notes = [problem.message for problem in compilation.elsewhere]
    else:
        _rehearse(task, compilation.assessment, progress or (lambda *_: None))
    return task


def rehearse_assessment(
    assessment: Assessment, *, name: str = "", progress: Progress | None = None, resamples: int = MOST_RESAMPLES
) -> TaskRehearsal:
    """Rehearse an assessment document.

    Parameters
    ----------
    resamples
        Most resamples of the sample board.
    """
    task = TaskRehearsal("", name)
    _rehearse(task, assessment, progress or (lambda *_: None), resamples)
    return task


@dataclass(frozen=True)
class OwnSample:
    """References and submissions of an organizer, in place of generated ones.

    Attributes
    ----------
    references
        Folder of references, with ``cases.csv`` for the characteristics of the cases if there are any.
    submissions
        Folder of each submission, by its name.
    """

    references: Path
    submissions: Mapping[str, Path]


def rehearse_sample(
    assessment: Assessment,
    sample: OwnSample,
    *,
    key: str = "",
    name: str = "",
    progress: Progress | None = None,
    resamples: int = MOST_RESAMPLES,
) -> TaskRehearsal:
    """Rehearse an assessment with references and submissions of an organizer.

    Every submission is validated as if a team had sent it, and all accepted ones are scored and ranked. A refused
    submission is an `Obstacle`, and the others go on. Values are not compared with direct calls.

    Parameters
    ----------
    key, name
        Key and name of the task.
    progress
        Called before each step.
    resamples
        Most resamples of the sample board.
    """
    task = TaskRehearsal(key, name)
    _describe_rules(task, assessment)
    try:
        _run_own(task, assessment, sample, progress or (lambda *_: None), resamples)
    except _FailedError as failure:
        task.obstacles.append(failure.obstacle)
    return task


_OWN_STEPS: Final = ("Seal references", "Validate and score", "Rank")


def _run_own(
    task: TaskRehearsal, assessment: Assessment, sample: OwnSample, progress: Progress, resamples: int
) -> None:
    progress(_OWN_STEPS[0], 0, len(_OWN_STEPS))
    cases, facts = _own_cases(assessment, sample.references)
    task.cases = len(cases)
    test_set = _sealed(assessment, sample.references, cases, facts)
    _describe_submission(task, test_set, next(iter(sample.submissions.values()), None))
    progress(_OWN_STEPS[1], 1, len(_OWN_STEPS))
    rows: list[Row] = []
    evidence: list[tuple[str, Evidence]] = []
    for name, folder in sample.submissions.items():
        try:
            of_submission, own_evidence = _submit(task, test_set, folder, name, complete=False)
        except _FailedError as failure:
            task.obstacles.append(replace(failure.obstacle, file=failure.obstacle.file or name))
            continue
        rows += of_submission
        evidence += [(name, own_evidence)] if own_evidence is not None else []
    progress(_OWN_STEPS[2], 2, len(_OWN_STEPS))
    if rows:
        accepted = [submission.name for submission in task.submissions if submission.accepted]
        rows += invented_rows(assessment, accepted, cases, complete=True)
        task.notes += _invented_notes(assessment)
        _rank(task, assessment, rows, evidence, facts, resamples)


def _own_cases(assessment: Assessment, folder: Path) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Return the cases that the references name, and their characteristics."""
    problem = kind_of(assessment)
    remedy = "Name the files as “Test sets” asks, and send them again."
    if not problem.is_scored:
        message = "Values of this task are measured outside, so it has no references."
        raise _FailedError(Obstacle("seal", message, remedy="Rehearse with generated values."))
    try:
        if isinstance(problem, TableProblem):
            cases = list(read_one_table(folder, problem)[1].cases)
        else:
            assert isinstance(problem, FileProblem)
            cases = list(problem.find_references(folder))
        facts = facts_of(folder, cases)
    except ReferenceTableError as error:
        raise _FailedError(Obstacle("seal", str(error), remedy=remedy)) from error
    except ReadError as error:
        raise _FailedError(Obstacle("seal", f"{error.message}. {error.remedy}", remedy=remedy)) from error
    if not cases:
        raise _FailedError(Obstacle("seal", "No file of these is a reference of this kind of problem.", remedy=remedy))
    return cases, facts


_STEPS: Final = ("Generate sample data", "Seal references", "Validate and score", "Compare values", "Rank")


def _rehearse(task: TaskRehearsal, assessment: Assessment, progress: Progress, resamples: int = MOST_RESAMPLES) -> None:
    _describe_rules(task, assessment)
    with tempfile.TemporaryDirectory(prefix="rehearsal-") as name:
        try:
            _run(task, assessment, Path(name), progress, resamples)
        except _NotRehearsedError:
            task.is_skipped = True
            task.notes.append("No sample data can be generated for this task, so it was not rehearsed.")
        except _FailedError as failure:
            task.obstacles.append(failure.obstacle)


def _describe_rules(task: TaskRehearsal, assessment: Assessment) -> None:
    from evaluation.ranking import describe

    task.problem = assessment.problem
    task.rules = list(dict.fromkeys([*describe(assessment), *option_sentences(assessment)]))


class _NotRehearsedError(Exception):
    """Raised for an assessment for which no sample data can be generated."""


class _FailedError(Exception):
    """Raised when a step cannot continue; `obstacle` states why."""

    def __init__(self, obstacle: Obstacle) -> None:
        self.obstacle = obstacle
        super().__init__(str(obstacle))


def _run(task: TaskRehearsal, assessment: Assessment, folder: Path, progress: Progress, resamples: int) -> None:
    progress(_STEPS[0], 0, len(_STEPS))
    task.cases = kind_of(assessment).samples.cases_of(assessment)
    cases = names_of_cases(task.cases)
    rows: list[Row] = []
    evidence: list[tuple[str, Evidence]] = []
    if not kind_of(assessment).is_scored:
        facts = _facts(assessment, folder, task.cases)
        task.notes.append("Values are measured outside. Invented values were ranked in their place.")
        rows = invented_results(assessment, [GOOD, MEDIOCRE, INCOMPLETE], cases)
        task.submissions = [
            SampleSubmission(name, DESCRIPTIONS[name], accepted=True) for name in (GOOD, MEDIOCRE, INCOMPLETE)
        ]
    else:
        _generate(assessment, folder, task.cases)
        facts = _facts(assessment, folder, task.cases)
        progress(_STEPS[1], 1, len(_STEPS))
        test_set = _sealed(assessment, folder / "references", cases, facts)
        _describe_submission(task, test_set, folder / "predictions" / GOOD)
        progress(_STEPS[2], 2, len(_STEPS))
        for name in (GOOD, MEDIOCRE, INCOMPLETE):
            of_submission, own_evidence = _submit(task, test_set, folder / "predictions" / name, name)
            rows += of_submission
            evidence += [(name, own_evidence)] if own_evidence is not None else []
        progress(_STEPS[3], 3, len(_STEPS))
        _compare(task, assessment, folder, cases, facts, rows)
        rows += invented_rows(assessment, [GOOD, MEDIOCRE, INCOMPLETE], cases)
        task.notes += _invented_notes(assessment)
    progress(_STEPS[4], 4, len(_STEPS))
    if not task.obstacles:
        _rank(task, assessment, rows, evidence, facts, resamples)


def _generate(assessment: Assessment, folder: Path, cases: int) -> None:
    try:
        kind_of(assessment).samples.write_registered(assessment, folder, cases=cases, algorithms=(GOOD, MEDIOCRE))
    except NotImplementedError:
        raise _NotRehearsedError from None
    write_incomplete(folder / "predictions", names_of_cases(cases)[-1])


def _facts(assessment: Assessment, folder: Path, cases: int) -> dict[str, dict[str, str]]:
    (folder / "references").mkdir(exist_ok=True)
    return write_characteristics(assessment, folder, cases)


def _sealed(
    assessment: Assessment, folder: Path, cases: Sequence[str], facts: Mapping[str, Mapping[str, str]]
) -> SampleTestSet:
    try:
        return seal(assessment, folder, cases, facts)
    except RefusedError as error:
        remedy = "Change the scored regions or classes, or the settings of the problem."
        obstacle = Obstacle("seal", str(error), "regions", error.file, error.case, remedy=remedy)
        raise _FailedError(obstacle) from error
    except ValueError as error:
        raise _FailedError(Obstacle("seal", str(error), "problem_settings")) from error


def _describe_submission(task: TaskRehearsal, test_set: SampleTestSet, folder: Path | None) -> None:
    """Note what the submit page shows, and the files of a submission."""
    task.submit_page = [text.replace("`", "") for text in submit_page_of(test_set, task.cases)]
    task.example = [] if folder is None else example_lines(folder)


def _submit(
    task: TaskRehearsal, test_set: SampleTestSet, folder: Path, name: str, *, complete: bool = True
) -> tuple[list[Row], Evidence | None]:
    """Validate and score a submission.

    Parameters
    ----------
    complete
        Whether every case has to be accepted, except the last one of the incomplete sample.
    """
    submission = SampleSubmission(name, DESCRIPTIONS.get(name, ""))
    task.submissions.append(submission)
    try:
        validated = validate(test_set, folder)
    except RefusedError as error:
        submission.findings = [str(error)]
        remedy = "Participants could not submit. Change the regions or classes, the metrics or the problem settings."
        raise _FailedError(Obstacle("submit", str(error), "regions", error.file, error.case, remedy=remedy)) from error
    submission.accepted = True
    submission.findings = validated.findings[:_MOST_FINDINGS]
    expected = set(test_set.expectation.names)
    refused = sorted(expected - set(validated.predictions))
    last = test_set.expectation.names[-1]
    may_lack = [last] if name == INCOMPLETE else []
    if not validated.predictions:
        message = submission.findings[0] if submission.findings else "No file belongs to a case of the references."
        submission.accepted = False
        remedy = "Name the files as the submit page asks."
        raise _FailedError(Obstacle("submit", message, remedy=remedy))
    if complete and (unexpected := [case for case in refused if case not in may_lack]):
        message = submission.findings[0] if submission.findings else "No prediction of this case was accepted."
        raise _FailedError(
            Obstacle(
                "submit",
                message,
                "regions",
                case=unexpected[0],
                remedy="Change the regions or classes, or the problem settings.",
            )
        )
    try:
        return score(test_set, validated, name)
    except RefusedError as error:
        raise _FailedError(Obstacle("score", str(error), "metrics", case=error.case)) from error
    except (ValueError, LookupError) as error:
        remedy = "Change the metric, its options or its rules for missing values."
        raise _FailedError(Obstacle("score", str(error), "metrics", remedy=remedy)) from error


def _compare(
    task: TaskRehearsal,
    assessment: Assessment,
    folder: Path,
    cases: Sequence[str],
    facts: Mapping[str, Mapping[str, str]],
    rows: Sequence[Row],
) -> None:
    """Compare scored values with direct calls, for all sample submissions that are complete."""
    compared = 0
    missing: Counter[str] = Counter()
    titles = _titles(assessment)
    for name in (GOOD, MEDIOCRE):
        scored = {(row.case, row.region, row.metric): row for row in rows if row.algorithm == name}
        sample = Sample(assessment, folder / "references", folder / "predictions" / name, cases, facts)
        seen = set()
        for case, region, metric, result in _direct_values(sample, missing):
            key = (case, region, metric)
            seen.add(key)
            row = scored.get(key)
            if row is not None and case and kind_of(assessment).metrics.rates_objects and row.outcome in _EMPTY:
                missing[f"{titles.get(metric, metric)} of a case without objects"] += 1
                continue
            if row is None or not _is_equal(row.value, result.value):
                task.obstacles.append(_difference((case, region, titles.get(metric, metric)), row, result.value))
                continue
            compared += 1
        missing.update(
            f"{titles.get(row.metric, row.metric)}: no direct computation"
            for key, row in scored.items()
            if key not in seen
        )
    incomplete = sum(row.algorithm == INCOMPLETE for row in rows)
    not_compared = dict(missing)
    if incomplete:
        not_compared["sample without its last case"] = incomplete
    task.comparison = Comparison(compared, not_compared)
    del task.obstacles[_MOST_OBSTACLES:]


def _direct_values(sample: Sample, missing: Counter[str]) -> Iterator[DirectValue]:
    """Yield direct values; an error of a direct call is a reason why values are not compared."""
    try:
        yield from direct_values(sample)
    except Exception as error:  # noqa: BLE001  (a comparison that fails must not fail the rehearsal)
        missing[f"{FAILED_CALL}: {type(error).__name__}: {error}"] += 1


def _difference(key: tuple[str, str, str], row: Row | None, direct: float | None) -> Obstacle:
    case, region, metric = key
    value = "no value" if row is None or row.value is None else f"{row.value:.12g}"
    message = f"Scoring computed {value} in {region or 'all cases'}, and a direct call {'no value' if direct is None else f'{direct:.12g}'}."
    return Obstacle("compare", message, "metrics", case=case, metric=metric, remedy="Report this to the operators.")


def _is_equal(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is None and other is None
    return math.isclose(one, float(other), rel_tol=1e-9, abs_tol=1e-12)


def _invented_notes(assessment: Assessment) -> list[str]:
    notes = []
    if assessment.by_run:
        names = ", ".join(use.title for use in assessment.by_run)
        notes.append(f"Invented values were ranked for {names}, because no algorithm was run.")
    if assessment.by_scorer:
        names = ", ".join(use.title for use in assessment.by_scorer)
        notes.append(f"Invented values were ranked for {names}, because the scoring image was not run.")
    return notes


def _rank(
    task: TaskRehearsal,
    assessment: Assessment,
    rows: Sequence[Row],
    evidence: Sequence[tuple[str, Evidence]],
    facts: Mapping[str, Mapping[str, str]],
    most_resamples: int,
) -> None:
    import pandas as pd

    from evaluation.ranking.counted import LEVEL
    from evaluation.ranking.document import rank
    from evaluation.scoring.evidence import merge_evidence

    frame = frame_of(rows)
    if assessment.interaction_weights:
        frame[LEVEL] = next(iter(assessment.interaction_weights))
    columns = grouping_columns(assessment)
    table = pd.DataFrame([{"case": case, **{name: each[name] for name in columns}} for case, each in facts.items()])
    resamples = min(assessment.uncertainty.bootstrap, most_resamples)
    try:
        document = rank(
            assessment,
            frame,
            cases=table if columns else None,
            evidence=merge_evidence(list(evidence)) if evidence else None,
            bootstrap=resamples,
        )
        values = _sample_values(assessment, frame)
    except (ValueError, LookupError, AssessmentError) as error:
        remedy = "Change the ranking method or the rules for missing data."
        raise _FailedError(Obstacle("rank", str(error), "missing_data_handling", remedy=remedy)) from error
    for submission in task.submissions:
        submission.values = values.get(submission.name, [])
    task.board = _board(document, _titles(assessment))
    if resamples < assessment.uncertainty.bootstrap:
        task.notes.append(
            f"The sample board uses {resamples} resamples instead of {assessment.uncertainty.bootstrap:,}."
        )


def frame_of(rows: Sequence[Row]) -> pd.DataFrame:
    """Return rows as a results table."""
    import pandas as pd

    table = pd.DataFrame([row._asdict() | {"outcome": str(row.outcome), "flag": str(row.flag)} for row in rows])
    numbers = ("value", "image_diagonal", "worst", "before")
    return table.astype(dict.fromkeys(numbers, "float64"))


def _sample_values(assessment: Assessment, frame: pd.DataFrame) -> dict[str, list[SampleValue]]:
    """Values of each submission per metric and region: the mean over cases with the registered missing-data rules."""
    import numpy as np

    from evaluation.aggregation import build_tables, check_results

    values: dict[str, list[SampleValue]] = {}
    for table in build_tables(assessment, check_results(frame)):
        for index, name in enumerate(table.algorithms):
            column = table.values[:, index]  # noqa: PD011  (not a pandas object)
            finite = column[np.isfinite(column)]
            value = float(finite.mean()) if finite.size else None
            outcomes = {str(key): int(number) for key, number in table.outcomes[index].items()}
            values.setdefault(name, []).append(SampleValue(table.metric.title, table.region or "", value, outcomes))
    return values


def _titles(assessment: Assessment) -> dict[str, str]:
    """Return the titles of the metrics by the names that results have."""
    return {use.name: use.title for use in assessment.metrics}


def _board(document: Mapping[str, Any], titles: Mapping[str, str]) -> list[Standing]:
    overall = document.get("overall")
    combined = overall if isinstance(overall, list) else [overall] if overall else []
    entries = [(entry.get("name") or "Overall ranking", entry) for entry in combined]
    entries += [
        (
            " ".join(
                filter(
                    None,
                    [entry.get("name"), titles.get(entry.get("metric"), entry.get("metric")), entry.get("region")],
                )
            ),
            entry,
        )
        for entry in document["rankings"]
    ]
    return [
        Standing(
            title,
            each["name"],
            each.get("rank"),
            tuple(each["rank_interval"]) if each.get("rank_interval") else None,
            each.get("score"),
        )
        for title, entry in entries
        for each in entry["algorithms"]
    ]
