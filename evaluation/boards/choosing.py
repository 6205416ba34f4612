"""Selection of the columns of a leaderboard, and order of its rows."""

from collections.abc import Collection, Mapping
from typing import Any

from evaluation.boards.differences import leader_of, stated_by

MAX_COLUMNS = 6
"""Maximum number of columns (metrics × regions) side by side on a usual screen.

Above it, the page initially shows the columns of one region.
"""


def columns_shown(singles: list[Mapping[str, Any]], region: str, columns: Collection[str]) -> list[Mapping[str, Any]]:
    """Return the orders whose columns are shown: those chosen, else all that fit, else those of a region."""
    chosen = [entry for entry in singles if entry["key"] in columns]
    regions = list(dict.fromkeys(entry["region"] or "" for entry in singles))
    if chosen or len(singles) <= MAX_COLUMNS or len(regions) < 2:
        return chosen or singles
    first = region if region in regions else regions[0]
    return [entry for entry in singles if (entry["region"] or "") == first]


def sorted_rows(
    table: Mapping[str, Any], order: Mapping[str, Any], visible_columns: list[Mapping[str, Any]], sort: str
) -> list[int]:
    """Return the indices of the teams in the requested order.

    Teams for which the value is not known come last in both directions.
    """
    backwards, key = sort.startswith("-"), sort.removeprefix("-")
    worst = len(table["teams"]) + 1.0
    ranks = [worst if rank is None else rank for rank in order["rank"]]
    values: list[Any] = ranks
    if key == "team":
        values = [team.casefold() for team in table["teams"]]
    elif key == "missing":
        values = table["missing"]
    elif key in ("low", "set"):
        ends = ("low", "high") if key == "low" else ("set_low", "set_high")
        edges = zip(order[ends[0]], order[ends[1]], ranks, strict=True)
        values = [(worst, worst, rank) if low is None else (low, high, rank) for low, high, rank in edges]
    elif key == "score":
        sign = -1 if order["higher"] else 1
        values = [float("inf") if score is None else sign * score for score in order["score"]]
    elif key == "difference":
        source = stated_by(table, order)
        leader = leader_of(table, source)
        values = [0.0 if index == leader else at(source, key, index) for index in range(len(ranks))]
    elif key in ("submissions", "handed_in"):
        values = [at(table, key, index) for index in range(len(ranks))]
    elif key == "share":
        values = [-(share or 0.0) for share in order["share"]]
    else:
        for entry in visible_columns:
            if entry["key"] == key:
                values = [worst if rank is None else rank for rank in entry["rank"]]
    indices = sorted(range(len(ranks)), key=lambda index: (ranks[index], table["teams"][index].casefold()))
    with_value = [index for index in indices if values[index] is not None]
    unknown = [index for index in indices if values[index] is None]
    return sorted(with_value, key=lambda index: values[index], reverse=backwards) + unknown


def at(table: Mapping[str, Any], key: str, index: int) -> Any:
    """A fact about a team; tables that were stored before it was known have none."""
    return table[key][index] if key in table else None
