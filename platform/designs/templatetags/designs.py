"""Tags of the design pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from designs.queries.texts import catalogue
from evaluation.designs.completeness import Drafts

register = template.Library()
_PARTS: Final = ("low", "first", "median", "third", "high")
# Heights of the two lines in the drawing.
_TOP: Final = 20
_BOTTOM: Final = 48


@register.simple_tag
def design_url(name: str, design: Any, parameter: str, task: str | None = "") -> str:
    """Address of what belongs to a field, of the challenge or of a task."""
    if task:
        return reverse(f"designs:task_{name}", args=[design.slug, parameter, task])
    return reverse(f"designs:{name}", args=[design.slug, parameter])


@register.filter
def rows_for(text: str | None) -> int:
    """Height of a text field in lines: what is in it, from 2 to 14.

    >>> rows_for(""), rows_for("x" * 400)
    (2, 6)
    """
    lines = sum(1 + len(line) // 75 for line in (text or "").split("\n"))
    return min(max(lines, 2), 14)


@register.filter
def parameter_label(identity: str) -> str:
    """Return the label of a parameter."""
    return catalogue()[identity].label


@register.filter
def drawing(svg: str) -> SafeString:
    """A picture that `evaluation.advice` drew; it is made of this project's own data, never of what people wrote."""
    return mark_safe(svg)  # noqa: S308 (see above)


@register.simple_tag
def completeness_line(percent: int, history: Mapping[str, float], drafts: Drafts | None = None) -> SafeString:
    """The share of this design on a line with range, quartiles and median of historic tasks, and of other designs."""
    lines = [_BoxLine("earlier tasks", history, _TOP)]
    if drafts is not None:
        lines.append(_BoxLine("other designs here", drafts.document, _BOTTOM))
    name = "; ".join([f"{percent} % here", *(line.words for line in lines)])
    height = lines[-1].middle + 14
    below = (
        format_html(" Second box: {} other designs here, median {} %.", drafts.number, f"{drafts.median:.0f}")
        if drafts
        else ""
    )
    return format_html(
        '<svg class="design-line" viewBox="0 0 216 {height}" width="216" height="{height}" role="img" '
        'aria-label="{name}">{drawn}<circle class="design-line__own" cx="{own}" cy="{middle}" r="5"/></svg>'
        '<p class="muted small">Dot: this design. Box: the middle half of 549 tasks from 2004 to 2016, median {median} %.'
        "{below}</p>",
        name=name,
        height=height,
        drawn=format_html_join("", "{}", ((line.drawn,) for line in lines)),
        own=8 + 2 * percent,
        middle=_TOP,
        median=f"{history['median']:.0f}",
        below=below,
    )


@dataclass(frozen=True)
class _BoxLine:
    """One line of the drawing: a name, its numbers and its height."""

    name: str
    parts: Mapping[str, float]
    middle: int

    @property
    def words(self) -> str:
        low, first, median, third, high = (f"{self.parts[key]:.0f}" for key in _PARTS)
        return f"{self.name}: median {median} %, half of them between {first} and {third} %, all between {low} and {high} %"

    @property
    def drawn(self) -> SafeString:
        low, first, median, third, high = (8 + 2 * self.parts[key] for key in _PARTS)
        return format_html(
            '<line class="design-line__axis" x1="8" y1="{y}" x2="208" y2="{y}"/>'
            '<line class="design-line__range" x1="{low}" y1="{y}" x2="{high}" y2="{y}"/>'
            '<rect class="design-line__box" x="{first}" y="{top}" width="{width}" height="14"/>'
            '<line class="design-line__median" x1="{median}" y1="{above}" x2="{median}" y2="{below}"/>',
            y=self.middle,
            low=f"{low:g}",
            high=f"{high:g}",
            first=f"{first:g}",
            width=f"{third - first:g}",
            median=f"{median:g}",
            top=self.middle - 7,
            above=self.middle - 9,
            below=self.middle + 9,
        )
