"""Spread of the values of one algorithm over the cases, without names of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation import catalogue
from evaluation.outcomes import Outcome

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.assessment.model import Assessment, MetricUse

FAR: Final = 10.0
"""Number of cutoffs from which on a median distance is far beyond the cutoff."""
# Not the tolerance of surfaces: a bad outline is often further from the reference than ten tolerances.
_CUTOFFS: Final = ("radius", "localization_threshold")
_LENGTH: Final = "mm"


def spreads(assessment: Assessment, results: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the spread of the values of each metric and region over the cases.

    Metrics of the whole data set have no values of cases and are not included.

    Returns
    -------
    list of dict
        ``metric`` and ``region``; ``cases``, the number of cases with a value; ``zeros``, the number of values 0;
        ``low``, ``lower_quartile``, ``median``, ``upper_quartile`` and ``high``. Distances also have ``impossible``, the
        number of values that exceed the diagonal of the image; ``cutoff``, the largest registered distance at which
        a point counts as a hit (None if there is none); and ``far``, whether the median is more than `FAR` cutoffs.
    """
    rows = results[(results["case"] != "") & (results["outcome"] == Outcome.OK.value)]
    cutoff = _cutoff(assessment)
    entries = []
    uses = {use.name: use for use in assessment.metrics}
    for (name, region), group in rows.groupby(["metric", "region"], sort=False, dropna=False):
        values = group["value"].to_numpy(dtype=float)
        if not len(values) or name not in uses:
            continue
        low, lower, median, upper, high = (float(value) for value in np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
        entry: dict[str, Any] = {
            "metric": str(name),
            "region": str(region or ""),
            "cases": len(values),
            "zeros": int((values == 0).sum()),
            "low": low,
            "lower_quartile": lower,
            "median": median,
            "upper_quartile": upper,
            "high": high,
        }
        if _is_distance(uses[str(name)]):
            diagonal = group["image_diagonal"].to_numpy(dtype=float) if "image_diagonal" in group else np.nan
            entry["impossible"] = int((values > diagonal).sum())
            entry["cutoff"] = cutoff
            entry["far"] = cutoff is not None and median > FAR * cutoff
        entries.append(entry)
    return entries


def _is_distance(use: MetricUse) -> bool:
    if use.is_by_scorer or use.is_by_run or use.higher_is_better:
        return False
    try:
        return catalogue.get(use.id).unit == _LENGTH
    except catalogue.CatalogueError:
        return False


def _cutoff(assessment: Assessment) -> float | None:
    """Return the largest registered distance at which a point counts as a hit; None if there is none."""
    lengths_registered = []
    for use in assessment.metrics:
        if use.is_by_scorer or use.is_by_run or not use.higher_is_better:
            continue
        try:
            options = catalogue.get(use.id).options
        except catalogue.CatalogueError:
            continue
        lengths = {option.name for option in options if option.unit == _LENGTH}
        if use.options.get("localization_criterion") == "loc_center_distance":
            lengths.add("localization_threshold")
        for name in _CUTOFFS:
            value = use.options.get(name)
            if name in lengths and isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
                lengths_registered.append(float(value))
    return max(lengths_registered, default=None)
