"""Instance segmentation: objects found, and how well each was outlined.

Functions take the objects of one image, the reference first: `evaluation.matching.Objects`, or label maps (0 is
background, every other number one object). Objects of one image must not overlap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluation.matching import Matching, Objects, Rule, from_label_map, match_objects
from evaluation.matching.assignment import inside_ignored, pairs_of
from evaluation.matching.criteria import mask_overlap
from evaluation.metrics.boundary import nsd
from evaluation.metrics.declaration import INSTANCES, NOTHING_TO_FIND, declare
from evaluation.metrics.masks import Mask
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import (
    INCLUDE_BACKGROUND,
    INSTANCE_CONNECTIVITY,
    IOU_THRESHOLD,
    MASK_MATCHING,
    SCALE,
    UNMATCHED,
)
from evaluation.metrics.values import FloatArray, Values, ratio
from evaluation.outcomes import Flag, Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from evaluation.matching.criteria import Pairs
    from evaluation.matching.objects import InstanceConnectivity

Unmatched = Literal["ignore", "zero_fn", "zero_fn_fp"]
STRICT = Rule(criterion="loc_mask_iou", assignment="criterion_gt_half")
"""Masks that overlap by more than half: the matching of segmentation metrics that have no matching options."""


@dataclass(frozen=True)
class PanopticCounts:
    """Components of panoptic quality; numbers, or arrays of one number per image.

    Attributes
    ----------
    iou
        Sum of the IoU of all matched pairs.
    tp, fp, fn
        Matched pairs, surplus predictions, missed references.
    """

    iou: FloatArray | float
    tp: FloatArray | float
    fp: FloatArray | float
    fn: FloatArray | float


def panoptic_counts(
    reference: ArrayLike | Objects,
    prediction: ArrayLike | Objects,
    *,
    iou_threshold: float = 0.5,
    include_background: bool = False,
    instance_connectivity: InstanceConnectivity = "as_submitted",
) -> PanopticCounts:
    """Match the objects of one image and class by mask IoU above a threshold.

    Parameters
    ----------
    reference, prediction
        Label maps or objects.
    iou_threshold
        From 0.5 on; a match needs more, which makes it unique.
    include_background
        The background counts as one more object on either side.
    instance_connectivity
        What the objects of a label map are; see `evaluation.matching.from_label_map`.
    """
    if not 0.5 <= iou_threshold <= 1:
        message = f"iou_threshold lies between 0.5 and 1, not at {iou_threshold}"
        raise ValueError(message)
    ours, theirs = _objects(reference, instance_connectivity), _objects(prediction, instance_connectivity)
    real = ours if not ours.ignored.any() else ours.select(~ours.ignored)
    pairs = pairs_of(real, theirs, "loc_mask_iou")
    matched = _one_to_one(pairs.where(pairs.value > iou_threshold))
    alone = np.ones(theirs.size, dtype=bool)
    if ours.ignored.any():
        alone[inside_ignored(ours.select(ours.ignored), theirs)] = False
    alone[matched.prediction] = False
    iou, tp = float(matched.value.sum()), len(matched.value)
    fp, fn = int(np.count_nonzero(alone)), real.size - tp
    if include_background:
        empty_here, empty_there = ~ours.covered, ~theirs.covered
        union = np.count_nonzero(empty_here | empty_there)
        value = np.count_nonzero(empty_here & empty_there) / union if union else 0.0
        hit = value > iou_threshold
        iou, tp = iou + value * hit, tp + int(hit)
        fp += int(not hit and bool(empty_there.any()))
        fn += int(not hit and bool(empty_here.any()))
    return PanopticCounts(iou, tp, fp, fn)


def _one_to_one(pairs: Pairs) -> Pairs:
    """Keep each object in its best pair only; objects that do not overlap have one pair above one half at most."""
    order = np.lexsort((pairs.prediction, pairs.reference, -pairs.value))
    seen: tuple[set[int], set[int]] = (set(), set())
    kept = np.zeros(len(order), dtype=bool)
    for row in order.tolist():
        one, other = int(pairs.reference[row]), int(pairs.prediction[row])
        if one not in seen[0] and other not in seen[1]:
            kept[row] = True
            seen[0].add(one)
            seen[1].add(other)
    return pairs if kept.all() else pairs.where(kept)


def panoptic_values(metric: str, counts: PanopticCounts) -> Values:
    """Panoptic quality or one of its factors, from counts that may be sums over many images.

    ``segmentation_quality`` needs a match: without one it is ``degenerate`` (or names the side that is empty).
    """
    iou, tp, fp, fn = (np.atleast_1d(np.asarray(x, dtype=float)) for x in (counts.iou, counts.tp, counts.fp, counts.fn))
    weight = tp + fp / 2 + fn / 2
    numbers = {
        "panoptic_quality": lambda: ratio(iou, weight),
        "detection_quality": lambda: ratio(tp, weight),
        "segmentation_quality": lambda: ratio(iou, tp),
    }[metric]()
    values = Values(numbers).undefine(weight == 0, Outcome.BOTH_EMPTY)
    values.undefine(tp + fn == 0, Outcome.REF_EMPTY)
    values.undefine(tp + fp == 0, Outcome.PRED_EMPTY)
    return values.undefine(np.isnan(numbers), Outcome.DEGENERATE)


@declare(
    "Panoptic Quality",
    "PQ",
    categories=INSTANCES,
    direction="higher",
    range=(0, 1),
    family="per_class_counting",
    needs="instances",
    options=(
        Option(
            "iou_threshold",
            "number",
            0.5,
            "Strict lower bound on mask IoU for a match; at 0.5 or more the match is unique for non-overlapping instances.",
            minimum=0.5,
            maximum=1,
        ),
        SCALE,
        INCLUDE_BACKGROUND,
        INSTANCE_CONNECTIVITY,
    ),
    evidence="panoptic",
)
def panoptic_quality(reference: ArrayLike | Objects, prediction: ArrayLike | Objects, **options: Any) -> Result:
    """Panoptic quality of one image: sum of the IoU of matched pairs / (TP + FP/2 + FN/2).

    Parameters
    ----------
    reference, prediction
        Label maps or objects of one class.
    options
        Those of `panoptic_counts`.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without objects on a side.

    References
    ----------
    A. Kirillov et al., "Panoptic segmentation", CVPR 2019.

    Examples
    --------
    >>> panoptic_quality([[1, 1, 0, 2]], [[7, 7, 0, 0]]).value
    0.6666666666666666
    """
    return panoptic_values("panoptic_quality", panoptic_counts(reference, prediction, **options)).result()


@declare(
    "Segmentation Quality (PQ component)",
    "SQ",
    categories=INSTANCES,
    direction="higher",
    range=(0, 1),
    family="per_class_counting",
    needs="instances",
    options=(IOU_THRESHOLD, SCALE, INSTANCE_CONNECTIVITY),
    evidence="panoptic",
    policy=NOTHING_TO_FIND,
)
def segmentation_quality(reference: ArrayLike | Objects, prediction: ArrayLike | Objects, **options: Any) -> Result:
    """Mean IoU of the matched pairs of one image; ``degenerate`` if there is none."""
    return panoptic_values("segmentation_quality", panoptic_counts(reference, prediction, **options)).result()


@declare(
    "Detection Quality (PQ component)",
    "DQ",
    categories=INSTANCES,
    direction="higher",
    range=(0, 1),
    family="per_class_counting",
    needs="instances",
    options=(IOU_THRESHOLD, SCALE, INSTANCE_CONNECTIVITY),
    evidence="panoptic",
)
def detection_quality(reference: ArrayLike | Objects, prediction: ArrayLike | Objects, **options: Any) -> Result:
    """F1 of the objects of one image under the matching of panoptic quality."""
    return panoptic_values("detection_quality", panoptic_counts(reference, prediction, **options)).result()


@declare(
    "Multi-Instance Dice Similarity Coefficient",
    "MI DSC",
    categories=INSTANCES,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="instances",
    options=(UNMATCHED, INSTANCE_CONNECTIVITY, *MASK_MATCHING),
)
def mi_dsc(
    reference: ArrayLike | Objects,
    prediction: ArrayLike | Objects,
    *,
    unmatched: Unmatched = "zero_fn_fp",
    instance_connectivity: InstanceConnectivity = "as_submitted",
    **matching: Any,
) -> Result:
    """Multi-instance Dice: mean DSC of the matched objects of one image, with 0 for those without a match.

    Parameters
    ----------
    reference, prediction
        Label maps or objects of one class.
    unmatched
        ``zero_fn_fp``: missed references and surplus predictions count 0; ``zero_fn``: only missed references do;
        ``ignore``: only matched pairs count.
    instance_connectivity
        See `evaluation.matching.from_label_map`.
    matching
        ``localization_criterion`` (``loc_mask_iou``), ``localization_threshold`` (0.5), ``assignment`` (``hungarian``),
        ``double_assignment``.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without objects on a side, and
        ``degenerate`` if ``ignore`` leaves no pair.
    """
    ours, theirs = _objects(reference, instance_connectivity), _objects(prediction, instance_connectivity)
    matched = match_objects(ours, theirs, _mi_rule(matching))
    shared = mask_overlap(ours, theirs)
    common = dict(
        zip(zip(shared.reference.tolist(), shared.prediction.tolist(), strict=True), shared.value, strict=True)
    )
    values = [
        2 * common.get((i, j), 0.0) / (ours.areas[i] + theirs.areas[j])
        for i, j in zip(matched.reference.tolist(), matched.prediction.tolist(), strict=True)
    ]
    return mean_with_unmatched(values, matched, unmatched)


@declare(
    "Multi-Instance Normalized Surface Distance",
    "MI NSD",
    categories=INSTANCES,
    direction="higher",
    range=(0, 1),
    family="boundary",
    needs="instances spacing",
    options=(
        UNMATCHED,
        INSTANCE_CONNECTIVITY,
        Option("tolerance", "number", 1.0, "See nsd.", unit="mm", minimum=0, required=True),
        *MASK_MATCHING,
    ),
)
def mi_nsd(
    reference: ArrayLike | Objects,
    prediction: ArrayLike | Objects,
    *,
    tolerance: float,
    unmatched: Unmatched = "zero_fn_fp",
    instance_connectivity: InstanceConnectivity = "as_submitted",
    spacing: Sequence[float] | None = None,
    **matching: Any,
) -> Result:
    """Multi-instance NSD: as `mi_dsc`, with the normalized surface distance of each pair.

    ``tolerance`` is in mm; ``spacing`` is that of the objects unless given.
    """
    ours = _objects(reference, instance_connectivity, spacing)
    theirs = _objects(prediction, instance_connectivity, spacing)
    matched = match_objects(ours, theirs, _mi_rule(matching))
    values = pair_values(ours, theirs, matched, lambda a, b: nsd(a, b, tolerance=tolerance))
    return mean_with_unmatched(values, matched, unmatched)


@declare(
    "Aggregated Jaccard Index",
    "AJI",
    categories=INSTANCES,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="instances",
    options=(INSTANCE_CONNECTIVITY,),
)
def aji(
    reference: ArrayLike | Objects,
    prediction: ArrayLike | Objects,
    *,
    instance_connectivity: InstanceConnectivity = "as_submitted",
) -> Result:
    """Aggregated Jaccard index of one image: summed intersections over summed unions (MoNuSeg).

    Each object of the reference is paired with the prediction of the greatest IoU, which may have several partners.
    Objects without a partner add their pixels to the unions.

    Parameters
    ----------
    reference, prediction
        Label maps or objects of one class.
    instance_connectivity
        See `evaluation.matching.from_label_map`.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without objects on a side.

    References
    ----------
    N. Kumar et al., "A dataset and a technique for generalized nuclear segmentation for computational pathology", IEEE
    Transactions on Medical Imaging 36 (2017); github.com/vqdang/hover_net, metrics/stats_utils.py of commit 67e2ce5.

    Examples
    --------
    >>> aji([[1, 1, 0, 2]], [[7, 7, 7, 7]]).value
    0.375
    """
    return _aggregated(reference, prediction, instance_connectivity, unique=False)


@declare(
    "Aggregated Jaccard Index with Unique Pairs",
    "AJI+",
    categories=INSTANCES,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="instances",
    options=(INSTANCE_CONNECTIVITY,),
)
def aji_plus(
    reference: ArrayLike | Objects,
    prediction: ArrayLike | Objects,
    *,
    instance_connectivity: InstanceConnectivity = "as_submitted",
) -> Result:
    """Aggregated Jaccard index with unique pairs (AJI+): those with the greatest sum of IoU.

    A prediction has one partner at most, so that one that covers several objects is punished once. Parameters and
    outcomes are those of `aji`.

    Examples
    --------
    >>> aji_plus([[1, 1, 0, 2]], [[7, 7, 7, 7]]).value
    0.4
    """
    return _aggregated(reference, prediction, instance_connectivity, unique=True)


def _aggregated(
    reference: ArrayLike | Objects, prediction: ArrayLike | Objects, connectivity: InstanceConnectivity, *, unique: bool
) -> Result:
    """Summed intersections over summed unions; predictions inside ignored objects do not count."""
    ours, theirs = _objects(reference, connectivity), _objects(prediction, connectivity)
    if ours.ignored.any():
        counted = np.ones(theirs.size, dtype=bool)
        counted[inside_ignored(ours.select(ours.ignored), theirs)] = False
        ours, theirs = ours.select(~ours.ignored), theirs.select(counted)
    if not (ours.size and theirs.size):
        emptiness = Outcome.PRED_EMPTY if ours.size else Outcome.REF_EMPTY
        return undefined(emptiness if ours.size or theirs.size else Outcome.BOTH_EMPTY)
    shared = mask_overlap(ours, theirs)
    unions = ours.areas[shared.reference] + theirs.areas[shared.prediction] - shared.value
    overlaps = shared.value / unions
    chosen = _unique_pairs(shared, overlaps, ours.size, theirs.size) if unique else _best_pairs(shared, overlaps)
    alone, surplus = np.ones(ours.size, dtype=bool), np.ones(theirs.size, dtype=bool)
    alone[shared.reference[chosen]], surplus[shared.prediction[chosen]] = False, False
    union = unions[chosen].sum() + ours.areas[alone].sum() + theirs.areas[surplus].sum()
    return ok(shared.value[chosen].sum() / union)


def _best_pairs(shared: Pairs, overlaps: FloatArray) -> NDArray[np.int64]:
    """For each object of the reference that is touched, its pair of the greatest IoU; the first of equal ones."""
    order = np.lexsort((shared.prediction, -overlaps, shared.reference))
    first: NDArray[np.int64] = np.unique(shared.reference[order], return_index=True)[1]
    return order[first]


def _unique_pairs(shared: Pairs, overlaps: FloatArray, references: int, predictions: int) -> NDArray[np.int64]:
    """Pairs with the greatest sum of IoU, each object in one of them at most."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # Objects that overlap form small groups; each is solved on its own.
    nodes = references + predictions
    edges = (shared.reference, references + shared.prediction)
    groups = connected_components(coo_array((np.ones(len(overlaps)), edges), shape=(nodes, nodes)), directed=False)[1]
    group_of_pair = groups[shared.reference]
    order = np.argsort(group_of_pair, kind="stable")
    starts = np.flatnonzero(np.diff(group_of_pair[order], prepend=-1))
    chosen = [_solved(shared, overlaps, members) for members in np.split(order, starts[1:])]
    return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)


