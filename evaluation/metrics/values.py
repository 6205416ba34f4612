"""One metric's values for many resamples of the same cases at once, each with its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import numpy.typing as npt

from evaluation.outcomes import Flag, Outcome, Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

FloatArray = npt.NDArray[np.float64]
_OUTCOMES: Final = tuple(Outcome)
_FLAGS: Final = tuple(Flag)


class Values:
    """Numbers with outcomes and flags, one for each resample; a single value is a batch of one.

    Attributes
    ----------
    numbers
        Shape ``(B,)``; NaN wherever the outcome is not ``ok``.
    thresholds
        Of a working point: where it was read off, shape ``(B,)``; infinity where nothing is predicted.
    """

    thresholds: FloatArray | None = None

    def __init__(self, numbers: ArrayLike) -> None:
        self.numbers: FloatArray = np.atleast_1d(np.array(numbers, dtype=np.float64))
        self._outcomes = np.zeros(self.numbers.shape, dtype=np.uint8)
        self._flags = np.zeros(self.numbers.shape, dtype=np.uint8)

    def undefine(self, where: ArrayLike, outcome: Outcome, flag: Flag = Flag.NONE) -> Self:
        """Give an outcome to the values that are still defined and for which the condition holds.

        The first reason that is named stays, so the more general one (the reference is to blame) comes first.
        """
        chosen = np.broadcast_to(np.asarray(where, dtype=bool), self.numbers.shape) & (self._outcomes == 0)
        self.numbers[chosen] = np.nan
        self._outcomes[chosen] = _OUTCOMES.index(outcome)
        self._flags[chosen] = _FLAGS.index(flag)
        return self

    @classmethod
    def joined(cls, parts: Sequence[Values]) -> Values:
        """Several batches behind one another."""
        values = cls(np.concatenate([part.numbers for part in parts]) if parts else np.zeros(0))
        if parts:
            values._outcomes = np.concatenate([part._outcomes for part in parts])  # noqa: SLF001  (its own class)
            values._flags = np.concatenate([part._flags for part in parts])  # noqa: SLF001
            thresholds = [part.thresholds for part in parts if part.thresholds is not None]
            if len(thresholds) == len(parts):
                values.thresholds = np.concatenate(thresholds)
        return values

    @classmethod
    def of_results(cls, results: Sequence[Result]) -> Values:
        """A batch of single results."""
        values = cls([np.nan if result.value is None else result.value for result in results])
        values._outcomes[:] = [_OUTCOMES.index(result.outcome) for result in results]
        values._flags[:] = [_FLAGS.index(result.flag) for result in results]
        return values

    def has(self, outcome: Outcome, flag: Flag | None = None) -> npt.NDArray[np.bool_]:
        """Return a mask of the values with this outcome (and this flag, if one is named)."""
        matches: npt.NDArray[np.bool_] = self._outcomes == _OUTCOMES.index(outcome)
        return matches if flag is None else matches & (self._flags == _FLAGS.index(flag))

    def result(self, index: int = 0) -> Result:
        """One value as a metric function returns it; one that is not finite, and has no other reason, is ``degenerate``."""
        outcome = _OUTCOMES[self._outcomes[index]]
        if outcome is Outcome.OK:
            number = float(self.numbers[index])
            return Result(number, outcome) if np.isfinite(number) else Result(None, Outcome.DEGENERATE)
        return Result(None, outcome, _FLAGS[self._flags[index]])

    def __len__(self) -> int:
        return len(self.numbers)


def ratio(numerator: ArrayLike, denominator: ArrayLike) -> FloatArray:
    """Divide; NaN or infinity where the denominator is zero, without a warning: the caller names the outcome.

    Examples
    --------
    >>> ratio([1.0, 0.0], [2.0, 0.0])
    array([0.5, nan])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        quotient: FloatArray = np.asarray(np.true_divide(numerator, denominator), dtype=np.float64)
        return quotient


def mean_of_classes(values: list[Values], occurs: FloatArray, worst: float, *, weighted: bool) -> Values:
    """Average one-versus-rest values over classes.

    Classes without a value because of the reference alone are excluded for all participants. This includes classes that
    the reference lacks. A class without a value because of the prediction counts as the worst value.

    Parameters
    ----------
    values
        One entry per class.
    occurs
        Frequency of each class in the reference, ``(B, classes)``.
    worst
        The worst value of the metric.
    weighted
        Whether classes are weighted by their frequency; otherwise all classes have equal weight.
    """
    numbers = np.stack([value.numbers for value in values], axis=1)
    unfit = np.stack([value.has(Outcome.DEGENERATE, Flag.REFERENCE) for value in values], axis=1) | (occurs == 0)
    share = np.where(unfit, 0.0, occurs if weighted else 1.0)
    total = share.sum(axis=1)
    mean = ratio((np.where(np.isnan(numbers), worst, numbers) * share).sum(axis=1), total)
    return Values(mean).undefine(total == 0, Outcome.DEGENERATE, Flag.REFERENCE)


def any_array(values: Any) -> npt.NDArray[Any]:
    """Return any input as an array with at least one dimension."""
    return np.atleast_1d(np.asarray(values))
