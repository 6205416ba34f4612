"""Template tags of the design system: small inline figures, icons, captured blocks, dates.

Figures are inline SVG with an accessible name. They use presentation attributes and classes only, since the content
security policy forbids style attributes.
"""

import html
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from django import template
from django.core.files.storage import storages
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join, strip_tags
from django.utils.safestring import SafeString, mark_safe

from web.icons import ICONS
from web.static_storage import JOINED, STYLE_SHEETS, JoiningStorage
from web.wording import day_words, distance_words

register = template.Library()


@register.simple_tag
def style_sheets() -> SafeString:
    """Links to the style sheets of all pages: to one where they were joined, else to each."""
    joined = isinstance(storages["staticfiles"], JoiningStorage)
    names = [JOINED] if joined else [f"css/{name}.css" for name in STYLE_SHEETS]
    return format_html_join("\n  ", '<link rel="stylesheet" href="{}">', ((static(name),) for name in names))


@register.filter
def in_attribute(markup: str) -> SafeString:
    r"""Captured markup as the text of an attribute: in one line, without tags, and with its quotes escaped once.

    >>> in_attribute(mark_safe('The "best" <b>A &amp; B</b>\n'))
    'The &quot;best&quot; A &amp; B'
    """
    plain = html.unescape(strip_tags(markup))
    return escape(" ".join(plain.split()))


@register.simple_block_tag(takes_context=True)
def fill(context: template.Context, content: str) -> SafeString:  # noqa: ARG001 (the tag needs it to store the name)
    """Keep rendered markup under a name, for a component that takes some.

    ``{% fill as actions %}<a class="btn" href="…">Submit</a>{% endfill %}`` and then
    ``{% include "components/page_head.html" with title="…" actions=actions %}``.
    """
    return mark_safe(content.strip())  # noqa: S308 (rendered by the template engine, which has escaped it)


@register.simple_tag
def icon(name: str, label: str = "") -> SafeString:
    """Return an icon of `web.icons`; it is decorative unless `label` names it."""
    paths = mark_safe("".join(f'<path d="{d}"/>' for d in ICONS[name]))  # noqa: S308 (constants of this project)
    if label:
        return format_html(
            '<svg class="icon" width="18" height="18" viewBox="0 0 24 24" role="img" aria-label="{}">{}</svg>',
            label,
            paths,
        )
    return format_html(
        '<svg class="icon" width="18" height="18" viewBox="0 0 24 24" aria-hidden="true" focusable="false">{}</svg>',
        paths,
    )


def _number(value: float, digits: int = 2) -> str:
    """`value` without needless zeros: SVG coordinates and sentences.

    >>> _number(3.0), _number(2.50), _number(-0.001)
    ('3', '2.5', '0')
    """
    text = f"{value:.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


