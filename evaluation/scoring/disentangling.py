"""Disentangled evaluation of single cases: the distinguished classes, and the result of a case as plain numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.assessment.instances import instance_rules
from evaluation.metrics.disentangled import Disentangled, nothing_found
from evaluation.scoring.rows import Numbers

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment
    from evaluation.matching import Objects

_SLACK = 1e-9
_TRIPLE = 3


def classes_of(assessment: Assessment) -> tuple[str, ...]:
    """Return the classes that an assessment distinguishes; a single class if it distinguishes none.

    With several regions, every object has one of the classes named there. With one region (or none), all
    objects are of one class, regardless of the class in a table. The same applies to connected parts, which
    have no row in a table.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> document = {
    ...     "schema": 1,
    ...     "problem": "instance_segmentation",
    ...     "regions": [{"name": "any", "labels": ["E", "L"]}, {"name": "rare", "labels": ["L"]}],
    ...     "metrics": [{"id": "panoptic_quality"}],
    ... }
    >>> classes_of(parse(document))
    ('E', 'L')
    >>> classes_of(parse(document | {"regions": document["regions"][:1]}))
    ('any',)
    """
    rules = instance_rules(assessment)
    parts = any(
        use.options.get("instance_connectivity", "as_submitted") != "as_submitted" for use in assessment.computed
    )
    if rules.need_class and rules.classes and not parts:
        return rules.classes
    return (assessment.regions[0].name if len(assessment.regions) == 1 else "object",)


def numbers_of(disentangled: Disentangled) -> Numbers:
    """Write what was found under ``strict_iou`` into two lists: the matrix as row, column and count, and the sums."""
    rows, columns = np.nonzero(disentangled.confusion)
    counts = np.stack([rows, columns, disentangled.confusion[rows, columns]], axis=1).ravel()
    return Numbers(
        counts.tolist(), [*disentangled.iou_sum.tolist(), *disentangled.iou_hits.tolist(), disentangled.hausdorff_sum]
    )


def found_of(numbers: Numbers, classes: tuple[str, ...]) -> Disentangled:
    """Read it back."""
    size = len(classes)
    matrix = np.zeros((size + 1, size + 1), dtype=np.int64)
    for row, column, count in _triples(numbers):
        matrix[row, column] = count
    values = numbers.values
    return Disentangled.of_matrix(
        classes, matrix, iou_sum=values[:size], iou_hits=values[size : 2 * size], hausdorff_sum=values[2 * size]
    )


def possible(numbers: Numbers, reference: Objects, classes: tuple[str, ...], *, pixels: int, diagonal: float) -> bool:
    """Return whether numbers are a possible result of comparing a prediction with its reference.

    The check is for numbers from a process that has read an untrusted file. The objects of the reference must
    match, and the other numbers must be possible.

    Parameters
    ----------
    pixels, diagonal
        Number of pixels and diagonal of the image. It has no more objects than pixels, and no distance is
        longer than its diagonal.
    """
    size = len(classes)
    whole = all(type(number) is int and number >= 0 for number in numbers.counts)
    real = all(type(number) in (int, float) and math.isfinite(number) and number >= 0 for number in numbers.values)
    if not (whole and real and len(numbers.counts) % _TRIPLE == 0 and len(numbers.values) == 2 * size + 1):
        return False
    triples = _triples(numbers)
    places = [(row, column) for row, column, _ in triples]
    if places != sorted(set(places)) or any(max(cell) > size or cell == (0, 0) for cell in places):
        return False
    if sum(count for _, _, count in triples) > 2 * pixels:
        return False
    disentangled = found_of(numbers, classes)
    if not np.array_equal(disentangled.confusion[1:].sum(axis=1), nothing_found(reference, classes).confusion[1:, 0]):
        return False
    matched, hits = disentangled.matched, np.diagonal(disentangled.confusion)[1:]
    fine = _sums_fit(disentangled.iou_sum, matched) and _sums_fit(disentangled.iou_hits, hits)
    fine = fine and _sums_fit(disentangled.iou_sum - disentangled.iou_hits, matched - hits)
    return fine and disentangled.hausdorff_sum <= float(matched.sum()) * diagonal * (1 + _SLACK)


def _sums_fit(sums: Any, counts: Any) -> bool:
    """Every matched pair overlaps by more than half, and none by more than all."""
    slack = _SLACK * (1 + counts)
    return bool(((sums >= counts / 2 - slack) & (sums <= counts + slack)).all())


def _triples(numbers: Numbers) -> list[tuple[int, int, int]]:
    counts = numbers.counts
    return list(zip(counts[::3], counts[1::3], counts[2::3], strict=True))
