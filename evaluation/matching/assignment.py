"""Assignment of predictions to references: from pairs that pass the criterion to a matching.

Ties never depend on the order of files or on label numbers. Equal scores are broken by the criterion's value, equal
values by the positions of the objects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from evaluation.matching.criteria import CRITERIA, Pairs, box_overlap, mask_overlap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from evaluation.matching.objects import Objects

Assignment = Literal["greedy_by_score", "greedy_by_criterion", "hungarian", "criterion_gt_half"]
ASSIGNMENTS: Final = ("greedy_by_score", "greedy_by_criterion", "hungarian", "criterion_gt_half")
_HALF: Final = 0.5
_EXACT: Final = 1e-12


@dataclass(frozen=True)
class Rule:
    """Rule for matching objects.

    Attributes
    ----------
    criterion, options
        Catalogue id of the hit criterion, and its options.
    threshold
        A hit needs this overlap or more, or this distance in mm or less; not read by point criteria and
        ``criterion_gt_half``.
    assignment
        One of `ASSIGNMENTS`.
    double_assignment
        ``fp`` or ``ignore``: treatment of a prediction that hits only references that are already matched.
    once
        True if curves match all predictions together, whatever their scores, and not anew at every threshold.
    """

    criterion: str = "loc_box_iou"
    threshold: float = 0.5
    assignment: str = "greedy_by_score"
    double_assignment: str = "fp"
    options: tuple[tuple[str, Any], ...] = ()
    once: bool = False

    def __post_init__(self) -> None:
        if self.criterion not in CRITERIA:
            message = f"criterion is one of {', '.join(CRITERIA)}, not {self.criterion!r}"
            raise ValueError(message)
        if self.assignment not in ASSIGNMENTS:
            message = f"assignment is one of {', '.join(ASSIGNMENTS)}, not {self.assignment!r}"
            raise ValueError(message)
        if self.double_assignment not in ("fp", "ignore"):
            message = f"double_assignment is 'fp' or 'ignore', not {self.double_assignment!r}"
            raise ValueError(message)
        kind = CRITERIA[self.criterion].kind
        if self.assignment == "criterion_gt_half" and kind != "overlap":
            message = f"criterion_gt_half needs an overlap, which {self.criterion} is not"
            raise ValueError(message)
        if self.assignment == "greedy_by_criterion" and kind == "point":
            message = f"greedy_by_criterion needs a criterion that can be sorted; {self.criterion} is 0 or 1"
            raise ValueError(message)

    @classmethod
    def from_options(cls, options: Mapping[str, Any], threshold: float | None = None) -> Rule:
        """Build the rule from the options of a metric."""
        criterion = options.get("localization_criterion", "loc_box_iou")
        criterion_options: Mapping[str, Any] = {}
        if not isinstance(criterion, str):
            criterion, criterion_options = criterion["id"], criterion["options"]
        given = options.get("localization_threshold", 0.5) if threshold is None else threshold
        return cls(
            criterion=criterion,
            threshold=0.5 if given is None else float(given),
            assignment=options.get("assignment", "greedy_by_score"),
            double_assignment=options.get("double_assignment", "fp"),
            options=tuple(sorted((key, _frozen(value)) for key, value in criterion_options.items())),
            once=options.get("matched") == "once",
        )


@dataclass(frozen=True)
class Matching:
    """The outcome of matching one image's objects.

    Attributes
    ----------
    reference, prediction, value
        The matched pairs with the criterion's value.
    missed
        Indices of references without a prediction.
    surplus
        Indices of predictions that are false positives.
    dropped
        Indices of predictions that count neither way: duplicates that are ignored, or in regions that are.
    """

    reference: NDArray[np.int64]
    prediction: NDArray[np.int64]
    value: NDArray[np.float64]
    missed: NDArray[np.int64]
    surplus: NDArray[np.int64]
    dropped: NDArray[np.int64]

    @property
    def tp(self) -> int:
        """Number of matched pairs."""
        return len(self.reference)

    @property
    def fp(self) -> int:
        """Number of predictions that are false."""
        return len(self.surplus)

    @property
    def fn(self) -> int:
        """Number of references that were missed."""
        return len(self.missed)


def match_objects(reference: Objects, prediction: Objects, rule: Rule) -> Matching:
    """Match the objects of one image and one class.

    Ignored regions of the reference take no part. A prediction without a match is excluded if more than half of it
    (or its centre, if it has no extent) is in one of them.

    Raises
    ------
    ValueError
        If the criterion needs masks, boxes or scores that are missing.
    """
    real = np.flatnonzero(~reference.ignored)
    unignored = reference if len(real) == reference.size else reference.select(real)
    pairs = passing_pairs(unignored, prediction, rule)
    chosen = assign(pairs, unignored, prediction, rule)
    matched = pairs.where(chosen)
    missed = np.setdiff1d(np.arange(unignored.size), matched.reference)
    alone = np.setdiff1d(np.arange(prediction.size), matched.prediction)
    dropped = np.zeros(prediction.size, dtype=bool)
    if rule.double_assignment == "ignore":
        dropped[pairs.prediction] = True
    if len(real) < reference.size:
        dropped[inside_ignored(reference.select(reference.ignored), prediction)] = True
    return Matching(
        real[matched.reference],
        matched.prediction,
        matched.value,
        real[missed],
        alone[~dropped[alone]],
        alone[dropped[alone]],
    )


def passing_pairs(reference: Objects, prediction: Objects, rule: Rule) -> Pairs:
    """All pairs that the criterion calls a hit, sorted so that ties are broken by place."""
    criterion = CRITERIA[rule.criterion]
    options = dict(rule.options)
    options.pop("non_split_errors", None)
    if not reference.size or not prediction.size:
        empty = np.zeros(0, dtype=np.int64)
        return Pairs(empty, empty, np.zeros(0))
    if criterion.kind == "distance":
        options["within"] = rule.threshold
    pairs = pairs_of(reference, prediction, rule.criterion, options)
    if criterion.kind == "overlap":
        if rule.assignment == "criterion_gt_half":
            pairs = pairs.where(pairs.value > _HALF + _EXACT)
        else:
            pairs = pairs.where(pairs.value >= rule.threshold * (1 - _EXACT) if rule.threshold else pairs.value > 0)
    order = np.lexsort((reference.order[pairs.reference], prediction.order[pairs.prediction]))
    return Pairs(pairs.reference[order], pairs.prediction[order], pairs.value[order])


def pairs_of(
    reference: Objects, prediction: Objects, criterion: str, options: Mapping[str, Any] | None = None
) -> Pairs:
    """The criterion's pairs, computed once for all metrics of a case."""
    options = options or {}
    key = (id(reference), criterion, tuple(sorted(options.items())))
    cached = prediction.memory.get(key)
    if cached is None or cached[0] is not reference:
        cached = (reference, CRITERIA[criterion].pairs(reference, prediction, **options))
        prediction.memory[key] = cached
    assert isinstance(cached[1], Pairs)
    return cached[1]