def _solved(shared: Pairs, overlaps: FloatArray, members: NDArray[np.int64]) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    if len(members) == 1:
        return members
    rows, row_of = np.unique(shared.reference[members], return_inverse=True)
    columns, column_of = np.unique(shared.prediction[members], return_inverse=True)
    gains, pair_at = np.zeros((len(rows), len(columns))), np.full((len(rows), len(columns)), -1)
    gains[row_of, column_of], pair_at[row_of, column_of] = overlaps[members], members
    chosen: NDArray[np.int64] = pair_at[linear_sum_assignment(gains, maximize=True)]
    return chosen[chosen >= 0]


def of_matched(
    function: Callable[..., Result], reference: Objects, prediction: Objects, *, rule: Rule = STRICT, **options: Any
) -> Result:
    """Mean of a mask metric over the matched objects of one image.

    Returns
    -------
    Result
        ``both_empty``, ``ref_empty`` or ``pred_empty`` without objects on a side; ``degenerate`` without a match.
    """
    matched = match_objects(reference, prediction, rule)
    values = pair_values(reference, prediction, matched, lambda a, b: function(a, b, **options))
    return mean_with_unmatched(values, matched, "ignore")


def pair_values(
    reference: Objects, prediction: Objects, matched: Matching, function: Callable[[Mask, Mask], Result]
) -> list[float]:
    """Value of a mask metric for each matched pair, each looked at inside its own box only."""
    values = []
    for i, j in zip(matched.reference.tolist(), matched.prediction.tolist(), strict=True):
        result = function(as_mask(reference, i), as_mask(prediction, j))
        values.append(0.0 if result.value is None else result.value)
    return values


