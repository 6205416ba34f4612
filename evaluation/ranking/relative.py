"""Strengths and weaknesses of an algorithm relative to the median of all algorithms on the same case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]
FEWEST_CASES = 10


def relative_strengths(raw: Mapping[str, Any], characteristics: Mapping[str, Sequence[float | None]]) -> dict[str, Any]:
    """Correlate the advantage of an algorithm over the field with characteristics of the cases.

    On every case the median over the algorithms is subtracted. A case that is hard for all algorithms therefore has no
    effect. Spearman's ρ is used because it does not require a linear relation.

    Parameters
    ----------
    raw
        An entry of `evaluation.ranking.raw.raw_values`.
    characteristics
        Numbers along the cases of `raw`, by name.

    Returns
    -------
    dict
        ``algorithms``, ``characteristics`` and ``correlation`` (algorithms × characteristics), above 0 where the
        algorithm gains on the field as the characteristic grows; ``None`` with fewer than ten cases, or where one of
        the two does not vary.

    Examples
    --------
    >>> raw = {"values": [[0.5 + i / 100, 0.5, 0.5 - i / 100] for i in range(12)],
    ...        "algorithms": ["grows", "flat", "falls"], "direction": "higher"}
    >>> relative_strengths(raw, {"size": list(range(12))})["correlation"]
    [[1.0], [None], [-1.0]]
    """
    values = np.array(raw["values"], dtype=np.float64)
    if raw["direction"] == "lower":
        values = -values
    has_value = ~np.isnan(values).all(axis=1)
    above = np.full(values.shape, np.nan)
    above[has_value] = values[has_value] - np.nanmedian(values[has_value], axis=1, keepdims=True)
    columns = [np.array(given, dtype=np.float64) for given in characteristics.values()]
    return {
        "algorithms": list(raw["algorithms"]),
        "characteristics": list(characteristics),
        "correlation": [[_spearman(row, column) for column in columns] for row in above.T],
    }


def _spearman(first: FloatArray, second: FloatArray) -> float | None:
    from scipy.stats import rankdata

    both = ~np.isnan(first) & ~np.isnan(second)
    if both.sum() < FEWEST_CASES:
        return None
    one, other = rankdata(first[both].round(12)), rankdata(second[both])
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1].round(12))
