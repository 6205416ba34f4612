"""Tags of the registry's pages: small drawings and the block of schema.org."""

import json
from typing import Any, Final

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

register = template.Library()
_ESCAPES: Final = {ord("<"): "\\u003C", ord(">"): "\\u003E", ord("&"): "\\u0026"}
_WIDTH: Final = 160
_MARGIN: Final = 6


@register.simple_tag
def json_ld(data: dict[str, Any]) -> SafeString:
    """A data block for search engines; no text in it can end it, and no browser runs it."""
    text = json.dumps(data, ensure_ascii=False).translate(_ESCAPES)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # noqa: S308 (escaped above)


@register.simple_tag
def share_line(here: float | None, before: float | None, since: float | None, label: str) -> SafeString:
    """Shares in percent on a line from 0 to 100: then, since, and here."""
    if here is None and before is None and since is None:
        return mark_safe("")
    labelled_shares = [("2004–2016", before), ("2018–2022", since), ("this registry", here)]
    name = f"{label}: " + ", ".join(f"{words} {value:.0f} %" for words, value in labelled_shares if value is not None)
    marks = []
    if before is not None:
        marks.append(format_html('<circle class="registry-line__before" cx="{}" cy="12" r="4.5"/>', _x(before)))
    if since is not None:
        marks.append(
            format_html('<rect class="registry-line__since" x="{}" y="7.5" width="9" height="9"/>', _x(since, -4.5))
        )
    if here is not None:
        marks.append(format_html('<circle class="registry-line__here" cx="{}" cy="12" r="4.5"/>', _x(here)))
    return format_html(
        '<svg class="registry-line" viewBox="0 0 {} 24" width="{}" height="24" role="img" aria-label="{}">'
        '<line class="registry-line__axis" x1="{}" y1="12" x2="{}" y2="12"/>{}</svg>',
        _WIDTH + 2 * _MARGIN,
        _WIDTH + 2 * _MARGIN,
        name,
        _MARGIN,
        _MARGIN + _WIDTH,
        format_html_join("", "{}", ((mark,) for mark in marks)),
    )


@register.simple_tag
def count_bar(count: int, most: int, label: str) -> SafeString:
    """Return a bar whose length is the count relative to the largest count."""
    length = _WIDTH * count / most if most else 0
    return format_html(
        '<svg class="registry-bar" viewBox="0 0 {} 14" width="{}" height="14" role="img" aria-label="{}: {}">'
        '<rect class="registry-bar__bar" x="0" y="1" width="{}" height="12"/></svg>',
        _WIDTH,
        _WIDTH,
        label,
        count,
        f"{length:.1f}",
    )


@register.filter
def percentage(value: float | None) -> str:
    """A share in percent; a dash where nothing is known."""
    return "–" if value is None else f"{value:.0f} %"


@register.filter
def plainly(value: Any) -> str:
    """A number as people write it; a dash where none was stated."""
    return "–" if value is None else f"{value:,.10g}"


@register.filter
def short(digest: str) -> str:
    """The beginning of a digest."""
    return digest[:12]


def _x(percent: float, shift: float = 0.0) -> str:
    return f"{_MARGIN + _WIDTH * min(max(percent, 0), 100) / 100 + shift:.1f}"