def as_mask(objects: Objects, index: int) -> Mask:
    """One object of a label map or of masks as a mask of the whole image."""
    cached = objects.memory.get(("mask", index))
    if cached is None:
        assert objects.grid_shape is not None
        part, offset = objects.mask(index)
        cached = (objects, Mask(part, objects.spacing, shape=objects.grid_shape, offset=offset))
        objects.memory["mask", index] = cached
    assert isinstance(cached[1], Mask)
    return cached[1]


def mean_with_unmatched(values: Sequence[float], matched: Matching, unmatched: Unmatched) -> Result:
    """Mean of the values of matched pairs, with 0 for unmatched objects as far as they count."""
    if unmatched not in ("ignore", "zero_fn", "zero_fn_fp"):
        message = f"unmatched is 'ignore', 'zero_fn' or 'zero_fn_fp', not {unmatched!r}"
        raise ValueError(message)
    references, predictions = matched.tp + matched.fn, matched.tp + matched.fp
    if not references:
        return undefined(Outcome.REF_EMPTY if predictions else Outcome.BOTH_EMPTY)
    if not predictions:
        return undefined(Outcome.PRED_EMPTY)
    count = {"ignore": matched.tp, "zero_fn": references, "zero_fn_fp": references + matched.fp}[unmatched]
    return ok(sum(values) / count) if count else undefined(Outcome.DEGENERATE, Flag.NONE)


def _mi_rule(options: dict[str, Any]) -> Rule:
    return Rule.from_options({"localization_criterion": "loc_mask_iou", "assignment": "hungarian", **options})


def _objects(
    image: ArrayLike | Objects, connectivity: InstanceConnectivity, spacing: Sequence[float] | None = None
) -> Objects:
    if isinstance(image, Objects):
        return image
    return from_label_map(np.asarray(image), instance_connectivity=connectivity, spacing=spacing)
