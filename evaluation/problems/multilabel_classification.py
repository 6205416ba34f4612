"""Several labels at once: each of some findings is there or not, in every case."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from evaluation.problems.answers import (
    EVERYTHING,
    UNANSWERED,
    AnswerEvidence,
    AnswerMetrics,
    AnswerProblem,
    KnownCase,
    NumberPredictions,
    NumberReferences,
    numbers_of,
    one_row,
    refuse_rows,
    states_of,
)
from evaluation.problems.label_figures import FIGURE
from evaluation.problems.pictures import AnswerView
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.score_ranges import (
    ANY_SCORE,
    NEED_LABELS,
    check_class_scores,
    has_any_score,
    scores_option,
    shared_score_range,
)
from evaluation.problems.tables import (
    ExpectedTable,
    PredictionTable,
    ReferenceTable,
    ReferenceTableError,
    SubmitWords,
    TableReferenceRules,
    TableSamples,
    TableScorerFiles,
    TableTexts,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.case_answers import CaseAnswers
    from evaluation.problems.shown import Rows
    from evaluation.readers.limits import Limits
    from evaluation.readers.number_tables import NumberTable
    from evaluation.scoring.evidence_blocks import CaseEvidence

FILE: Final = "labels.csv"
PREFIX: Final = "p_"
_DECISIONS: Final = 1
_PROBABILITIES: Final = 2
_BOTH: Final = 3
NOT_KNOWN: Final = -1.0
"""Placeholder for a label that is unknown in the reference."""


def _fixed(drawn: float, _value: float, _row: int) -> float:
    return drawn


class Answer(NamedTuple):
    """A decision on every label, a probability of every label, or both."""

    decisions: tuple[float, ...] | None
    probabilities: tuple[float, ...] | None


class MultilabelAnswerView(AnswerView):
    """Answers to a case of multilabel classification, line by line."""

    def numbers_of(self, value: Answer, shared: Mapping[str, Any]) -> NDArray[Any]:
        """Decisions on all labels, and probabilities behind them; not a number where there are none."""
        import numpy as np

        nothing = (np.nan,) * len(shared["classes"])
        return np.array([*(value.decisions or nothing), *(value.probabilities or nothing)], dtype=float)

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: KnownCase
    ) -> CaseAnswers:
        """Return the answer for each label."""
        import numpy as np

        from evaluation.problems.case_answers import NOTHING, CaseAnswer, CaseAnswers, number

        names = [str(name) for name in shared["classes"]]
        reference_numbers = reference.numbers[EVERYTHING] or (NOT_KNOWN,) * len(names)
        numbers = np.full(2 * len(names), np.nan)
        if answer is not None and answer.size == numbers.size:
            numbers = answer
        words = {1.0: "yes", 0.0: "no"}
        lines = []
        for index, name in enumerate(names):
            decision, probability = float(numbers[index]), float(numbers[len(names) + index])
            parts = [words[decision]] if decision in words else []
            parts += [number(probability)] if np.isfinite(probability) else []
            lines.append(
                CaseAnswer(name, ", ".join(parts) or NOTHING, words.get(reference_numbers[index], "not known"))
            )
        return CaseAnswers.of("Label", lines)


class MultilabelSamples(TableSamples):
    """Samples of multilabel classification."""

    kind: MultilabelClassification

    def perfect_rows(self, reference: Rows, shared: Mapping[str, Any]) -> Rows:
        """Decisions and probabilities as the reference has them, 0 for what it leaves open."""
        decided = {name: float(value or 0) for name, value in zip(reference.columns, reference.rows[0], strict=True)}
        scored = {f"{PREFIX}{name}": value for name, value in decided.items()}
        return one_row([*decided, *scored], decided | scored)

    def worse_rows(self, perfect: Rows) -> dict[str, Rows]:
        """Nothing, everything, all the other way round, and noise."""
        from evaluation.problems.shown import draws

        drawn = draws().integers(0, 2, len(perfect.columns) // 2)
        noise = perfect
        for index, name in enumerate(perfect.columns):
            noise = noise.changed([name], partial(_fixed, float(drawn[index % len(drawn)])))
        return {
            "nothing": perfect.changed(perfect.columns, lambda *_: 0.0),
            "everything": perfect.changed(perfect.columns, lambda *_: 1.0),
            "shifted": perfect.changed(perfect.columns, lambda value, _: 1 - value),
            "noise": noise,
        }

    def write_challenge(
        self, folder: Path, *, cases: int = 12, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Two findings; one algorithm has better scores than the other."""
        from evaluation.problems.examples import write_findings

        write_findings(folder, cases=max(cases, 12), seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "nodule"}, {"name": "effusion"}],
            "metrics": [
                {"id": "auroc"},
                {"id": "fbeta", "options": {"class_average": "macro"}},
                {"id": "hamming_loss"},
            ],
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
        """Write every registered label."""
        from evaluation.problems.registered_examples import write_findings

        write_findings(assessment, folder, cases=cases, seed=seed, algorithms=algorithms)


