"""Kinds with one row of numbers per case, in which a case without an answer counts by definition.

Such a case is never excluded. The contribution of a case to values of the whole data set is one part, ``answers``. It
consists of a state, the numbers of the reference, and after them the numbers of the answer. A kind defines how many
numbers there are, which answers are valid, and how values are computed from them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.evidence import KindEvidence
from evaluation.problems.metric_rules import MetricRules
from evaluation.problems.plausibility import Plausibility
from evaluation.problems.tables import PredictionTable, ReferenceTable, TableProblem, TableReferences

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.problems.shown import Rows
    from evaluation.readers import Issue
    from evaluation.readers.number_tables import NumberTable
    from evaluation.scoring.evidence_blocks import Block, CaseEvidence
    from evaluation.scoring.rows import Numbers, Pieces, Row, ScoredCase

PART: Final = "answers"
EVERYTHING: Final = ""
"""The region of a value over everything."""
UNKNOWN: Final = -1
UNANSWERED: Final = 0
ANSWERED: Final = 1
_SPARE_ROWS: Final = 1000


class NumberReferences(ReferenceTable):
    """Numbers of every case."""

    content = "numbers"

    def __init__(self, table: NumberTable) -> None:
        self.table = table
        self.cases = sorted(table.cases)


@dataclass
class NumberPredictions(PredictionTable):
    """The answers of a table, by case; what cannot be taken has a reason.

    Attributes
    ----------
    answers
        What `Problem.score` takes, of every case that has any.
    reasons
        Why the row of a case is no answer.
    remarks
        What lacks in an answer that is taken all the same.
    """

    answers: Mapping[str, Any]
    reasons: Mapping[str, Issue]
    absent: frozenset[str] = frozenset()
    strange: Sequence[str] = ()
    remarks: Mapping[str, str] = field(default_factory=dict)

    def issue(self, case: str) -> Issue | None:
        """Return the reason why the row of a case is not a valid answer."""
        return self.reasons.get(case)

    def remark(self, case: str) -> str:
        """Return a remark on what an accepted answer lacks."""
        return self.remarks.get(case, "")

    def of(self, case: str) -> Any | None:
        """The answer to a case."""
        return None if case in self.reasons else self.answers.get(case)


@dataclass(frozen=True)
class KnownCase:
    """Content of the references for a case.

    Attributes
    ----------
    numbers
        By region; ``None`` where the reference is unknown.
    columns
        Column of the table of predictions for each region, where regions are columns.
    width
        Number of values of each type in an answer, where the assessment defines it.
    any_score
        True if scores are any finite numbers, not probabilities.
    """

    numbers: Mapping[str, tuple[float, ...] | None]
    columns: Mapping[str, str] = field(default_factory=dict)
    width: int = 1
    any_score: bool = False


class PooledEvidence(KindEvidence):
    """Evidence of a kind whose values of the whole data set come from one part, the answers of all cases.

    A case without an answer counts by definition and is never excluded.
    """

    counts_unanswered = True

    def worst_of(self, use: MetricUse, evidence: CaseEvidence) -> float | None:
        """The worst value of a metric without a worst end, had every case the worst answer."""
        return None

    def has_answers(self, block: Block) -> bool:
        """Return whether any case of a region has an answer.

        Otherwise the values of the region are missing.
        """
        return bool((block.counts > UNANSWERED).any())

    def parts_by_metric(self, assessment: Assessment) -> dict[str, str]:
        """One part, the answers, serves all metrics."""
        return {use.name: PART for use in assessment.computed if use.level == "dataset"}

    def assemble(
        self, assessment: Assessment, algorithm: str, pieces: Mapping[str, Pieces | None], shared: Mapping[str, Any]
    ) -> tuple[list[Row], list[Block]]:
        """All values from all answers; ``missing`` and no evidence where no case has any."""
        import numpy as np

        from evaluation.outcomes import Outcome, undefined
        from evaluation.scoring.evidence_blocks import CaseEvidence
        from evaluation.scoring.rows import Row, block_of

        uses = [use for use in assessment.computed if use.level == "dataset"]
        if not uses:
            return [], []
        regions = dict.fromkeys(
            region for case_pieces in pieces.values() if case_pieces is not None for _, region in case_pieces
        )
        blocks = {
            region: block_of(
                PART,
                algorithm,
                region,
                {case: case_pieces[PART, region] for case, case_pieces in pieces.items() if case_pieces is not None},
            )
            for region in regions
        }
        answered = {region for region, block in blocks.items() if self.has_answers(block)}
        rows = []
        for use in uses:
            for region in self.regions_of(assessment, use, shared):
                block_region = region if region in blocks else EVERYTHING
                evidence = CaseEvidence(assessment.problem, region, blocks[block_region], shared)
                # Nobody needs the worst value where the range of the metric has one.
                worst = self.worst_of(use, evidence) if use.worst is None else None
                result = undefined(Outcome.MISSING)
                if block_region in answered:
                    result = self.kind.recompute(use, evidence, np.ones((1, len(evidence.cases)))).result()
                rows.append(Row(algorithm, "", region, use.name, *result, None, result.flag, worst))
        return rows, [block for region, block in blocks.items() if region in answered]

    def regions_of(self, assessment: Assessment, use: MetricUse, shared: Mapping[str, Any]) -> list[str]:
        """One value over everything, unless the kind has regions."""
        return list(shared.get("regions", ())) or [EVERYTHING]

    def unanswered_cases(self, evidence: CaseEvidence) -> int:
        """Cases whose reference is known and that have no answer."""
        return int((evidence.block.counts == UNANSWERED).sum())


class AnswerPlausibility(Plausibility):
    """Plausibility of results of a kind with one row of numbers per case."""

    kind: AnswerProblem

    def is_possible(
        self, assessment: Assessment, case: str, reference: KnownCase, pieces: Mapping[tuple[str, str], Numbers]
    ) -> bool:
        """Return whether the pieces match the reference's numbers and the other numbers can be an answer."""
        if set(pieces) != {(PART, region) for region in reference.numbers}:
            return False
        return all(self._fits(reference, region, pieces[PART, region]) for region in reference.numbers)

    def _fits(self, reference: KnownCase, region: str, numbers: Numbers) -> bool:
        reference_numbers = reference.numbers[region]
        if len(numbers.counts) != 1 or type(numbers.counts[0]) is not int:
            return False
        if any(type(value) not in (int, float) or not math.isfinite(value) for value in numbers.values):
            return False
        if reference_numbers is None:
            return numbers.counts[0] == UNKNOWN and not numbers.values
        if tuple(numbers.values[: len(reference_numbers)]) != reference_numbers:
            return False
        state, answer = numbers.counts[0], numbers.values[len(reference_numbers) :]
        if state <= UNANSWERED:
            return state == UNANSWERED and not answer
        return self.kind.is_answer(state, answer, reference)

    def summary_of(self, prediction: Any) -> dict[str, Any]:
        """Digest of the answer."""
        from evaluation.canonical import sha256

        return {"digest": sha256(prediction), "labelled": 1}


