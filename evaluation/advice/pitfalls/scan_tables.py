"""Reading references that are tables, of classes or of objects, for what may go wrong with them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.advice.pitfalls.scan import ReferenceScan, RegionScan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.matching import Objects
    from evaluation.readers.object_tables import ObjectTable


def scan_labels(labels: Mapping[str, str]) -> ReferenceScan:
    """Scan the class of every case of an image classification.

    Examples
    --------
    >>> scan_labels({"1": "benign", "2": "malignant", "3": "benign"}).classes
    {'benign': 2, 'malignant': 1}
    """
    return ReferenceScan(cases=len(labels), classes=dict(sorted(Counter(labels.values()).items())))


def scan_objects(table: ObjectTable) -> ReferenceScan:
    """Scan a table of boxes or points: how many of each class, and how large boxes are (in units of the table)."""
    classes = sorted({name for objects in table.objects.values() for name in _classes(objects)})
    return ReferenceScan(
        cases=len(table.cases),
        regions={name: _objects_of_class(name, table) for name in classes},
        dimensions=table.kind[1],
    )


def _objects_of_class(name: str, table: ObjectTable) -> RegionScan:
    """Points have no size, so that only their numbers are known."""
    numbers: dict[str, int] = {}
    pieces: list[int] = []
    sizes: list[int] = []
    for case in table.cases:
        objects = table.of(case)
        member = np.array([kind == name for kind in _classes(objects)], dtype=np.bool_)
        numbers[case] = int(member.sum())
        if member.any() and objects.boxes_given is not None:
            box_sizes = _box_sizes(objects.boxes_given[member])
            pieces += box_sizes
            sizes.append(sum(box_sizes))
    return RegionScan(
        name=name,
        sizes=tuple(sizes),
        components=tuple(number for number in numbers.values() if number),
        piece_sizes=tuple(pieces),
        thickness=(),
        strays=(),
        empty=tuple(case for case, number in numbers.items() if not number),
    )


def _classes(objects: Objects) -> list[str]:
    return [] if objects.classes is None else [str(kind) for kind in objects.classes]


def _box_sizes(boxes: npt.NDArray[np.float64]) -> list[int]:
    axes = boxes.shape[1] // 2
    return [max(round(float(size)), 1) for size in np.prod(boxes[:, axes:] - boxes[:, :axes], axis=1)]
