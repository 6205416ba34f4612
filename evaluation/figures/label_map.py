"""Figure of recognized findings: a score for every label and algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.claims.kinds import LABELS, Labels
from evaluation.figures.layout import Figure, figure, names_axis, number, side
from evaluation.figures.palette import SEQUENTIAL, scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def label_map(
    scores: Mapping[str, Mapping[str, float | None]],
    algorithms: Sequence[str],
    question: str,
    *,
    what: str,
    higher: bool,
    bounds: tuple[float | None, float | None] = (None, None),
) -> Figure | None:
    """Draw a cell for each label and algorithm, dark for bad.

    Parameters
    ----------
    scores
        By label and algorithm; ``None`` where there is no value.
    algorithms
        The best first.
    what
        What the scores are.
    higher
        Whether higher ones are better.
    bounds
        Worst and best value of the metric, where it has such.

    Returns
    -------
    dict or None
        ``None`` for fewer than two labels, and without any score.
    """
    labels = list(scores)
    rows = [[scores[name].get(algorithm) for algorithm in algorithms] for name in reversed(labels)]
    if len(labels) < 2 or not any(value is not None for row in rows for value in row):
        return None
    worst, best = bounds
    ends = {"zmin": min(worst, best), "zmax": max(worst, best)} if worst is not None and best is not None else {}
    heatmap = {
        "type": "heatmap",
        "x": list(range(len(algorithms))),
        "y": list(range(len(labels))),
        "z": rows,
        **ends,
        "colorscale": scale(SEQUENTIAL[::-1]) if higher else scale(),
        "colorbar": {"title": {"text": what}, "outlinewidth": 0},
        "text": [
            [f"{algorithm}, {name}: {number(value)}" for algorithm, value in zip(algorithms, row, strict=True)]
            for name, row in zip(reversed(labels), rows, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "xgap": 1,
        "ygap": 1,
    }
    plot = figure(
        [heatmap],
        question,
        x=names_axis(algorithms, title="Algorithm, the best first"),
        y={
            "tickmode": "array",
            "tickvals": list(range(len(labels))),
            "ticktext": list(reversed(labels)),
            "title": "Label",
            "showgrid": False,
        },
        height=side(len(labels), smallest=260, each=30, around=150),
    )
    return {**plot, "remarks": _worst_labels(scores, algorithms, what, higher=higher)}


def _worst_labels(
    scores: Mapping[str, Mapping[str, float | None]], algorithms: Sequence[str], what: str, *, higher: bool
) -> list[str]:
    """List the labels at which even the best value is bad, and those without any value."""
    best = dict[str, float | None]()
    for name, label_scores in scores.items():
        values = [value for algorithm in algorithms if (value := label_scores.get(algorithm)) is not None]
        best[name] = (max if higher else min)(values) if values else None
    texts = {name: number(value) for name, value in best.items() if value is not None}
    return list(LABELS.all(Labels(what, best, higher, texts)))
