"""The fewest units with which an assessment can name a winner or state rank sets, before there is any result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluation.assessment.described import WITHOUT
from evaluation.problems import kind_of
from evaluation.ranking.evaluate import unit_level
from evaluation.ranking.schemes import get_scheme
from evaluation.ranking.uncertainty.budgets import FEWEST_DRAWS, budget, drawn_units

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment, MetricUse, Operator, RankingScheme

SEVERAL: Final = 3
"""With three algorithms or more the error is shared between the winner and the sets; how many more does not matter."""


@dataclass(frozen=True)
class UnitsNeeded:
    """Minimum numbers of units for one ranking.

    Attributes
    ----------
    ranking
        Name of the ranking; ``None`` where there is only one ranking.
    not_given
        Metrics measured elsewhere without any information on their uncertainty. The ranking is then never certain.
    drawn_apart
        Whether it combines values resampled here with values resampled elsewhere. It is then never certain, either.
    submitted
        Whether the uncertainty is submitted with the values. Standard errors do not depend on a number of units, so that
        the minimum is unknown before there are results.
    unit
        Counted unit: cases, or the outermost resampled level.
    winner, sets
        Minimum numbers with which a winner can be named and rank sets can be stated; ``None`` where this is impossible.
    """

    ranking: str | None
    unit: str
    winner: int | None
    sets: int | None
    not_given: tuple[str, ...] = ()
    drawn_apart: bool = False
    submitted: bool = False


def units_needed(assessment: Assessment, *, algorithms: int = SEVERAL) -> list[UnitsNeeded]:
    """The fewest units for each registered ranking.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> region = [{"name": "all", "labels": [1]}]
    >>> one = parse({"problem": "semantic_segmentation", "regions": region, "metrics": [{"id": "dsc"}]})
    >>> [(needed.winner, needed.sets) for needed in units_needed(one)]
    [(6, 7)]
    """
    return [_of(scheme, assessment, algorithms) for scheme in assessment.rankings]


def _of(scheme: RankingScheme, assessment: Assessment, algorithms: int) -> UnitsNeeded:
    unit = unit_level(assessment)
    silent, apart = _not_given(scheme, assessment), _is_drawn_apart(scheme, assessment)
    if assessment.uncertainty.bootstrap == 0 or silent or apart:
        return UnitsNeeded(scheme.name, unit, None, None, silent, apart)
    shares = budget(assessment.uncertainty, algorithms)
    operators = _operators(scheme, assessment)
    if is_linear(scheme, assessment):
        return UnitsNeeded(scheme.name, unit, shares.units_for_winner, shares.units_for_sets)
    quantiles = [operator.quantile(higher_is_better=True) for operator in operators]
    if any(share in (0.0, 1.0) for share in quantiles):
        return UnitsNeeded(scheme.name, unit, None, None)
    submitted = _has_submitted_uncertainty(scheme, assessment)
    if assessment.uncertainty.bootstrap < FEWEST_DRAWS and not (submitted and _takes_errors(scheme, assessment)):
        return UnitsNeeded(scheme.name, unit, None, None)
    if submitted:
        return UnitsNeeded(scheme.name, unit, None, None, submitted=True)
    fewest = drawn_units(quantiles, algorithms, shares.total)
    return UnitsNeeded(scheme.name, unit, fewest["winner"], fewest["sets"])


def _ranked(scheme: RankingScheme, assessment: Assessment) -> list[MetricUse]:
    return [metric for metric in assessment.metrics if scheme.metrics is None or metric.name in scheme.metrics]


def _not_given(scheme: RankingScheme, assessment: Assessment) -> tuple[str, ...]:
    """Metrics that keep a ranking from ever being sure: one is enough where they are combined, else all have to be so."""
    metrics = _ranked(scheme, assessment)
    silent = tuple(metric.name for metric in metrics if metric.options.get(WITHOUT))
    return silent if scheme.combine is not None or len(silent) == len(metrics) else ()


def _is_drawn_apart(scheme: RankingScheme, assessment: Assessment) -> bool:
    if scheme.combine is None or not kind_of(assessment).is_measured_elsewhere:
        return False
    return len({metric.level for metric in _ranked(scheme, assessment)}) > 1


def _has_submitted_uncertainty(scheme: RankingScheme, assessment: Assessment) -> bool:
    """Return whether a value of the whole data set may be submitted with a standard error or replicates."""
    metrics = _ranked(scheme, assessment) if kind_of(assessment).is_measured_elsewhere else []
    return any(metric.level == "dataset" and not metric.options.get(WITHOUT) for metric in metrics)


def _takes_errors(scheme: RankingScheme, assessment: Assessment) -> bool:
    """Return whether a standard error is used as it is, without any draw."""
    return not _combines_several(scheme, assessment) and not get_scheme(scheme.scheme).compares_pairs


def _combines_several(scheme: RankingScheme, assessment: Assessment) -> bool:
    """Return whether the decisive order is made of several."""
    regions = scheme.regions or [region.name for region in assessment.regions] or [""]
    columns = [name for step in scheme.combine or () for name in step.over if name not in ("metric", "region")]
    return scheme.combine is not None and (len(_ranked(scheme, assessment)) * len(regions) > 1 or bool(columns))


def is_linear(scheme: RankingScheme, assessment: Assessment) -> bool:
    """Return whether the decisive order is that of one weighted mean over cases."""
    metrics = _ranked(scheme, assessment)
    if _combines_several(scheme, assessment) or any(metric.level == "dataset" for metric in metrics):
        return False
    if len(assessment.aggregation.levels) > 1 and assessment.aggregation.operator.kind != "mean":
        return False
    return get_scheme(scheme.scheme).is_linear(scheme)


def _operators(scheme: RankingScheme, assessment: Assessment) -> list[Operator]:
    operators = [scheme.operator] if get_scheme(scheme.scheme).takes_operator else []
    if len(assessment.aggregation.levels) > 1:
        operators.append(assessment.aggregation.operator)
    return operators
