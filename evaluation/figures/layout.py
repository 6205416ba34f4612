"""Common layout of all figures: transparent background, the question as title, room for long names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evaluation.figures.markup import BREAK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Figure = dict[str, Any]
CLEAR: Final = "rgba(0,0,0,0)"
GRID: Final = "rgba(128,128,128,0.25)"
LINE: Final = "rgba(128,128,128,0.8)"
_CROWDED: Final = 12


def figure(data: list[dict[str, Any]], question: str, *, x: dict[str, Any], y: dict[str, Any], **layout: Any) -> Figure:
    """A Plotly figure as plain JSON values; colours of text and ground are left to the page."""
    return {
        "data": data,
        "layout": {
            "title": {"text": question, "x": 0, "xref": "paper", "xanchor": "left", "font": {"size": 16}},
            "paper_bgcolor": CLEAR,
            "plot_bgcolor": CLEAR,
            "margin": {"l": 60, "r": 20, "t": 60, "b": 60},
            "hovermode": "closest",
            "showlegend": False,
            "modebar": {"bgcolor": CLEAR, "color": LINE, "activecolor": "rgba(128,128,128,1)"},
            "xaxis": axis(**x),
            "yaxis": axis(**y),
            **layout,
        },
    }


def axis(title: str | None = None, **settings: Any) -> dict[str, Any]:
    """An axis whose lines show on light and on dark pages, and which makes room for its labels."""
    base: dict[str, Any] = {"automargin": True, "gridcolor": GRID, "linecolor": LINE, "zeroline": False}
    if title is not None:
        base["title"] = {"text": title}
    return base | settings


def names_axis(names: Sequence[str], labels: Sequence[str] | None = None, **settings: Any) -> dict[str, Any]:
    """An axis with one place for each name, at 0, 1, 2, …; names are slanted when there are many."""
    many = len(names) > _CROWDED or max(map(len, names), default=0) * len(names) > 90
    tick_labels = list(labels or names)
    if many:
        tick_labels = [label.replace(BREAK, " ") for label in tick_labels]
    return {
        "tickmode": "array",
        "tickvals": list(range(len(names))),
        "ticktext": tick_labels,
        "tickangle": -60 if many else 0,
        "range": [-0.6, len(names) - 0.4],
        "showgrid": False,
        **settings,
    }


def ranks_axis(highest: int, *, down: bool = False, **settings: Any) -> dict[str, Any]:
    """Return an axis of ranks from 1; use `down` for a vertical axis with rank 1 at the top."""
    step = 1 if highest <= 20 else 5
    ticks = [1, *range(step if step > 1 else 2, highest + 1, step)]
    ends = [0.4, highest + 0.6]
    return {"tickmode": "array", "tickvals": ticks, "range": ends[::-1] if down else ends, **settings}


def side(places: int, *, smallest: int = 360, each: int = 26, around: int = 200) -> int:
    """Height or width in pixels that leaves `each` pixels to a place."""
    return max(smallest, around + each * places)


def shared_firsts(algorithms: Sequence[Mapping[str, Any]]) -> str:
    """Explain why shares of first ranks add up to more than 100 %; empty if they do not.

    Examples
    --------
    >>> shared_firsts([{"share_first": 0.87}, {"share_first": 0.87}])
    'Where several tie for the first place, a resample counts for each of them, so that the shares add up to more than 100 %.'
    >>> shared_firsts([{"share_first": 0.6}, {"share_first": 0.4}]), shared_firsts([{"share_first": None}])
    ('', '')
    """
    total = sum(algorithm["share_first"] or 0.0 for algorithm in algorithms)
    if total < 1.0 + 1e-9:
        return ""
    return (
        "Where several tie for the first place, a resample counts for each of them, so that the shares add up to more than "
        "100 %."
    )


def percent(share: float | None) -> str:
    """A share as people write it, never rounded to all or nothing.

    Examples
    --------
    >>> percent(0.612), percent(0.9996), percent(0.0004), percent(1.0)
    ('61 %', 'more than 99 %', 'less than 1 %', '100 %')
    """
    if share is None:
        return "–"
    if 0.0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1.0:
        return "more than 99 %"
    return f"{share:.0%}".replace("%", " %")


def number(value: float | None, digits: int = 4) -> str:
    """A number for a table or a hover text."""
    return "–" if value is None else f"{value:.{digits}g}"


def alike(values: Sequence[float | None]) -> list[str]:
    """Format the numbers of one column with the same number of decimals, as the most precise number needs.

    Examples
    --------
    >>> alike([0.9, 0.87654, None, 1.0]), alike([12.0, 3.0]), alike([1e-9, 0.5])
    (['0.9000', '0.8765', '–', '1.0000'], ['12', '3'], ['1e-09', '0.5'])
    """
    texts = [number(value) for value in values]
    if any("e" in text for text in texts):
        return texts
    decimals = max((len(text.partition(".")[2]) for text in texts), default=0)
    return ["–" if value is None else f"{value:.{decimals}f}" for value in values]


def rank_words(value: float | None) -> str:
    """A rank, without a fraction unless it has one."""
    return "–" if value is None else f"{round(value, 2):g}"


def interval_words(interval: Sequence[float] | None) -> str:
    """Format a range of ranks as in "rank 2 (1–4)"; a single rank appears alone, as on the leaderboard.

    Examples
    --------
    >>> interval_words([1, 4]), interval_words([3, 3]), interval_words(None)
    ('1–4', '3', '–')
    """
    if interval is None:
        return "–"
    low, high = rank_words(interval[0]), rank_words(interval[1])
    return low if low == high else f"{low}–{high}"


def stars(p: float) -> str:
    """Stars of a p-value: one from 0.05, two from 0.01, three from 0.001.

    Examples
    --------
    >>> stars(0.004)
    '**'
    """
    return "*" * sum(p <= level for level in (0.05, 0.01, 0.001))
