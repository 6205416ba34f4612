"""Regression: one or several numbers of every case against those of the reference."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from evaluation.catalogue import Option
from evaluation.problems.answers import (
    ANSWERED,
    UNANSWERED,
    AnswerEvidence,
    AnswerPlausibility,
    AnswerProblem,
    KnownCase,
    NumberPredictions,
    NumberReferences,
    one_row,
    refuse_rows,
)
from evaluation.problems.cautions import of_numbers
from evaluation.problems.offered_metrics import function_for
from evaluation.problems.pictures import AnswerView
from evaluation.problems.regression_figures import FIGURES, answers_of
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.tables import (
    ExpectedTable,
    ReferenceTable,
    ReferenceTableError,
    SubmitWords,
    TableReferenceRules,
    TableSamples,
    TableScorerFiles,
    TableTexts,
    listed,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.case_answers import CaseAnswers
    from evaluation.problems.shown import Rows
    from evaluation.readers.limits import Limits
    from evaluation.scoring.evidence_blocks import CaseEvidence
    from evaluation.scoring.rows import Row

FILE: Final = "values.csv"


class RegressionAnswerView(AnswerView):
    """Answers to a case of regression, line by line."""

    def numbers_of(self, value: Mapping[str, float], shared: Mapping[str, Any]) -> NDArray[Any]:
        """The number of every target, not a number where one lacks."""
        import numpy as np

        return np.array([value.get(target, np.nan) for target in shared["classes"]], dtype=float)

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: KnownCase
    ) -> CaseAnswers:
        """Return the predicted number of each target and its difference from the reference."""
        from evaluation.problems.case_answers import CaseAnswer, CaseAnswers, number, unit_of

        targets = [str(target) for target in shared["classes"]]
        given = dict(zip(targets, [] if answer is None else answer.tolist(), strict=False))
        lines = []
        for region, numbers in reference.numbers.items():
            target = reference.columns.get(region, region)
            unit, predicted = unit_of(assessment.settings, target), given.get(target)
            reference_number = None if numbers is None else numbers[0]
            difference = None if predicted is None or reference_number is None else predicted - reference_number
            lines.append(
                CaseAnswer(region, number(predicted, unit), number(reference_number, unit), number(difference, unit))
            )
        return CaseAnswers.of("Target", lines, "Difference")


class RegressionSamples(TableSamples):
    """Samples of regression."""

    kind: Regression

    def worse_rows(self, perfect: Rows) -> dict[str, Rows]:
        """Zero, a tenth and one more, and noise."""
        from evaluation.problems.shown import draws

        drawn = draws().normal(0, 1, len(perfect.columns))
        noise = perfect
        for name, step in zip(perfect.columns, drawn.tolist(), strict=True):
            noise = noise.changed([name], partial(_moved, step))
        return {
            "zero": perfect.changed(perfect.columns, lambda value, _: 0.0 if value else 1.0),
            "shifted": perfect.changed(perfect.columns, lambda value, _: 1.1 * value + 1),
            "noise": noise,
        }

    def write_challenge(
        self, folder: Path, *, cases: int = 6, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Two targets; one algorithm is near, one far off."""
        from evaluation.problems.examples import write_numbers

        write_numbers(folder, cases=cases, seed=seed, algorithms=algorithms)
        return {
            "schema": 1,
            "problem": self.kind.id,
            "regions": [{"name": "age"}, {"name": "volume", "labels": ["volume_ml"]}],
            "metrics": [{"id": "absolute_error"}, {"id": "rmse"}, {"id": "icc"}],
            "settings": {"targets": {"age": {"unit": "a", "range": [0, 120]}, "volume_ml": {"unit": "ml"}}},
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
        """Write every registered target."""
        from evaluation.problems.registered_examples import write_numbers

        columns = self.kind.references.columns_by_table(assessment)[self.kind.table_files[0]]
        write_numbers(assessment, folder, columns=columns, cases=cases, seed=seed, algorithms=algorithms)


class RegressionScorerFiles(TableScorerFiles):
    """Files of regression for scoring images."""

    stems_and_kinds = (("values", "csv"),)

    def reference_rows(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> Rows:
        """The number of each target, nothing where it is not known."""
        assert isinstance(table, NumberReferences)
        return one_row(shared["classes"], table.table.numbers.get(case, {}))

    def prediction_rows(self, prediction: Mapping[str, float], shared: Mapping[str, Any]) -> Rows:
        """The number of each target, nothing where none is predicted."""
        return one_row(shared["classes"], prediction)


class RegressionTexts(TableTexts):
    """Texts about regression on pages."""

    region_noun = "target"

    def missing_cases(self, assessment: Assessment) -> str:
        """Return how a case without an answer counts."""
        return "counts as the end of the range that lies farther from the reference"

    def submit_page(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """Return the description of the table for the submit page."""
        what = "one number" if len(expected.classes) == 1 else "a number for each target"
        before = (
            f"One table `{FILE}` with a row for each of the {cases} cases, packed into an archive or dropped as it is. It needs "
            f"{what}, with a point as decimal sign and in the unit of the task."
        )
        cost = (
            "A number that lacks or cannot be read counts as the end of the target's range that lies farther from the reference, "
            "the costliest answer there is."
        )
        return SubmitWords(
            (before,),
            expected.columns,
            ",".join("…" for _ in expected.classes),
            (cost,) if incomplete_cost else (),
            classes="Targets",
        )


class RegressionPlausibility(AnswerPlausibility):
    """Plausibility of results of regression."""

    metric_rules = (of_numbers,)


class RegressionEvidence(AnswerEvidence):
    """Evidence of values of the whole data set for regression."""

    figures = FIGURES

    def worst_of(self, use: MetricUse, evidence: CaseEvidence) -> float | None:
        """Return the value if every case had the answer that is farthest from its reference."""
        import numpy as np

        ones = np.ones((1, len(evidence.cases)))
        return _recompute(use, evidence, ones, every_case_missing=True).result().value


class RegressionReferenceRules(TableReferenceRules):
    """References of regression."""

    kind: Regression

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Case, and a column for each target."""
        targets = dict.fromkeys(str(label) for region in assessment.regions for label in region.labels)
        targets |= dict.fromkeys(assessment.settings.get("targets") or ())
        return {self.kind.table_files[0]: ("case", *(targets or ("value",)))}


class Regression(AnswerProblem):
    """Numbers of every case: ages, volumes, scores."""

    id = "regression"
    category = "Reg"
    task_categories = ("regression", "prediction")
    table_files = (FILE,)
    settings = (
        Option(
            "targets",
            "object",
            None,
            "Unit and range of targets, by column; a case without an answer counts as the end of the range that lies farther off",
        ),
    )
    answer_view = RegressionAnswerView()
    samples = RegressionSamples()
    scorer_files = RegressionScorerFiles()
    texts = RegressionTexts()
    plausibility = RegressionPlausibility()
    evidence = RegressionEvidence()
    references = RegressionReferenceRules()

    # The assessment document ------------------------------------------------------------------------------------------

    def check(self, assessment: Assessment) -> None:
        """Refuse regions of several columns, and ranges that are none."""
        from evaluation.assessment.errors import AssessmentError, listed
        from evaluation.assessment.reading import Place, is_number

        for index, region in enumerate(assessment.regions):
            if len(region.labels) != 1:
                raise AssessmentError(f"regions[{index}].labels", list(region.labels), "one column of values.csv")
        columns = [str(region.labels[0]) for region in assessment.regions]
        for name, value in (assessment.settings["targets"] or {}).items():
            if columns and name not in columns:
                raise AssessmentError(f"settings.targets.{name}", value, f"a column of a region: {listed(columns)}")
            section = Place(value, f"settings.targets.{name}", ("unit", "range"))
            if section.has("unit") and not isinstance(section.raw("unit"), str):
                raise AssessmentError(section.at("unit"), section.raw("unit"), "a text")
            ends = section.raw("range")
            is_range = isinstance(ends, (list, tuple)) and len(ends) == 2 and all(is_number(end) for end in ends)
            if ends is not None and not (is_range and ends[0] < ends[1]):
                raise AssessmentError(section.at("range"), ends, "two numbers, the smaller first")

    # Reading ----------------------------------------------------------------------------------------------------------

    def read_references(self, path: Path) -> NumberReferences:
        """Read ``values.csv``.

        Every column except ``case`` may be a target. An empty cell is an unknown value.
        """
        from evaluation.readers.number_tables import read_number_table

        return NumberReferences(read_number_table(path, optional=None))

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse a table that lacks a case or a target, or has a cell that is no number."""
        super().check_references(table, assessment, cases)
        assert isinstance(table, NumberReferences)
        for column in self._columns(table, assessment).values():
            if column not in table.table.columns:
                message = f"{table.table.name} has no column {column!r}, which a region of the assessment names."
                raise ReferenceTableError(message)
        self._refuse_cells(table, assessment)

    def _refuse_cells(self, table: NumberReferences, assessment: Assessment) -> None:
        targets = set(self._columns(table, assessment).values())
        wrong = [error for (_, column), error in table.table.wrong.items() if column in targets]
        for error in (*table.table.twice.values(), *wrong):
            raise ReferenceTableError(f"{error.message}.")

    def _columns(self, table: NumberReferences, assessment: Assessment) -> dict[str, str]:
        """Column of every region; without regions every column is one."""
        if assessment.regions:
            return {region.name: str(region.labels[0]) for region in assessment.regions}
        return {column: column for column in table.table.columns}

    def shared(
        self,
        table: ReferenceTable,
        assessment: Assessment,
        cases: Sequence[str],
        patients: Mapping[str, str],
        named: Sequence[str] = (),
    ) -> dict[str, Any]:
        """Targets in order, the column of each region, and the ends that a case without an answer may count as.

        Raises
        ------
        ValueError
            For a target without any reference.
        """
        assert isinstance(table, NumberReferences)
        try:
            self._refuse_cells(table, assessment)
        except ReferenceTableError as error:
            raise ValueError(str(error).removesuffix(".")) from None
        columns = self._columns(table, assessment)
        if not columns:
            message = f"{table.table.name} has no column beside case"
            raise ValueError(message)
        declared = assessment.settings["targets"] or {}
        ends = {}
        for column in columns.values():
            values = [
                table.table.numbers[case][column] for case in cases if column in table.table.numbers.get(case, {})
            ]
            if not values:
                message = f"no case has a number as {column}"
                raise ValueError(message)
            ends[column] = declared.get(column, {}).get("range") or [min(values), max(values)]
        return {
            "classes": list(dict.fromkeys(columns.values())),
            "patients": dict(patients),
            "regions": columns,
            "ends": {column: [float(end) for end in pair] for column, pair in ends.items()},
        }

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> KnownCase:
        """Return, for each region, the value and the answer that is farthest from it.

        If two answers are equally far, it is the lower one.
        """
        assert isinstance(table, NumberReferences)
        by_column = table.table.numbers.get(case, {})
        numbers: dict[str, tuple[float, ...] | None] = {}
        for region, column in shared["regions"].items():
            low, high = shared["ends"][column]
            # A decoy has no reference; its answer is worked on like others.
            value = by_column.get(column)
            numbers[region] = None if value is None else (value, high if high - value > value - low else low)
        return KnownCase(numbers, shared["regions"])

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
        """Read ``values.csv``; a cell that is no number costs its target only."""
        from evaluation.readers.limits import DEFAULT
        from evaluation.readers.number_tables import read_number_table

        targets = tuple(shared["classes"])
        table = read_number_table(path, targets, limits=limits or DEFAULT)
        reasons, absent, strange = refuse_rows(table, cases)
        remarks = {}
        for case in set(cases) & set(table.cases) - set(reasons):
            lacking = [target for target in targets if target not in table.numbers[case]]
            wrong = [table.wrong[case, target] for target in lacking if (case, target) in table.wrong]
            if len(lacking) == len(targets):
                reasons[case] = _nothing(table.name, case, targets) if not wrong else wrong[0].issue
            elif lacking:
                reason = (
                    wrong[0].message if wrong else f"{table.name}: nothing as {lacking[0]} in row {table.rows[case]}"
                )
                remarks[case] = f"{reason}; this target counts as missing"
        return NumberPredictions(table.numbers, reasons, absent, strange, remarks)

    def columns(self, expected: ExpectedTable) -> tuple[str, ...]:
        """Case, and every target."""
        return ("case", *expected.classes)

    # Scoring ----------------------------------------------------------------------------------------------------------

    def answer_numbers(
        self, prediction: Mapping[str, float], region: str, reference: KnownCase
    ) -> tuple[int, list[float]]:
        """The number of the target."""
        column = reference.columns[region]
        return (ANSWERED, [prediction[column]]) if column in prediction else (UNANSWERED, [])

    def is_answer(self, state: int, numbers: Sequence[float], reference: KnownCase) -> bool:
        """One number."""
        return state == ANSWERED and len(numbers) == 1

    def case_rows(
        self,
        assessment: Assessment,
        case: str,
        reference: KnownCase,
        prediction: Mapping[str, float] | None,
        algorithm: str,
    ) -> Iterable[Row]:
        """Return the errors of the case, each with the error of the farthest answer."""
        from evaluation import catalogue
        from evaluation.outcomes import Flag, Outcome, undefined
        from evaluation.scoring.rows import Row

        for use in assessment.computed:
            if use.level != "case":
                continue
            function = function_for(catalogue.get(use.id), self.id)
            for region, value_and_farthest in reference.numbers.items():
                worst = None
                if value_and_farthest is None:
                    result = undefined(Outcome.DEGENERATE, Flag.REFERENCE)
                else:
                    value, farthest = value_and_farthest
                    worst = function(value, farthest, **use.options).value
                    answer = None if prediction is None else prediction.get(reference.columns[region])
                    result = undefined(Outcome.MISSING) if answer is None else function(value, answer, **use.options)
                    if worst is None:  # the reference alone leaves no value, whatever is answered
                        result = function(value, value, **use.options)
                yield Row(algorithm, case, region, use.name, *result, None, result.flag, worst)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """Recompute a metric from the numbers.

        A case without an answer counts as the answer that is farthest from its reference.
        """
        return _recompute(metric, evidence, multiplicities, every_case_missing=False)


def _recompute(
    metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray, *, every_case_missing: bool
) -> Values:
    import numpy as np

    from evaluation.metrics.paired_values import PAIRED

    has_reference, reference, farthest, answer, _ = answers_of(evidence)
    if every_case_missing:
        answer = farthest
    weights = np.ascontiguousarray(multiplicities[:, has_reference], dtype=np.float64)
    return PAIRED[metric.id](reference, answer, weights, **metric.options)


def _nothing(file: str, case: str, targets: Sequence[str]) -> Any:
    from evaluation.readers import ReadError

    return ReadError("table", file, f"case {case}: no number as {listed(targets)}", "a number for each target").issue


def _moved(step: float, value: float, _row: int) -> float:
    return value + step * (1 + abs(value))


PROBLEM = Regression()