class MultilabelScorerFiles(TableScorerFiles):
    """Files of multilabel classification for scoring images."""

    stems_and_kinds = (("labels", "csv"),)

    def reference_rows(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Rows:
        """1, 0 or nothing for each label."""
        assert isinstance(table, NumberReferences)
        return one_row(shared["classes"], table.table.numbers.get(case, {}))

    def prediction_rows(self, prediction: Answer, shared: Mapping[str, Any]) -> Rows:
        """The decisions, the probabilities in columns ``p_<label>``, or both."""
        labels = tuple(shared["classes"])
        by_column = dict(zip(labels, prediction.decisions or (), strict=False))
        by_column |= {
            f"{PREFIX}{label}": probability
            for label, probability in zip(labels, prediction.probabilities or (), strict=False)
        }
        return one_row([*labels, *(f"{PREFIX}{label}" for label in labels)], by_column)


class MultilabelTexts(TableTexts):
    """Texts about multilabel classification on pages."""

    region_noun = "label"

    def missing_cases(self, assessment: Assessment) -> str:
        """Return how a case without an answer counts."""
        return "counts as a wrong decision on every label, with the worst score"

    def submit_page(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """Return the description of the table for the submit page."""
        columns = (
            _score_words(expected)
            if expected.need_scores
            else "The column of each label is 1 where it holds and 0 where not; columns `p_<label>` with probabilities are "
            "taken as well."
        )
        before = f"One table `{FILE}` with a row for each of the {cases} cases, packed into an archive or dropped as it is. {columns}"
        cost = "A case without a row that can be read counts as wrong in every label, the costliest there is, with the worst scores."
        return SubmitWords(
            (before,), expected.columns, "…", (cost,) if incomplete_cost else (), "Several may hold at once.", "Labels"
        )


class MultilabelEvidence(AnswerEvidence):
    """Evidence of values of the whole data set for multilabel classification."""

    figures = (FIGURE,)

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """The labels, or everything for means over labels and metrics of all labels together."""
        from evaluation import catalogue

        if catalogue.get(use.id).evidence == "labels" or use.options.get("class_average", "per_class") != "per_class":
            return [EVERYTHING]
        return list(shared["regions"])


class MultilabelMetrics(AnswerMetrics):
    """Metrics of multilabel classification."""

    has_values_of_cases = False
    can_pool_classes = True

    def check(self, metrics: tuple[MetricUse, ...]) -> None:
        """Refuse a positive class: every label is judged on its own."""
        from evaluation.assessment.errors import AssessmentError

        for index, use in enumerate(metrics):
            if use.options.get("positive_class") is not None:
                field_path = f"metrics[{index}].options.positive_class"
                raise AssessmentError(
                    field_path, use.options["positive_class"], "nothing: every label is judged on its own"
                )

    def needs_scores(self, use: MetricUse) -> bool:
        """Net benefit is defined for decisions as well."""
        from evaluation import catalogue

        return "scores" in catalogue.get(use.id).needs and use.id != "net_benefit"


class MultilabelReferenceRules(TableReferenceRules):
    """References of multilabel classification."""

    kind: MultilabelClassification

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Case, and a column for each label."""
        labels = dict.fromkeys(str(label) for region in assessment.regions for label in region.labels)
        return {self.kind.table_files[0]: ("case", *(labels or ("label",)))}


class MultilabelClassification(AnswerProblem):
    """Findings of every case, of which several may hold."""

    id = "multilabel_classification"
    category = "MLC"
    settings = (scores_option("labels", "Metrics of decisions then need a column with 1 or 0 for each label."),)
    task_categories = ("classification",)
    table_files = (FILE,)
    answer_view = MultilabelAnswerView()
    samples = MultilabelSamples()
    scorer_files = MultilabelScorerFiles()
    texts = MultilabelTexts()
    evidence = MultilabelEvidence()
    metrics = MultilabelMetrics()
    references = MultilabelReferenceRules()

    # The assessment document ------------------------------------------------------------------------------------------

    def check(self, assessment: Assessment) -> None:
        """Refuse regions of several labels, and metrics that scores of any size do not allow."""
        from evaluation.assessment.errors import AssessmentError

        check_class_scores(assessment)
        for index, region in enumerate(assessment.regions):
            if len(region.labels) != 1:
                raise AssessmentError(f"regions[{index}].labels", list(region.labels), "one column of labels.csv")

    # Reading ----------------------------------------------------------------------------------------------------------

    def read_references(self, path: Path) -> NumberReferences:
        """Read ``labels.csv``: 1, 0 or nothing in the column of each label."""
        from evaluation.readers.number_tables import read_number_table

        return NumberReferences(read_number_table(path, optional=None))

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse a table that lacks a case or a label, or has a cell that is neither 1 nor 0."""
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
        """Labels in order, and the one of each region.

        Raises
        ------
        ValueError
            For a label that the table lacks, or a cell that is none.
        """
        from evaluation.readers import ReadError

        assert isinstance(table, NumberReferences)
        number_table = table.table
        regions = {region.name: str(region.labels[0]) for region in assessment.regions}
        regions = regions or {column: column for column in number_table.columns}
        for column in regions.values():
            if column not in number_table.columns:
                message = f"{number_table.name} has no column {column!r}"
                raise ValueError(message)
        if not regions:
            message = f"{number_table.name} has no column beside case"
            raise ValueError(message)
        columns = set(regions.values())
        wrong = [error for (_, column), error in number_table.wrong.items() if column in columns]
        for error in (*number_table.twice.values(), *wrong):
            raise ValueError(error.message)
        for case, numbers in number_table.numbers.items():
            for column in columns & set(numbers):
                if numbers[column] not in (0, 1):
                    actual = f"'{numbers[column]:g}' as {column} in row {number_table.rows[case]}"
                    raise ValueError(ReadError("table", number_table.name, actual, "1, 0 or nothing").message)
        classes = list(dict.fromkeys(regions.values()))
        return {"classes": classes, "patients": dict(patients), "regions": regions} | shared_score_range(assessment)

    def classes_of(self, table: ReferenceTable, assessment: Assessment, case: str) -> dict[str, int]:
        """Return the labels that apply to the case."""
        assert isinstance(table, NumberReferences)
        names = [str(region.labels[0]) for region in assessment.regions] or list(table.table.columns)
        numbers = table.table.numbers.get(case, {})
        return {name: int(numbers.get(name) == 1) for name in names}

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> KnownCase:
        """1, 0 or `NOT_KNOWN` of every label."""
        assert isinstance(table, NumberReferences)
        case_numbers = table.table.numbers.get(case)
        labels = shared["classes"]
        numbers = None if case_numbers is None else tuple(case_numbers.get(label, NOT_KNOWN) for label in labels)
        return KnownCase({EVERYTHING: numbers}, width=len(labels), any_score=has_any_score(shared))

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
        """Read ``labels.csv`` with a decision on every label, a probability of each, or both.

        Raises
        ------
        ReadError
            If a label has neither, or only some have.
        """
        from evaluation.readers import ReadError
        from evaluation.readers.limits import DEFAULT
        from evaluation.readers.number_tables import read_number_table

        labels = tuple(shared["classes"])
        scores = tuple(f"{PREFIX}{label}" for label in labels)
        table = read_number_table(path, (), (*labels, *scores), limits=limits or DEFAULT)
        groups = []
        for wanted in (labels, scores):
            lacking = [column for column in wanted if column not in table.columns]
            if lacking and len(lacking) < len(wanted):
                raise ReadError("table", table.name, f"no column {lacking[0]}", "one for every label")
            groups.append(() if lacking else wanted)
        if not any(groups):
            raise ReadError("table", table.name, "neither labels nor scores", f"columns {PREFIX}<label> or <label>")
        if not groups[0] and (needing := shared.get(NEED_LABELS)):
            raise ReadError(
                "table", table.name, f"no columns of labels, which {', '.join(needing)} need", "1 or 0 for each label"
            )
        any_score = has_any_score(shared)
        reasons, absent, strange = refuse_rows(table, cases)
        answers: dict[str, Answer] = {}
        for case in set(cases) & set(table.cases) - set(reasons):
            try:
                answers[case] = Answer(
                    _cells(table, case, groups[0], _DECISION_RANGE),
                    _cells(table, case, groups[1], _FINITE if any_score else _PROBABILITY_RANGE),
                )
            except ReadError as error:
                reasons[case] = error.issue
        return NumberPredictions(answers, reasons, absent, strange)

    def check_predictions(self, table: PredictionTable, path: Path, expected: ExpectedTable) -> None:
        """Refuse a table without scores that a metric needs."""
        from evaluation.readers import ReadError

        assert isinstance(table, NumberPredictions)
        if (
            expected.need_scores
            and table.answers
            and all(answer.probabilities is None for answer in table.answers.values())
        ):
            actual = f"no columns {PREFIX}<label>, which {', '.join(expected.need_scores)} need"
            raise ReadError("table", path.name, actual)

    def columns(self, expected: ExpectedTable) -> tuple[str, ...]:
        """Case, and a score or a decision of every label."""
        scores = tuple(f"{PREFIX}{name}" for name in expected.classes) if expected.need_scores else ()
        has_labels = expected.need_labels or not expected.need_scores
        return ("case", *(expected.classes if has_labels else ()), *scores)

    # Scoring ----------------------------------------------------------------------------------------------------------

    def answer_numbers(self, prediction: Answer, region: str, reference: KnownCase) -> tuple[int, list[float]]:
        """Decisions, and probabilities behind them."""
        has_decisions, has_scores = prediction.decisions is not None, prediction.probabilities is not None
        numbers = [*(prediction.decisions or ()), *(prediction.probabilities or ())]
        return has_decisions * _DECISIONS + has_scores * _PROBABILITIES, numbers

    def is_answer(self, state: int, numbers: Sequence[float], reference: KnownCase) -> bool:
        """A 0 or 1 for every label, a score of each in the range of the task, or both."""
        if state not in (_DECISIONS, _PROBABILITIES, _BOTH):
            return False
        decided = reference.width if state & _DECISIONS else 0
        scored = reference.width if state & _PROBABILITIES else 0
        if len(numbers) != decided + scored:
            return False
        accepted = _FINITE if reference.any_score else _PROBABILITY_RANGE
        return all(map(_DECISION_RANGE.accepts, numbers[:decided])) and all(map(accepted.accepts, numbers[decided:]))

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """Each label as a classification of two classes, by the same functions; what concerns all, together."""
        from evaluation.scoring.label_evidence import recompute_labels

        block, labels = evidence.block, evidence.shared["classes"]
        states = states_of(block)
        is_known = states >= UNANSWERED
        width = len(labels)
        reference = numbers_of(block, width, is_known)
        return recompute_labels(
            metric,
            evidence,
            reference,
            *_answers_of(evidence, is_known, states[is_known], width),
            multiplicities[:, is_known],
        )


class _Range(NamedTuple):
    """Accepted values of a cell: in words, and as a test."""

    words: str
    accepts: Callable[[float], bool]


_DECISION_RANGE: Final = _Range("1 or 0", lambda value: value in (0, 1))
_PROBABILITY_RANGE: Final = _Range("a number from 0 to 1", lambda value: 0 <= value <= 1)
_FINITE: Final = _Range("a finite number", math.isfinite)


def _score_words(expected: ExpectedTable) -> str:
    """Describe the columns of scores."""
    if expected.scores == ANY_SCORE:
        needed = (
            f"Columns `<label>` with 1 or 0 decide; {', '.join(expected.need_labels)} need them."
            if expected.need_labels
            else "No columns `<label>` are needed."
        )
        return f"It needs one column `p_<label>` with a finite number for each label, of which only the order counts. {needed}"
    return (
        "It needs one column `p_<label>` with a probability from 0 to 1 for each label; they need not sum to 1. Columns "
        "`<label>` with 1 or 0 are optional and decide where they exist; without them a probability of 0.5 and more does."
    )


def _cells(table: NumberTable, case: str, columns: Sequence[str], accepted: _Range) -> tuple[float, ...] | None:
    """The cells of a row; ``None`` without columns.

    Raises
    ------
    ReadError
        For a cell that is empty or no such number.
    """
    from evaluation.readers import ReadError

    row, numbers = table.rows[case], table.numbers[case]
    allowed = accepted.words
    for column in columns:
        if (case, column) in table.wrong:
            raise ReadError("table", table.name, table.wrong[case, column].found, allowed)
        if column not in numbers:
            raise ReadError("table", table.name, f"nothing as {column} in row {row}", allowed)
        value = numbers[column]
        if not accepted.accepts(value):
            raise ReadError("table", table.name, f"'{value:g}' as {column} in row {row}", allowed)
    return tuple(numbers[column] for column in columns) if columns else None


def _answers_of(evidence: CaseEvidence, is_known: Any, states: Any, width: int) -> tuple[Any, Any, Any]:
    """State of every known case, decisions and probabilities, ``(n, width)`` each, not a number where there are none."""
    import numpy as np

    places = np.flatnonzero(is_known)
    decisions, scores = np.full((len(places), width), np.nan), np.full((len(places), width), np.nan)
    for state in (_DECISIONS, _PROBABILITIES, _BOTH):
        in_state = states == state
        if state & _DECISIONS:
            decisions[in_state] = numbers_of(evidence.block, width, places[in_state], start=width)
        if state & _PROBABILITIES:
            start = width * (2 if state & _DECISIONS else 1)
            scores[in_state] = numbers_of(evidence.block, width, places[in_state], start=start)
    return states > UNANSWERED, decisions, scores


PROBLEM = MultilabelClassification()
