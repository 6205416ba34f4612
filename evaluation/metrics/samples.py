"""Classified cases: what each is, what was decided about it, and with which scores.

The metric functions of image classification take arrays; here those become one checked form, `Samples`, from which
counts of all kinds are drawn, plain or under the multiplicities of a bootstrap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.metrics.counting import Counts
from evaluation.metrics.values import FloatArray, any_array

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import ArrayLike

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
SUM_SLACK = 5e-4
"""By how much the scores of a case may miss a sum of 1, for every class: half a unit of the third decimal."""


@dataclass(frozen=True)
class Samples:
    """Cases with reference, decision and scores.

    Attributes
    ----------
    classes
        In the order of all codes, columns and matrices; of two, the last is the positive one.
    reference, decision
        Codes, shape ``(N,)``; the decision is ``None`` if only scores matter.
    scores
        Shape ``(N, C)``, or ``None`` if there are only decisions. Rows of cases without an answer are not read.
    missing
        Which cases have no valid answer; their decision is a wrong one already.
    """

    classes: tuple[Hashable, ...]
    reference: IntArray
    decision: IntArray | None
    scores: FloatArray | None
    missing: BoolArray | None = None

    def __len__(self) -> int:
        return len(self.reference)

    def codes(self, names: Sequence[Hashable]) -> list[int]:
        """Positions of classes.

        Raises
        ------
        ValueError
            For a name that is no class.
        """
        for name in names:
            if name not in self.classes:
                message = f"{name!r} is not among the classes {', '.join(map(str, self.classes))}"
                raise ValueError(message)
        return [self.classes.index(name) for name in names]

    def matrix(self, weights: FloatArray | None = None) -> FloatArray:
        """Confusion matrices, ``(B, C, C)``, rows reference, columns decision."""
        size = len(self.classes)
        cells = totals(self.reference * size + self._decided(), size * size, weights)
        return cells.reshape(-1, size, size)

    def counts(self, positive: Sequence[int], weights: FloatArray | None = None) -> Counts:
        """Return the cardinalities of a class, or of several classes together, against the rest.

        A case without an answer counts as a wrong decision here too: as negative if it is positive, and as positive
        if it is negative.
        """
        return _binary_counts(self.belongs(positive), self._decided_as(positive), weights)

    def counts_at(self, positive: Sequence[int], threshold: float, weights: FloatArray | None = None) -> Counts:
        """Cardinalities when every score from a threshold on is a positive decision."""
        return _binary_counts(self.belongs(positive), self.score_of(positive) >= threshold, weights)

    def counts_of_reference(self, positive: Sequence[int], weights: FloatArray | None = None) -> FloatArray:
        """Return the number of cases of a class, or of any of several, in the reference, ``(B,)``."""
        return weighted_sum(self.belongs(positive).astype(np.float64), weights)

    def belongs(self, positive: Sequence[int]) -> BoolArray:
        """Return a mask of the cases that are positive in the reference."""
        return _is_any(self.reference, positive)

    def score_of(self, positive: Sequence[int]) -> FloatArray:
        """Scores of a class, or of several taken together; a case without an answer has the worst score."""
        scores = self.required_scores
        chosen = scores[:, positive[0]] if len(positive) == 1 else np.minimum(scores[:, list(positive)].sum(axis=1), 1)
        if self.missing is None or not self.missing.any():
            return chosen
        least, greatest = _extremes(chosen[~self.missing])
        return np.where(self.missing, np.where(self.belongs(positive), least, greatest), chosen)

    @property
    def required_scores(self) -> FloatArray:
        """The scores.

        Raises
        ------
        ValueError
            If there are none.
        """
        if self.scores is None:
            message = "this metric needs scores, and there are only labels"
            raise ValueError(message)
        return self.scores

    @property
    def absent(self) -> BoolArray:
        """Mask of the cases without a valid answer; an array even if none is missing."""
        return np.zeros(len(self), dtype=bool) if self.missing is None else self.missing

    def _decided(self) -> IntArray:
        if self.decision is None:
            message = "this metric needs decisions"
            raise ValueError(message)
        return self.decision

    def _decided_as(self, positive: Sequence[int]) -> BoolArray:
        decided = _is_any(self._decided(), positive)
        if self.missing is None or not self.missing.any():
            return decided
        return np.where(self.missing, ~self.belongs(positive), decided)


def _extremes(scores: FloatArray) -> tuple[float, float]:
    """Return the worst scores of a positive and of a negative case: 0 and 1, or beyond all scores that are no probabilities."""
    if not scores.size or (scores.min() >= 0 and scores.max() <= 1):
        return 0.0, 1.0
    return float(np.nextafter(scores.min(), -np.inf)), float(np.nextafter(scores.max(), np.inf))


def totals(groups: npt.NDArray[Any], size: int, weights: FloatArray | None) -> FloatArray:
    """Return the number of cases in each group, or the sum of their multiplicities, ``(B, size)``."""
    if weights is None:
        return np.bincount(groups, minlength=size).astype(np.float64)[None]
    from scipy import sparse

    count = len(groups)
    members = sparse.csr_array((np.ones(count), (groups, np.arange(count))), shape=(size, count))
    summed: FloatArray = (members @ weights.T).T
    return summed


def weighted_sum(numbers: FloatArray, weights: FloatArray | None) -> FloatArray:
    """Sum over cases, ``(B,)``."""
    return np.atleast_1d(numbers.sum()) if weights is None else weights @ numbers


def weighted_count(count: int, weights: FloatArray | None) -> FloatArray:
    """Return the number of cases, copies counted, ``(B,)``."""
    return np.array([float(count)]) if weights is None else weights.sum(axis=1)


def make_samples(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    classes: Sequence[Hashable] | None = None,
    positive_class: Hashable | None = None,
    score_threshold: float = 0.5,
    decided: bool = True,
) -> Samples:
    """Check arrays and convert them to a common form.

    Parameters
    ----------
    reference
        Label of every case, ``(N,)``.
    prediction
        Labels ``(N,)`` of whole numbers, booleans or text; or scores as floating-point numbers: ``(N,)`` of the
        positive of two classes, or ``(N, C)`` with rows that sum to 1.
    classes
        All classes in order; by default those that occur, ascending, and 0 and 1 if no others occur.
    positive_class
        With two classes, the class that one-dimensional scores belong to; the last by default.
    score_threshold
        With two classes, scores of at least this value select the positive class. With more, the greatest score
        decides.
    decided
        Whether decisions are required, or scores alone.

    Raises
    ------
    ValueError
        For lengths that differ, scores that are not finite or not in [0, 1], rows that do not sum to 1, or labels that
        are no class.
    """
    labels, given = any_array(reference), any_array(prediction)
    if labels.ndim != 1 or len(given) != len(labels):
        message = f"reference of shape {labels.shape} and prediction of shape {given.shape}; expected one entry a case"
        raise ValueError(message)
    scored = given.dtype.kind == "f"
    if given.ndim != 1 and not (scored and given.ndim == 2):
        message = f"prediction of shape {given.shape}; expected one label or score a case, or one row of scores"
        raise ValueError(message)
    all_classes = _classes(labels, given, classes, positive_class)
    codes = _codes(labels, all_classes)
    if not scored:
        return Samples(all_classes, codes, _codes(given, all_classes), None)
    scores = check_scores(given)
    if scores.ndim == 1:
        if len(all_classes) != 2:
            message = f"one score a case decides between two classes, not {len(all_classes)}"
            raise ValueError(message)
        scored_class = 1 if positive_class in (None, all_classes[1]) else 0
        both = np.empty((2, len(scores)))  # each class's scores lie together in memory
        both[scored_class] = scores
        np.subtract(1.0, scores, out=both[1 - scored_class])
        scores = both.T
    elif scores.shape[1] != len(all_classes):
        message = f"{scores.shape[1]} columns of scores for {len(all_classes)} classes"
        raise ValueError(message)
    if not decided:
        return Samples(all_classes, codes, None, scores)
    last_is_positive = positive_class in (None, all_classes[-1])
    return Samples(all_classes, codes, decide(scores, score_threshold, last_is_positive=last_is_positive), scores)


def decide(scores: FloatArray, threshold: float = 0.5, *, last_is_positive: bool = True) -> IntArray:
    """Decisions from scores: from the threshold on for the positive of two classes, else the greatest score."""
    if scores.shape[1] == 2:
        positive = scores[:, 1 if last_is_positive else 0] >= threshold
        decided: IntArray = (positive == last_is_positive).astype(np.int64)
    else:
        decided = np.argmax(scores, axis=1).astype(np.int64, copy=False)
    return decided


def check_scores(scores: npt.NDArray[Any]) -> FloatArray:
    """Refuse scores that are no probabilities; never repair them.

    Raises
    ------
    ValueError
        As `make_samples`.
    """
    checked = np.asarray(scores, dtype=np.float64)
    if checked.size and not (checked.min() >= 0 and checked.max() <= 1):
        message = "scores have to be finite numbers from 0 to 1"
        raise ValueError(message)
    if checked.ndim == 2 and not sums_to_one(checked).all():
        message = "the scores of every case have to sum to 1"
        raise ValueError(message)
    return checked


def sums_to_one(scores: FloatArray) -> BoolArray:
    """Return a mask of the rows that sum to 1, within the precision of three decimals."""
    close: BoolArray = np.abs(scores.sum(axis=1) - 1) <= SUM_SLACK * scores.shape[1]
    return close


def _classes(
    reference: npt.NDArray[Any],
    prediction: npt.NDArray[Any],
    classes: Sequence[Hashable] | None,
    positive_class: Hashable | None,
) -> tuple[Hashable, ...]:
    if classes is not None:
        given_classes = tuple(classes)
        if len(set(given_classes)) != len(given_classes) or len(given_classes) < 2:
            message = "classes are two different names at least"
            raise ValueError(message)
        return given_classes
    distinct = set(_distinct(reference))
    if prediction.dtype.kind != "f":
        distinct |= set(_distinct(prediction))
    if positive_class is not None:
        distinct.add(positive_class)
    columns = prediction.shape[1] if prediction.ndim == 2 else 2
    if all(isinstance(name, int) and 0 <= name < columns for name in distinct):
        return tuple(range(columns))
    if len(distinct) < 2:
        message = "only one class occurs; name all of them as classes"
        raise ValueError(message)
    return tuple(sorted(distinct))  # type: ignore[type-var]


def _distinct(labels: npt.NDArray[Any]) -> list[Hashable]:
    if labels.dtype.kind in "biu" and labels.size:
        low, high = int(labels.min()), int(labels.max())
        if low >= 0 and high < 4096:
            return [int(label) for label in np.flatnonzero(np.bincount(labels.astype(np.intp, copy=False)))]
    distinct: list[Hashable] = np.unique(labels).tolist()
    return distinct


def _codes(labels: npt.NDArray[Any], classes: tuple[Hashable, ...]) -> IntArray:
    if labels.dtype.kind in "biu" and classes == tuple(range(len(classes))):
        codes = labels.astype(np.int64, copy=False)
        if not codes.size or (codes.min() >= 0 and codes.max() < len(classes)):
            return codes
    names, inverse = np.unique(labels, return_inverse=True)
    positions = []
    for name in names.tolist():
        if name not in classes:
            message = f"{name!r} is not among the classes {', '.join(map(str, classes))}"
            raise ValueError(message)
        positions.append(classes.index(name))
    looked_up: IntArray = np.array(positions, dtype=np.int64)[inverse]
    return looked_up


def _is_any(codes: IntArray, wanted: Sequence[int]) -> BoolArray:
    matches: BoolArray = codes == wanted[0] if len(wanted) == 1 else np.isin(codes, list(wanted))
    return matches


def _binary_counts(positive: BoolArray, decided: BoolArray, weights: FloatArray | None) -> Counts:
    cells = totals(positive * np.int64(2) + decided, 4, weights)
    return Counts(tp=cells[:, 3], fp=cells[:, 1], fn=cells[:, 2], tn=cells[:, 0])
