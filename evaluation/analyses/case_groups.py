"""The cases of a ranking in groups by what is known about them, each group ranked on its own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evaluation.assessment.columns import NUMBER, YES_NO
from evaluation.claims.sections import FOLDED, GROUPS_NOT_RANKED, Folded, NotRanked
from evaluation.ranking import ResultsError
from evaluation.ranking.comparison import by_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.claims.catalogue import Said
    from evaluation.ranking.characteristics import Characteristic
    from evaluation.scoring.evidence import Evidence

MOST_GROUPS = 100
"""Of a characteristic with more groups, those with most cases."""
SHOWN_FIRST = 10
"""Number of groups shown unfolded.

These are the groups in which the ranks change most. The others are folded.
"""
FEWEST_CASES = 5
"""Minimum number of cases of a ranked group.

A result on fewer cases depends more on these cases than on a team.
"""
MOST_CHARACTERISTICS = 5
PARTS = ("low", "middle", "high")
MOST_NUMBERS_UNCUT = 6
"""A number with more different values is cut at its thirds."""
MOST_TEAMS_RESAMPLED = 60
MOST_GROUPS_RESAMPLED = 12
FEW_SAMPLES = 200


@dataclass(frozen=True)
class Grouping:
    """The cases grouped by one characteristic.

    Attributes
    ----------
    title
        Name of the characteristic.
    documents
        Ranking document of every group, by its label; first the group in which the ranks change most, parts of a
        range from low to high.
    comparison
        Comparison of the ranks in the groups with those on all cases, from `evaluation.ranking.comparison`.
    small
        Number of groups that are not ranked because they have fewer cases than `FEWEST_CASES`.
    beyond
        Number of groups that are not ranked because they exceed `MOST_GROUPS`.
    unranked
        By group, the reason for not ranking it.
    undefined
        By group the metrics that have no value on its cases for any algorithm, as text with their outcome.
    """

    title: str
    documents: Mapping[str, Mapping[str, Any]]
    comparison: list[Mapping[str, Any]]
    small: int = 0
    beyond: int = 0
    unranked: Mapping[str, str] = field(default_factory=dict)
    undefined: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def change(self, order: Mapping[str, Any]) -> float:
        """Return the largest change of the ranks of an order from all cases to a group.

        The change is the distance 1 - τ.
        """
        return max(self.gaps(order).values(), default=0.0)

    def gaps(self, order: Mapping[str, Any]) -> dict[str, float]:
        """By group the distance 1 - τ of its ranks from those on all cases."""
        comparison = next((candidate for candidate in self.comparison if is_of(candidate, order)), None)
        return _gaps(comparison) if comparison is not None else {}

    @property
    def left_out(self) -> list[Said]:
        """Return a sentence about the groups that are not ranked, or none if all are."""
        return GROUPS_NOT_RANKED.all(NotRanked(self.small, self.beyond, fewest=FEWEST_CASES, most=MOST_GROUPS))

    @property
    def problems(self) -> list[str]:
        """Groups that cannot be ranked, and metrics that are undefined in a group, a sentence for each group."""
        unranked = [f"{label} is not ranked: {reason.rstrip('.')}." for label, reason in self.unranked.items()]
        return unranked + [
            f"Undefined on the cases of {label}: {', '.join(metrics)}." for label, metrics in self.undefined.items()
        ]

    @property
    def folded(self) -> list[Said]:
        """Return a sentence with the number of folded groups, or none if all are unfolded."""
        return FOLDED.all(Folded(len(self.documents), SHOWN_FIRST))

    def shown_first(self, order: Mapping[str, Any] | None = None) -> list[str]:
        """Return the labels of the unfolded groups.

        In these groups the ranks of an order, or the main ranks, change most.
        """
        labels = list(self.documents)
        if order is not None and len(labels) > SHOWN_FIRST:
            gaps = self.gaps(order)
            labels.sort(key=lambda label: (-gaps.get(label, 0.0), ordered(label)))
        return labels[:SHOWN_FIRST]


def groupings(
    assessment: Assessment,
    results: pd.DataFrame,
    cases: pd.DataFrame | None,
    characteristics: Sequence[Characteristic],
    evidence: Evidence | None = None,
) -> list[Grouping]:
    """Rank the groups of the first characteristics that make groups of a useful size.

    Parameters
    ----------
    evidence
        What values of the whole data set are made of; in a group they are recomputed from its cases.
    """
    ranked_groupings = []
    for characteristic in groupable(characteristics):
        labels, small, beyond = labels_of(characteristic)
        if labels is None:
            continue
        group_labels = labels.dropna()
        table = pd.DataFrame({"case": group_labels.index, characteristic.title: group_labels.to_numpy()})
        if cases is not None:
            table = table.merge(cases.drop(columns=characteristic.title, errors="ignore"), on="case", how="left")
        whole = (results["case"].isna() | (results["case"] == "")) if evidence is not None else False
        rows = results[results["case"].isin(group_labels.index) | whole]
        many = results["algorithm"].nunique() > MOST_TEAMS_RESAMPLED or group_labels.nunique() > MOST_GROUPS_RESAMPLED
        try:
            by_group = by_column(
                assessment,
                rows,
                table,
                characteristic.title,
                evidence=evidence,
                bootstrap=FEW_SAMPLES if many else None,
            )
        except ResultsError:  # no group can be ranked
            continue
        order = _in_order(group_labels, by_group["comparison"])
        documents = {label: by_group["documents"][label] for label in order if label in by_group["documents"]}
        ranked_groupings.append(
            Grouping(
                characteristic.title,
                documents,
                by_group["comparison"],
                small,
                beyond,
                by_group["unranked"],
                {label: _in_words(rows, assessment) for label, rows in by_group["undefined"].items()},
            )
        )
        if len(ranked_groupings) == MOST_CHARACTERISTICS:
            break
    return ranked_groupings


def _in_words(undefined: Sequence[tuple[str, str, str]], assessment: Assessment) -> list[str]:
    """Metrics with their region and outcome, as people write them."""
    titles = {metric.name: metric.title for metric in assessment.metrics}
    return [
        f"{titles[metric]}{f', {region}' if region else ''} ({outcome.replace('_', ' ')})"
        for metric, region, outcome in undefined
    ]


def groupable(characteristics: Sequence[Characteristic]) -> list[Characteristic]:
    """The characteristics that make at least two groups of a useful size."""
    return [characteristic for characteristic in characteristics if labels_of(characteristic)[0] is not None]


def beyond_words(characteristics: Sequence[Characteristic]) -> str:
    """Return the characteristics that could form groups but exceed the limit.

    The text is empty if all characteristics were examined.

    Examples
    --------
    >>> from evaluation.ranking.characteristics import Characteristic
    >>> halves = pd.Series(["a", "b"] * 5)
    >>> beyond_words([Characteristic(str(number), str(number), "name", halves) for number in range(7)])
    '2 more characteristics make groups and were not looked at: 5 and 6'
    """
    titles = [characteristic.title for characteristic in groupable(characteristics)[MOST_CHARACTERISTICS:]]
    if not titles:
        return ""
    named = ", ".join(titles[:-1]) + " and " + titles[-1] if len(titles) > 1 else titles[0]
    return (
        f"{len(titles)} more characteristics make groups and were not looked at: {named}"
        if len(titles) > 1
        else f"One more characteristic makes groups and was not looked at: {named}"
    )


def labels_of(characteristic: Characteristic, *, fewest: int = FEWEST_CASES) -> tuple[pd.Series[Any] | None, int, int]:
    """The group of every case, and how many groups are too small or too many; None where no two groups are left."""
    values = characteristic.by_case
    if characteristic.kind == NUMBER and values.nunique() > MOST_NUMBERS_UNCUT:
        present = values.dropna()
        edges = np.quantile(present, [1 / 3, 2 / 3])
        part = np.searchsorted(edges, present, side="left")
        names = [f"{PARTS[index]} ({_span(present[part == index])})" for index in range(len(PARTS))]
        labels = pd.Series([names[index] for index in part], index=present.index, dtype=object)
    elif characteristic.kind == YES_NO:
        labels = values.map({1.0: "yes", 0.0: "no"}).astype(object)
    else:
        labels = values.astype(object).where(values.notna()).map(_text)
    counts = labels.value_counts()
    large = counts[counts >= fewest].head(MOST_GROUPS).index
    beyond = int((counts >= fewest).sum()) - len(large)
    group_labels = labels.where(labels.isin(large))
    return (group_labels if len(large) >= 2 else None), int((counts < fewest).sum()), beyond


def _text(value: Any) -> str | None:
    if value is None or pd.isna(value):
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def _in_order(labels: pd.Series[Any], comparison: Sequence[Mapping[str, Any]]) -> list[str]:
    """Parts of a range from low to high; other groups by how far their ranks are from those on all cases, then by name."""
    names = list(labels.unique())
    if all(name.split(" (")[0] in PARTS for name in names):
        return sorted(names, key=ordered)
    main = next(
        (candidate for candidate in comparison if candidate.get("overall")), comparison[0] if comparison else None
    )
    gaps = _gaps(main) if main else {}
    return sorted(names, key=lambda name: (-gaps.get(name, 0.0), ordered(name)))


def ordered(label: str) -> tuple[int, float, str]:
    """A key by which groups are sorted for readers: parts of a range from low to high, numbers as such, then names.

    Examples
    --------
    >>> sorted(["high (7–9)", "low (1–3)", "middle (4–6)"], key=ordered), sorted(["10", "B", "2", "A"], key=ordered)
    (['low (1–3)', 'middle (4–6)', 'high (7–9)'], ['2', '10', 'A', 'B'])
    """
    part = label.split(" (", maxsplit=1)[0]
    if part in PARTS:
        return 0, float(PARTS.index(part)), label
    return (1, float(label), label) if label.isascii() and label.isdigit() else (2, 0.0, label)


def _gaps(comparison: Mapping[str, Any]) -> dict[str, float]:
    reference = comparison["labels"].index(comparison["reference"])
    return {
        label: 1.0 - tau
        for label, tau in zip(comparison["labels"], comparison["tau"][reference], strict=True)
        if tau is not None and label != comparison["reference"]
    }


def _span(values: pd.Series[Any]) -> str:
    return f"{_short(values.min())}–{_short(values.max())}" if len(values) else "none"


def _short(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def is_of(comparison: Mapping[str, Any], order: Mapping[str, Any]) -> bool:
    """Return whether a comparison of rankings is about an order.

    The order is the overall one, or that of a metric, region and task.
    """
    if order.get("metric") is None:
        return bool(comparison.get("overall"))
    return not comparison.get("overall") and all(
        (comparison.get(key) or None) == (order.get(key) or None) for key in ("metric", "region", "task")
    )
