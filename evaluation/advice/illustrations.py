"""Small pictures next to questions about shapes: one panel for each answer that a picture can show."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib import resources
from typing import Any, Final

from evaluation.advice.knowledge import item
from evaluation.figures.palette import BETTER, NEUTRAL, NOT_BETTER, QUALITATIVE

DATA_FILE: Final = "illustrations.v1.json"
_SIDE: Final = 100
_GAP: Final = 40
_COLOURS: Final = {"reference": NOT_BETTER, "prediction": BETTER, "both": QUALITATIVE[2]}


def illustration(item_id: str) -> str | None:
    """Draw the answers of a question as SVG; ``None`` if a picture would not help.

    Shapes have the classes and presentation attributes of `evaluation.advice.pitfalls.pictures`: blue is the
    reference, orange a prediction.

    Examples
    --------
    >>> illustration("FP3.3")[:43]
    '<svg xmlns="http://www.w3.org/2000/svg" wid'
    >>> illustration("FP5.3") is None
    True
    """
    panels = _panels().get(item_id)
    if panels is None:
        return None
    question = item(item_id)
    width = len(panels) * (_SIDE + _GAP)
    drawn = []
    for index, panel in enumerate(panels):
        label = question.label(panel["value"]) if question.kind == "yes_no" else ""
        lines = [words for words in (label, panel["caption"]) if words]
        captions = "".join(
            f'<text x="{_SIDE / 2:g}" y="{_SIDE + 14 + 13 * row}" text-anchor="middle" font-size="9" '
            f'fill="currentColor" class="advice-caption">{escape(words)}</text>'
            for row, words in enumerate(lines)
        )
        shapes = "".join(_shape(*shape) for shape in panel["shapes"])
        ground = f'<rect width="{_SIDE}" height="{_SIDE}" class="advice-ground" fill="none" stroke="{NEUTRAL}"/>'
        drawn.append(
            f'<g transform="translate({index * (_SIDE + _GAP) + _GAP / 2:g} 2)">{ground}{shapes}{captions}</g>'
        )
    title = escape(question.title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_SIDE + 34}" '
        f'viewBox="0 0 {width} {_SIDE + 34}" class="advice-picture" role="img" aria-label="{title}"><title>{title}</title>{"".join(drawn)}</svg>'
    )


def illustrated() -> tuple[str, ...]:
    """The items that have a picture."""
    return tuple(_panels())


@cache
def _panels() -> dict[str, list[dict[str, Any]]]:
    text = resources.files("evaluation.advice").joinpath("data", DATA_FILE).read_text("utf-8")
    panels: dict[str, list[dict[str, Any]]] = json.loads(text)["illustrations"]
    return panels


def _shape(form: str, *geometry: Any) -> str:
    """One shape: ellipse or outline (centre, radii), square or frame (corner, sides), line (two ends); then its kind."""
    a, b, c, d, kind = geometry
    colour = _COLOURS[kind]
    filled = f'class="advice-{kind}" fill="{colour}" fill-opacity="0.75"'
    width = 4 if form == "line" else 2
    drawn = f'class="advice-{kind}-line" fill="none" stroke="{colour}" stroke-width="{width}"'
    if form in ("ellipse", "outline"):
        return f'<ellipse cx="{a}" cy="{b}" rx="{c}" ry="{d}" {filled if form == "ellipse" else drawn}/>'
    if form in ("square", "frame"):
        return f'<rect x="{a}" y="{b}" width="{c}" height="{d}" {filled if form == "square" else drawn}/>'
    return f'<line x1="{a}" y1="{b}" x2="{c}" y2="{d}" {drawn}/>'
