"""Survival: risks, or probabilities of no event, against times to an event that may be censored."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evaluation.catalogue import Option
from evaluation.problems.answers import (
    EVERYTHING,
    UNANSWERED,
    AnswerEvidence,
    AnswerMetrics,
    AnswerPlausibility,
    AnswerProblem,
    KnownCase,
    NumberPredictions,
    NumberReferences,
    refuse_rows,
)
from evaluation.problems.cautions import of_survival, reversed_risk
from evaluation.problems.pictures import AnswerView
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.survival_answers import (
    BOTH,
    PROBABILITIES,
    RISK,
    answers_of,
    follow_up_of,
    known_of,
    stored_censoring,
)
from evaluation.problems.survival_figures import FIGURES
from evaluation.problems.tables import (
    ExpectedTable,
    PredictionTable,
    ReferenceTable,
    ReferenceTableError,
    SubmitWords,
    TableReferenceRules,
    TableSamples,
    TableTexts,
)
from evaluation.wording import joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.metrics.survival_values import Censoring
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.case_answers import CaseAnswers
    from evaluation.problems.follow_up import FollowUp
    from evaluation.readers.limits import Limits
    from evaluation.readers.number_tables import NumberTable
    from evaluation.scoring.evidence_blocks import CaseEvidence

FILE: Final = "survival.csv"
CENSORING_FILE: Final = "censoring.csv"
"""Table of times and events of other people, next to the references.

