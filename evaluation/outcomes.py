"""Result of a metric call: a value, or the reason why there is none."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple, Self


class Outcome(StrEnum):
    """Reason why a value exists or not.

    It is stored next to every value. Only a policy turns it into a number.
    """

    OK = "ok"
    BOTH_EMPTY = "both_empty"
    """Nothing in the reference and nothing predicted."""
    REF_EMPTY = "ref_empty"
    """Nothing in the reference, something predicted."""
    PRED_EMPTY = "pred_empty"
    """Something in the reference, nothing predicted."""
    DEGENERATE = "degenerate"
    """Another denominator is zero: constant predictions, a class that never occurs, a target never reached."""
    MISSING = "missing"
    """Not submitted, unreadable, wrong geometry, not finite, crashed or timed out."""
    NOT_APPLICABLE = "not_applicable"
    """The submission lacks an input that the metric needs, such as scores."""


class Flag(StrEnum):
    """Detail that an outcome alone does not contain."""

    NONE = ""
    REFERENCE = "reference"
    """A degenerate value for which the reference alone is to blame: fair to leave out, since it is so for everyone."""
    UNBOUNDED = "unbounded"
    """The value is infinitely good (LR+ without a false positive): ranked as best, never stored as infinity."""


class _ValueAndOutcome(NamedTuple):
    value: float | None
    outcome: Outcome


class Result(_ValueAndOutcome):
    """A value with its outcome; the value is a finite number exactly when the outcome is ``ok``.

    Unpacks as ``value, outcome``. ``flag`` is a separate attribute.

    Examples
    --------
    >>> value, outcome = ok(0.5)
    >>> value, outcome
    (0.5, <Outcome.OK: 'ok'>)
    >>> undefined(Outcome.BOTH_EMPTY).value is None
    True
    """

    flag: Flag

    def __new__(cls, value: float | None, outcome: Outcome, flag: Flag = Flag.NONE) -> Self:
        self = super().__new__(cls, value, outcome)
        self.flag = flag
        return self


def ok(value: float) -> Result:
    """Wrap a defined value.

    Raises
    ------
    ValueError
        If the value is not finite: a metric has to name an outcome instead.
    """
    value = float(value)
    if not math.isfinite(value):
        message = f"a defined value has to be finite, not {value}"
        raise ValueError(message)
    return Result(value, Outcome.OK)


def undefined(outcome: Outcome, flag: Flag = Flag.NONE) -> Result:
    """Wrap the reason why there is no value."""
    if outcome is Outcome.OK:
        message = "an undefined value needs an outcome other than ok"
        raise ValueError(message)
    return Result(None, outcome, flag)
