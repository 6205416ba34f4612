"""Questions about a table that was read: values outside the range of their metric, and names that are nearly the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.catalogue import all_metrics
from evaluation.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pandas as pd

_SHARES: Final = frozenset(
    [
        "dice",
        "dsc",
        "iou",
        "jaccard",
        "nsd",
        "auc",
        "auroc",
        "f1",
        "fscore",
        "accuracy",
        "precision",
        "recall",
        "sensitivity",
        "specificity",
        "ppv",
        "npv",
        "cldice",
    ]
)
"""Words of names of metrics whose values are from 0 to 1, whatever else the name contains."""
_PER_CENT: Final = 100.0
_LEAST_PER_CENT: Final = 2.0
"""Smallest single value outside 0 to 1 for which per cent is a likely reason."""
_SLACK: Final = 1e-9
_MOST_NAMED: Final = 3


def known_range(metric: str) -> tuple[float, float] | None:
    """Return the bounds of the values of a metric by its name, the lower one first; ``None`` if they are not known.

    Examples
    --------
    >>> known_range("Dice_ET"), known_range("MCC"), known_range("HD95")
    ((0.0, 1.0), (-1.0, 1.0), None)
    """
    bare = _bare(metric)
    for candidate in all_metrics():
        if bare in {_bare(candidate.id), _bare(candidate.abbreviation), _bare(candidate.name)}:
            low, high = sorted((candidate.worst, candidate.best), key=lambda end: np.inf if end is None else end)
            return None if low is None or high is None else (float(low), float(high))
    words = re.split(r"[^a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", metric).casefold())
    return (0.0, 1.0) if _SHARES & set(words) else None


def is_per_cent(values: Iterable[float], bounds: tuple[float, float]) -> bool:
    """Return whether all values of a metric from 0 to 1 look like per cent.

    Examples
    --------
    >>> is_per_cent([72.0, 88.1], (0.0, 1.0)), is_per_cent([0.7, 72.0], (0.0, 1.0))
    (True, False)
    """
    numbers = np.asarray(list(values), dtype=float)
    in_per_cent = bool(len(numbers)) and numbers.min() >= 0.0 and numbers.max() <= _PER_CENT
    return bool(bounds == (0.0, 1.0) and in_per_cent and np.median(numbers) > 1.0 and numbers[numbers > 0].min() > 1.0)


def questions(results: pd.DataFrame) -> Iterator[str]:
    """Yield a question for each metric with values outside its range, and for names that are nearly the same.

    Parameters
    ----------
    results
        Rows with ``algorithm``, ``case``, ``metric`` and ``value``.
    """
    for metric, rows in results.groupby("metric", sort=False):
        yield from _about_values(str(metric), rows[rows["value"].notna()])
    for column, noun in (("algorithm", "algorithm"), ("case", "case")):
        yield from _about_names(results[column].unique(), noun)


def _about_values(metric: str, rows: pd.DataFrame) -> Iterator[str]:
    bounds = known_range(metric)
    if bounds is None or rows.empty:
        return
    values = rows["value"].to_numpy(dtype=float)
    low, high = bounds
    outside = np.flatnonzero((values < low - _SLACK) | (values > high + _SLACK))
    if not len(outside):
        return
    if is_per_cent(values, bounds):
        yield f"Are the values of {metric} in per cent? They are from {values.min():g} to {values.max():g}, not from 0 to 1."
        return
    row: Any = rows.iloc[int(outside[0])]
    where = f"algorithm {row['algorithm']!r}" + (f", case {row['case']!r}" if row["case"] else "")
    count = f"{len(outside):,} {'value is' if len(outside) == 1 else 'values are'}"
    hint = " Is it in per cent?" if bounds == (0.0, 1.0) and _LEAST_PER_CENT <= float(row["value"]) <= _PER_CENT else ""
    yield (
        f"Is {row['value']:g} of {metric} correct ({where})? {count} outside the range of this metric, {low:g} to {high:g}.{hint}"
    )


def _about_names(names: Iterable[str], noun: str) -> Iterator[str]:
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(" ".join(str(name).split()).casefold(), []).append(str(name))
    groups = [group for group in alike.values() if len(group) > 1]
    if groups:
        listed = "; ".join(" and ".join(repr(name) for name in sorted(group)) for group in groups[:_MOST_NAMED])
        more = f"; and {len(groups) - _MOST_NAMED} more" if len(groups) > _MOST_NAMED else ""
        yield (
            f"Are these the same {noun if len(groups) == 1 else plural(noun)}? {listed}{more}. Names that differ in case or "
            f"spaces count as different {plural(noun)}."
        )


def _bare(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())