It shows how long people remain under observation.
"""
PREFIX: Final = "s_"


class Answer(NamedTuple):
    """A risk, or probabilities of no event until each of the times, or both."""

    risk: float | None
    survival: tuple[float, ...] | None


class SurvivalReferences(NumberReferences):
    """Time and event of every case, and those of other people where their table exists."""

    content = "times and events"

    def __init__(self, table: NumberTable, others: NumberTable | None) -> None:
        super().__init__(table)
        self.others = others


class SurvivalAnswerView(AnswerView):
    """Answers to a case of survival analysis, line by line."""

    def numbers_of(self, value: Answer, shared: Mapping[str, Any]) -> NDArray[Any]:
        """The risk, and the probabilities behind it; not a number where there is none."""
        import numpy as np

        nothing = (np.nan,) * len(shared["classes"])
        risk = np.nan if value.risk is None else value.risk
        return np.array([risk, *(value.survival or nothing)], dtype=float)

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: KnownCase
    ) -> CaseAnswers:
        """Return the risk and the probabilities of no event, next to the observation."""
        import numpy as np

        from evaluation.problems.case_answers import CaseAnswer, CaseAnswers, number

        times, unit = list(assessment.settings["times"] or ()), str(assessment.settings["unit"] or "")
        answer_numbers = np.full(1 + len(times), np.nan)
        if answer is not None and answer.size == answer_numbers.size:
            answer_numbers = answer
        observed, state = reference.numbers[EVERYTHING], "not known"
        if observed is not None:
            state = f"{'the event' if observed[1] else 'no event until'} {'at ' if observed[1] else ''}{number(observed[0], unit)}"
        lines = [CaseAnswer("risk, larger for an earlier event", number(float(answer_numbers[0])), state)]
        for time, probability in zip(times, answer_numbers[1:].tolist(), strict=True):
            happened = "" if observed is None else _until(observed, time)
            lines.append(CaseAnswer(f"no event until {number(time, unit)}", number(probability), happened))
        return CaseAnswers.of("Answer", lines)


class SurvivalSamples(TableSamples):
    """Samples of survival analysis."""

    kind: Survival

    def write_challenge(
        self, folder: Path, *, cases: int = 12, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Times with censoring; one algorithm knows the hazard better than the other."""
        from evaluation.problems.examples import write_survival

        write_survival(folder, cases=max(cases, 12), seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "metrics": [{"id": "harrell_c"}, {"id": "integrated_brier_score"}],
            "settings": {"times": [6, 12], "unit": "months"},
        }

    def write_registered(
        self,
        assessment: Assessment,
        folder: Path,
        *,
        cases: int = 12,
        seed: int = 1,
        algorithms: Sequence[str] = ALGORITHMS,
    ) -> None:
        """Write times that reach beyond every registered time."""
        from evaluation.problems.registered_examples import write_survival

        write_survival(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class SurvivalTexts(TableTexts):
    """Texts about survival analysis on pages."""

    def missing_cases(self, assessment: Assessment) -> str:
        """Return how a case without an answer counts."""
        return "counts as ordered wrongly in every pair, and as wrong as can be in every probability"

    def submit_page(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """Return the description of the table for the submit page."""
        before = (
            f"One table `{FILE}` with a row for each of the {cases} cases, packed into an archive or dropped as it is. The column "
            "`risk` is larger for an earlier event; a column `time` with predicted times, larger for a later event, is taken "
            "in its place."
        )
        if expected.classes:
            before += (
                f" The columns `{'`, `'.join(expected.classes)}` hold the probability that no event happens until that time, "
                "from 0 to 1 and not rising from left to right"
            )
            before += f"; {_need(expected.need_scores)} them." if expected.need_scores else "."
        cost = "A case without a row that can be read counts as wrong in every comparison, which is the costliest answer there is."
        return SubmitWords((before,), expected.columns, "…", (cost,) if incomplete_cost else (), classes="")


class SurvivalPlausibility(AnswerPlausibility):
    """Plausibility of results of survival analysis."""

    metric_rules = (of_survival,)
    result_rules = (reversed_risk,)


class SurvivalEvidence(AnswerEvidence):
    """Evidence of values of the whole data set for survival analysis."""

    figures = FIGURES
    has_follow_up = True

    def follow_up(self, evidence: CaseEvidence) -> FollowUp:
        """Number of events, and median of the follow-up."""
        return follow_up_of(evidence)


class SurvivalMetrics(AnswerMetrics):
    """Metrics of survival analysis."""

    has_values_of_cases = False


class SurvivalReferenceRules(TableReferenceRules):
    """References of survival analysis."""

    kind: Survival

    additional_files = (CENSORING_FILE,)

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Case, time of follow-up, and whether the event was observed."""
        return {self.kind.table_files[0]: ("case", "time", "event")}


class Survival(AnswerProblem):
    """The time until an event, which for some people was not observed to its end."""

    id = "survival"
    category = "Sur"
    task_categories = ("prediction",)
    table_files = (FILE,)
    regions = RegionRules(are_allowed=False)
    settings = (
        Option("times", "array", None, "Times, ascending, of which survival probabilities are asked for"),
        Option(
            "ipcw",
            "enum",
            "references",
            f"Whose censoring weighs the cases: that of the references, or of the people in {CENSORING_FILE} (training)",
            choices=("references", "training"),
        ),
        Option("unit", "string", None, "Unit of the times, for labels"),
    )
    answer_view = SurvivalAnswerView()
    samples = SurvivalSamples()
    texts = SurvivalTexts()
    plausibility = SurvivalPlausibility()
    evidence = SurvivalEvidence()
    metrics = SurvivalMetrics()
    references = SurvivalReferenceRules()

    # The assessment document ------------------------------------------------------------------------------------------

    def check(self, assessment: Assessment) -> None:
        """Reject times that do not ascend, and metrics that use times which are not configured."""
        from evaluation.assessment.errors import AssessmentError

        times = assessment.settings["times"]
        if times is not None and (times[0] <= 0 or any(b <= a for a, b in itertools.pairwise(times))):
            raise AssessmentError("settings.times", times, "numbers above 0, ascending")
        for index, use in enumerate(assessment.metrics):
            if not self.metrics.needs_scores(use):
                continue
            if not times:
                raise AssessmentError(
                    "settings.times", times, f"the times of survival probabilities, which {use.name} needs"
                )
            time = use.options.get("time")
            if time is not None and time not in times:
                allowed = f"one of settings.times: {', '.join(f'{allowed_time:g}' for allowed_time in times)}"
                raise AssessmentError(f"metrics[{index}].options.time", time, allowed)
            if time is None and len(times) < 2:
                raise AssessmentError(
                    "settings.times", times, f"two times at least, over which {use.name} is integrated"
                )

    # Reading ----------------------------------------------------------------------------------------------------------

    def read_references(self, path: Path) -> SurvivalReferences:
        """Read ``survival.csv``, and ``censoring.csv`` where it exists in the same folder."""
        others = path.parent / CENSORING_FILE
        return SurvivalReferences(_followed(path), _followed(others) if others.is_file() else None)

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse what is no time or event, and horizons beyond what anybody was followed."""
        super().check_references(table, assessment, cases)
        try:
            self.shared(table, assessment, cases, {})
        except ValueError as error:
            raise ReferenceTableError(f"{error}.") from None

    def shared(
        self,
        table: ReferenceTable,
        assessment: Assessment,
        cases: Sequence[str],
        patients: Mapping[str, str],
        named: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Columns of probabilities with their times, and the censoring survival, estimated once.

        Raises
        ------
        ValueError
            If censoring cannot be estimated as far as metrics need it.
        """
        assert isinstance(table, SurvivalReferences)
        _refuse(table.table)
        pairs = _pairs(table.table, cases)
        censoring = _censoring(pairs)
        if assessment.settings["ipcw"] == "training":
            if table.others is None:
                message = f"{CENSORING_FILE} is missing, from which censoring is to be estimated"
                raise ValueError(message)
            _refuse(table.others)
            censoring = _censoring(_pairs(table.others, table.others.cases))
        _refuse_horizons(assessment, pairs, censoring)
        times = assessment.settings["times"] or []
        return {
            "classes": [f"{PREFIX}{time:g}" for time in times],
            "patients": dict(patients),
            "times": list(times),
            "censoring": {
                "times": censoring.times.tolist(),
                "survival": censoring.survival.tolist(),
                "last": censoring.last,
            },
        }

    def classes_of(self, table: ReferenceTable, assessment: Assessment, case: str) -> dict[str, int]:
        """Return whether the event was observed."""
        assert isinstance(table, SurvivalReferences)
        event = table.table.numbers.get(case, {}).get("event")
        return {"with the event": int(event == 1), "censored": int(event == 0)}

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> KnownCase:
        """Time and event."""
        assert isinstance(table, SurvivalReferences)
        by_column = table.table.numbers.get(case, {})
        numbers = (by_column["time"], by_column["event"]) if "time" in by_column and "event" in by_column else None
        return KnownCase({EVERYTHING: numbers}, width=len(shared["times"]))

    def read_predictions(
        self,
        path: Path,
        cases: Sequence[str],
        shared: Mapping[str, Any],
        *,
        references: ReferenceTable | None = None,
        every_reason: bool = False,
        most_of_case: int | None = None,
        limits: Limits | None = None,
    ) -> NumberPredictions:
        """Read ``survival.csv`` with a risk or a predicted time, probabilities, or both.

        Raises
        ------
        ReadError
            If the table has none of these, both a risk and a time, or only some of the probabilities.
        """
        from evaluation.readers import ReadError
        from evaluation.readers.limits import DEFAULT
        from evaluation.readers.number_tables import read_number_table

        wanted = tuple(shared["classes"])
        table = read_number_table(path, (), None, limits=limits or DEFAULT)
        columns = _columns_of(table, wanted)
        named = [column for column in ("risk", "time") if column in table.columns]
        if len(named) > 1:
            raise ReadError("table", table.name, "columns risk and time", "one of them")
        if columns and len(columns) < len(wanted):
            raise ReadError("table", table.name, f"{len(columns)} of {len(wanted)} probabilities", ", ".join(wanted))
        if not named and not columns:
            raise ReadError("table", table.name, "neither risk nor time nor probabilities", "a column risk or time")
        reasons, absent, strange = refuse_rows(table, cases)
        answers: dict[str, Answer] = {}
        for case in set(cases) & set(table.cases) - set(reasons):
            try:
                answers[case] = _answer(table, case, named, [columns[name] for name in wanted] if columns else [])
            except ReadError as error:
                reasons[case] = error.issue
        return NumberPredictions(answers, reasons, absent, strange)

    def check_predictions(self, table: PredictionTable, path: Path, expected: ExpectedTable) -> None:
        """Refuse a table without probabilities that a metric needs."""
        from evaluation.readers import ReadError

        assert isinstance(table, NumberPredictions)
        if expected.need_scores and table.answers and all(answer.survival is None for answer in table.answers.values()):
            message = f"no columns {', '.join(expected.classes)}, which {', '.join(expected.need_scores)} need"
            raise ReadError("table", path.name, message)

    def columns(self, expected: ExpectedTable) -> tuple[str, ...]:
        """Case, risk, and the probabilities that metrics need."""
        return ("case", "risk", *(expected.classes if expected.need_scores else ()))

    # Scoring ----------------------------------------------------------------------------------------------------------

    def answer_numbers(self, prediction: Answer, region: str, reference: KnownCase) -> tuple[int, list[float]]:
        """The risk, and the probabilities behind it."""
        state = (prediction.risk is not None) * RISK + (prediction.survival is not None) * PROBABILITIES
        risk = [] if prediction.risk is None else [prediction.risk]
        return state, [*risk, *(prediction.survival or ())]

    def is_answer(self, state: int, numbers: Sequence[float], reference: KnownCase) -> bool:
        """One risk, or probabilities that do not rise, or both."""
        if state not in (RISK, PROBABILITIES, BOTH) or (state & PROBABILITIES and not reference.width):
            return False
        behind = state & RISK
        probabilities = list(numbers[behind:])
        if len(probabilities) != (reference.width if state & PROBABILITIES else 0) or len(numbers) < behind:
            return False
        return _falls(probabilities)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From times, events and answers; censoring is not estimated again."""
        import numpy as np

        from evaluation import catalogue
        from evaluation.metrics import survival_values
        from evaluation.metrics.values import Values
        from evaluation.outcomes import Outcome

        shared = evidence.shared
        is_known, states, followed = known_of(evidence)
        weights = np.ascontiguousarray(multiplicities[:, is_known], dtype=np.float64)
        censoring = stored_censoring(shared)
        times = np.asarray(shared["times"], dtype=np.float64)
        risk, survival = answers_of(evidence, is_known, states, len(times))
        function = getattr(survival_values, metric.id)
        if "scores" not in catalogue.get(metric.id).needs:
            extra = () if metric.id == "harrell_c" else (censoring,)
            result: Values = function(followed, risk, states > UNANSWERED, weights, *extra, **metric.options)
            return result
        answered = (states & PROBABILITIES) > 0
        if not answered.any():
            return Values(np.zeros(len(weights))).undefine(True, Outcome.MISSING)
        if "time" in metric.options:
            column = int(np.flatnonzero(times == metric.options["time"])[0])
            result = function(followed, survival[:, column], answered, weights, censoring, **metric.options)
        else:
            result = function(followed, survival, answered, weights, censoring, times=times)
        return result


def _followed(path: Path) -> NumberTable:
    import sys

    from evaluation.readers.number_tables import read_number_table

    return read_number_table(path, ("time", "event"), bounds={"time": (sys.float_info.min, sys.float_info.max)})


def _refuse(table: NumberTable) -> None:
    """Refuse a table of times for its first cell that is none.

    Raises
    ------
    ValueError
        With the cell.
    """
    from evaluation.readers import ReadError

    for error in (*table.twice.values(), *table.wrong.values()):
        raise ValueError(error.message)
    for case, column in sorted(table.empty, key=lambda cell: table.rows[cell[0]]):
        message = f"{table.name}: nothing as {column} in row {table.rows[case]}"
        raise ValueError(message)
    for case, numbers in table.numbers.items():
        if numbers["event"] not in (0, 1):
            event = f"{numbers['event']:g}"
            error = ReadError("table", table.name, f"{event!r} as event in row {table.rows[case]}", "0 or 1")
            raise ValueError(error.message)


def _pairs(table: NumberTable, cases: Sequence[str]) -> list[tuple[float, float]]:
    return [(table.numbers[case]["time"], table.numbers[case]["event"]) for case in cases if case in table.numbers]


def _censoring(pairs: Sequence[tuple[float, float]]) -> Censoring:
    from evaluation.metrics.survival_values import censoring_survival, followed

    return censoring_survival(followed(pairs))


def _refuse_horizons(assessment: Assessment, pairs: Sequence[tuple[float, float]], censoring: Censoring) -> None:
    """Reject undefined weights, and times at which no person was under observation any more.

    Raises
    ------
    ValueError
        With the largest time that can be used.
    """
    import numpy as np

    times, events = np.array(pairs).T
    usable = [time for time in censoring.times[censoring.survival > 0].tolist() if time < times.max()]
    largest = f"the largest that can be used is {usable[-1]:g}" if usable else "none can be used"
    weighted = np.sort(times[events == 1])
    lost = weighted[censoring.before(weighted) <= 0]
    for use in assessment.computed:
        horizon = use.options.get("time", use.options.get("tau"))
        asked = [horizon] if horizon is not None else []
        weighs_all = "tau" in use.options and horizon is None
        if "time" not in use.options and "tau" not in use.options and use.id != "harrell_c":
            asked = list(assessment.settings["times"] or [])
        for time in asked:
            too_late = time >= times.max() or censoring.at(time) <= 0 or (len(lost) and lost[0] <= time)
            if too_late and "tau" not in use.options:
                message = f"the time {time:g} of {use.name} lies beyond the follow-up of the references; {largest}"
                raise ValueError(message)
            if len(lost) and lost[0] < time:
                message = f"tau {time:g} of {use.name} takes in events that have no weight; {largest}"
                raise ValueError(message)
        if weighs_all and len(lost):
            message = f"{use.name} without tau takes in events that have no weight; set tau, {largest}"
            raise ValueError(message)


def _columns_of(table: NumberTable, wanted: Sequence[str]) -> dict[str, str]:
    """Return the column of each required probability; ``s_12`` and ``s_12.0`` are the same column."""
    columns: dict[str, str] = {}
    for column in table.columns:
        if column.startswith(PREFIX):
            try:
                name = f"{PREFIX}{float(column.removeprefix(PREFIX)):g}"
            except ValueError:
                continue
            if name in wanted:
                columns.setdefault(name, column)
    return columns


def _answer(table: NumberTable, case: str, named: Sequence[str], columns: Sequence[str]) -> Answer:
    """The answer of a row.

    Raises
    ------
    ReadError
        For a cell that is no number, or probabilities that are none.
    """
    from evaluation.readers import ReadError

    numbers, row = table.numbers[case], table.rows[case]
    for column in (*named, *columns):
        if (case, column) in table.wrong:
            raise table.wrong[case, column]
        if column not in numbers:
            raise ReadError("table", table.name, f"nothing as {column} in row {row}", "a number")
    survival = tuple(numbers[column] for column in columns)
    if any(not 0 <= value <= 1 for value in survival):
        column = next(column for column in columns if not 0 <= numbers[column] <= 1)
        raise ReadError("table", table.name, f"{numbers[column]:g} as {column} in row {row}", "a number from 0 to 1")
    if not _falls(survival):
        message = f"probabilities that rise from left to right in row {row}"
        raise ReadError("table", table.name, message, "the probability of no event until each time, never rising")
    risk = None
    if named:
        risk = numbers[named[0]] if named[0] == "risk" else -numbers[named[0]]
    return Answer(risk, survival if columns else None)


def _falls(survival: Sequence[float]) -> bool:
    inside = all(0 <= value <= 1 for value in survival)
    return inside and all(later <= earlier for earlier, later in itertools.pairwise(survival))


def _need(metrics: Sequence[str]) -> str:
    """Return the metrics with the verb “need”, named as in the columns of a leaderboard."""
    from evaluation import catalogue

    abbreviations = {metric.id: metric.abbreviation for metric in catalogue.all_metrics()}
    named = [abbreviations.get(name, name) for name in metrics]
    return f"{joined(named)} {'needs' if len(named) == 1 else 'need'}"


def _until(observed: Sequence[float], time: float) -> str:
    """Return whether no event had happened until a time, as far as it was observed."""
    ended, event = observed[0], bool(observed[1])
    if ended > time:
        return "yes"
    return "no" if event else "not observed"


PROBLEM = Survival()
