"""Figures specific to survival."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.problems.answers import UNANSWERED
from evaluation.problems.evidence_figures import MOST_PANELS, EvidenceFigure, FigureSource
from evaluation.problems.survival_answers import PROBABILITIES, answers_of, known_of, stored_censoring

if TYPE_CHECKING:
    from collections.abc import Callable

    from evaluation.figures.survival_over_time import Foretold
    from evaluation.scoring.evidence_blocks import CaseEvidence


def _by_risk(inputs: FigureSource) -> dict[str, Any] | None:
    from evaluation.figures.survival_groups import Predicted, survival_by_risk

    answers = {}
    for name, evidence in inputs.answers.items():
        is_known, states, followed = known_of(evidence)
        risk, _ = answers_of(evidence, is_known, states, len(evidence.shared["times"]))
        answers[name] = Predicted(followed, risk, states > UNANSWERED)
    interval = inputs.assessment.uncertainty.interval
    unit = inputs.assessment.settings["unit"] or ""
    return survival_by_risk(answers, unit=unit, most=MOST_PANELS, interval=interval)


def _over_time(name: str) -> Callable[[FigureSource], dict[str, Any] | None]:
    """One of the figures of times, of what all algorithms foretell."""

    def draw(inputs: FigureSource) -> dict[str, Any] | None:
        from evaluation.figures import survival_over_time

        answers = {algorithm: _foretold(inputs, evidence) for algorithm, evidence in inputs.answers.items()}
        unit = inputs.assessment.settings["unit"] or ""
        figure: dict[str, Any] | None = getattr(survival_over_time, name)(
            inputs.assessment, inputs.document, answers, unit=unit, most=MOST_PANELS
        )
        return figure

    return draw


def _foretold(inputs: FigureSource, evidence: CaseEvidence) -> Foretold:
    import numpy as np

    from evaluation.figures.bands import draws_of
    from evaluation.figures.survival_over_time import Foretold

    is_known, states, followed = known_of(evidence)
    risk, survival = answers_of(evidence, is_known, states, len(evidence.shared["times"]))
    has_probabilities = (states & PROBABILITIES > 0) & (states > UNANSWERED)
    draws = draws_of(inputs.assessment, evidence.cases, evidence.shared.get("patients"))[:, np.asarray(is_known)]
    probabilities = survival if has_probabilities.any() else None
    return Foretold(
        followed, risk, probabilities, states > UNANSWERED, has_probabilities, draws, stored_censoring(evidence.shared)
    )


FIGURES: Final = (
    EvidenceFigure(
        name="survival-by-risk",
        title="Do people with a high predicted risk have the event earlier?",
        reading="The share of people who have not had the event, by Kaplan and Meier, in each third of the predicted risk. "
        "The further the three lines lie apart, in the order of the risks, the better the algorithm tells people apart; lines that "
        "cross are risks that do not hold over time. The thirds differ by team, and say nothing of its probabilities.",
        draw=_by_risk,
    ),
    EvidenceFigure(
        name="auc-over-time",
        title="How well does each team tell at a time who has had the event?",
        reading="The share of pairs in the right order at each time, of somebody who has had the event and somebody who has not: 1 "
        "is every pair, the dashed line an order by chance. People who left earlier are made up for by weights.",
        draw=_over_time("auc_over_time"),
    ),
    EvidenceFigure(
        name="brier-over-time",
        title="How far are the probabilities of each team from what happened?",
        reading="The Brier score at each of the times: 0 is certainty that came true. Dashed is one probability for everybody, "
        "the share of all people without the event; a team above that line is worse than that.",
        draw=_over_time("brier_over_time"),
    ),
    EvidenceFigure(
        name="survival-calibration",
        title="Do the probabilities of each team come true?",
        reading="People in groups of like probability of the event: what was foretold against the share that had it until the last "
        "of the times, by Kaplan and Meier. Points on the dashed line came true; below it a team foretold too much.",
        draw=_over_time("calibration_at_horizon"),
    ),
)