def assign(pairs: Pairs, reference: Objects, prediction: Objects, rule: Rule) -> NDArray[np.bool_]:
    """Return a mask of the passing pairs that are matches."""
    if not len(pairs.value):
        return np.zeros(0, dtype=bool)
    distance = CRITERIA[rule.criterion].kind == "distance"
    goodness = -pairs.value if distance else pairs.value
    # Values that differ by rounding only are a tie, so that mirrored images are matched alike.
    goodness = np.round(goodness, 10)
    if rule.assignment == "criterion_gt_half":
        if rule.criterion == "loc_ior" and dict(rule.options).get("non_split_errors") == "ignore":
            return _one_a_reference(pairs, goodness, reference.size)
        return _greedy(pairs, np.argsort(-goodness, kind="stable"))
    if rule.assignment == "greedy_by_score":
        if prediction.scores is None:
            message = "greedy_by_score needs scores; use greedy_by_criterion or hungarian without them"
            raise ValueError(message)
        return _greedy(pairs, np.lexsort((-goodness, -prediction.scores[pairs.prediction])))
    if rule.assignment == "greedy_by_criterion":
        return _greedy(pairs, np.argsort(-goodness, kind="stable"))
    scaled = 1 - pairs.value / rule.threshold if distance and rule.threshold else goodness
    ranked = pairs._replace(reference=reference.order[pairs.reference], prediction=prediction.order[pairs.prediction])
    return _hungarian(ranked, scaled, reference.size, prediction.size)


