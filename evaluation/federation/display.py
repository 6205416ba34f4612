"""Numbers of a site for readers, each over enough units that no case can be read from it."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BESIDE: Final = 10
"""Minimum number of units on either side of a quantile."""


def displayed(values: FloatArray, *, higher_is_better: bool, minimum: int, share: bool) -> dict[str, list[Any]]:
    """Return mean, standard deviation, median, worst tail and tenth percentile of every algorithm.

    Parameters
    ----------
    values
        Units × algorithms; not a number if there is no value.
    higher_is_better
        Whether the low end is the worse end; ``p10`` and ``tail`` describe the worse end.
    minimum
        The fewest units behind a mean.
    share
        Whether the values have no unit: quantiles are then rounded to 2 decimals, else to 3 significant digits.

    Returns
    -------
    dict
        Five lists with a number or ``None`` for each algorithm. A quantile q is included if min(q, 1 - q) · n is at
        least ten. The tail (the mean of the worst tenth, of ten units at least) is included if ten others remain.
    """
    by_name: dict[str, list[Any]] = {key: [] for key in ("mean", "sd", "median", "tail", "p10")}
    for column in values.T:
        ordered = np.sort(column[~np.isnan(column)])
        ordered = ordered if higher_is_better else ordered[::-1]
        number = len(ordered)
        enough = number >= minimum
        by_name["mean"].append(float(f"{ordered.mean():.6g}") if enough else None)
        by_name["sd"].append(float(f"{ordered.std():.6g}") if enough else None)
        by_name["median"].append(_rounded(float(np.median(ordered)), share=share) if 0.5 * number >= BESIDE else None)
        worst = max(BESIDE, math.ceil(number / 10))
        by_name["tail"].append(
            _rounded(float(ordered[:worst].mean()), share=share) if number - worst >= BESIDE else None
        )
        tenth = 0.1 * number >= BESIDE - 1e-9
        by_name["p10"].append(_rounded(_tenth(ordered), share=share) if tenth else None)
    return by_name


def _tenth(ordered: FloatArray) -> float:
    """The tenth percentile from the worse end, with linear interpolation."""
    position = (len(ordered) - 1) * 0.1
    low = math.floor(position)
    return float(ordered[low] + (ordered[low + 1] - ordered[low]) * (position - low))


def _rounded(value: float, *, share: bool) -> float:
    return round(value, 2) if share else float(f"{value:.3g}")
