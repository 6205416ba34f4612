"""Drawings of how far two teams are apart."""

from collections.abc import Mapping

from django import template
from django.utils.safestring import SafeString, mark_safe

from submissions.hooks import Gap

register = template.Library()


@register.simple_tag
def gap_pair(gap: Gap) -> SafeString:
    """Two teams below each other on the scale of a metric, better to the right, each with its resampling range.

    The median of the field is a tick over both; the values are in the cells of the row.
    """
    drawn = ['<line class="gap__axis" x1="0" x2="100%" y1="50%" y2="50%"/>']
    if median := _at(gap.median):
        drawn.append(f'<line class="gap__median" x1="{median}" x2="{median}" y1="10%" y2="90%"/>')
    for name, y, share, ends in (
        ("own", "32%", gap.own, gap.own_range),
        ("other", "68%", gap.other, gap.other_range),
    ):
        if ends:
            low, high = map(_at, ends)
            drawn.append(f'<line class="gap__range gap__range--{name}" x1="{low}" x2="{high}" y1="{y}" y2="{y}"/>')
        if at := _at(share):
            drawn.append(f'<circle class="gap__{name}" cx="{at}" cy="{y}" r="4.5"/>')
    return mark_safe(f'<svg class="gap" aria-hidden="true">{"".join(drawn)}</svg>')  # noqa: S308 (numbers only)


def _at(share: float | None) -> str:
    return "" if share is None else f"{6 + 88 * share:.1f}%"


@register.filter
def entry(mapping: Mapping[str, str] | str, key: str) -> str:
    """Return the value of a mapping for a key; empty if the key or the mapping is missing."""
    return mapping.get(key, "") if isinstance(mapping, Mapping) else ""