@register.simple_tag
def interval_strip(
    low: float | None,
    high: float | None,
    rank: float | None,
    n: int,
    median: float | None = None,
    what: str = "resampling range",
) -> SafeString:
    """A range of ranks drawn on the line from rank 1 (left) to rank `n`.

    Parameters
    ----------
    low, high
        Ends of the range of ranks, 1 ≤ low ≤ high ≤ n.
    rank
        Rank on the full data: the dot.
    n
        Number of algorithms.
    median
        Median rank over the bootstrap samples, if shown: the short upright line.
    what
        What the range is, for the accessible name: a resampling range or a rank set.

    Returns
    -------
    SafeString
        An ``<svg role="img">``, scaled by CSS (class ``interval-strip``). Empty without an interval.
    """
    if low is None or high is None or rank is None:
        return mark_safe("")
    width, height, margin = 144, 24, 8
    span = max(n - 1, 1)

    def x(value: float) -> str:
        fraction = 0.5 if n <= 1 else (min(max(value, 1), n) - 1) / span
        return _number(margin + fraction * (width - 2 * margin))

    name = f"Rank {_number(rank)} of {n}, {what} {_number(low)} to {_number(high)}"
    if median is not None:
        name += f", median {_number(median)}"
    # With many algorithms a tick for each would be a grey bar.
    step = 1 if n <= 20 else 5 if n <= 60 else 10
    ticks = format_html_join(
        "",
        '<line class="interval-strip__tick" x1="{0}" y1="7" x2="{0}" y2="17"/>',
        ((x(k),) for k in range(1, n + 1, step)),
    )
    range_width = _number(max(float(x(high)) - float(x(low)), 0))
    return format_html(
        '<svg class="interval-strip" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="{name}">'
        '<line class="interval-strip__axis" x1="{x1}" y1="12" x2="{xn}" y2="12"/>{ticks}'
        '<rect class="interval-strip__range" x="{lo}" y="8" width="{rw}" height="8"/>'
        '<line class="interval-strip__line" x1="{lo}" y1="12" x2="{hi}" y2="12"/>'
        '<line class="interval-strip__cap" x1="{lo}" y1="6" x2="{lo}" y2="18"/>'
        '<line class="interval-strip__cap" x1="{hi}" y1="6" x2="{hi}" y2="18"/>'
        "{median}"
        '<circle class="interval-strip__rank" cx="{r}" cy="12" r="4.5"/></svg>',
        w=width,
        h=height,
        name=name,
        x1=x(1),
        xn=x(n),
        ticks=ticks,
        lo=x(low),
        hi=x(high),
        rw=range_width,
        r=x(rank),
        median=""
        if median is None
        else format_html('<line class="interval-strip__median" x1="{0}" y1="4" x2="{0}" y2="20"/>', x(median)),
    )


@register.simple_tag
def rank_histogram(frequencies: Sequence[int], rank: float | None = None) -> SafeString:
    """Return the frequency of each rank in the bootstrap, as small bars from rank 1 (left) on.

    Parameters
    ----------
    frequencies
        Number of bootstrap samples with rank 1, 2, …; as ``rank_frequencies`` of the ranking document.
    rank
        Rank on the full data; its bar is emphasised.
    """
    frequencies = list(frequencies or [])
    total = sum(frequencies)
    if not total:
        return mark_safe("")
    width, height = 112, 28
    slot = width / len(frequencies)
    bar = min(slot * 0.8, 14)
    largest = max(frequencies)
    bars = []
    for index, count in enumerate(frequencies):
        if not count:
            continue
        tall = max((height - 2) * count / largest, 1)
        emphasis = " rank-histogram__bar--rank" if rank is not None and int(rank) == index + 1 else ""
        bars.append(
            (
                emphasis,
                _number(index * slot + (slot - bar) / 2),
                _number(height - 1 - tall),
                _number(bar),
                _number(tall),
            )
        )
    named = sorted(range(len(frequencies)), key=lambda k: -frequencies[k])[:3]
    parts = ", ".join(f"rank {k + 1} in {_percent(frequencies[k] / total)}" for k in named if frequencies[k])
    return format_html(
        '<svg class="rank-histogram" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" '
        'aria-label="Ranks in {total} resamples: {parts}">'
        '<line class="rank-histogram__axis" x1="0" y1="{y}" x2="{w}" y2="{y}"/>{bars}</svg>',
        w=width,
        h=height,
        y=_number(height - 0.5),
        total=total,
        parts=parts,
        bars=format_html_join("", '<rect class="rank-histogram__bar{}" x="{}" y="{}" width="{}" height="{}"/>', bars),
    )


def _percent(share: float) -> str:
    """Return a share as text that never turns "almost" into "always" or "never".

    >>> _percent(0.612), _percent(0.9996), _percent(1), _percent(0.002), _percent(0)
    ('61 %', 'more than 99 %', '100 %', 'less than 1 %', '0 %')
    """
    if 0 < share < 0.01:
        return "less than 1 %"
    if 0.99 < share < 1:
        return "more than 99 %"
    return f"{share * 100:.0f} %"


register.filter("percent", lambda share: "" if share is None else _percent(float(share)))


