"""Template tags of leaderboards."""

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboards.domain.tables import Row
from web.templatetags.podium import interval_strip

register = template.Library()

_MANY = 20
"""Beyond so many teams ticks are a grey bar, and two hundred full drawings a heavy page."""


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
def rank_strip(row: Row, teams: int) -> SafeString:
    """The rank set of a row, drawn; with many teams without ticks and without a name, which the row's sentence has."""
    if teams <= _MANY or row.set_low is None or row.set_high is None or row.rank is None:
        return interval_strip(row.set_low, row.set_high, row.rank, teams, what="rank set")
    low, high, rank = (
        f"{8 + 128 * (min(max(value, 1), teams) - 1) / (teams - 1):.1f}"
        for value in (row.set_low, row.set_high, row.rank)
    )
    return mark_safe(  # noqa: S308 (numbers only)
        '<svg class="interval-strip leaderboard__strip" viewBox="0 0 144 24" aria-hidden="true">'
        f'<path class="interval-strip__line" d="M{low} 12H{high}M{low} 6v12M{high} 6v12"/>'
        f'<circle class="interval-strip__rank" cx="{rank}" cy="12" r="4.5"/></svg>'
    )


@register.simple_tag
def metric_cells(row: Row) -> SafeString:
    """The scores of a row: thousands of cells on a large leaderboard, hence no template for each."""
    return mark_safe(  # noqa: S308 (values are numbers, the label is escaped)
        "".join(
            f'<td class="num metric{" is-best" if cell.best else ""}" data-label="{escape(cell.label)}">'
            f"<span>{cell.value}<small>{cell.interval}</small></span></td>"
            for cell in row.cells
        )
    )
