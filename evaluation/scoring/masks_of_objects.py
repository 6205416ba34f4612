"""Instance segmentation with masks that may overlap, one case at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.checking.unused import Unused
from evaluation.matching import Objects
from evaluation.matching.mask_lists import MaskList
from evaluation.readers import ReadError
from evaluation.readers.run_lengths import MaskRules, read_masks
from evaluation.scoring.objects import score_objects
from evaluation.scoring.rows import ScoredCase

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment
    from evaluation.readers import Geometry, Issue
    from evaluation.readers.run_lengths import InstanceMasks


@dataclass(frozen=True)
class PreparedMasks:
    """The objects of a reference.

    Attributes
    ----------
    geometry
        Grid that predictions must match.
    objects
        The objects.
    """

    geometry: Geometry
    objects: Objects


def prepare_masks(content: InstanceMasks) -> PreparedMasks:
    """Return the objects of a reference, for any number of predictions."""
    return PreparedMasks(content.geometry, objects_of_masks(content))


def objects_of_masks(content: InstanceMasks) -> Objects:
    """Return the objects of a file for matching."""
    entries = content.objects
    shape = content.geometry.shape
    masks = MaskList(tuple(shape), tuple(each.part for each in entries), tuple(each.offset for each in entries))
    scores = [each.score for each in entries if each.score is not None]
    return Objects(
        masks=masks,
        classes=[each.name for each in entries] if any(each.name for each in entries) else None,
        scores=scores if len(scores) == len(entries) else None,
        ignored=[each.is_ignored for each in entries],
        spacing=content.geometry.spacing_or_unit,
    )


def unused_of(content: InstanceMasks) -> Unused:
    """Return the objects of a file that are not used."""
    if not content.dropped:
        return Unused()
    count = len(content.dropped)
    return Unused(count, count + len(content.objects), content.dropped[0].message)


def score_masks(
    assessment: Assessment,
    case: str,
    reference: PreparedMasks,
    prediction: Path | None,
    *,
    expected: Mapping[str, Any],
    algorithm: str,
) -> ScoredCase:
    """Score the objects of one case; a file that cannot be read has the outcome ``missing``, with the reason.

    An object that cannot be read counts as not predicted.
    """
    reason: Issue | None = None
    objects: Objects | None = None
    unused = Unused()
    if prediction is not None:
        try:
            content = read_masks(
                prediction,
                expected=reference.geometry,
                rules=MaskRules.of(expected, are_predictions=True),
                by_object=True,
            )
            objects, unused = objects_of_masks(content), unused_of(content)
        except ReadError as error:
            reason = error.issue
    scores = score_objects(
        assessment, case, reference.objects, objects, algorithm=algorithm, geometry=reference.geometry
    )
    pieces = None if objects is None else scores.pieces
    scored = ScoredCase(scores.rows, reason, pieces, lacking=scores.lacking)
    scored.features = unused.features
    return scored


def painted(content: InstanceMasks) -> NDArray[np.uint16]:
    """Return a label image in which later objects are drawn over earlier ones."""
    labels = np.zeros(content.geometry.shape, dtype=np.uint16)
    for number, each in enumerate(content.objects, 1):
        box = tuple(slice(start, start + length) for start, length in zip(each.offset, each.part.shape, strict=True))
        labels[box][each.part] = number
    return labels
