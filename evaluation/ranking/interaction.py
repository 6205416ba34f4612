"""Registered weights of levels of interaction, applied to results before anything is ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.assessment import Assessment

LEVEL: Final = "level"
"""Optional column of results: the level of interaction that a method needs, the same in all of its rows."""
AS_MEASURED: Final = "Single cases are shown as measured: the registered weights of levels of interaction are in the ranking and not here."


def weighted_results(assessment: Assessment, checked: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Results in which every value keeps as much of its distance from the worst one as its method's level weighs.

    Where a metric has no worst value, and 0 is its best one, values are divided by the weight. What is missing or undefined
    counts by its policy, whatever the level. A method whose level is not known has the lowest registered weight.

    Parameters
    ----------
    checked
        As `evaluation.aggregation.check_results` returned it, perhaps without excluded cases.
    results
        The table before that check, with the column `LEVEL`.

    Examples
    --------
    >>> import pandas as pd
    >>> from evaluation.aggregation import check_results
    >>> from evaluation.assessment import parse
    >>> assessment = parse({"problem": "semantic_segmentation", "regions": [{"name": "all", "labels": [1]}],
    ...     "metrics": [{"id": "dsc"}], "interaction_weights": {"fully_automatic": 1, "semi_automatic": 0.5}})
    >>> table = pd.DataFrame({"algorithm": ["a", "b"], "case": "1", "region": "all", "metric": "dsc", "value": [0.8, 0.8],
    ...     "level": ["fully_automatic", "semi_automatic"]})
    >>> list(weighted_results(assessment, check_results(table), table)["value"])
    [0.8, 0.4]
    """
    weights = assessment.interaction_weights
    if not weights:
        return checked
    lowest = min(weights.values())
    levels = results[LEVEL] if LEVEL in results.columns else None
    of_algorithm = (
        {} if levels is None else dict(zip(results["algorithm"].astype(str), levels.astype(str), strict=True))
    )
    names = checked["algorithm"].astype(str)
    factor = np.array([weights.get(of_algorithm.get(name, ""), lowest) for name in names])
    value = checked["value"].to_numpy(dtype=float, copy=True)
    metric_of_row = checked["metric"].astype(str).to_numpy()
    for metric in assessment.metrics:
        rows = metric_of_row == metric.name
        if metric.level != "case":
            continue
        if metric.worst is not None:
            value[rows] = metric.worst + factor[rows] * (value[rows] - metric.worst)
        elif not metric.higher_is_better and metric.best == 0:
            value[rows] = value[rows] / factor[rows]
    return checked.assign(value=value)
