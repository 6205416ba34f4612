"""Checks of the values of a results table against what its metrics can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.aggregation import ResultsError
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from evaluation.assessment.model import Assessment, MetricUse

LARGEST: Final = 1e100
"""Largest size of a value. Sums and squares of larger ones overflow."""
_SLACK: Final = 1e-9
_PER_CENT: Final = 100.0


def refuse_impossible_values(assessment: Assessment, results: pd.DataFrame) -> None:
    """Refuse values that no metric can have.

    Parameters
    ----------
    results
        A table that `evaluation.aggregation.check_results` has returned.

    Raises
    ------
    ResultsError
        For a value outside the known range of its metric, or one too large to compute with. The message contains
        algorithm, case, value and what to do.
    """
    value = results["value"].to_numpy(dtype=float)
    huge = np.flatnonzero(np.abs(value) > LARGEST)
    if len(huge):
        row = results.iloc[huge[0]]
        message = (
            f"{_where(row)}: the value {row['value']:g} is too large to compute with; at most {LARGEST:g} is possible"
        )
        raise ResultsError(message)
    for metric, rows in _by_metric(assessment, results):
        low, high = (metric.worst, metric.best) if metric.higher_is_better else (metric.best, metric.worst)
        outside = np.zeros(len(rows), dtype=bool)
        measured = rows["value"].to_numpy(dtype=float)
        if low is not None:
            outside |= measured < low - _SLACK * max(1.0, abs(low))
        if high is not None:
            outside |= measured > high + _SLACK * max(1.0, abs(high))
        if outside.any():
            row = rows.iloc[int(np.flatnonzero(outside)[0])]
            message = (
                f"{_where(row)}: the value {row['value']:g} of {metric.name} is outside its range {_range(low, high)}"
                f"{_hint(measured, low, high)}"
            )
            raise ResultsError(message)


def notes_on_values(assessment: Assessment, results: pd.DataFrame) -> list[str]:
    """Return notes on values and names that are probably a mistake.

    These are algorithms whose names differ only in case or spaces, and missing values that count as better than measured
    or possible ones.
    """
    notes = []
    alike: dict[str, list[str]] = {}
    for name in sorted({str(name) for name in results["algorithm"].unique()}):
        alike.setdefault(" ".join(name.split()).casefold(), []).append(name)
    for names in alike.values():
        if len(names) > 1:
            listed = ", ".join(repr(name) for name in names)
            notes.append(f"The names {listed} differ only in case or spaces. Each is an algorithm of its own.")
    for metric, rows in _by_metric(assessment, results):
        missing = metric.policy.missing
        if not isinstance(missing, (int, float)) or isinstance(missing, bool):
            continue
        measured = rows["value"].to_numpy(dtype=float)
        worse = measured < missing if metric.higher_is_better else measured > missing
        is_missing = np.isnan(measured).any()
        if worse.any() and is_missing:
            count, side = int(worse.sum()), "below" if metric.higher_is_better else "above"
            notes.append(
                f"A missing value of {metric.name} counts as {missing:g}, although {count} measured "
                f"{'value is' if count == 1 else 'values are'} {side} {missing:g}."
            )
        elif metric.worst is not None and (
            missing > metric.worst if metric.higher_is_better else missing < metric.worst
        ):
            direction = "down" if metric.higher_is_better else "up"
            notes.append(
                f"A missing value of {metric.name} counts as {missing:g}, although values {direction} to {metric.worst:g} are "
                "possible. Withholding a bad case then pays."
            )
    return notes


def _by_metric(assessment: Assessment, results: pd.DataFrame) -> Iterator[tuple[MetricUse, pd.DataFrame]]:
    """Metrics with the rows of their values; a kind with one metric has no column for it."""
    if kind_of(assessment).metrics.is_single_metric:
        yield assessment.metrics[0], results
        return
    for metric in assessment.metrics:
        yield metric, results[results["metric"] == metric.name]


def _where(row: pd.Series[Any]) -> str:
    location = [f"algorithm {row['algorithm']!r}"]
    location += [f"{name} {row[name]!r}" for name in ("task", "case", "region") if row[name]]
    return ", ".join(location)


def _range(low: float | None, high: float | None) -> str:
    if low is None:
        return f"up to {high:g}"
    return f"from {low:g}" if high is None else f"{low:g} to {high:g}"


def _hint(values: npt.NDArray[np.float64], low: float | None, high: float | None) -> str:
    """Return a question if the values look like per cent."""
    present = values[~np.isnan(values)]
    if low == 0.0 and high == 1.0 and len(present) and present.min() >= 0.0 and present.max() <= _PER_CENT:
        return ". If the values are in per cent, divide them by 100"
    return ""
