"""Main limitation of a method: its detector, its classifier or its outlines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from evaluation.metrics.disentangled import Disentangled

_PERFECT: Final = 0.9995
_ALIKE: Final = 0.005
"""Gains that differ by less are called alike: the second digit is what a reader sees."""
NAMES: Final = {"detection": "detection", "classification": "classification", "segmentation": "outlines"}
_IF: Final = {
    "detection": "with every object found and none invented",
    "classification": "with the right class for every matched object",
    "segmentation": "with perfect outlines",
}


def limits(disentangled: Disentangled) -> dict[str, Any]:
    """Compute for each part the panoptic quality that results if that part alone makes no mistake.

    Perfect detection removes unmatched objects of both sides. Perfect classification assigns every matched
    object the class of its reference. Perfect outlines overlap completely. The part with the greatest gain
    limits the method.

    Returns
    -------
    dict
        ``parts`` (several if their gains are alike; none without a limitation or a conclusion), ``now``,
        ``perfect`` (part → panoptic quality without its mistakes) and ``sentence``.

    Examples
    --------
    >>> from evaluation.metrics.disentangled import Disentangled
    >>> found = Disentangled.of_matrix(["cell"], [[0, 4], [0, 8]], iou_sum=[7.6], iou_hits=[7.6])
    >>> limits(found)["sentence"]
    'Detection limits this method: with every object found and none invented, panoptic quality would be 0.95 instead of 0.76; with perfect outlines 0.80.'
    """
    matrix = disentangled.confusion
    block = disentangled.classification
    hits = np.diagonal(block)
    unmatched = matrix[0, 1:], matrix[1:, 0]
    confused = block.sum(axis=0) - hits, disentangled.matched - hits
    now = _quality(disentangled.iou_hits, hits, unmatched[0] + confused[0], unmatched[1] + confused[1])
    perfect = {
        "detection": _quality(disentangled.iou_hits, hits, *confused),
        "classification": _quality(disentangled.iou_sum, disentangled.matched, *unmatched),
        "segmentation": _quality(hits, hits, unmatched[0] + confused[0], unmatched[1] + confused[1]),
    }
    if len(disentangled.classes) == 1:
        del perfect["classification"]
    if now is None:
        return _said(
            [], now, perfect, "Neither the references nor the predictions have an object, so nothing can be said."
        )
    if not block.any():
        sentence = "No object was matched: detection limits this method, and its classes and outlines cannot be judged."
        return _said(["detection"], now, perfect, sentence)
    if now >= _PERFECT:
        return _said([], now, perfect, "Nothing limits this method: every object has its counterpart.")
    gains = {part: (now if quality is None else quality) - now for part, quality in perfect.items()}
    most = max(gains.values())
    parts = [part for part, gain in gains.items() if gain > most - _ALIKE]
    return _said(parts, now, perfect, _sentence(parts, now, perfect))


def _sentence(parts: list[str], now: float, perfect: dict[str, float | None]) -> str:
    first, *others = [*parts, *(part for part in perfect if part not in parts)]
    named = " and ".join(NAMES[part] for part in parts)
    verb = "limit this method about equally" if len(parts) > 1 or parts == ["segmentation"] else "limits this method"
    if parts == ["segmentation"]:
        verb = "limit this method"
    sentence = f"{named[0].upper()}{named[1:]} {verb}: {_IF[first]}, panoptic quality would be {_two(perfect[first])} instead of {now:.2f}"
    for part in others:
        sentence += f"; {_IF[part]} {_two(perfect[part])}"
    return f"{sentence}."


def _two(quality: float | None) -> str:
    return "undefined" if quality is None else f"{quality:.2f}"


def _said(parts: list[str], now: float | None, perfect: dict[str, float | None], sentence: str) -> dict[str, Any]:
    return {"parts": parts, "now": now, "perfect": perfect, "sentence": sentence}


def _quality(iou: ArrayLike, tp: ArrayLike, fp: ArrayLike, fn: ArrayLike) -> float | None:
    """Panoptic quality, the mean over the classes that have an object on either side."""
    weight = np.asarray(tp) + np.asarray(fp) / 2 + np.asarray(fn) / 2
    if not weight.any():
        return None
    return float((np.asarray(iou)[weight > 0] / weight[weight > 0]).mean())