def _greedy(pairs: Pairs, order: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Go through the pairs and take each whose both sides are free."""
    chosen = np.zeros(len(order), dtype=bool)
    taken_references: set[int] = set()
    taken_predictions: set[int] = set()
    for index, ref, pred in zip(
        order.tolist(), pairs.reference[order].tolist(), pairs.prediction[order].tolist(), strict=True
    ):
        if ref not in taken_references and pred not in taken_predictions:
            taken_references.add(ref)
            taken_predictions.add(pred)
            chosen[index] = True
    return chosen


def _one_a_reference(pairs: Pairs, goodness: NDArray[np.float64], references: int) -> NDArray[np.bool_]:
    """Each reference takes its best prediction, which may serve several."""
    chosen = np.zeros(len(goodness), dtype=bool)
    seen = np.zeros(references, dtype=bool)
    for index in np.argsort(-goodness, kind="stable"):
        chosen[index] = not seen[pairs.reference[index]]
        seen[pairs.reference[index]] = True
    return chosen


def _hungarian(pairs: Pairs, goodness: NDArray[np.float64], references: int, predictions: int) -> NDArray[np.bool_]:
    """Most matches first, then the best sum of goodness, at most 1 each; objects that can compete are solved as a group."""
    from scipy import sparse
    from scipy.optimize import linear_sum_assignment

    edges = sparse.coo_array(
        (np.ones(len(goodness)), (pairs.reference, references + pairs.prediction)),
        shape=(references + predictions,) * 2,
    )
    _, group = sparse.csgraph.connected_components(edges)
    of_pair = group[pairs.reference]
    chosen = np.zeros(len(goodness), dtype=bool)
    order = np.argsort(of_pair, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(of_pair[order])) + 1):
        if len(places) == 1:
            chosen[places] = True
            continue
        rows, row = np.unique(pairs.reference[places], return_inverse=True)
        columns, column = np.unique(pairs.prediction[places], return_inverse=True)
        gain = np.zeros((len(rows), len(columns)))
        gain[row, column] = goodness[places] + min(gain.shape)
        index = np.full(gain.shape, -1)
        index[row, column] = places
        solved = index[linear_sum_assignment(gain, maximize=True)]
        chosen[solved[solved >= 0]] = True
    return chosen


def inside_ignored(regions: Objects, prediction: Objects) -> NDArray[np.int64]:
    """Return the predictions of which more than half is in an ignored region."""
    if prediction.masks is not None and regions.has_masks:
        # Regions may overlap, too: each pixel counts once.
        boxes = zip(prediction.masks.parts, prediction.slices, strict=True)
        ignored = np.array([np.count_nonzero(part & regions.covered[box]) for part, box in boxes], dtype=float)
        return np.flatnonzero(ignored > _HALF * prediction.areas)
    if regions.labels is not None and prediction.labels is not None:
        shared, whole = mask_overlap(regions, prediction), prediction.areas
    elif regions.has_extent and prediction.has_extent:
        shared, whole = box_overlap(regions, prediction)[0], prediction.extents
    else:
        return np.unique(CRITERIA["loc_center_hit"].pairs(regions, prediction).prediction)
    covered = np.bincount(shared.prediction, weights=shared.value, minlength=prediction.size)
    return np.flatnonzero(covered > _HALF * whole)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
