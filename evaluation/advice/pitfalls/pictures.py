"""Small pictures of demonstrations: scalable, without styles of their own, readable on light and dark pages.

Shapes have classes (``advice-both``, ``advice-reference``, ``advice-prediction``, ``advice-ground``) and presentation
attributes, so that a page may restyle them and a bare file still shows them.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.advice.pitfalls.demonstrations import mask
from evaluation.figures.palette import BETTER, NEUTRAL, NOT_BETTER, QUALITATIVE

if TYPE_CHECKING:
    from evaluation.advice.pitfalls.demonstrations import Demonstration, Scene

_SIDE: Final = 160
_GAP: Final = 24
_CAPTION: Final = 22
_COLOURS: Final = {"both": QUALITATIVE[2], "reference": NOT_BETTER, "prediction": BETTER}
_KINDS: Final = (("tp", "both", "hits"), ("fn", "reference", "misses"), ("fp", "prediction", "false alarms"))


def picture(demonstration: Demonstration) -> str:
    """Draw a demonstration as one SVG, its scenes side by side with their names below.

    Examples
    --------
    >>> from evaluation.advice.pitfalls.demonstrations import demonstrations
    >>> picture(demonstrations()["hollow"])[:43]
    '<svg xmlns="http://www.w3.org/2000/svg" wid'
    """
    panel = {"masks": _masks, "counts": _counts, "scores": _scores, "cases": _cases}[demonstration.kind]
    width = len(demonstration.scenes) * (_SIDE + _GAP) - _GAP
    parts = [
        f'<g transform="translate({index * (_SIDE + _GAP)} 0)">{panel(scene)}{_caption(scene.name)}</g>'
        for index, scene in enumerate(demonstration.scenes)
    ]
    label = escape(demonstration.words)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_SIDE + _CAPTION}" '
        f'viewBox="0 0 {width} {_SIDE + _CAPTION}" class="advice-picture" '
        f'role="img" aria-label="{label}"><title>{label}</title>{"".join(parts)}</svg>'
    )


def _caption(name: str) -> str:
    return (
        f'<text x="{_SIDE / 2:g}" y="{_SIDE + 15}" text-anchor="middle" font-size="11" fill="currentColor" '
        f'class="advice-caption">{escape(name)}</text>'
    )


def _rectangle(x: float, y: float, width: float, height: float, kind: str) -> str:
    return (
        f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}" class="advice-{kind}" '
        f'fill="{_COLOURS[kind]}" shape-rendering="crispEdges"/>'
    )


def _ground() -> str:
    return (
        f'<rect width="{_SIDE}" height="{_SIDE}" class="advice-ground" fill="none" stroke="{NEUTRAL}" '
        f'stroke-width="1"/>'
    )


def _masks(scene: Scene) -> str:
    """Pixels of both, of the reference alone and of the prediction alone; neighbours in a row are one rectangle."""
    truth, prediction = mask(scene.data["reference"]), mask(scene.data["prediction"])
    kinds = np.where(truth & prediction, 1, np.where(truth, 2, np.where(prediction, 3, 0)))
    size = _SIDE / max(kinds.shape)
    shapes = []
    for row, cells in enumerate(kinds):
        edges = np.flatnonzero(np.diff(cells, prepend=-1, append=-1))
        for start, end in pairwise(edges.tolist()):
            kind = int(cells[start])
            if kind:
                name = ("both", "reference", "prediction")[kind - 1]
                shapes.append(_rectangle(start * size, row * size, (end - start) * size, size, name))
    return _ground() + "".join(shapes)


def _counts(scene: Scene) -> str:
    """Bars of hits, misses and false alarms."""
    largest = max(*(scene.data[key] for key, _, _ in _KINDS), 1)
    step = _SIDE / len(_KINDS)
    shapes = []
    for index, (key, kind, words) in enumerate(_KINDS):
        count = scene.data[key]
        shapes.append(_rectangle(0, index * step + 20, _SIDE * count / largest, step - 26, kind))
        shapes.append(
            f'<text x="0" y="{index * step + 14:.4g}" font-size="11" fill="currentColor" class="advice-caption">'
            f"{words}: {count}</text>"
        )
    return "".join(shapes)


def _scores(scene: Scene) -> str:
    """Scores from 0 to 1 along the width, positives in the upper lane and negatives in the lower one."""
    shapes = [_ground()]
    for truth, score in zip(scene.data["reference"], scene.data["scores"], strict=True):
        kind, lane = ("both", 0.3) if truth else ("prediction", 0.7)
        shapes.append(
            f'<circle cx="{6 + score * (_SIDE - 12):.4g}" cy="{lane * _SIDE:.4g}" r="4" class="advice-{kind}" '
            f'fill="{_COLOURS[kind]}" fill-opacity="0.7"/>'
        )
    return "".join(shapes)


def _cases(scene: Scene) -> str:
    """Values from 0 to 1 upwards, one column a group, the mean as a line."""
    groups = scene.data["groups"]
    step = _SIDE / len(groups)
    shapes = [_ground()]
    for index, group in enumerate(groups):
        shapes += [
            f'<circle cx="{(index + 0.5) * step:.4g}" cy="{(1 - value) * (_SIDE - 12) + 6:.4g}" r="4" '
            f'class="advice-both" fill="{_COLOURS["both"]}" fill-opacity="0.7"/>'
            for value in group
        ]
    mean = (1 - float(np.mean([np.mean(group) for group in groups]))) * (_SIDE - 12) + 6
    line = f'<line x1="0" x2="{_SIDE}" y1="{mean:.4g}" y2="{mean:.4g}" class="advice-mean" stroke="currentColor"/>'
    return "".join(shapes) + line
