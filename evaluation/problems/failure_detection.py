"""Failure detection: the confidence for every case against the risk of the prediction that it rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.catalogue import Option
from evaluation.problems import data_sets
from evaluation.problems.answers import (
    ANSWERED,
    EVERYTHING,
    UNANSWERED,
    AnswerEvidence,
    AnswerPlausibility,
    AnswerProblem,
    KnownCase,
    NumberPredictions,
    NumberReferences,
    refuse_rows,
)
from evaluation.problems.cautions import of_confidence
from evaluation.problems.confidences import (
    READING,
    READING_EACH,
    READING_PASSED,
    READING_QUALITY,
    REJECTED,
    RISK,
    SILENT,
    count_unanswered,
    draw_each,
    draw_passed,
    draw_quality,
    draw_risk_coverage,
)
from evaluation.problems.data_sets import DataSetEvidence, DataSetTexts
from evaluation.problems.evidence_figures import EvidenceFigure
from evaluation.problems.given_risks import KnownRisk, OwnRisks
from evaluation.problems.pictures import AnswerView
from evaluation.problems.region_rules import RegionRules
from evaluation.problems.samples import ALGORITHMS
from evaluation.problems.tables import (
    ExpectedTable,
    ReferenceTable,
    ReferenceTableError,
    SubmitWords,
    TableReferenceRules,
    TableSamples,
    TableTexts,
)
from evaluation.readers.confidences import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.base import Problem
    from evaluation.problems.case_answers import CaseAnswers
    from evaluation.readers.limits import Limits
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.rows import Row, ScoredCase

COMPUTED: Final = "segmentation_with_confidence"
"""The kind whose risks are computed here."""
WITHOUT_BOUND: Final = frozenset({"aurc", "e_aurc", "augrc", "e_augrc", "risk_at_coverage", "coverage_at_risk"})
"""Metrics that take risks above 1, with a number for a submission that is missing altogether."""


class FailureAnswerView(AnswerView):
    """Answers to a case of failure detection, line by line."""

    def numbers_of(self, value: float, shared: Mapping[str, Any]) -> NDArray[Any]:
        """The confidence."""
        import numpy as np

        return np.array([value], dtype=float)

    def lines(
        self, assessment: Assessment, shared: Mapping[str, Any], answer: NDArray[Any] | None, reference: KnownCase
    ) -> CaseAnswers:
        """Return the confidence next to the risk."""
        from evaluation.problems.case_answers import CaseAnswer, CaseAnswers, number

        confidence = None if answer is None or not answer.size else float(answer[0])
        reference_numbers = reference.numbers[EVERYTHING]
        risk = "" if reference_numbers is None else f"risk {number(reference_numbers[0])}"
        return CaseAnswers.of("Answer", [CaseAnswer("confidence, larger for surer", number(confidence), risk)])


class FailureSamples(TableSamples):
    """Samples of failure detection."""

    kind: FailureDetection

    def write_challenge(
        self, folder: Path, *, cases: int = 12, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Write risks, and confidences that predict them more or less well."""
        from evaluation.problems.examples import write_confidences

        write_confidences(folder, cases=max(cases, 12), seed=seed, algorithms=algorithms)
        return {"schema": 1, "problem": self.kind.id, "metrics": [{"id": "aurc"}, {"id": "augrc"}, {"id": "n_aurc"}]}

    def write_registered(
        self,
        assessment: Assessment,
        folder: Path,
        *,
        cases: int = 12,
        seed: int = 1,
        algorithms: Sequence[str] = ALGORITHMS,
    ) -> None:
        """Write risks and confidences."""
        from evaluation.problems.registered_examples import write_risks

        write_risks(folder, cases=cases, seed=seed, algorithms=algorithms)


