"""Range of predicted scores, as an assessment registers it: probabilities, or any finite numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.metrics.options import Option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment, MetricUse

ANY_SCORE: Final = "any"
SCORES: Final = "scores"
"""Name of the setting."""
NEED_LABELS: Final = "need_labels"
"""Key of the metrics that rate decisions, in what all cases have in common."""
_THRESHOLD: Final = "score_threshold"
_DEFAULT_THRESHOLD: Final = 0.5


def scores_option(owner: str, decisions: str = "") -> Option:
    """Return the setting for scores that are not probabilities.

    Parameters
    ----------
    owner
        What has a score, such as ``predicted objects``.
    decisions
        Additional sentence about decisions.
    """
    text = f"Scores of {owner}: any = any finite number, of which only the order counts; a number from 0 to 1 if it is not set."
    return Option(SCORES, "enum", None, f"{text} {decisions}".rstrip(), choices=(ANY_SCORE,), stands_where_set=True)


def has_any_score(settings: Mapping[str, Any]) -> bool:
    """Return whether scores can be any finite numbers.

    Examples
    --------
    >>> has_any_score({"scores": "any"}), has_any_score({})
    (True, False)
    """
    return settings.get(SCORES) == ANY_SCORE


def refuse_probability_metrics(assessment: Assessment) -> None:
    """Refuse metrics that read scores as probabilities, where scores are any finite numbers.

    Raises
    ------
    AssessmentError
        With the metric.
    """
    from evaluation.assessment.errors import AssessmentError

    if not has_any_score(assessment.settings):
        return
    for index, use in enumerate(assessment.computed):
        if needs_probabilities(use):
            raise AssessmentError(
                f"metrics[{index}].id",
                use.id,
                f'a metric that needs no probabilities, with settings.scores "{ANY_SCORE}"',
            )


def refuse_score_thresholds(assessment: Assessment, *, default: float | None = None) -> None:
    """Refuse metrics that compare scores with a fixed number, where scores are any finite numbers.

    Parameters
    ----------
    default
        Value of the option that is accepted, where it has no effect.

    Raises
    ------
    AssessmentError
        With the metric.
    """
    from evaluation.assessment.errors import AssessmentError

    if not has_any_score(assessment.settings):
        return
    for index, use in enumerate(assessment.computed):
        threshold = use.options.get(_THRESHOLD, default)
        if threshold != default:
            raise AssessmentError(
                f"metrics[{index}].options.{_THRESHOLD}",
                threshold,
                f'no fixed threshold, with settings.scores "{ANY_SCORE}"',
            )


def check_class_scores(assessment: Assessment) -> None:
    """Refuse what scores of classes that are any finite numbers cannot be used for.

    Raises
    ------
    AssessmentError
        For metrics that need probabilities, a threshold, and regions of several classes, whose scores cannot be added.
    """
    from evaluation.assessment.errors import AssessmentError

    if not has_any_score(assessment.settings):
        return
    refuse_probability_metrics(assessment)
    refuse_score_thresholds(assessment, default=_DEFAULT_THRESHOLD)
    for index, region in enumerate(assessment.regions):
        if len(region.labels) > 1:
            raise AssessmentError(
                f"regions[{index}].labels", list(region.labels), f'one class, with settings.scores "{ANY_SCORE}"'
            )


def needs_probabilities(use: MetricUse) -> bool:
    """Return whether a metric reads scores as probabilities, not only their order.

    Calibration metrics and the net benefit do.
    """
    from evaluation import catalogue

    return use.id == "net_benefit" or catalogue.get(use.id).family == "calibration"


def shared_score_range(assessment: Assessment) -> dict[str, Any]:
    """Return the range of scores, and the metrics of decisions that then need labels, for what all cases have in common.

    The result is empty where scores are probabilities.
    """
    from evaluation import catalogue

    if not has_any_score(assessment.settings):
        return {}
    need_labels = [use.name for use in assessment.computed if "scores" not in catalogue.get(use.id).needs]
    return {SCORES: ANY_SCORE, **({NEED_LABELS: need_labels} if need_labels else {})}
