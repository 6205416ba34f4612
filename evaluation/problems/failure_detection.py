"""Failure detection: a confidence for every case against the risk of the prediction that it stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.catalogue import Option
from evaluation.problems.answers import (
    ANSWERED,
    EVERYTHING,
    AnswerProblem,
    KnownCase,
    NumberPredictions,
    NumberReferences,
    refuse_rows,
)
from evaluation.problems.base import ALGORITHMS, Problem
from evaluation.problems.confidences import READING, READING_EACH, RISK, draw_each, draw_risk_coverage
from evaluation.problems.evidence_figures import EvidenceFigure
from evaluation.problems.tables import ExpectedTable, ReferenceTable, ReferenceTableError, SubmitWords
from evaluation.readers.confidences import CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from evaluation.assessment import Assessment
    from evaluation.assessment.model import MetricUse
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.readers.limits import Limits
    from evaluation.scoring.evidence_blocks import CaseEvidence
    from evaluation.scoring.rows import Row

COMPUTED: Final = "segmentation_with_confidence"
"""The kind whose risks are computed here."""
WITHOUT_BOUND: Final = frozenset({"aurc", "e_aurc", "augrc", "e_augrc", "risk_at_coverage", "coverage_at_risk"})
"""Metrics that take risks above 1, with a number for a submission that is missing altogether."""


class FailureDetection(AnswerProblem):
    """Whether methods know when they fail: confidences against the risks that the organizers give."""

    id = "failure_detection"
    category = "FaD"
    task_categories = ("segmentation", "semantic_segmentation")
    table_files = ("confidence.csv",)
    reference_files = ("risk.csv",)
    takes_regions = False
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
    )
    settings = (
        Option("risk", "enum", "given", "Where the risk of a case comes from: given in risk.csv", choices=("given",)),
        Option(
            "confidence_is_quality",
            "boolean",
            False,
            "Teams were told that the confidence is their estimate of the quality, 1 - risk",
        ),
    )

    def variant(self, settings: object) -> Problem:
        """Risks that are computed from label images are another kind, with a file a case."""
        from collections.abc import Mapping

        from evaluation.problems.registry import get

        is_computed = isinstance(settings, Mapping) and isinstance(settings.get(RISK), Mapping)
        return get(COMPUTED) if is_computed else self

    # Reading ----------------------------------------------------------------------------------------------------------

    def read_references(self, path: Path) -> NumberReferences:
        """Read ``risk.csv``."""
        from evaluation.readers.number_tables import read_number_table

        return NumberReferences(read_number_table(path, (RISK,), bounds={RISK: (0.0, float("inf"))}))

    def check_references(self, table: ReferenceTable, assessment: Assessment, cases: Sequence[str]) -> None:
        """Refuse a table that lacks a case, or has a risk that is none."""
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
        """Nothing but patients; every risk is looked at.

        Raises
        ------
        ValueError
            For a risk that is none, or above 1 where a metric cannot have it.
        """
        assert isinstance(table, NumberReferences)
        known = table.table
        for error in (*known.twice.values(), *known.wrong.values()):
            raise ValueError(error.message)
        for case, column in known.empty:
            message = f"{known.name}: nothing as {column} in row {known.rows[case]}; expected a number from 0"
            raise ValueError(message)
        bounded = [use.name for use in assessment.computed if use.id not in WITHOUT_BOUND]
        bounded += [use.name for use in assessment.computed if not isinstance(use.policy.missing, (int, float))]
        for case in cases:
            value = known.numbers.get(case, {}).get(RISK, 0.0)
            if value > 1 and bounded:
                found = f"'{value:g}' as {RISK} in row {known.rows[case]}"
                message = f"{known.name}: {found}; expected a number from 0 to 1, which {bounded[0]} needs"
                raise ValueError(message)
        return {"classes": [], "patients": dict(patients)}

    def prepare(self, table: ReferenceTable, case: str, shared: Mapping[str, Any]) -> KnownCase:
        """The risk of the case."""
        assert isinstance(table, NumberReferences)
        known = table.table.numbers.get(case, {})
        return KnownCase({EVERYTHING: (known[RISK],) if RISK in known else None})

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

    def is_answer(self, state: int, numbers: Sequence[float], reference: KnownCase) -> bool:
        """One number."""
        return state == ANSWERED and len(numbers) == 1

    def case_rows(
        self, assessment: Assessment, case: str, reference: KnownCase, prediction: Any | None, algorithm: str
    ) -> Iterable[Row]:
        """The risk, which is known whatever confidence was sent."""
        from evaluation.outcomes import Flag, Outcome, ok, undefined
        from evaluation.scoring.rows import Row

        known = reference.numbers[EVERYTHING]
        for use in assessment.computed:
            if use.level == "case":
                result = undefined(Outcome.DEGENERATE, Flag.REFERENCE) if known is None else ok(known[0])
                yield Row(algorithm, case, EVERYTHING, use.name, *result, None, result.flag)

    def recompute(self, metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
        """From risks and confidences; a case without a confidence is rejected, with the risk that it has."""
        from evaluation.problems.confidences import recompute

        return recompute(metric, evidence, multiplicities)

    # Words ------------------------------------------------------------------------------------------------------------

    def missing_words(self, assessment: Assessment) -> str:
        """What a case without an answer counts as."""
        return "counts as rejected: less sure than every other, with the risk that it has"

    def submit_words(self, expected: ExpectedTable, cases: int, *, incomplete_cost: str = "") -> SubmitWords:
        """What the submit page says of the table."""
        before = (
            f"One table `{self.table_files[0]}` with a row for each of the {cases} cases, packed into an archive or dropped as "
            "it is. The column `confidence` holds any number, larger for a prediction that is less likely to have failed; only "
            "the order counts, unless the task says otherwise."
        )
        cost = "A case without a number counts as rejected: as less sure than every other, with the risk that it has."
        return SubmitWords((before,), expected.columns, "…", (cost,) if incomplete_cost else ())

    def write_example(
        self, folder: Path, *, cases: int = 12, seed: int = 1, algorithms: Sequence[str] = ALGORITHMS
    ) -> dict[str, Any]:
        """Risks, and confidences that tell them more or less."""
        from evaluation.problems.examples import write_confidences

        write_confidences(folder, cases=max(cases, 12), seed=seed, algorithms=algorithms)
        return {"schema": 1, "problem": self.id, "metrics": [{"id": "aurc"}, {"id": "augrc"}, {"id": "n_aurc"}]}


PROBLEM = FailureDetection()
