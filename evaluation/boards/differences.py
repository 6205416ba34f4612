"""Differences of the teams from the leader, as a column of the table and as the rows of a figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.claims.catalogue import Said
from evaluation.claims.differences import INTERVALS, Intervals
from evaluation.figures.differences import DESCRIPTIVE, VERDICTS, DifferenceRow
from evaluation.figures.outward import Texts, outward

LABEL = "Difference from the leader"
MOST_ROWS = 30
"""Maximum number of teams in the figure."""


@dataclass(frozen=True)
class Differences:
    """Differences of the teams from the leader by one order.

    Attributes
    ----------
    leader
        The team that ranks first; of several that share the rank, the first by name.
    rows
        The leader and the teams after it, by rank, at most `MOST_ROWS`.
    others
        Number of teams with a difference that `rows` does not contain.
    unit
        Unit of the differences, or None.
    margin
        Registered difference that does not matter, or None.
    intervals
        Facts about all intervals, including those of teams outside `rows`.
    """

    leader: str
    rows: tuple[DifferenceRow, ...]
    others: int
    unit: str | None
    margin: float | None
    intervals: Intervals

    @property
    def note(self) -> Said:
        """Sentence that states whether the intervals apply together, and which ends do not."""
        return INTERVALS.first(self.intervals)


def stated_by(table: Mapping[str, Any], order: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the order whose differences and lead describe an order.

    It is the order itself, or that of its only metric: a combination of one ranking has the ranks of that ranking, and its
    score is a rank. By earlier rules, a combination had no margin and could differ from its only ranking.
    """
    if order["metric"] is not None or _has_differences(order):
        return order
    singles = [one for one in table["orders"] if one["metric"] is not None and one["ranking"] == order["ranking"]]
    if len(singles) != 1 or singles[0].get("margin") != order.get("margin") or singles[0]["rank"] != order["rank"]:
        return order
    return singles[0] if _has_differences(singles[0]) else order


def _has_differences(order: Mapping[str, Any]) -> bool:
    return any(difference is not None for difference in order.get("difference") or ())


def leader_of(table: Mapping[str, Any], order: Mapping[str, Any]) -> int | None:
    """Return the index of the team from which differences are stated; None if the order has no differences."""
    if not _has_differences(order):
        return None
    ranked = [
        index for index, rank in enumerate(order["rank"]) if rank is not None and order["difference"][index] is None
    ]
    return min(ranked, key=lambda index: (order["rank"][index], table["teams"][index]), default=None)


def texts_of(order: Mapping[str, Any], index: int) -> Texts | None:
    """Return the difference of a team as text; None if it has none."""
    estimate = (order.get("difference") or {index: None})[index]
    if estimate is None:
        return None
    low, high = order["difference_low"][index], order["difference_high"][index]
    return outward(
        estimate,
        None if low is None or high is None else (low, high),
        margin=order.get("margin") or 0.0,
        is_better=order["difference_verdict"][index] == "better",
    )


def level_of(table: Mapping[str, Any], order: Mapping[str, Any]) -> float:
    """Return the level of the intervals of differences. Tables of schema 2 do not contain it."""
    levels = (level for level in order.get("difference_level") or () if level is not None)
    level: float = next(levels, table["interval"])
    return level


def differences_of(table: Mapping[str, Any], order: Mapping[str, Any]) -> Differences | None:
    """Return the differences by an order; None if it has none."""
    leader = leader_of(table, order)
    if leader is None:
        return None
    ranked = [index for index, difference in enumerate(order["difference"]) if difference is not None]
    ranked.sort(key=lambda index: (order["rank"][index] or len(table["teams"]) + 1, table["teams"][index].casefold()))
    rows = [
        DifferenceRow(
            name=table["teams"][index],
            estimate=order["difference"][index],
            low=order["difference_low"][index],
            high=order["difference_high"][index],
            verdict=order["difference_verdict"][index] or DESCRIPTIVE,
            words=texts.joined if (texts := texts_of(order, index)) else "",
        )
        for index in ranked[: MOST_ROWS - 1]
    ]
    return Differences(
        leader=table["teams"][leader],
        rows=(DifferenceRow(table["teams"][leader], 0.0, None, None, "leader", "leader"), *rows),
        others=len(ranked) - len(rows),
        unit=order["unit"],
        margin=order.get("margin"),
        intervals=_intervals(table, order),
    )


def _intervals(table: Mapping[str, Any], order: Mapping[str, Any]) -> Intervals:
    return Intervals(
        level=level_of(table, order),
        number=sum(low is not None for low in order["difference_low"]),
        is_approximate=order["sets"]["method"] == "draws",
        is_exploratory=order["winner"].get("reason") == "exploratory",
        has_raised_ends="better" in order["difference_verdict"],
    )


def verdicts_in(differences: Differences | None) -> list[tuple[str, str]]:
    """Return the verdicts of the differences in a figure with their meaning, for its legend."""
    verdicts = {row.verdict for row in differences.rows} if differences else set()
    return [(verdict, words) for verdict, words in VERDICTS.items() if verdict in verdicts]
