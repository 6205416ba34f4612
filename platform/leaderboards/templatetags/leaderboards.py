"""Template tags of leaderboards."""

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboards.domain.tables import Axis, Row
from leaderboards.domain.tables.axis import MARGIN

register = template.Library()


@register.simple_tag
def sort_state(key: str, sort: str) -> dict[str, str]:
    """How a column is sorted and what a click on its head asks for next.

    Examples
    --------
    >>> sort_state("team", "team"), sort_state("team", "rank")
    ({'aria': 'ascending', 'next': '-team'}, {'aria': '', 'next': 'team'})
    """
    if sort == key:
        return {"aria": "ascending", "next": f"-{key}"}
    if sort == f"-{key}":
        return {"aria": "descending", "next": key}
    return {"aria": "", "next": key}


@register.simple_tag
def forest_axis(axis: Axis) -> SafeString:
    """The head of the column of rank sets: the ranks, and once for all rows the lines and the band behind them."""
    lines = "".join(
        f'<line class="forest__tick" x1="{axis.at(rank)}%" x2="{axis.at(rank)}%" y1="0" y2="100%"/>'
        for rank in axis.ticks
    )
    band = ""
    if axis.band is not None:
        low, high = (axis.at(end) for end in axis.band)
        half = _half_a_rank(axis)
        left, right = max(low - half, 0), min(high + half, 100)
        band = f'<rect class="forest__band" x="{left:.2f}%" width="{right - left:.2f}%" y="0" height="100%"/>'
    ranks = "".join(
        f'<text class="forest__rank" x="{axis.at(rank)}%" y="100%" dy="-5">{rank}</text>' for rank in axis.ticks
    )
    return mark_safe(  # noqa: S308 (numbers only)
        f'<svg class="forest" aria-hidden="true"><defs><g id="forest-ground">{band}{lines}</g></defs>{ranks}</svg>'
    )


@register.simple_tag
def forest(row: Row, axis: Axis) -> SafeString:
    """Rank set, resampling range and rank of a row on the axis of its table; in words they are in the row's sentence."""
    drawn = ['<use href="#forest-ground"/>']
    for kind, low, high in (("set", row.set_low, row.set_high), ("range", row.low, row.high)):
        if low is not None and high is not None:
            ends = f'x1="{axis.at(low)}%" x2="{axis.at(high)}%"'
            drawn.append(f'<line class="forest__{kind}" {ends} y1="50%" y2="50%"/>')
    if row.rank is not None:
        drawn.append(f'<circle class="forest__point" cx="{axis.at(row.rank)}%" cy="50%" r="4.5"/>')
    return mark_safe(f'<svg class="forest" aria-hidden="true">{"".join(drawn)}</svg>')  # noqa: S308 (numbers only)


def _half_a_rank(axis: Axis) -> float:
    """Half the way between two ranks in percent, at most what stands free at the ends."""
    return min((axis.at(axis.first + 1) - axis.at(axis.first)) / 2, MARGIN)


@register.simple_tag
def metric_cells(row: Row) -> SafeString:
    """The scores of a row: thousands of cells on a large leaderboard, hence no template for each."""
    return mark_safe(  # noqa: S308 (values are numbers, the label is escaped)
        "".join(
            f'<td class="num metric{" is-best" if cell.best else ""}" data-label="{escape(cell.label)}">'
            f"<span>{cell.value}<small>{cell.interval}</small></span></td>"
            for cell in (*row.cells, *row.reported)
        )
    )
