"""Page data of a ranking over sites.

It contains the results per site, the effect of each site on the order, and the sites that are not in the ranking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from evaluation.assessment.model import Assessment

SHADES: Final = 6
_AVERAGES: Final = {"median": "median", "mean": "mean"}
_WORSTS: Final = {"p10": "10th percentile", "tail": "mean of the worst tenth, of ten cases at least"}
_STATES: Final = {
    "not_arrived": "sent nothing in time",
    "withdrawn": "withdrew",
    "refused": "refused",
    "left_out": "left out",
    "joined": "joined another site",
}


@dataclass(frozen=True)
class Shaded:
    """Value of an algorithm at a site, its shade from worst (0) to best, and its explanation."""

    text: str
    shade: int | None
    place: str
    title: str


@dataclass(frozen=True)
class AtSite:
    """One site: its cases, the place of each algorithm, and who would win there."""

    site: str
    units: int
    places: list[str]
    winners: str
    without: str
    changes: bool


@dataclass(frozen=True)
class HeatRow:
    """A site of the heat map."""

    site: str
    units: int
    cells: list[Shaded]


@dataclass(frozen=True)
class Heat:
    """Sites by algorithms in one metric and region, from the largest site down."""

    label: str
    rows: list[HeatRow]


@dataclass(frozen=True)
class Worst:
    """The site where the worst cases of an algorithm are worst, against the average there."""

    algorithm: str
    site: str
    average: str
    worst: str
    what: str
    sites: str


@dataclass(frozen=True)
class OverSites:
    """One ranking over sites."""

    name: str
    algorithms: list[str]
    sites: list[AtSite]
    wins: list[int]
    ranges: list[str]
    stays: str
    heats: list[Heat]
    worst: list[tuple[str, list[Worst]]]


@dataclass(frozen=True)
class Changed:
    """The place of an algorithm with other sites."""

    algorithm: str
    before: str
    now: str

    @property
    def differs(self) -> bool:
        """True if the rank has changed."""
        return self.before != self.now


def over_sites(document: Mapping[str, Any], assessment: Assessment) -> list[OverSites]:
    """Return the page data of the rankings over sites in a pooled document."""
    return [_one(entry, document, assessment) for entry in document["pooled"]["rankings"]]


def absent_sites(document: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Sites that are not in the ranking: name, state and reason."""
    return [
        (row["site"], _STATES[row["state"]], row["reason"] or "")
        for row in document["pooled"]["sites"]
        if row["state"] not in ("included", "joined")
    ]


