"""Template tags of leaderboards."""

from collections.abc import Mapping
from html import escape
from typing import Any

from django import template
from django.template.defaultfilters import capfirst
from django.utils.safestring import SafeString, mark_safe

from evaluation.boards import Axis, Board, Row
from evaluation.boards.axis import MARGIN
from evaluation.boards.differences import LABEL as DIFFERENCE
from evaluation.boards.words import score, score_span
from evaluation.claims.catalogue import Said
from evaluation.figures.differences import difference_svg

register = template.Library()


@register.simple_tag
def sort_state(key: str, sort: str) -> dict[str, str]:
    """Return the sort state of a column, and the sort order that a click on its head requests.

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
    """Draw rank set, resampling range and rank of a row on the axis of its table.

    The row's sentence contains the same information as text.
    """
    drawn = ['<use href="#forest-ground"/>']
    for kind, low, high in (("set", row.set_low, row.set_high), ("range", row.low, row.high)):
        if low is not None and high is not None:
            ends = f'x1="{axis.at(low)}%" x2="{axis.at(high)}%"'
            drawn.append(f'<line class="forest__{kind}" {ends} y1="50%" y2="50%"/>')
    if row.rank is not None:
        drawn.append(f'<circle class="forest__point" cx="{axis.at(row.rank)}%" cy="50%" r="4.5"/>')
    return mark_safe(f'<svg class="forest" aria-hidden="true">{"".join(drawn)}</svg>')  # noqa: S308 (numbers only)


def _half_a_rank(axis: Axis) -> float:
    """Return half the distance between two ranks in percent, at most the margin at the ends."""
    return min((axis.at(axis.first + 1) - axis.at(axis.first)) / 2, MARGIN)


@register.simple_tag
def board_legend(board: Board, samples: int | None, tells_failures: object) -> list[Said]:
    """Return the legend of a table, line by line."""
    return board.legend(samples or 0, failures=bool(tells_failures))


@register.simple_tag
def board_row(row: Row, board: Board, *, tells_failures: bool) -> SafeString:
    """A row of the table: thousands of cells on a large leaderboard, hence no template for each.

    All texts are escaped here, those of people and our own alike.
    """
    classes = " ".join([*(["is-group"] if row.in_front else []), *(["is-own"] if row.own else [])])
    statistic = str(capfirst(board.order["statistic"]))
    cells = [
        f'<td class="num board__rank"><span>{_rank(row)}</span></td>',
        f'<th class="board__team" scope="row">{_team(row)}</th>',
        f'<td class="board__forest">{forest(row, board.axis)}</td>',
        f'<td class="board__set" data-label="Rank set"><span>{escape(row.set_text)}{_small(row.letters)}</span></td>',
        _drawn(row) if board.tells_draws else "",
        f'<td class="num score" data-label="{escape(statistic)}">{escape(row.score)}</td>',
        _from_leader(row) if board.differences else "",
        *(
            f'<td class="num metric{" is-best" if cell.best else ""}" data-label="{escape(cell.label)}">'
            f"<span>{cell.value}<small>{cell.interval}</small></span></td>"
            for cell in (*row.cells, *row.reported)
        ),
        _failures(row) if tells_failures else "",
        f'<td class="num" data-label="Cases"><span>{_cases(row)}</span></td>',
    ]
    attributes = (f' class="{classes}"' if classes else "") + (' id="own"' if row.own else "")
    return mark_safe(f"<tr{attributes}>{''.join(cells)}</tr>")  # noqa: S308 (escaped part by part)


@register.simple_tag
def baseline_row(baseline: Mapping[str, Any], board: Board, *, tells_failures: bool) -> SafeString:
    """Return the row of a baseline, which has no rank: its scores, and how many teams are significantly better.

    Parameters
    ----------
    baseline
        A finding of `leaderboards.services.analyses.compared_baselines`.
    """
    orders = baseline.get("orders", {})
    order = orders.get(board.order["key"])
    statistic = str(capfirst(board.order["statistic"]))
    cells = [
        '<td class="num board__rank"><span>–</span></td>',
        f'<th class="board__team" scope="row">{escape(baseline["name"])} <span class="badge">baseline</span></th>',
        f'<td class="board__baseline" colspan="2">{escape(_against(baseline, order))}</td>',
        '<td class="board__range"></td>' if board.tells_draws else "",
        f'<td class="num score" data-label="{escape(statistic)}"><span>{_baseline_score(order)}</span></td>',
        "<td></td>" if board.differences else "",
        *(
            f'<td class="num metric" data-label="{escape(column.title)}">'
            f"<span>{_baseline_score(orders.get(column.key))}</span></td>"
            for column in board.columns
        ),
        "<td></td>" * (len(board.reported) + bool(tells_failures) + 1),
    ]
    return mark_safe(f'<tr class="is-baseline">{"".join(cells)}</tr>')  # noqa: S308 (escaped part by part)


def _against(baseline: Mapping[str, Any], order: Mapping[str, Any] | None) -> str:
    if order is None:
        return f"Not compared: {baseline.get('problem', 'no value')}"
    if order["better"] is None:
        return "Too many teams to compare pairs."
    return f"{order['better']} of {order['of']} teams are significantly better"


def _baseline_score(order: Mapping[str, Any] | None) -> str:
    if order is None or order["score"] is None:
        return "–"
    decimals = order["decimals"]
    return f"{score(order['score'], decimals)}{_small(score_span(order['low'], order['high'], decimals))}"


def _drawn(row: Row) -> str:
    """Between which ranks a team came in the draws, and in how many of them first."""
    first = _small(f"first in {row.share_text}" if row.share is not None else "")
    range_of = escape(row.interval_text) or "–"
    return f'<td class="num board__range" data-label="Resampling range"><span>{range_of}{first}</span></td>'


def _from_leader(row: Row) -> str:
    """Difference from the leader with its interval."""
    interval = _small(row.difference_interval_text)
    return f'<td class="num board__difference" data-label="{DIFFERENCE}"><span>{escape(row.difference_text)}{interval}</span></td>'


@register.simple_tag
def difference_forest(board: Board) -> SafeString:
    """Draw the differences of the teams from the leader; an empty text for an order without them."""
    differences = board.differences
    if differences is None:
        return mark_safe("")
    drawing = difference_svg(
        differences.rows,
        margin=differences.margin,
        unit=differences.unit,
        label=f"Differences from {differences.leader}, {board.order['label']}",
        description="The column “Difference from the leader” of the table contains the same values.",
    )
    names = "".join(f'<span title="{escape(row.name)}">{escape(row.name)}</span>' for row in differences.rows)
    values = "".join(f"<span>{escape(row.words)}</span>" for row in differences.rows)
    return mark_safe(  # noqa: S308 (names are escaped)
        f'<div class="differences"><div class="differences__names" aria-hidden="true">{names}</div>{drawing}'
        f'<div class="differences__values num" aria-hidden="true">{values}</div></div>'
    )


def _small(text: str | None) -> str:
    """Return a second line of a cell, or an empty text without content."""
    return f"<small>{escape(text)}</small>" if text else ""


def _rank(row: Row) -> str:
    same = ", ".join(row.identical_to)
    return escape(row.rank_text) + (f'<abbr title="identical results: {escape(same)}">=</abbr>' if same else "")


def _team(row: Row) -> str:
    """Name, marks, and for people who hear the table all that the row draws."""
    team = escape(row.team)
    marks = "".join(
        f' <span class="badge badge--warn" title="{escape(mark.meaning)}">{escape(mark.label)}</span>'
        for mark in row.marks
    )
    outcomes = f'<small class="board__outcomes" aria-hidden="true">{escape(row.outcomes)}</small>'
    return (
        (f'<a href="{escape(row.method)}">{team}</a>' if row.method else team)
        + (' <span class="badge badge--info">your team</span>' if row.own else "")
        + marks
        + (outcomes if row.outcomes else "")
        + f'<span class="visually-hidden">{escape(row.sentence)}</span>'
        + f'<button class="board__open" type="button" data-row-opens aria-expanded="false" aria-label="Scores of {team}"></button>'
    )


def _failures(row: Row) -> str:
    more = _small(row.failure_bound_text) + _small(row.after_failure_text)
    return f'<td class="num" data-label="Failures"><span>{escape(row.failure_text)}{more}</span></td>'


def _cases(row: Row) -> str:
    # Values of the whole data set that were brought in say nothing of single cases.
    cases_text = f"{row.present} of {row.cases}" if row.cases else "–"
    number = f'<span class="badge badge--warn">{cases_text}</span>' if row.missing else cases_text
    return number + _small(row.entry_text if row.submissions else "")
