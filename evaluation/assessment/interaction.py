"""Weights of levels of interaction: by how much values of methods that need a person count less."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.errors import AssessmentError
from evaluation.assessment.reading import Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import MetricUse, RankingScheme

KEY: Final = "interaction_weights"
LEVELS: Final = ("fully_automatic", "semi_automatic", "fully_interactive")
"""Levels of interaction, from none to most."""


def read_weights(value: object) -> dict[str, float]:
    """Read the key ``interaction_weights`` of an assessment document; absent means that levels weigh alike.

    Raises
    ------
    AssessmentError
        For an unknown level, or a weight that is not above 0 and at most 1.

    Examples
    --------
    >>> read_weights({"fully_automatic": 1, "semi_automatic": 0.9})
    {'fully_automatic': 1.0, 'semi_automatic': 0.9}
    """
    if value is None:
        return {}
    section = Place(value, KEY, LEVELS)
    weights: dict[str, float] = {}
    for level in LEVELS:
        if section.has(level):
            given = section.number(level, None, "a number above 0 and at most 1", lambda number: 0 < number <= 1)
            weights[level] = float(given)
    if not weights:
        raise AssessmentError(KEY, value, 'weights such as {"fully_automatic": 1, "semi_automatic": 0.9}')
    return weights


def check_weights(weights: Mapping[str, Any], metrics: Sequence[MetricUse], rankings: Sequence[RankingScheme]) -> None:
    """Refuse weights where a metric that ranks has no end from which a value can be moved.

    Raises
    ------
    AssessmentError
        For a metric of the whole data set, for one without a worst value whose best value is not 0, and for a cost of a run.
    """
    if not weights:
        return
    ranked = {name for scheme in rankings for name in (scheme.metrics or [metric.name for metric in metrics])}
    for metric in metrics:
        if metric.name not in ranked:
            continue
        if metric.level != "case" or (metric.worst is None and (metric.higher_is_better or metric.best != 0)):
            allowed = "metrics of single cases that have a worst value, or 0 as the best one"
            raise AssessmentError(KEY, metric.name, allowed)
        if metric.is_by_run:
            raise AssessmentError(KEY, metric.name, "no cost of a run, which nobody interacts with")
