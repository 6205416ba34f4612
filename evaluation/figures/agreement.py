"""Figures of the stability of the order under resampling: distributions of Kendall's τ, one per ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.figures.layout import Figure, figure, names_axis, number
from evaluation.figures.palette import NEUTRAL, QUALITATIVE
from evaluation.ranking.reading import Entry, entries, label

if TYPE_CHECKING:
    from collections.abc import Mapping

_WIDTH = 0.42
FEWEST_IN_ORDER = 4


def with_order(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document with only the rankings that have enough algorithms.

    With fewer algorithms, the agreement of orders has no meaning.

    For two algorithms, τ is 1 or −1 in each resample, which is equivalent to the share of first ranks.
    """
    rankings = [entry for entry in document["rankings"] if len(entry["algorithms"]) >= FEWEST_IN_ORDER]
    return {**document, "rankings": rankings}


def violin_plot(document: Mapping[str, Any]) -> Figure:
    """Show the distribution of τ-b between each ranking and its resamples, most stable ranking left.

    Rankings without any defined τ (all algorithms tied) are excluded and named in a note below.

    Raises
    ------
    ValueError
        If no ranking of the document has a defined τ.
    """
    both = entries(document)
    with_tau = [entry for entry in both if entry["kendall_tau"] and entry["kendall_tau"]["median"] is not None]
    if not with_tau:
        message = "no ranking of the document has resamples with a defined τ"
        raise ValueError(message)
    with_tau.sort(key=lambda entry: (-entry["kendall_tau"]["median"], label(entry)))
    absent = [label(entry) for entry in both if entry not in with_tau]
    data: list[dict[str, Any]] = []
    lowest = 0.0
    for position, entry in enumerate(with_tau):
        tau = entry["kendall_tau"]
        lowest = min(lowest, tau["min"])
        xs, ys = _outline(tau["histogram"], position)
        tone = QUALITATIVE[position % len(QUALITATIVE)]
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": xs,
                "y": ys,
                "fill": "toself",
                "fillcolor": tone,
                "opacity": 0.55,
                "line": {"color": tone, "width": 1},
                "hoverinfo": "skip",
            }
        )
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [position] * 3,
                "y": [tau["q25"], tau["median"], tau["q75"]],
                "line": {"color": NEUTRAL, "width": 5},
                "marker": {"color": NEUTRAL, "size": [0, 11, 0], "symbol": "line-ew-open", "line": {"width": 3}},
                "text": [_words(entry)] * 3,
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
    note = f"Left out, since all algorithms are tied: {', '.join(absent)}" if absent else ""
    return figure(
        data,
        "How much of the order survives resampling?",
        x=names_axis([label(entry) for entry in with_tau]),
        y={"title": "Kendall’s τ with the full-data ranking", "range": [lowest - 0.05, 1.05]},
        height=420,
        annotations=[
            {"text": note, "x": 0, "y": 1.02, "xref": "paper", "yref": "paper", "showarrow": False, "yanchor": "bottom"}
        ]
        if note
        else [],
    )


def tau_table(document: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return the content of the violin plot as text, one row per ranking.

    A row contains mean, median, quartiles and the number of undefined values.
    """
    rows = []
    for entry in entries(document):
        tau = entry["kendall_tau"]
        if tau is not None:
            row = {key: number(tau[key], 3) for key in ("mean", "median", "q25", "q75")}
            rows.append({"ranking": label(entry), **row, "undefined": str(tau["undefined"])})
    return rows


def _outline(histogram: list[int], position: int) -> tuple[list[float], list[float]]:
    """A violin around x = place: the histogram smoothed over neighbouring bins, mirrored."""
    bins = len(histogram)
    kernel = (1, 4, 6, 4, 1)
    smooth = [
        sum(
            weight * histogram[index + shift]
            for shift, weight in zip(range(-2, 3), kernel, strict=True)
            if 0 <= index + shift < bins
        )
        for index in range(bins)
    ]
    first = next(index for index, value in enumerate(smooth) if value)
    last = bins - next(index for index, value in enumerate(reversed(smooth)) if value)
    highest = max(smooth)
    centres = [-1 + 2 * (index + 0.5) / bins for index in range(first, last)]
    half = [_WIDTH * smooth[index] / highest for index in range(first, last)]
    top, bottom = min(1.0, centres[-1] + 1 / bins), max(-1.0, centres[0] - 1 / bins)
    left = [position - width for width in half]
    right = [position + width for width in half]
    ys = [bottom, *centres, top, top, *reversed(centres), bottom]
    return [position + 0.0, *right, right[-1], left[-1], *reversed(left), position + 0.0], ys


def _words(entry: Entry) -> str:
    tau = entry["kendall_tau"]
    return (
        f"{label(entry)}: median {number(tau['median'], 3)}, quartiles {number(tau['q25'], 3)} to "
        f"{number(tau['q75'], 3)}, mean {number(tau['mean'], 3)}, undefined {tau['undefined']}"
    )
