"""Meanings of sentences about costs of running.

They cover teams that are beaten in quality and cost at once, and values that were not computed again.
"""

import re
from typing import Any

import numpy as np

from tests.claims.raw import DIGITS, counts_as
from tests.claims.section_meanings import means

Point = tuple[float, float]


def listed(text: str) -> list[str]:
    """Return the names in a list written as text."""
    return sorted(re.split(r", | and ", text))


def values_of(section: Any, table: Any) -> dict[str, float]:
    """Return the value of every team in a table, by hand: its mean, or the median if that ranks values."""
    scheme = section.raw.scheme
    is_ranked = scheme.get("metrics") is None or table.metric in scheme["metrics"]
    of_values = scheme["scheme"] == "aggregate_then_rank" and is_ranked
    operator = np.nanmedian if of_values and scheme["operator"] == "median" else np.nanmean
    numbers = table.numbers
    return {name: float(operator(numbers[:, place])) for place, name in enumerate(section.raw.names)}


def whole_values(section: Any, use: Any, region: str) -> dict[str, float]:
    """Return the value of every team for a metric of the whole data set, or what a missing value counts as."""
    rows = section.raw.results
    metric_rows = rows[(rows["metric"] == use.name) & (rows["region"].fillna("") == region) & (rows["case"] == "")]
    values = metric_rows["value"].astype(float).fillna(counts_as(use))
    return dict(zip(metric_rows["algorithm"], values, strict=True))


def plane_of(section: Any) -> tuple[dict[str, Point], int] | None:
    """Quality and cost of every team below a heading, and the sign of a good quality; nothing where that cannot be repeated here."""
    raw = section.raw
    scheme = raw.scheme
    by_hand = "aggregation" not in raw.challenge_document and scheme.get("operator", "mean") in ("mean", "median")
    if not by_hand or any(use.policy.missing == "worst_rank" for use in raw.assessment.metrics):
        return None
    cost = next(use for use in raw.assessment.by_run if f"quality and {use.name.lower()} at once" in section.below)
    place = section.below.split("? ", 1)[1].split(", ")
    quality = next(use for use in raw.assessment.metrics if place[0] in (use.name, use.title))
    region = (place[1:] or [""])[0]
    [spent] = [table for table in raw.tables if table.metric == cost.name]
    if quality.level == "dataset" and raw.excluded:
        return None  # of the others alone, the value is computed anew from the evidence
    if quality.level == "dataset":
        good = whole_values(section, quality, region)
    else:
        [quality_table] = [table for table in raw.tables if table.metric == quality.name and table.region == region]
        good = values_of(section, quality_table)
    cheap, sign = values_of(section, spent), 1 if quality.higher_is_better else -1
    return {name: (sign * good[name], -cheap[name]) for name in raw.names}, sign


def unbeaten(points: dict[str, Point]) -> list[str]:
    """Return the teams that no other team beats, compared with the number of digits that can be trusted."""
    rounded = {name: tuple(round(value, DIGITS) for value in own) for name, own in points.items()}

    def beats(one: str, other: str) -> bool:
        first, second = rounded[one], rounded[other]
        return first != second and all(a >= b for a, b in zip(first, second, strict=True))

    return sorted(name for name in points if not any(beats(other, name) for other in points))


def with_values(points: dict[str, Point]) -> dict[str, Point]:
    return {name: own for name, own in points.items() if np.isfinite(own).all()}


def held(section: Any, predicate: Any) -> bool:
    """Return whether a predicate is true for values computed by hand.

    Values that cannot be computed here only need to match the assessment.
    """
    if not section.raw.assessment.by_run:
        return False
    plane = plane_of(section)
    return plane is None or predicate(with_values(plane[0]))


@means(r"All algorithms have the same values by both\.")
def _(section: Any) -> bool:
    return held(
        section, lambda points: len(points) > 1 and len({tuple(np.round(own, DIGITS)) for own in points.values()}) == 1
    )


@means(r"(.+) is at least as good as every other algorithm by both, and better by at least one\.")
def _(section: Any, name: str) -> bool:
    return held(section, lambda points: len(points) > 1 and unbeaten(points) == [name])


@means(
    r"(.+) are beaten by none; (?:the other algorithm|each of the other (\d+) algorithms) is beaten by one of these, which is at "
    r"least as good by both, and better by at least one\."
)
def _(section: Any, names: str, others: str | None) -> bool:
    def true(points: dict[str, Point]) -> bool:
        first = unbeaten(points)
        return listed(names) == first and len(first) > 1 and int(others or 1) == len(points) - len(first) > 0

    return held(section, true)


@means(
    r"No algorithm is beaten by both: of two algorithms that differ, the one that is better by one is worse by the other\."
)
def _(section: Any) -> bool:
    return held(section, lambda points: len(points) > 1 and unbeaten(points) == sorted(points))


@means(r"These are scores as they stand: whether others would be ahead on other cases is not compared here\.")
def _(section: Any) -> bool:
    return held(section, lambda points: len(points) > 1)


@means(r"Without a point, since a value is missing: (.+)\.")
def _(section: Any, names: str) -> bool:
    plane = plane_of(section)
    return plane is None or listed(names) == sorted(set(plane[0]) - set(with_values(plane[0])))


@means(
    r"The values of (.+) were measured while the algorithms ran\. They are used as measured and were not computed again\."
)
def _(section: Any, names: str) -> bool:
    return listed(names) == sorted(use.name for use in section.raw.assessment.by_run)
