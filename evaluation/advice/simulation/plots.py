"""Three figures of a simulation, each answering one question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.advice.simulation.result import share_interval
from evaluation.figures.layout import LINE, Figure, figure, percent, ranks_axis
from evaluation.figures.palette import QUALITATIVE, scale

if TYPE_CHECKING:
    from evaluation.advice.simulation.result import SimulationResult

_BLUE, _ORANGE, _GREEN = QUALITATIVE[:3]


def figures(result: SimulationResult) -> list[Figure]:
    """Return the figures of the result.

    They show the ranks that teams reach, the effect of more cases where it is known, and the gain from
    excluding cases.
    """
    return [places(result), *([curve(result)] if result.curve else []), selective(result)]


def places(result: SimulationResult) -> Figure:
    """Plot the ranks that teams reach, by their true rank."""
    numbers = list(range(1, result.teams + 1))
    heatmap = {
        "type": "heatmap",
        "x": numbers,
        "y": numbers,
        "z": [[float(share) for share in row] for row in result.places.T],
        "zmin": 0,
        "colorscale": scale(),
        "colorbar": {"title": {"text": "Share of challenges"}, "tickformat": ".0%"},
        "text": [
            [
                f"true place {true_place}, rank {rank}: {percent(result.places[true_place - 1, rank - 1])}"
                for true_place in numbers
            ]
            for rank in numbers
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": [0.5, result.teams + 0.5],
        "y": [0.5, result.teams + 0.5],
        "line": {"color": LINE, "width": 1},
        "hoverinfo": "skip",
    }
    return figure(
        [heatmap, diagonal],
        "Where do teams end up?",
        x=ranks_axis(result.teams, title="True place", showgrid=False),
        y=ranks_axis(result.teams, down=True, title="Rank in the challenge", showgrid=False),
    )


def curve(result: SimulationResult) -> Figure:
    """Plot the outcome with more or fewer cases, with the 95 % intervals of the simulation."""
    cases = [point.cases for point in result.curve]
    lines = [
        ("best team first alone", [point.best_wins for point in result.curve], _BLUE, "solid", "circle"),
        ("winner significant", [point.named for point in result.curve], _ORANGE, "dash", "square"),
        ("winner confirmed", [point.confirmed for point in result.curve], _GREEN, "dot", "diamond"),
    ]
    ranges = [
        [share_interval(share, point.boards) for share, point in zip(shares, result.curve, strict=True)]
        for _, shares, *_ in lines
    ]
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": cases,
            "y": shares,
            "line": {"color": colour, "width": 2, "dash": dash},
            "marker": {"color": colour, "size": 8, "symbol": symbol},
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": [max(high - share, 0.0) for share, (_, high) in zip(shares, ends, strict=True)],
                "arrayminus": [max(share - low, 0.0) for share, (low, _) in zip(shares, ends, strict=True)],
                "color": colour,
                "thickness": 1,
                "width": 3,
            },
            "hovertemplate": f"%{{x}} cases: {name} in %{{y:.0%}}<extra></extra>",
        }
        for (name, shares, colour, dash, symbol), ends in zip(lines, ranges, strict=True)
    ]
    planned = {
        "type": "scatter",
        "mode": "lines",
        "name": "as planned",
        "x": [result.cases, result.cases],
        "y": [0, 1],
        "line": {"color": LINE, "width": 1, "dash": "dash"},
        "hovertemplate": f"planned: {result.cases} cases<extra></extra>",
    }
    return figure(
        [*traces, planned],
        "What do more cases show?",
        x={"title": "Test cases", "type": "log", "tickmode": "array", "tickvals": cases},
        y={"title": "Share of challenges", "range": [0, 1.02], "tickformat": ".0%"},
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )


def selective(result: SimulationResult) -> Figure:
    """Plot the gain from excluding difficult cases."""
    shares = [percent(point.share) for point in result.selective]
    bars = [
        {
            "type": "bar",
            "name": name,
            "x": shares,
            "y": values,
            "marker": {"color": colour},
            "hovertemplate": f"%{{x}} of cases left out, {name}: %{{y:.2f}} places<extra></extra>",
        }
        for name, values, colour in (
            ("registered rule", [point.registered for point in result.selective], _BLUE),
            ("missing cases ignored", [point.ignored for point in result.selective], _ORANGE),
        )
    ]
    return figure(
        bars,
        "What would leaving out cases win?",
        x={"title": "Worst cases that a middling team leaves out", "type": "category"},
        y={"title": "Places won", "zeroline": True, "zerolinecolor": LINE},
        barmode="group",
        showlegend=True,
        legend={"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0},
    )
