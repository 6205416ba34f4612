"""Drawings of how far two teams are apart."""

from collections.abc import Mapping

from django import template
from django.utils.safestring import SafeString, mark_safe

from submissions.hooks import Gap

register = template.Library()


@register.simple_tag
def gap_pair(gap: Gap) -> SafeString:
    """Two dots on a line, better to the right, with the median of the field as a tick; the values stand beside it."""
    places = {name: _at(getattr(gap, name)) for name in ("own", "other", "median")}
    drawn = ['<line class="gap__axis" x1="0" x2="100%" y1="50%" y2="50%"/>']
    if places["median"]:
        drawn.append(f'<line class="gap__median" x1="{places["median"]}" x2="{places["median"]}" y1="15%" y2="85%"/>')
    if places["own"] and places["other"]:
        drawn.append(f'<line class="gap__between" x1="{places["own"]}" x2="{places["other"]}" y1="50%" y2="50%"/>')
    drawn += [
        f'<circle class="gap__{name}" cx="{places[name]}" cy="50%" r="5"/>' for name in ("other", "own") if places[name]
    ]
    return mark_safe(f'<svg class="gap" aria-hidden="true">{"".join(drawn)}</svg>')  # noqa: S308 (numbers only)


def _at(share: float | None) -> str:
    return "" if share is None else f"{6 + 88 * share:.1f}%"


@register.filter
def entry(mapping: Mapping[str, str] | str, key: str) -> str:
    """What a mapping has under a key; empty where it has nothing, and for a mapping that is not there."""
    return mapping.get(key, "") if isinstance(mapping, Mapping) else ""
