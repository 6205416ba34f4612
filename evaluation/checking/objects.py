"""Plausibility of a table of objects over all cases: shares of the image for pixels, and sizes for corners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.checking.sentences import finding

if TYPE_CHECKING:
    from evaluation.checking.findings import Finding
    from evaluation.readers.object_tables import ObjectTable

_FEWEST: Final = 5
"""Boxes from which on a regularity of all of them is no coincidence."""


def questions(table: ObjectTable, file: str) -> list[Finding]:
    """Return questions about all boxes of a table.

    Parameters
    ----------
    table
        Objects of all cases.
    file
        Name of the table; COCO files store corner and size of a box, CSV files store two corners.
    """
    boxes = [each.boxes_given for each in table.objects.values() if each.boxes_given is not None and each.size]
    if not boxes:
        return []
    axes = boxes[0].shape[1] // 2
    places = np.concatenate(boxes)
    low, high = places[:, :axes], places[:, axes:]
    notes = []
    if (places >= 0).all() and (places <= 1).all():
        notes.append(finding("boxes_in_unit", total=len(places), file=file))
    elif file.lower().endswith(".json") and len(places) >= _FEWEST and ((high - low) > low).all() and (low > 0).all():
        notes.append(finding("boxes_as_corners", total=len(places), file=file))
    without_extent = sum(
        "a box without extent" in issue.message for issues in table.dropped.values() for issue in issues
    )
    total = len(places) + sum(len(issues) for issues in table.dropped.values())
    if without_extent >= _FEWEST and 4 * without_extent >= total:
        notes.append(finding("boxes_as_sizes", count=without_extent, total=total, file=file))
    return notes
