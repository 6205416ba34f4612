"""The cases of a ranking in groups by what is known about them, each group ranked on its own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evaluation.assessment import Assessment
from evaluation.ranking import ResultsError
from evaluation.ranking.comparison import by_column

MOST_GROUPS = 6
FEWEST_CASES = 5
"""A group of fewer cases says more about these cases than about a team."""
MOST_CHARACTERISTICS = 5
FEWEST_NUMBERS = 5
"""A number with fewer different values is a name for a group."""
PARTS = ("low", "middle", "high")
MOST_TEAMS_RESAMPLED = 60
FEW_SAMPLES = 200


@dataclass(frozen=True)
class Grouping:
    """The cases grouped by one characteristic.

    Attributes
    ----------
    title
        What the characteristic is called.
    documents
        Ranking document of every group, by its label.
    comparison
        How the ranks in the groups compare with those on all cases, as `evaluation.ranking.comparison` says it.
    """

    title: str
    documents: Mapping[str, Mapping[str, Any]]
    comparison: list[Mapping[str, Any]]

    def change(self, order: Mapping[str, Any]) -> float:
        """How far the ranks of an order change most from all cases to a group: the largest of the distances 1 - τ."""
        for found in self.comparison:
            if is_of(found, order):
                return max((1.0 - tau for tau in found["tau"][0] if tau is not None), default=0.0)
        return 0.0


def numbers_of(characteristics: pd.DataFrame | None) -> dict[str, dict[str, float]]:
    """Characteristics that are numbers: for each its values by case."""
    found = {}
    for name, column in _columns(characteristics):
        values = pd.to_numeric(column, errors="coerce")
        if values.notna().all() and values.nunique() >= FEWEST_NUMBERS:
            found[_title(name)] = dict(zip(column.index, values.astype(float), strict=True))
        if len(found) == MOST_CHARACTERISTICS:
            break
    return found


def groupings(
    assessment: Assessment, results: pd.DataFrame, cases: pd.DataFrame | None, characteristics: pd.DataFrame | None
) -> list[Grouping]:
    """Rank the groups of every characteristic that makes groups of a useful size."""
    found = []
    bootstrap = FEW_SAMPLES if results["algorithm"].nunique() > MOST_TEAMS_RESAMPLED else None
    for name, column in _columns(characteristics):
        labels = _labels(column)
        if labels is None:
            continue
        title = _title(name)
        kept = labels.dropna()
        table = pd.DataFrame({"case": kept.index, title: kept.to_numpy()})
        if cases is not None:
            table = table.merge(cases.drop(columns=title, errors="ignore"), on="case", how="left")
        rows = results[results["case"].isin(kept.index)]
        try:
            made = by_column(assessment, rows, table, title, bootstrap=bootstrap)
        except (ResultsError, ValueError):  # a group in which some metric cannot be ranked
            continue
        documents = {label: made["documents"][label] for label in _in_order(labels)}
        found.append(Grouping(title, documents, made["comparison"]))
        if len(found) == MOST_CHARACTERISTICS:
            break
    return found


def _columns(characteristics: pd.DataFrame | None) -> Iterator[tuple[str, "pd.Series[Any]"]]:
    if characteristics is None or "case" not in characteristics:
        return
    table = characteristics.set_index(characteristics["case"].astype(str)).drop(columns="case")
    for name in table.columns:
        yield str(name), table[name]


def _labels(column: "pd.Series[Any]") -> "pd.Series[Any] | None":
    """The group of every case; nothing for cases in groups that are too small, None where no two groups are left."""
    values = pd.to_numeric(column, errors="coerce")
    if values.notna().all() and values.nunique() > MOST_GROUPS:
        edges = np.quantile(values, [1 / 3, 2 / 3])
        part = np.searchsorted(edges, values, side="left")
        names = [f"{PARTS[index]} ({_span(values[part == index])})" for index in range(len(PARTS))]
        labels = pd.Series([names[index] for index in part], index=column.index, dtype=object)
    else:
        labels = column.astype(object).where(column.notna()).map(lambda value: value if value is None else str(value))
    counts = labels.value_counts()
    labels = labels.where(labels.isin(counts.index[counts >= FEWEST_CASES]))
    return labels if 2 <= labels.nunique() <= MOST_GROUPS else None


def _in_order(labels: "pd.Series[Any]") -> list[str]:
    """Parts of a range from low to high, other groups by name."""
    rank = {part: index for index, part in enumerate(PARTS)}
    return sorted(labels.dropna().unique(), key=lambda label: (rank.get(label.split(" (")[0], -1), label))


def _span(values: "pd.Series[Any]") -> str:
    return f"{_short(values.min())}–{_short(values.max())}" if len(values) else "none"


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _title(name: str) -> str:
    return name.replace("_", " ")


def is_of(found: Mapping[str, Any], order: Mapping[str, Any]) -> bool:
    """Whether a comparison of rankings is about an order: the overall one, or that of a metric, region and task."""
    if order["metric"] is None:
        return bool(found.get("overall"))
    return not found.get("overall") and all(
        (found.get(key) or None) == (order[key] or None) for key in ("metric", "region", "task")
    )
