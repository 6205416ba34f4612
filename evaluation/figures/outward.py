"""Differences with their intervals as text, rounded so that no interval gets narrower."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evaluation.rounding import difference_texts, signed, to_decimals

if TYPE_CHECKING:
    from collections.abc import Sequence


class Texts(NamedTuple):
    """A difference and the ends of its interval as text; the ends are empty without an interval."""

    estimate: str
    low: str
    high: str

    @property
    def interval(self) -> str:
        """The interval, empty if there is none."""
        return f"{self.low} to {self.high}" if self.low else ""

    @property
    def joined(self) -> str:
        """The difference with its interval in brackets."""
        return f"{self.estimate} ({self.interval})" if self.low else self.estimate


def outward(
    estimate: float, interval: Sequence[float] | None, *, margin: float = 0.0, is_better: bool = False
) -> Texts:
    """Format a difference and its interval, see `evaluation.rounding.difference_texts`.

    Parameters
    ----------
    is_better
        Whether the difference is significant. A lower end at the margin, from a later step of the test, is then above it.

    Examples
    --------
    >>> outward(0.0243, (0.0063, 0.0412)).joined
    '0.024 (0.006 to 0.042)'
    >>> outward(12.34, (-80.0, 120.5)).joined, outward(0.1234, None).joined
    ('12 (−80 to 121)', '0.12')
    >>> outward(0.5, (0.0, 1.0), is_better=True).joined, outward(0.5, (0.0, 1.0)).joined
    ('0.5 (> 0.0 to 1.0)', '0.5 (0.0 to 1.0)')
    """
    middle, ends = difference_texts(estimate, interval, margin, is_better=is_better)
    return Texts(middle, *(ends or ("", "")))


def text(value: float, decimals: int) -> str:
    """Format a number with a true minus sign, and zero without a sign.

    Examples
    --------
    >>> text(-0.25, 1), text(-0.001, 2), text(1234.5, 0)
    ('−0.2', '0.00', '1234')
    """
    return signed(to_decimals(value, decimals))