class FailureTexts(DataSetTexts, TableTexts):
    """Texts about failure detection on pages."""

    kind: FailureDetection

    def missing_cases(self, assessment: Assessment) -> str:
        """Return how a case without an answer counts."""
        return "counts as rejected: less sure than every other, with the risk that it has"

    def submit_page(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """Return the description of the table for the submit page."""
        before = (
            f"One table `{self.kind.table_files[0]}` with a row for each of the {cases} cases, packed into an archive or dropped as "
            "it is. The column `confidence` holds any number, larger for a prediction that is less likely to have failed; only "
            "the order counts, unless the task says otherwise."
        )
        cost = "A case without a number counts as rejected: as less sure than every other, with the risk that it has."
        return SubmitWords((before,), expected.columns, "…", (cost,) if incomplete_cost else ())


class FailurePlausibility(AnswerPlausibility):
    """Plausibility of results of failure detection."""

    metric_rules = (of_confidence,)


class FailureEvidence(DataSetEvidence, AnswerEvidence):
    """Evidence of values of the whole data set for failure detection."""

    figures = (
        EvidenceFigure(
            name="risk-coverage",
            title="Does each team know when it fails?",
            reading=READING,
            draw=draw_risk_coverage,
        ),
        EvidenceFigure(
            name="risk-coverage-of-each",
            title="How sure is the curve of each team?",
            reading=READING_EACH,
            draw=draw_each,
        ),
        EvidenceFigure(
            name="passed-risk",
            title="How much risk slips through?",
            reading=READING_PASSED,
            draw=draw_passed,
        ),
        EvidenceFigure(
            name="confidence-and-quality",
            title="Do confidences follow the quality?",
            reading=READING_QUALITY,
            draw=draw_quality,
        ),
    )

    def has_answers(self, block: Block) -> bool:
        """Return whether any case has a confidence."""
        return bool((block.counts == ANSWERED).any())

    def unanswered_cases(self, evidence: CaseEvidence) -> int:
        """Cases of the data set with a risk and without a confidence."""
        return count_unanswered(evidence, (UNANSWERED, REJECTED))

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """Every data set where there are several; else one value over everything."""
        return data_sets.regions_of(assessment.settings, shared)


class FailureReferenceRules(TableReferenceRules):
    """References of failure detection."""

    files = ("risk.csv",)

    def columns_by_table(self, assessment: Assessment) -> Mapping[str, tuple[str, ...]]:
        """Case and risk, the same for all algorithms."""
        return {self.files[0]: ("case", RISK)}


class FailureDetection(AnswerProblem):
    """Ability of methods to detect their failures: confidences against the risks that the organizers supply."""

    id = "failure_detection"
    category = "FaD"
    task_categories = ("segmentation", "semantic_segmentation")
    table_files = ("confidence.csv",)
    regions = RegionRules(are_allowed=False)
    settings = (
        Option("risk", "enum", "given", "Where the risk of a case comes from: given in risk.csv", choices=("given",)),
        *data_sets.SETTINGS,
        Option(
            "missing",
            "enum",
            "reject",
            "Where risk.csv has risks of each team's own predictions: what a case without a prediction counts as, its risk being 1",
            choices=("reject", SILENT),
            stands_where_set=True,
        ),
        Option(
            "confidence_is_quality",
            "boolean",
            False,
            "Teams were told that the confidence is their estimate of the quality, 1 - risk",
        ),
    )
    answer_view = FailureAnswerView()
    samples = FailureSamples()
    texts = FailureTexts()
    plausibility = FailurePlausibility()
    evidence = FailureEvidence()
    references = FailureReferenceRules()

    def complete_settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        """Check that data sets are identified by a column of the cases, and return the settings."""
        data_sets.check(settings)
        return settings

    def variant(self, settings: object) -> Problem:
        """Risks that are computed from label images are another kind, with a file a case."""
        from collections.abc import Mapping

        from evaluation.problems.registry import get

        is_computed = isinstance(settings, Mapping) and isinstance(settings.get(RISK), Mapping)
        return get(COMPUTED) if is_computed else self

    # Reading ----------------------------------------------------------------------------------------------------------

    def read_references(self, path: Path) -> ReferenceTable:
        """Read ``risk.csv``: one risk a case, or one an algorithm and case."""
        from evaluation.problems.given_risks import read_own_risks
        from evaluation.readers.number_tables import read_number_table

        own_risks = read_own_risks(path)
        return (
            own_risks
            if own_risks is not None
            else NumberReferences(read_number_table(path, (RISK,), bounds={RISK: (0.0, float("inf"))}))
        )

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse a table that lacks a case, or has a risk that is none."""
        super().check_references(table, assessment, cases)
        if isinstance(table, OwnRisks) and (lacking := table.lacking(cases)):
            raise ReferenceTableError(f"{lacking}.")
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
        """Nothing but patients; every risk is looked at.

        Raises
        ------
        ValueError
            For a risk that is none, or above 1 where a metric cannot have it.
        """
        for value, where in self._risks(table, cases):
            self._check_bound(assessment, value, where)
        return {"classes": [], "patients": dict(patients)}

    def _risks(self, table: ReferenceTable, cases: Sequence[str]) -> Iterator[tuple[float, str]]:
        """Yield the risk of every case with its location in the table."""
        if isinstance(table, OwnRisks):
            if lacking := table.lacking(cases):
                raise ValueError(lacking)
            for algorithm, risk_by_case in table.risks.items():
                for case in cases:
                    yield (
                        (risk_by_case[case] or 0.0),
                        f"{table.name}: {{}} as {RISK} in row {table.rows[algorithm, case]}",
                    )
            return
        assert isinstance(table, NumberReferences)
        number_table = table.table
        for error in (*number_table.twice.values(), *number_table.wrong.values()):
            raise ValueError(error.message)
        for case, column in number_table.empty:
            message = (
                f"{number_table.name}: nothing as {column} in row {number_table.rows[case]}; expected a number from 0"
            )
            raise ValueError(message)
        for case in cases:
            if RISK in number_table.numbers.get(case, {}):
                yield (
                    number_table.numbers[case][RISK],
                    f"{number_table.name}: {{}} as {RISK} in row {number_table.rows[case]}",
                )

    @staticmethod
    def _check_bound(assessment: Assessment, value: float, where: str) -> None:
        """Refuse a risk above 1 where a metric needs risks up to 1.

        Raises
        ------
        ValueError
            With the risk and the metric.
        """
        if value <= 1:
            return
        bounded = [use.name for use in assessment.computed if use.id not in WITHOUT_BOUND]
        bounded += [use.name for use in assessment.computed if not isinstance(use.policy.missing, (int, float))]
        if bounded:
            actual = where.format(f"'{value:g}'")
            message = f"{actual}; expected a number from 0 to 1, which {bounded[0]} needs"
            raise ValueError(message)

    def shared_facts(
        self, table: ReferenceTable, assessment: Assessment, facts: Mapping[str, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return the data set of each case and the rule for cases without a prediction.

        The rule is included where each team has separate predictions.
        """
        missing_rule = {"missing": assessment.settings.get("missing", "reject")} if isinstance(table, OwnRisks) else {}
        try:
            return missing_rule | data_sets.shared_of(assessment.settings, facts)
        except ValueError as error:
            raise ReferenceTableError(str(error)) from None

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> KnownRisk:
        """The risk of the case."""
        if isinstance(table, OwnRisks):
            return table.of(case)
        assert isinstance(table, NumberReferences)
        numbers = table.table.numbers.get(case, {})
        return KnownRisk({EVERYTHING: (numbers[RISK],) if RISK in numbers else None})

    def reference_for(self, reference: KnownRisk, algorithm: str) -> KnownRisk:
        """The risk of the algorithm's own prediction, where each has its own."""
        return reference.of(algorithm)

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
        """Read ``confidence.csv``; any finite number, larger for surer."""
        from evaluation.readers import ReadError
        from evaluation.readers.limits import DEFAULT
        from evaluation.readers.number_tables import read_number_table

        table = read_number_table(path, (CONFIDENCE,), limits=limits or DEFAULT)
        reasons, absent, strange = refuse_rows(table, cases)
        answers = {}
        for case in set(cases) & set(table.cases) - set(reasons):
            if CONFIDENCE in table.numbers[case]:
                answers[case] = table.numbers[case][CONFIDENCE]
                continue
            empty = ReadError("table", table.name, f"nothing as {CONFIDENCE} in row {table.rows[case]}", "a number")
            reasons[case] = table.wrong.get((case, CONFIDENCE), empty).issue
        return NumberPredictions(answers, reasons, absent, strange)

    def columns(self, expected: ExpectedTable) -> tuple[str, ...]:
        """Case and confidence."""
        return ("case", CONFIDENCE)

    # Scoring ----------------------------------------------------------------------------------------------------------

    def answer_numbers(self, prediction: float, region: str, reference: KnownCase) -> tuple[int, list[float]]:
        """The confidence."""
        return ANSWERED, [float(prediction)]

    def no_answer(self, region: str, reference: KnownCase) -> tuple[int, list[float]]:
        """Return the state of a case without a confidence.

        Where each team has separate predictions, a prediction without a confidence is distinguished from no prediction.
        """
        assert isinstance(reference, KnownRisk)
        return (REJECTED if reference.is_own and reference.is_predicted else UNANSWERED), []

    def is_answer(self, state: int, numbers: Sequence[float], reference: KnownCase) -> bool:
        """One number, or none where it is the algorithm's own prediction that has no confidence."""
        assert isinstance(reference, KnownRisk)
        if state == REJECTED:
            return not numbers and reference.is_own and reference.is_predicted
        return state == ANSWERED and len(numbers) == 1 and reference.is_predicted

    def score(
        self,
        assessment: Assessment,
        case: str,
        reference: KnownCase,
        prediction: Any | None,
        *,
        algorithm: str = "",
        parts: bool = False,
    ) -> ScoredCase:
        """Combine the confidence with the risk.

        A confidence for a case without a prediction is not used.
        """
        assert isinstance(reference, KnownRisk)
        used = prediction if reference.is_predicted else None
        return super().score(assessment, case, reference, used, algorithm=algorithm, parts=parts)

    def case_rows(
        self, assessment: Assessment, case: str, reference: KnownCase, prediction: Any | None, algorithm: str
    ) -> Iterable[Row]:
        """Return the rows with the risk of the case.

        The risk is known regardless of the submitted confidence.
        """
        from evaluation.outcomes import Flag, Outcome, ok, undefined
        from evaluation.scoring.rows import Row

        assert isinstance(reference, KnownRisk)
        reference_numbers = reference.numbers[EVERYTHING]
        for use in assessment.computed:
            if use.level == "case":
                result = (
                    undefined(Outcome.DEGENERATE, Flag.REFERENCE)
                    if reference_numbers is None
                    else ok(reference_numbers[0])
                )
                if not reference.is_predicted:
                    result = undefined(Outcome.MISSING)
                yield Row(algorithm, case, EVERYTHING, use.name, *result, None, result.flag)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From risks and confidences; a case without a confidence is rejected, with the risk that it has."""
        from evaluation.problems.confidences import recompute

        return recompute(metric, evidence, multiplicities)


PROBLEM = FailureDetection()
