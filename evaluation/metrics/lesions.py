"""Lesions of a mask: connected parts, and values of each lesion rather than of all voxels.

All functions take the reference first and the prediction second, as arrays of 2 or 3 dimensions or as
`evaluation.metrics.masks.Mask`. Definitions are those of the evaluation programs of challenges:

- BraTS 2023 and 2024 (github.com/rachitsaluja/BraTS-2023-Metrics, commit 43c9052, and BraTS-2024-Metrics, commit
  f1131e3): `lesionwise_dsc`, `lesionwise_hausdorff`.
- autoPET (github.com/lab-midas/autoPET, val_script.py of commit 468179b): `false_positive_volume`,
  `false_negative_volume`.
- ISLES 2022 (github.com/ezequieldlrosa/isles22, eval_utils.py of commit 31b7c8c) and 2024 (isles24, eval_utils.py of
  commit 34c6637, which calls panoptica): `lesion_f1`, `lesion_count_difference`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from evaluation.metrics.boundary import COMBINATIONS, Combination, hausdorff_percentile
from evaluation.metrics.declaration import NOTHING_TO_FIND, PIXELS, declare
from evaluation.metrics.masks import Mask, joint_box, pair
from evaluation.metrics.options import Option
from evaluation.metrics.pooled_overlap import dsc_of_counts
from evaluation.metrics.shared_options import BOUNDARY, EMPTY_MASKS, UNMATCHED
from evaluation.metrics.volumes import PER_ML, most_parts_off, voxel_volume
from evaluation.outcomes import Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from evaluation.metrics.masks import Boundary, Box, MaskPair

LesionConnectivity: TypeAlias = Literal["full", "edge", "face"]
Matching: TypeAlias = Literal["dilated", "one_to_one"]
Predicted: TypeAlias = Literal["components", "as_reference"]
Unmatched: TypeAlias = Literal["ignore", "zero_fn", "zero_fn_fp"]
_STEPS: Final = {"face": 1, "edge": 2, "full": 3}

CONNECTIVITY: Final = Option(
    "lesion_connectivity",
    "enum",
    "full",
    "Voxels that belong to one lesion: they share a corner (full, 8 / 26 neighbours), an edge (edge, 8 / 18) or a face (face, 4 / 6).",
    choices=get_args(LesionConnectivity),
)
_MATCHING: Final = (
    Option(
        "dilation",
        "integer",
        0,
        "Voxels by which lesions of the reference grow (by faces and edges) before they are merged and compared with predicted lesions; BraTS 2023: 3, for meningioma and metastases 1.",
        minimum=0,
        maximum=50,
    ),
    Option(
        "min_volume",
        "number",
        0,
        "Lesions of the reference up to this volume are not judged (area in mm² in images); BraTS 2023: 50, for metastases 2.",
        unit="mm³",
        minimum=0,
    ),
    CONNECTIVITY,
    Option(
        "matching",
        "enum",
        "dilated",
        "dilated: all predicted lesions that touch the grown lesion, together; one_to_one: pairs with the greatest sum of Dice.",
        choices=get_args(Matching),
    ),
    Option(
        "predicted_lesions",
        "enum",
        "components",
        "components: every connected part is a predicted lesion; as_reference: also merged by dilation and left out up to min_volume, as BraTS 2024 does.",
        choices=get_args(Predicted),
    ),
    UNMATCHED,
)
MIN_IOU: Final = Option(
    "min_iou",
    "number",
    0,
    "Smallest IoU of two lesions that is a hit, each lesion with one partner; 0: one common voxel is a hit; ISLES 2024: 0.5.",
    minimum=0,
    maximum=1,
    stands_where_set=True,
)


@declare(
    "Lesion-wise Dice Similarity Coefficient",
    "LW DSC",
    categories=PIXELS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks spacing",
    options=(*_MATCHING, *EMPTY_MASKS),
)
def lesionwise_dsc(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    dilation: int = 0,
    min_volume: float = 0.0,
    lesion_connectivity: LesionConnectivity = "full",
    matching: Matching = "dilated",
    predicted_lesions: Predicted = "components",
    unmatched: Unmatched = "zero_fn_fp",
    spacing: Sequence[float] | None = None,
) -> Result:
    """Mean Dice of the lesions of the reference, with 0 for each missed and each surplus lesion (BraTS).

    A lesion of the reference is a connected part; parts whose dilations touch are one lesion. It is compared with all
    predicted lesions that touch its dilation, each taken as a whole. Lesions up to ``min_volume`` are not judged, and
    predicted lesions that touch them are not surplus.

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    dilation
        Number of steps by which a lesion of the reference grows, each by the neighbours at faces and edges.
    min_volume
        In mm³ (mm² in images).
    lesion_connectivity
        ``full``, ``edge`` or ``face``.
    matching
        ``dilated`` as above, or ``one_to_one``: pairs of one lesion each that overlap and whose Dice has the greatest
        sum (BraTS 2025, brats-evaluation 0.0.10 with panoptica 2.1.7).
    predicted_lesions
        ``components``, or ``as_reference``: predicted lesions are merged and left out by size, too.
    unmatched
        ``zero_fn_fp``: missed and surplus lesions count 0; ``zero_fn``: only missed ones do; ``ignore``: neither.
    spacing
        Size of a voxel along each array axis in mm; 1 if omitted.

    Returns
    -------
    Result
        Value in [0, 1], higher is better. ``both_empty`` without a judged lesion and without a surplus one, ``ref_empty``
        with surplus ones only, ``pred_empty`` if nothing is predicted, ``degenerate`` if ``ignore`` leaves no lesion.

    Raises
    ------
    ValueError
        If shapes differ or an option has no such value.

    Examples
    --------
    >>> lesionwise_dsc([[1, 1, 0, 0, 1]], [[1, 0, 0, 0, 1]]).value
    0.8333333333333333
    """
    masks = pair(reference, prediction, spacing)
    rule = LesionRule(dilation, min_volume, lesion_connectivity, matching, predicted_lesions)
    matched = match_lesions(masks, rule)
    if matched.outcome is not None:
        return undefined(matched.outcome)
    return _mean([pairing.dice for pairing in matched.pairings], matched, unmatched, penalty=0.0)


@declare(
    "Lesion-wise Hausdorff Distance, X-th percentile (default HD95)",
    "LW HD95",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="boundary",
    needs="masks spacing",
    unit="mm",
    options=(
        Option(
            "percentile", "number", 95, "Percentile of the distances of a lesion.", maximum=100, exclusive_minimum=0
        ),
        Option("combine", "enum", "max_of_directed", "As for hausdorff_percentile.", choices=COMBINATIONS),
        replace(BOUNDARY, stands_where_set=False),
        Option(
            "penalty",
            "number|string",
            "image_diagonal",
            "Distance that a missed or surplus lesion counts as; BraTS 2023: 374, BraTS 2024: the diagonal, BraTS 2025: 373.",
            unit="mm",
            minimum=0,
        ),
        *_MATCHING,
        *EMPTY_MASKS,
    ),
    label="LW HD{percentile:g}",
)
def lesionwise_hausdorff(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    percentile: float = 95.0,
    combine: Combination = "max_of_directed",
    boundary: Boundary = "voxels",
    penalty: float | Literal["image_diagonal"] = "image_diagonal",
    dilation: int = 0,
    min_volume: float = 0.0,
    lesion_connectivity: LesionConnectivity = "full",
    matching: Matching = "dilated",
    predicted_lesions: Predicted = "components",
    unmatched: Unmatched = "zero_fn_fp",
    spacing: Sequence[float] | None = None,
) -> Result:
    """Mean Hausdorff percentile of the lesions of the reference, with a penalty for missed and surplus ones (BraTS).

    Lesions are those of `lesionwise_dsc`.

    Parameters
    ----------
    reference, prediction, dilation, min_volume, lesion_connectivity, matching, predicted_lesions, unmatched, spacing
        As for `lesionwise_dsc`; ``unmatched`` decides which lesions get the penalty.
    percentile, combine, boundary
        As for `hausdorff_percentile`. BraTS measures surface elements (``surfels``).
    penalty
        In mm; by default the diagonal of the image.

    Returns
    -------
    Result
        Value in [0, inf) mm, lower is better; outcomes as for `lesionwise_dsc`.

    Examples
    --------
    >>> lesionwise_hausdorff([[1, 1, 0, 0, 0, 0, 1]], [[1, 0, 0, 0, 0, 0, 0]], penalty=9.0, percentile=100).value
    5.0
    """
    masks = pair(reference, prediction, spacing)
    rule = LesionRule(dilation, min_volume, lesion_connectivity, matching, predicted_lesions)
    matched = match_lesions(masks, rule)
    if matched.outcome is not None:
        return undefined(matched.outcome)
    worst = masks.reference.diagonal if penalty == "image_diagonal" else float(penalty)
    distances = [
        worst
        if pairing.prediction is None
        else hausdorff_percentile(
            pairing.reference, pairing.prediction, percentile=percentile, combine=combine, boundary=boundary
        ).value
        for pairing in matched.pairings
    ]
    return _mean([worst if value is None else value for value in distances], matched, unmatched, penalty=worst)


def _largest_false_positive(reference: Mask) -> float:
    """Volume of everything outside the reference, in ml."""
    return (int(np.prod(reference.shape)) - reference.count) * voxel_volume(reference) / PER_ML


def _volume(reference: Mask) -> float:
    return reference.count * voxel_volume(reference) / PER_ML


@declare(
    "False-positive Volume",
    "FPV",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="overlap",
    needs="masks spacing volume",
    unit="ml",
    options=(CONNECTIVITY,),
    worst_by_case=True,
    worst_of=_largest_false_positive,
)
def false_positive_volume(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    lesion_connectivity: LesionConnectivity = "full",
    spacing: Sequence[float] | None = None,
) -> Result:
    """Volume of predicted lesions that do not overlap with the reference, in ml (autoPET).

    Parameters
    ----------
    reference, prediction
        Masks of one shape with three dimensions.
    lesion_connectivity
        Of a predicted lesion; autoPET uses ``edge`` (18 neighbours).
    spacing
        Size of a voxel along each array axis in mm; 1 if omitted.

    Returns
    -------
    Result
        Value in [0, inf) ml, lower is better; always ``ok``: without a prediction nothing is wrong, and without a
        reference all of it is.

    Raises
    ------
    ValueError
        If shapes differ or the masks have two dimensions: an area is no volume.

    Examples
    --------
    >>> false_positive_volume([[[1, 0, 0, 0]]], [[[1, 1, 0, 1]]], spacing=(10, 10, 10)).value
    1.0
    """
    masks = _volumes(reference, prediction, spacing)
    return ok(_alone(masks.prediction, masks.reference, lesion_connectivity))


@declare(
    "False-negative Volume",
    "FNV",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="overlap",
    needs="masks spacing volume",
    unit="ml",
    options=(CONNECTIVITY,),
    policy=NOTHING_TO_FIND,
    worst_by_case=True,
    worst_of=_volume,
)
def false_negative_volume(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    lesion_connectivity: LesionConnectivity = "full",
    spacing: Sequence[float] | None = None,
) -> Result:
    """Volume of lesions of the reference that do not overlap with the prediction, in ml (autoPET).

    Parameters are those of `false_positive_volume`.

    Returns
    -------
    Result
        Value in [0, inf) ml, lower is better; ``both_empty`` or ``ref_empty`` without a lesion in the reference, where
        nothing can be missed.

    Examples
    --------
    >>> false_negative_volume([[[1, 0, 0, 1]]], [[[1, 1, 0, 0]]], spacing=(10, 10, 10)).value
    1.0
    """
    masks = _volumes(reference, prediction, spacing)
    if masks.reference.empty:
        return undefined(Outcome.BOTH_EMPTY if masks.prediction.empty else Outcome.REF_EMPTY)
    return ok(_alone(masks.reference, masks.prediction, lesion_connectivity))


@declare(
    "Lesion-wise F1 Score",
    "Lesion F1",
    categories=PIXELS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks",
    options=(CONNECTIVITY, MIN_IOU, *EMPTY_MASKS),
)
def lesion_f1(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    lesion_connectivity: LesionConnectivity = "full",
    min_iou: float = 0.0,
    spacing: Sequence[float] | None = None,
) -> Result:
    """F1 score of lesions, TP / (TP + (FP + FN) / 2), where one common voxel is a hit, or a smallest IoU (ISLES).

    TP and FN are lesions of the reference that are hit and missed; FP are predicted lesions that hit none. Without
    ``min_iou``, lesions with a common voxel hit each other (ISLES 2022). With it, pairs of one lesion each are formed
    from the greatest IoU down, as long as it is at least ``min_iou`` (ISLES 2024).

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    lesion_connectivity
        ``full``, ``edge`` or ``face``; ISLES uses ``full``.
    min_iou
        Smallest IoU of a pair, in [0, 1]; 0: one common voxel is a hit. ISLES 2024 uses 0.5.
    spacing
        Taken so that all mask metrics can be called alike; it does not change the value.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` without a value.

    Examples
    --------
    >>> lesion_f1([[1, 1, 0, 1]], [[1, 0, 0, 0]]).value
    0.6666666666666666
    >>> lesion_f1([[1, 1, 0, 1]], [[1, 0, 0, 0]], min_iou=0.6).value
    0.0
    """
    masks = pair(reference, prediction, spacing)
    hits, truth, guess = lesion_counts(
        masks.reference, masks.prediction, lesion_connectivity=lesion_connectivity, min_iou=min_iou
    )
    if masks.emptiness is not None:
        return undefined(masks.emptiness)
    return ok(2 * hits / (truth + guess))


def lesion_counts(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    lesion_connectivity: LesionConnectivity = "full",
    min_iou: float = 0.0,
) -> tuple[int, int, int]:
    """Hits TP of a case, TP + FN and TP + FP, as `lesion_f1` counts them.

    Raises
    ------
    ValueError
        If shapes differ, or for a ``min_iou`` outside [0, 1].

    Examples
    --------
    >>> lesion_counts([[1, 1, 0, 1, 0, 0]], [[1, 0, 0, 0, 0, 1]])
    (1, 2, 2)
    """
    if not 0 <= min_iou <= 1:
        message = f"min_iou is a number from 0 to 1, not {min_iou!r}"
        raise ValueError(message)
    masks = pair(reference, prediction)
    if masks.emptiness is not None or not min_iou:
        hit, missed = _touching(masks.reference, masks.prediction, lesion_connectivity)
        surplus = _touching(masks.prediction, masks.reference, lesion_connectivity)[1]
        return hit.size, hit.size + missed.size, hit.size + surplus.size
    return _paired(masks, lesion_connectivity, min_iou)


@declare(
    "Aggregated Lesion-wise F1 Score",
    "Lesion F1agg",
    categories=PIXELS,
    direction="higher",
    range=(0, 1),
    family="overlap",
    needs="masks",
    options=(CONNECTIVITY, replace(MIN_IOU, stands_where_set=False)),
    evidence="overlap",
    whole_data_set=True,
)
def aggregated_lesion_f1(
    reference: Sequence[ArrayLike | Mask],
    prediction: Sequence[ArrayLike | Mask],
    *,
    lesion_connectivity: LesionConnectivity = "full",
    min_iou: float = 0.0,
) -> Result:
    """F1 score of the lesions of a data set, 2 Σ TP / Σ (2 TP + FP + FN) over all cases (HECKTOR 2025).

    Hits of a case are those of `lesion_f1`.

    Parameters
    ----------
    reference, prediction
        One mask per case, in the same order; the two masks of a case have one shape.
    lesion_connectivity
        ``full``, ``edge`` or ``face``.
    min_iou
        Smallest IoU of a pair, in [0, 1]; 0: one common voxel is a hit. HECKTOR 2025 uses 0.3.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``both_empty``, ``ref_empty`` or ``pred_empty`` if all masks of a side are
        empty.

    Raises
    ------
    ValueError
        If there are not as many predictions as references, shapes differ, or for a ``min_iou`` outside [0, 1].

    References
    ----------
    N. Saeed et al., "HEad and neCK TumOR (HECKTOR) 2025", arXiv:2606.20143 (2026); hecktor25.grand-challenge.org,
    "Tasks & Evaluation".

    Examples
    --------
    >>> aggregated_lesion_f1([[[1, 0, 1]], [[0, 0, 0]]], [[[1, 0, 0]], [[0, 0, 1]]]).value
    0.5
    """
    counts = [
        lesion_counts(*masks, lesion_connectivity=lesion_connectivity, min_iou=min_iou)
        for masks in zip(reference, prediction, strict=True)
    ]
    return dsc_of_counts(np.array(counts, dtype=float).reshape(-1, 3), np.ones((1, len(counts)))).result()


def count_lesions(mask: ArrayLike | Mask, *, lesion_connectivity: LesionConnectivity = "full") -> int:
    """Number of lesions of a mask.

    Examples
    --------
    >>> count_lesions([[1, 1, 0, 1]])
    2
    """
    of = mask if isinstance(mask, Mask) else Mask(mask)
    return _parts(of.crop, lesion_connectivity)[1]


@declare(
    "Absolute Lesion Count Difference",
    "Lesion count diff.",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="overlap",
    needs="masks",
    options=(CONNECTIVITY,),
    worst_by_case=True,
    worst_of=most_parts_off,
)
def lesion_count_difference(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    lesion_connectivity: LesionConnectivity = "full",
    spacing: Sequence[float] | None = None,
) -> Result:
    """Absolute difference between the numbers of lesions (ISLES).

    Parameters are those of `lesion_f1`. The value says nothing about place or size; it never stands alone.

    Returns
    -------
    Result
        A whole number from 0 on, lower is better; always ``ok``: an empty mask has no lesion.

    Examples
    --------
    >>> lesion_count_difference([[1, 0, 1, 0, 1]], [[1, 0, 0, 0, 0]]).value
    2.0
    """
    masks = pair(reference, prediction, spacing)
    counts = [_parts(mask.crop, lesion_connectivity)[1] for mask in (masks.reference, masks.prediction)]
    return ok(abs(counts[1] - counts[0]))


class LesionRule(NamedTuple):
    """Options that define lesions and their partners; see `lesionwise_dsc`."""

    dilation: int = 0
    min_volume: float = 0.0
    connectivity: LesionConnectivity = "full"
    matching: Matching = "dilated"
    predicted: Predicted = "components"


@dataclass(frozen=True)
class Pairing:
    """A judged lesion of the reference with what was predicted of it.

    Attributes
    ----------
    reference
        The lesion.
    prediction
        Its predicted lesions together; ``None`` if it was missed.
    dice
        Dice of both; 0 if it was missed.
    """

    reference: Mask
    prediction: Mask | None
    dice: float


@dataclass(frozen=True)
class MatchedLesions:
    """All judged lesions of a case.

    Attributes
    ----------
    pairings
        One per judged lesion of the reference.
    surplus
        Number of predicted lesions that belong to no lesion of the reference, judged or not.
    outcome
        Reason why there is nothing to judge; ``None`` otherwise.
    """

    pairings: tuple[Pairing, ...]
    surplus: int
    outcome: Outcome | None


def match_lesions(masks: MaskPair, rule: LesionRule) -> MatchedLesions:
    """Find the lesions of both masks and the partners of those of the reference.

    Raises
    ------
    ValueError
        If the rule has a value that does not exist.
    """
    _check(rule)
    if masks.emptiness is Outcome.BOTH_EMPTY:
        return MatchedLesions((), 0, Outcome.BOTH_EMPTY)
    box = _grown(_box_of(masks), rule.dilation, masks.reference.shape)
    truth, truth_count = _lesions(masks.reference.within(box), rule, merged=True)
    merged = rule.predicted == "as_reference"
    guess, guess_count = _lesions(masks.prediction.within(box), rule, merged=merged)
    volume = voxel_volume(masks.reference)
    if merged:
        guess, guess_count = _without_small(guess, guess_count, rule.min_volume / volume)
    sizes = np.bincount(truth.ravel(), minlength=truth_count + 1)
    partners = (_by_dilation if rule.matching == "dilated" else _one_to_one)(truth, truth_count, guess, rule.dilation)
    used = {partner for near in partners for partner in near}
    judged = [index for index in range(1, truth_count + 1) if sizes[index] * volume > rule.min_volume]
    sides = (_Side.of(truth, truth_count), _Side.of(guess, int(guess.max(initial=0))))
    pairings = tuple(_pairing(masks.reference, box, sides, index, partners[index - 1]) for index in judged)
    surplus = guess_count - len(used)
    if not pairings:
        return MatchedLesions((), surplus, Outcome.REF_EMPTY if surplus else Outcome.BOTH_EMPTY)
    return MatchedLesions(pairings, surplus, Outcome.PRED_EMPTY if masks.prediction.empty else None)


def _check(rule: LesionRule) -> None:
    allowed = (
        ("lesion_connectivity", rule.connectivity, get_args(LesionConnectivity)),
        ("matching", rule.matching, get_args(Matching)),
        ("predicted_lesions", rule.predicted, get_args(Predicted)),
    )
    for name, value, choices in allowed:
        if value not in choices:
            message = f"{name} is one of {', '.join(choices)}, not {value!r}"
            raise ValueError(message)
    if rule.dilation < 0 or not (np.isfinite(rule.min_volume) and rule.min_volume >= 0):
        message = f"dilation and min_volume are numbers from 0 on, not {rule.dilation} and {rule.min_volume}"
        raise ValueError(message)


def _box_of(masks: MaskPair) -> Box:
    if masks.emptiness is None:
        return joint_box(masks.reference, masks.prediction)
    return masks.prediction.box or masks.reference.box or ()


def _grown(box: Box, steps: int, shape: Sequence[int]) -> Box:
    """A box with a margin, inside the image."""
    return tuple((max(0, a - steps), min(n, b + steps)) for (a, b), n in zip(box, shape, strict=True))


def _parts(mask: NDArray[np.bool_], connectivity: LesionConnectivity) -> tuple[NDArray[Any], int]:
    """Number the connected parts of a mask from 1 on."""
    from scipy import ndimage

    if connectivity not in _STEPS:
        message = f"lesion_connectivity is 'full', 'edge' or 'face', not {connectivity!r}"
        raise ValueError(message)
    structure = ndimage.generate_binary_structure(mask.ndim, _STEPS[connectivity])
    labels, count = ndimage.label(mask, structure=structure)
    return labels, int(count)


def _lesions(mask: NDArray[np.bool_], rule: LesionRule, *, merged: bool) -> tuple[NDArray[Any], int]:
    """Number the lesions; those whose dilations touch have one number."""
    if not merged or not rule.dilation or not mask.any():
        return _parts(mask, rule.connectivity)
    labels, _ = _parts(_dilated(mask, rule.dilation), rule.connectivity)
    labels = np.where(mask, labels, 0)
    return labels, int(labels.max())


def _dilated(mask: NDArray[np.bool_], steps: int) -> NDArray[np.bool_]:
    from scipy import ndimage

    if not steps:
        return mask
    structure = ndimage.generate_binary_structure(mask.ndim, 2)
    grown: NDArray[np.bool_] = ndimage.binary_dilation(mask, structure=structure, iterations=steps)
    return grown


def _without_small(labels: NDArray[Any], count: int, voxels: float) -> tuple[NDArray[Any], int]:
    """Leave out lesions of up to so many voxels and number the others again."""
    large = np.bincount(labels.ravel(), minlength=count + 1) > voxels
    large[0] = False
    numbers = np.where(large, np.cumsum(large), 0)
    return numbers[labels], int(large.sum())


def _by_dilation(truth: NDArray[Any], count: int, guess: NDArray[Any], steps: int) -> list[list[int]]:
    """The predicted lesions that touch the dilation of each lesion of the reference."""
    from scipy import ndimage

    partners = []
    for index, slices in enumerate(ndimage.find_objects(truth, count), start=1):
        box = _grown(tuple((part.start, part.stop) for part in slices), steps, truth.shape)
        part = tuple(slice(a, b) for a, b in box)
        near = np.unique(guess[part][_dilated(truth[part] == index, steps)])
        partners.append([int(label) for label in near if label])
    return partners


def _one_to_one(truth: NDArray[Any], count: int, guess: NDArray[Any], steps: int) -> list[list[int]]:  # noqa: ARG001
    """The predicted lesion of each lesion of the reference in the pairs whose Dice has the greatest sum."""
    from scipy.optimize import linear_sum_assignment

    partners: list[list[int]] = [[] for _ in range(count)]
    common = np.zeros((count + 1, int(guess.max()) + 1))
    np.add.at(common, (truth.ravel(), guess.ravel()), 1)
    dice = 2 * common[1:, 1:] / (common.sum(axis=1)[1:, None] + common.sum(axis=0)[None, 1:])
    for row, column in zip(*linear_sum_assignment(dice, maximize=True), strict=True):
        if dice[row, column] > 0:
            partners[row] = [int(column) + 1]
    return partners


class _Side(NamedTuple):
    """Numbered lesions of one mask, with the place of each."""

    labels: NDArray[Any]
    places: list[tuple[slice, ...]]

    @classmethod
    def of(cls, labels: NDArray[Any], count: int) -> _Side:
        """Find the places."""
        from scipy import ndimage

        return cls(labels, ndimage.find_objects(labels, count) if count else [])

    def mask(self, image: Mask, box: Box, chosen: Sequence[int]) -> Mask:
        """Some of the lesions together as a mask of the whole image."""
        places = [self.places[index - 1] for index in chosen]
        part = tuple(
            slice(min(slices[axis].start for slices in places), max(slices[axis].stop for slices in places))
            for axis in range(self.labels.ndim)
        )
        offset = tuple(start + inner.start for (start, _), inner in zip(box, part, strict=True))
        values = self.labels[part]
        return Mask(np.isin(values, chosen), image.spacing, shape=image.shape, offset=offset)


def _pairing(image: Mask, box: Box, sides: tuple[_Side, _Side], index: int, partners: Sequence[int]) -> Pairing:
    reference = sides[0].mask(image, box, [index])
    if not partners:
        return Pairing(reference, None, 0.0)
    prediction = sides[1].mask(image, box, partners)
    masks = pair(reference, prediction)
    return Pairing(reference, prediction, 2 * masks.intersection / (reference.count + prediction.count))


def _mean(values: Sequence[float], matched: MatchedLesions, unmatched: Unmatched, *, penalty: float) -> Result:
    """Mean over the lesions that count."""
    if unmatched not in get_args(Unmatched):
        message = f"unmatched is 'ignore', 'zero_fn' or 'zero_fn_fp', not {unmatched!r}"
        raise ValueError(message)
    counted = list(values)
    if unmatched == "ignore":
        counted = [value for value, p in zip(values, matched.pairings, strict=True) if p.prediction is not None]
    elif unmatched == "zero_fn_fp":
        counted += [penalty] * matched.surplus
    return ok(sum(counted) / len(counted)) if counted else undefined(Outcome.DEGENERATE)


def _volumes(reference: ArrayLike | Mask, prediction: ArrayLike | Mask, spacing: Sequence[float] | None) -> MaskPair:
    masks = pair(reference, prediction, spacing)
    if len(masks.reference.shape) != 3:
        message = f"a volume needs 3 dimensions; these masks have {len(masks.reference.shape)}"
        raise ValueError(message)
    return masks


def _paired(masks: MaskPair, connectivity: LesionConnectivity, min_iou: float) -> tuple[int, int, int]:
    """Pairs of lesions, formed from the greatest IoU down, and lesions of the reference and of the prediction."""
    box = joint_box(masks.reference, masks.prediction)
    truth, truth_count = _parts(masks.reference.within(box), connectivity)
    guess, guess_count = _parts(masks.prediction.within(box), connectivity)
    common = np.zeros((truth_count + 1, guess_count + 1))
    np.add.at(common, (truth.ravel(), guess.ravel()), 1)
    sizes = common.sum(axis=1)[1:, None] + common.sum(axis=0)[None, 1:]
    overlap = common[1:, 1:]
    iou = overlap / (sizes - overlap)
    rows, columns = np.nonzero((iou >= min_iou) & (overlap > 0))
    free_rows, free_columns, hits = set(range(truth_count)), set(range(guess_count)), 0
    for index in np.argsort(-iou[rows, columns], kind="stable"):
        row, column = int(rows[index]), int(columns[index])
        if row in free_rows and column in free_columns:
            free_rows.remove(row)
            free_columns.remove(column)
            hits += 1
    return hits, truth_count, guess_count


def _touching(mask: Mask, other: Mask, connectivity: LesionConnectivity) -> tuple[NDArray[Any], NDArray[Any]]:
    """Sizes in voxels of the lesions of a mask that have a voxel in the other mask, and of those that have none."""
    labels, count = _parts(mask.crop, connectivity)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    touched = np.zeros(count + 1, dtype=bool)
    if not other.empty and not mask.empty:
        within = np.asarray(other)[tuple(slice(a, b) for a, b in mask.box or ())]
        touched[np.unique(labels[within])] = True
    return sizes[1:][touched[1:]], sizes[1:][~touched[1:]]


def _alone(mask: Mask, other: Mask, connectivity: LesionConnectivity) -> float:
    """Volume of the lesions of a mask that have no voxel in the other mask, in ml."""
    return float(_touching(mask, other, connectivity)[1].sum()) * voxel_volume(mask) / PER_ML