@register.simple_tag
def sparkbar(share: float | None, label: str = "") -> SafeString:
    """Return a share between 0 and 1 as a bar next to its figure.

    The bar is decorative, the figure is text. `label` is placed before the figure for readers who cannot see
    the column head.
    """
    if share is None:
        return mark_safe('<span class="muted">–</span>')
    share = min(max(float(share), 0.0), 1.0)
    return format_html(
        '<span class="with-figure">{}<span class="num">{}</span>'
        '<svg class="sparkbar" viewBox="0 0 64 10" width="64" height="10" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="sparkbar__track" width="64" height="10" rx="2"/>'
        '<rect class="sparkbar__fill" width="{}" height="10" rx="2"/></svg></span>',
        format_html('<span class="visually-hidden">{} </span>', label) if label else "",
        _percent(share),
        _number(64 * share),
    )


@register.simple_tag
def moment(value: datetime | date | None, *, time: bool = True) -> SafeString:
    """Return a moment as ``<time>``, with the month in letters and the time in UTC, to avoid missed deadlines.

    The attribute contains the exact moment, and a script adds the reader's own time zone as a title. Without
    the time of day, the attribute contains only the day: a page that does not show the time does not contain
    it.
    """
    if value is None:
        return mark_safe('<span class="muted">–</span>')
    if not isinstance(value, datetime):
        return format_html('<time datetime="{}">{}</time>', value.isoformat(), f"{value.day} {value:%B %Y}")
    if timezone.is_naive(value):
        value = timezone.make_aware(value)
    value = value.astimezone(tz=timezone.get_fixed_timezone(0))
    text = f"{value.day} {value:%B %Y}"
    if not time:
        return format_html('<time datetime="{}">{}</time>', value.date().isoformat(), text)
    text += f", {value:%H:%M} UTC"
    return format_html('<time datetime="{}" data-moment>{}</time>', value.isoformat(timespec="seconds"), text)


@register.simple_tag
def deadline(value: datetime) -> SafeString:
    """Return the distance to a moment, then the moment: ``in 60 days · Thu 21 Jan 2027, 23:59 UTC``.

    A script adds the reader's time.
    """
    words = distance_words(value, timezone.now())
    return format_html(
        '<span class="deadline"><strong>{}</strong> <span class="deadline__moment">· <time datetime="{}" data-moment '
        "data-local>{}</time></span></span>",
        words,
        value.isoformat(timespec="seconds"),
        day_words(value),
    )


@register.filter
def breakable(path: str) -> SafeString:
    """A path that may go on in the next line behind each of its slashes, rather than within a name.

    >>> breakable("/output/<case>/mask.mha")
    '/output/<wbr>&lt;case&gt;/<wbr>mask.mha'
    """
    first, *parts = path.split("/")
    head = format_html("{}/", first) if parts else escape(first)
    return format_html("{}{}", head, format_html_join(mark_safe("/<wbr>"), "{}", ((part,) for part in parts)))


@register.filter
def bytesize(size: float | None) -> str:
    """A number of bytes for people, in decimal units.

    >>> bytesize(999), bytesize(20_480_000), bytesize(3_200_000_000)
    ('999 B', '20.5 MB', '3.2 GB')
    """
    if size is None:
        return "–"
    size = float(size)
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if size < 1000 or unit == "TB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    raise AssertionError


@register.simple_tag(takes_context=True)
def querystring_with(context: template.Context, **changes: Any) -> str:
    """The query of this page with some values changed (none removes one): links of sorting, filters and pages."""
    query = context["request"].GET.copy()
    for key, value in changes.items():
        if value is None:
            query.pop(key, None)
        else:
            query[key] = value
    return f"?{query.urlencode()}"


@register.simple_tag(takes_context=True)
def page_address(context: template.Context, number: int, name: str = "") -> str:
    """Return the address of another page of a list.

    A list with a `name` has its own page number, and the address jumps to the list.
    """
    query = context["request"].GET.copy()
    query[name or "page"] = number
    return f"?{query.urlencode()}#{name}" if name else f"?{query.urlencode()}"


@register.simple_tag
def page_window(page: Any) -> Iterable[int | str]:
    """Page numbers to offer, with gaps, for a Django `Page`."""
    return page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
