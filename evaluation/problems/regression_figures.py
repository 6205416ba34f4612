"""Figures specific to regression: predictions against references, and errors in groups of cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from evaluation.problems.answers import ANSWERED, UNANSWERED, numbers_of, states_of
from evaluation.problems.evidence_figures import MOST_PANELS, EvidenceFigure, FigureSource
from evaluation.problems.kind_figures import KindFigure

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from evaluation.assessment.model import Assessment
    from evaluation.figures.agreement_limits import Answers
    from evaluation.problems.kind_figures import RankedEntry
    from evaluation.scoring.evidence_blocks import CaseEvidence, Evidence

KNOWN: Final = 2
"""Numbers of the reference: its value, and the answer that a case without one counts as."""


def answers_of(evidence: CaseEvidence) -> tuple[Any, Any, Any, Any, Any]:
    """Return a mask of the cases with a reference, and four arrays for those cases.

    These are the reference number, the farthest answer, the value that the answer counts as, and a mask of answered
    cases.
    """
    states = states_of(evidence.block)
    has_reference = states >= UNANSWERED
    reference, farthest = numbers_of(evidence.block, KNOWN, has_reference).T
    answer, answered = farthest.copy(), states[has_reference] == ANSWERED
    answer[answered] = numbers_of(evidence.block, 1, states == ANSWERED, start=KNOWN)[:, 0]
    return has_reference, reference, farthest, answer, answered


def _answers(inputs: FigureSource) -> tuple[dict[str, Answers], str]:
    """Answers of every algorithm, and the unit of the target."""
    from evaluation.figures.agreement_limits import Answers

    answers, column = {}, inputs.region
    for name, evidence in inputs.answers.items():
        has_reference, reference, _, answer, answered = answers_of(evidence)
        cases = tuple(case for case, is_known in zip(evidence.cases, has_reference, strict=True) if is_known)
        answers[name] = Answers(reference, answer, answered, cases)
        column = evidence.shared["regions"].get(inputs.region, inputs.region)
    return answers, (inputs.assessment.settings["targets"] or {}).get(column, {}).get("unit", "")


def _agreement(inputs: FigureSource) -> dict[str, Any] | None:
    from evaluation.figures.agreement_limits import agreement_plot

    answers, unit = _answers(inputs)
    return agreement_plot(inputs.document, answers, what=inputs.region, unit=unit, most=MOST_PANELS)


def _against_reference(inputs: FigureSource) -> dict[str, Any] | None:
    from evaluation.figures.agreement_limits import against_reference

    answers, unit = _answers(inputs)
    return against_reference(inputs.document, answers, what=inputs.region, unit=unit, most=MOST_PANELS)


@dataclass(frozen=True, kw_only=True)
class ErrorsInGroups(KindFigure):
    """Errors in groups of cases, by the characteristic in which the groups differ most."""

    shows: Literal["values", "results by case", "references"] = "results by case"

    def draw_beside(self, ranked: RankedEntry) -> dict[str, Any] | None:
        """Draw the figure for the ranking of a target, where characteristics of the cases define groups."""
        from evaluation.figures.error_groups import error_groups

        if ranked.cases is None or not ranked.is_single:
            return None
        signed = dict(_signed(ranked.evidence, ranked.region, ranked.algorithms))
        return error_groups(
            ranked.document,
            signed or _absolute(ranked),
            _groups(ranked.assessment, ranked.cases),
            signed=bool(signed),
            unit=_unit(ranked.assessment, ranked.region),
            most=MOST_PANELS,
        )


def _unit(assessment: Assessment, region: str) -> str:
    """Of the target of a region."""
    labels = {
        assessed_region.name: str(assessed_region.labels[0]) if assessed_region.labels else assessed_region.name
        for assessed_region in assessment.regions
    }
    targets = assessment.settings["targets"] or {}
    return str(targets.get(labels.get(region, region), {}).get("unit", ""))


def _signed(evidence: Evidence | None, region: str, algorithms: list[str]) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield prediction minus reference of every case by algorithm, where the evidence contains them.

    A case without an answer has the difference that it counts as.
    """
    metrics = [] if evidence is None else list(evidence.metrics)
    for name in algorithms if metrics else ():
        assert evidence is not None
        try:
            case_evidence = evidence.select(metrics[0], name, region)
        except KeyError:
            continue
        has_reference, reference, _, answer, _ = answers_of(case_evidence)
        cases = [case for case, is_known in zip(case_evidence.cases, has_reference, strict=True) if is_known]
        yield name, dict(zip(cases, (answer - reference).tolist(), strict=True))


def _absolute(ranked: RankedEntry) -> dict[str, dict[str, float]]:
    """Return the absolute errors of every case, where the results contain them."""
    use = next((use for use in ranked.assessment.metrics if use.id == "absolute_error"), None)
    return {} if use is None or ranked.results is None else ranked.values_of(use.name)


def _groups(assessment: Assessment, cases: pd.DataFrame) -> dict[str, dict[str, str]]:
    """By characteristic the group of every case, in the order of the groups; of those that make groups of a useful size."""
    from evaluation.analyses.case_groups import MOST_CHARACTERISTICS, groupable, labels_of
    from evaluation.ranking.characteristics import characteristics_of

    groups = {}
    for characteristic in groupable(characteristics_of(assessment, cases))[:MOST_CHARACTERISTICS]:
        labels, _, _ = labels_of(characteristic)
        assert labels is not None
        case_labels = labels.dropna()
        groups[characteristic.title] = dict(zip(case_labels.index.astype(str), case_labels.astype(str), strict=True))
    return groups


FIGURES: Final = (
    EvidenceFigure(
        name="prediction-and-reference",
        title="Do predictions follow the reference?",
        reading="A dot is a case: the predicted number over that of the reference. On the line both are the same; dots on a flatter line "
        "belong to a team that predicts the middle for everybody.",
        draw=_against_reference,
    ),
    EvidenceFigure(
        name="limits-of-agreement",
        title="How far do the predicted numbers lie from the reference?",
        reading="A dot is a case: how much larger the prediction is than the reference, over the mean of both. The line is "
        "the bias, the dashed lines are the limits of agreement, 1.96 standard deviations from it; grey are their 95 % "
        "intervals, which take the differences for normal and the cases for independent.",
        draw=_agreement,
    ),
    ErrorsInGroups(
        name="errors-in-groups",
        title="In which groups of cases are the errors large?",
        reading="A box is the middle half of a team’s errors in one group of cases, the line in it the median. Boxes above the line at zero "
        "predict too much there, boxes below it too little; in a group with long boxes the number is unreliable.",
    ),
)
