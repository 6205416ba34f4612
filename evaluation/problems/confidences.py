"""Risks and confidences of all cases, as evidence holds them, and the values and figures that come of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.answers import ANSWERED, UNANSWERED, numbers_of, states_of
from evaluation.problems.data_sets import SHARED, inside

if TYPE_CHECKING:
    from collections.abc import Collection

    from evaluation.assessment.model import MetricUse
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.problems.evidence_figures import FigureSource
    from evaluation.scoring.evidence_blocks import CaseEvidence

RISK: Final = "risk"
REJECTED: Final = 2
"""State of a case with a prediction of the algorithm's own and without a confidence."""
SILENT: Final = "silent"
"""Rule that ranks a case without a prediction as more confident than every other case.

It applies where the missing prediction would have remained unnoticed.
"""
READING: Final = (
    "The mean risk of the cases that are kept when the least sure ones are put aside: a curve that is low on "
    "the left knows its failures. Cases without a confidence are put aside first. Dotted is the best order there is, dashed the "
    "mean risk of all cases, which an order that tells nothing keeps on average; a vertical line is a registered coverage."
)

READING_EACH: Final = (
    "The curve of one team after the other, with the range that it has under resampling of cases. Dotted is the best order that "
    "there is for this team's own risks, dashed their mean: a curve well below the dashed line knows its failures, one within "
    "reach of it may not."
)

READING_PASSED: Final = (
    "The risk that the kept cases bring along, over all cases: the curve rises where failures are kept. One that stays flat on the left and "
    "rises at the end keeps its failures to the last; the area below it is the AUGRC, in which every case weighs alike."
)
READING_QUALITY: Final = (
    "A dot is a case: its quality to the right, the confidence that the team sent for it upwards, in the team’s own scale. Dots that rise to "
    "the right belong to a team whose confidences tell good cases from bad ones."
)


def answers_of(evidence: CaseEvidence) -> tuple[Any, FloatArray, FloatArray]:
    """Return a mask of the cases with a risk, and the risk and confidence of those cases.

    The confidence of a rejected case is minus infinity.
    """
    import numpy as np

    states = states_of(evidence.block)
    has_risk = _known(evidence)
    risk = numbers_of(evidence.block, 1, has_risk)[:, 0]
    confidence = np.full(len(risk), -np.inf)
    if evidence.shared.get("missing") == SILENT:
        confidence[states[has_risk] == UNANSWERED] = np.inf
    answered = has_risk & (states == ANSWERED)
    confidence[answered[has_risk]] = numbers_of(evidence.block, 1, answered, start=1)[:, 0]
    return has_risk, risk, confidence


def _known(evidence: CaseEvidence) -> Any:
    """Cases of the data set in question that have a risk."""
    return (states_of(evidence.block) >= UNANSWERED) & inside(evidence)


def count_unanswered(evidence: CaseEvidence, unanswered: Collection[int]) -> int:
    """Cases of the data set in question in one of some states."""
    import numpy as np

    return int((np.isin(states_of(evidence.block), list(unanswered)) & inside(evidence)).sum())


def recompute(metric: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
    """From risks and confidences; a case without a confidence is rejected, with the risk that it has."""
    import numpy as np

    from evaluation.metrics.confidence_values import BY_CONFIDENCE

    has_risk, risk, confidence = answers_of(evidence)
    weights = np.ascontiguousarray(multiplicities[:, has_risk], dtype=np.float64)
    return BY_CONFIDENCE[metric.id](risk, confidence, weights, **metric.options)


def draw_risk_coverage(context: FigureSource) -> dict[str, Any] | None:
    """Draw the curves of all algorithms."""
    from evaluation.figures.risk_coverage import risk_coverage

    read = {use.options["coverage"] for use in context.assessment.computed if use.id == "risk_at_coverage"}
    answers = {name: answers_of(evidence)[1:] for name, evidence in context.answers.items()}
    return risk_coverage(context.document, answers, working_points=sorted(read))


def draw_each(context: FigureSource) -> dict[str, Any] | None:
    """Draw the curve of each algorithm in a separate panel, with its band and its bounds."""
    from evaluation.figures.risk_coverage import risk_coverage_of_each
    from evaluation.problems.evidence_figures import MOST_PANELS

    answers = {name: answers_of(evidence)[1:] for name, evidence in context.answers.items()}
    draws = {name: _draws_of(context, evidence) for name, evidence in context.answers.items()}
    return risk_coverage_of_each(context.assessment, context.document, answers, draws, most=MOST_PANELS)


def draw_passed(context: FigureSource) -> dict[str, Any] | None:
    """Draw how much risk slips through, of all algorithms."""
    from evaluation.figures.confidence_quality import passed_risk

    return passed_risk(context.document, {name: answers_of(evidence)[1:] for name, evidence in context.answers.items()})


def draw_quality(context: FigureSource) -> dict[str, Any] | None:
    """Draw confidence against quality, a panel for each algorithm."""
    from evaluation.figures.confidence_quality import confidence_and_quality
    from evaluation.problems.evidence_figures import MOST_PANELS

    answers = {name: answers_of(evidence)[1:] for name, evidence in context.answers.items()}
    return confidence_and_quality(context.document, answers, most=MOST_PANELS)


def draw_trust(context: FigureSource) -> dict[str, Any] | None:
    """Draw quality against how well the confidences predict it."""
    from evaluation.figures.trust import place_of, quality_and_trust

    interval = context.assessment.uncertainty.interval
    places = {
        name: place_of(*answers_of(evidence)[1:], _draws_of(context, evidence), interval)
        for name, evidence in context.answers.items()
    }
    return quality_and_trust(context.document, places)


def _draws_of(context: FigureSource, evidence: CaseEvidence) -> FloatArray:
    """Draws of the cases that have a risk."""
    from evaluation.figures.bands import draws_of

    shared = evidence.shared
    drawn: FloatArray = draws_of(context.assessment, evidence.cases, shared.get("patients"), strata=shared.get(SHARED))[
        :, _known(evidence)
    ]
    return drawn