class AnswerEvidence(PooledEvidence):
    """Evidence of values of the whole data set for a kind with one row of numbers per case."""

    reveals_references = True

    def remove_reference(self, reference: KnownCase, pieces: Pieces) -> Pieces:
        """Without the numbers of the reference."""
        return {
            key: numbers._replace(values=numbers.values[len(reference.numbers[key[1]] or ()) :])
            for key, numbers in pieces.items()
        }

    def restore_reference(self, reference: KnownCase, pieces: Pieces) -> Pieces:
        """With them again."""
        return {
            key: numbers._replace(values=[*(reference.numbers[key[1]] or ()), *numbers.values])
            for key, numbers in pieces.items()
        }


class AnswerMetrics(MetricRules):
    """Metrics of a kind with one row of numbers per case."""

    can_be_undefined = False


class AnswerProblem(TableProblem):
    """A kind with one row of numbers a case."""

    plausibility = AnswerPlausibility()
    evidence = AnswerEvidence()
    metrics = AnswerMetrics()

    # What a kind says -------------------------------------------------------------------------------------------------

    def answer_numbers(self, prediction: Any, region: str, reference: KnownCase) -> tuple[int, list[float]]:
        """State and numbers of an answer in a region; `UNANSWERED` and nothing if it has none there."""
        raise NotImplementedError

    def no_answer(self, region: str, reference: KnownCase) -> tuple[int, list[float]]:
        """State and numbers of a case that has no answer."""
        return UNANSWERED, []

    def is_answer(self, state: int, numbers: Sequence[float], reference: KnownCase) -> bool:
        """Return whether finite numbers can be an answer in this state."""
        raise NotImplementedError

    def case_rows(
        self, assessment: Assessment, case: str, reference: KnownCase, prediction: Any | None, algorithm: str
    ) -> Iterable[Row]:
        """Rows of metrics that have a value for the case."""
        return ()

    # What follows from it ---------------------------------------------------------------------------------------------

    def most_rows(self, cases: int, most: int) -> int:
        """One row a case, and some of no case."""
        return min(2 * cases + _SPARE_ROWS, most)

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
        """Combine the answer of a case with its reference.

        A case without an answer contributes the fact that it has none.
        """
        from evaluation.scoring.rows import Numbers, ScoredCase

        pieces = {}
        for region, reference_numbers in reference.numbers.items():
            if reference_numbers is None:
                pieces[PART, region] = Numbers([UNKNOWN], [])
            else:
                state, answer = (
                    self.no_answer(region, reference)
                    if prediction is None
                    else self.answer_numbers(prediction, region, reference)
                )
                pieces[PART, region] = Numbers([state], [*reference_numbers, *answer])
        rows = self.case_rows(assessment, case, reference, prediction, algorithm)
        return ScoredCase(rows, pieces=pieces)

    # What a confined child reports ------------------------------------------------------------------------------------

    def reported_reasons(
        self, assessment: Assessment, table: PredictionTable, reasons: dict[str, Issue], references: TableReferences
    ) -> dict[str, Issue]:
        """Every row that cannot be taken, and what lacks in others."""
        from evaluation.readers import Issue

        assert isinstance(table, NumberPredictions)
        partly = {case: Issue("table", words, "") for case, words in table.remarks.items()}
        return partly | reasons


def one_row(columns: Sequence[str], numbers: Mapping[str, Any]) -> Rows:
    """The numbers of a case as the one row that a scoring image is shown."""
    from evaluation.problems.shown import Rows

    return Rows.of(columns, [[numbers.get(column) for column in columns]])


def refuse_rows(table: NumberTable, cases: Sequence[str]) -> tuple[dict[str, Issue], frozenset[str], list[str]]:
    """Find the row errors of any table of predictions.

    Return the reasons for duplicate rows by case, the cases without a row, and the rows of unknown cases.
    """
    expected, named = set(cases), set(table.cases)
    reasons = {case: error.issue for case, error in table.twice.items() if case in expected}
    return reasons, frozenset(expected - named), [case for case in table.cases if case not in expected]


def states_of(block: Block) -> Any:
    """State of every case, ``(n,)``."""
    return block.counts


def numbers_of(block: Block, width: int, chosen: Any, *, start: int = 0) -> Any:
    """The same ``width`` numbers of each chosen case, from place ``start`` of its list on; ``(chosen, width)``."""
    import numpy as np

    places = block.value_starts[:-1][chosen] + start
    return block.values[places[:, None] + np.arange(width)[None]]