def joined_sites(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return small sites whose cases are in the sums of another site: name and explanation."""
    return [(row["site"], row["reason"]) for row in document["pooled"]["sites"] if row["state"] == "joined"]


def graded(document: Mapping[str, Any]) -> list[tuple[str, Mapping[str, int]]]:
    """Return the number of cases per quality grade of the included sites, where grades are registered."""
    return [(row["site"], row["grades"]) for row in document["pooled"]["sites"] if row.get("grades")]


def included(document: Mapping[str, Any]) -> set[str]:
    """The sites that are in a ranking."""
    return {row["site"] for row in document["pooled"]["sites"] if row["state"] == "included"}


def changed_places(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[Changed]:
    """The first order of two tables side by side, in the order of the later one."""
    ranks_before = dict(zip(before["teams"], before["orders"][0]["rank"], strict=True))
    ranks = now["orders"][0]["rank"]
    rows = sorted(zip(ranks, now["teams"], strict=True), key=lambda row: (row[0] is None, row[0] or 0, row[1]))
    return [Changed(team, _rank(ranks_before.get(team)), _rank(rank)) for rank, team in rows]


def _one(entry: Mapping[str, Any], document: Mapping[str, Any], assessment: Assessment) -> OverSites:
    algorithms = _in_order(entry, document)
    without = {row["site"]: row for row in entry["leave_one_site_out"]}
    rows = [
        AtSite(
            site=row["site"],
            units=row["units"],
            places=[_rank(row["place"].get(name)) for name in algorithms],
            winners=", ".join(row["winners"]) or "–",
            without=", ".join(without[row["site"]]["winners"]) if row["site"] in without else "–",
            changes=bool(without.get(row["site"], {}).get("changed")),
        )
        for row in entry["sites"]
    ]
    ranges = [entry["rank_range"][name] for name in algorithms]
    total, unchanged = len(without), sum(not row["changed"] for row in without.values())
    return OverSites(
        name=entry["name"] or "",
        algorithms=algorithms,
        sites=rows,
        wins=[entry["wins"][name] for name in algorithms],
        ranges=["–" if pair is None else _range(pair) for pair in ranges],
        stays=f"{unchanged} of {total}" if total else "–",
        heats=_heats(entry, algorithms, assessment),
        worst=_worst(entry, algorithms, assessment),
    )


def _in_order(entry: Mapping[str, Any], document: Mapping[str, Any]) -> list[str]:
    """The algorithms as the ranking has them; by name where there is no combined one."""
    overall = document["overall"]
    combined = overall if isinstance(overall, list) else [overall] if overall else []
    fitting = [item for item in combined if item.get("name") == entry["name"]] or [
        item for item in document["rankings"] if item["algorithms"] and item.get("name") == entry["name"]
    ]
    if fitting:
        return [row["name"] for row in fitting[0]["algorithms"]]
    return sorted(entry["wins"])


def _heats(entry: Mapping[str, Any], algorithms: Sequence[str], assessment: Assessment) -> list[Heat]:
    names = sorted(entry["wins"])
    index = [names.index(name) for name in algorithms]
    sites = sorted(entry["sites"], key=lambda row: (-row["units"], row["site"]))
    heats = []
    for number, head in enumerate(sites[0]["cells"] if sites else ()):
        metric = assessment.metric(head["metric"])
        values = [[_mean(row["cells"][number], position) for position in index] for row in sites]
        present_values = [value for line in values for value in line if value is not None]
        if not present_values:
            continue
        low, high = min(present_values), max(present_values)
        rows = [
            HeatRow(
                row["site"],
                row["units"],
                [
                    _shaded(value, row, number, position, low, high, up=metric.higher_is_better)
                    for value, position in zip(line, index, strict=True)
                ],
            )
            for row, line in zip(sites, values, strict=True)
        ]
        label = ", ".join(str(part) for part in (metric.title, head["region"]) if part)
        heats.append(Heat(label, rows))
    return heats


def _mean(cell: Mapping[str, Any], position: int) -> float | None:
    """Return the mean that the site shows, over cases with a prediction, if there are enough of them."""
    means = cell.get("mean")
    return None if means is None else means[position]


def _shaded(
    value: float | None, row: Mapping[str, Any], number: int, position: int, low: float, high: float, *, up: bool
) -> Shaded:
    cell = row["cells"][number]
    missing = cell["missing"][position]
    behind = [f"{row['units']} cases"] + ([f"{missing} missing"] if missing else [])
    for key, word in (("sd", "sd"), ("tail", "mean of the worst tenth, of ten cases at least")):
        figures = cell.get(key)
        if figures is not None and figures[position] is not None:
            behind.append(f"{word} {figures[position]:.4g}")
    ranks = cell.get("place")
    if value is None:
        return Shaded("✕" if missing == row["units"] else "–", None, "", ", ".join(behind))
    share = 0.5 if high == low else (value - low) / (high - low)
    share = share if up else 1 - share
    shade = min(SHADES - 1, int(share * SHADES))
    return Shaded(f"{value:.3g}", shade, "" if ranks is None else _rank(ranks[position]), ", ".join(behind))


def _worst(
    entry: Mapping[str, Any], algorithms: Sequence[str], assessment: Assessment
) -> list[tuple[str, list[Worst]]]:
    groups: dict[str, dict[str, Worst]] = {}
    for row in entry["average_and_worst"]:
        if row["worst"] is None:
            continue
        metric = assessment.metric(row["metric"])
        label = ", ".join(str(part) for part in (metric.title, row["region"]) if part)
        worst = row["worst"]
        groups.setdefault(label, {})[row["algorithm"]] = Worst(
            algorithm=row["algorithm"],
            site=worst["site"],
            average=f"{worst['average']:.4g}",
            worst=f"{worst['worst']:.4g}",
            what=f"{_AVERAGES[worst['average_is']]}, {_WORSTS[worst['worst_is']]}",
            sites=f"{row['sites']} of {row['of']}",
        )
    return [(label, [rows[name] for name in algorithms if name in rows]) for label, rows in groups.items()]


def _range(pair: Sequence[float]) -> str:
    low, high = (_rank(value) for value in pair)
    return low if low == high else f"{low}–{high}"


def _rank(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:g}"
