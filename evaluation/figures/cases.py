"""On which cases do all algorithms fail, and on which only some?"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import Figure, figure, names_axis, number, rank_words, side
from evaluation.figures.markup import BREAK, bold
from evaluation.figures.palette import SEQUENTIAL, scale
from evaluation.ranking.reading import label, names, select

if TYPE_CHECKING:
    from collections.abc import Mapping


def case_map(document: Mapping[str, Any], raw: Mapping[str, Any]) -> Figure:
    """Show every value as a cell: the hardest case at the top, the best algorithm at the left, dark for bad.

    How hard a case is, is the median of its values over the algorithms.

    Parameters
    ----------
    document
        A ranking document.
    raw
        An entry of `evaluation.ranking.raw.raw_values`.
    """
    entry = select(document, metric=raw["metric"], region=raw["region"], task=raw["task"])
    column = {name: index for index, name in enumerate(raw["algorithms"])}
    order = names(entry)
    cases = hardest_first(raw)
    values = [[raw["values"][case][column[name]] for name in order] for case in reversed(cases)]
    case_names = [str(raw["cases"][case]) for case in reversed(cases)]
    higher = raw["direction"] == "higher"
    unit = f" {raw['unit']}" if raw["unit"] else ""
    heatmap = {
        "type": "heatmap",
        "x": list(range(len(order))),
        "y": list(range(len(case_names))),
        "z": values,
        "colorscale": scale(SEQUENTIAL[::-1]) if higher else scale(),
        "colorbar": {"title": {"text": f"{raw['metric']}{unit}"}, "outlinewidth": 0},
        "text": [
            [f"{name}, {case}: {number(value)}{unit}" for name, value in zip(order, row, strict=True)]
            for case, row in zip(case_names, values, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "xgap": 1,
        "ygap": 1 if len(case_names) <= 100 else 0,
    }
    labels = [f"{a['name']}{BREAK}{bold(rank_words(a['rank']))}" for a in entry["algorithms"]]
    step = max(1, len(case_names) // 60)
    return figure(
        [heatmap],
        f"On which cases do all fail? {label(entry)}",
        x=names_axis(order, labels, title="Algorithm, with its rank"),
        y={
            "tickmode": "array",
            "tickvals": list(range(len(case_names) - 1, -1, -step)),
            "ticktext": [case_names[index] for index in range(len(case_names) - 1, -1, -step)],
            "title": "Case, the hardest at the top",
            "showgrid": False,
        },
        height=side(min(len(case_names), 90), each=16),
    )


def hardest_first(raw: Mapping[str, Any]) -> list[int]:
    """Numbers of the cases by the median of their values, the worst first; cases without a value come last.

    Examples
    --------
    >>> hardest_first({"values": [[0.9, 0.8], [0.1, None], [None, None], [0.5, 0.4]], "direction": "higher"})
    [1, 3, 0, 2]
    """
    sign = 1 if raw["direction"] == "higher" else -1

    def key(case: int) -> tuple[bool, float, int]:
        values = [value for value in raw["values"][case] if value is not None]
        return (not values, sign * median(values) if values else 0.0, case)

    return sorted(range(len(raw["values"])), key=key)


__all__ = ["case_map", "hardest_first"]
