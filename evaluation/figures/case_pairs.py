"""Does the best algorithm win case by case? Its values against those of each other one, a point a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.claims.kinds import CASE_BY_CASE, LACKING, Duel
from evaluation.figures.layout import LINE, Figure, number
from evaluation.figures.palette import colours
from evaluation.figures.panels import beyond, panels

if TYPE_CHECKING:
    from collections.abc import Mapping


def case_pairs(
    document: Mapping[str, Any],
    values: Mapping[str, Mapping[str, float]],
    question: str,
    *,
    cases: int,
    what: str,
    unit: str,
    higher: bool,
    most: int,
) -> Figure | None:
    """Draw a panel for each algorithm after the first, which is compared with the first case by case.

    Parameters
    ----------
    values
        Values by algorithm, the best first, and case; a case without a value is excluded.
    cases
        Number of cases.
    what, unit
        Name and unit of the values; the unit may be empty.
    higher
        Whether higher values are better.
    most
        Number of algorithms with a panel.

    Returns
    -------
    dict or None
        ``None`` if no two algorithms have a case in common.
    """
    names = list(values)
    if len(names) < 2:
        return None
    first, others = names[0], names[1:]
    palette, drawn, remarks = colours(document), {}, list[str]()
    span = _span([value for name in names[: most + 1] for value in values[name].values()])
    for name in others[:most]:
        shared = [case for case in values[first] if case in values[name]]
        if not shared:
            continue
        drawn[name] = _traces(first, name, shared, values, palette[name], unit, span)
        gains = [(values[first][case] - values[name][case]) * (1 if higher else -1) for case in shared]
        wins, losses = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        remarks += CASE_BY_CASE.all(Duel(first, name, wins, losses, len(shared)))
    if not drawn:
        return None
    behind = f" ({unit})" if unit else ""
    plot = panels(
        drawn,
        question,
        # The same on both axes of all panels: a point above the line is one with a larger value, and looks like it.
        x={"title": f"{what} of {first}{behind}", "range": span},
        y={"title": f"{what} of the other{behind}", "range": span},
    )
    gone = {name: cases - len(values[name]) for name in (first, *drawn)}
    remarks += LACKING.all((gone, cases))
    if len(others) > most:
        remarks = [*beyond(others, most), *remarks]
    return {**plot, "remarks": remarks}


def _span(values: list[float]) -> list[float]:
    """From below the least to above the largest, so that no point is cut by an axis."""
    low, high = min(values), max(values)
    free = 0.04 * (high - low) or 0.04 * abs(high) or 1.0
    return [low - free, high + free]


def _traces(
    first: str,
    name: str,
    shared: list[str],
    values: Mapping[str, Mapping[str, float]],
    colour: str,
    unit: str,
    span: list[float],
) -> list[dict[str, Any]]:
    xs, ys = ([values[algorithm][case] for case in shared] for algorithm in (first, name))
    tail = f" {unit}" if unit else ""
    same = {
        "type": "scatter",
        "mode": "lines",
        "x": span,
        "y": span,
        "name": "the same",
        "hoverinfo": "skip",
    }
    dots = {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": xs,
        "y": ys,
        "marker": {"color": colour, "size": 7, "opacity": 0.75},
        "text": [
            f"{case}: {first} {number(x)}{tail}, {name} {number(y)}{tail}"
            for case, x, y in zip(shared, xs, ys, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
    return [same | {"line": {"color": LINE, "width": 1, "dash": "dot"}}, dots]
