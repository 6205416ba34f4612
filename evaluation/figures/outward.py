"""Differences with their intervals as text, rounded so that no interval gets narrower."""

from __future__ import annotations

import math
from typing import NamedTuple

MINUS = "−"
MOST_DECIMALS = 12
_MORE_DIGITS = 3
"""Maximum number of further digits that keep the lower end of a significant difference above the margin."""
_NOISE = 1e-6
"""Values are stored with six significant digits. A value that close to a rounded one is not moved to the next one."""


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
    estimate: float, interval: tuple[float, float] | None, *, margin: float = 0.0, is_better: bool = False
) -> Texts:
    """Format a difference and its interval, with two significant digits of the width.

    The lower end is rounded down and the upper end up.

    Parameters
    ----------
    margin
        Difference that does not matter.
    is_better
        Whether the lower end is above the margin. It gets as many digits as it needs to show that.

    Examples
    --------
    >>> outward(0.0243, (0.0063, 0.0412)).joined
    '0.024 (0.006 to 0.042)'
    >>> outward(0.0102, (-0.0042, 0.0238)).joined
    '0.010 (−0.005 to 0.024)'
    >>> outward(0.02, (0.0004, 0.04), is_better=True).joined
    '0.0200 (0.0004 to 0.0400)'
    >>> outward(12.34, (-80.0, 120.5)).joined, outward(0.1234, None).joined
    ('12 (−80 to 121)', '0.12')
    """
    if interval is None:
        return Texts(text(estimate, decimals_of(abs(estimate))), "", "")
    low, high = interval
    decimals = decimals_of(high - low)
    if is_better:
        needed = (extra for extra in range(_MORE_DIGITS + 1) if _down(low, decimals + extra) > margin)
        decimals += next(needed, 0)
    return Texts(
        text(estimate, decimals), text(_down(low, decimals), decimals), text(-_down(-high, decimals), decimals)
    )


def decimals_of(width: float) -> int:
    """Return the number of decimals that two significant digits of a width need.

    Examples
    --------
    >>> decimals_of(0.0349), decimals_of(3.2), decimals_of(250.0), decimals_of(0.0)
    (3, 1, 0, 2)
    """
    if width <= 0.0 or not math.isfinite(width):
        return 2
    return min(max(0, 1 - math.floor(math.log10(width))), MOST_DECIMALS)


def text(value: float, decimals: int) -> str:
    """Format a number with a true minus sign, and zero without a sign.

    Examples
    --------
    >>> text(-0.25, 1), text(-0.001, 2), text(1234.5, 0)
    ('−0.2', '0.00', '1,234')
    """
    written = f"{abs(value):,.{decimals}f}"
    is_zero = not any(digit in "123456789" for digit in written)
    return f"{MINUS}{written}" if value < 0.0 and not is_zero else written


def share_down(share: float) -> str:
    """Format a share in percent, rounded down, with one decimal or more where it is small.

    Examples
    --------
    >>> share_down(0.00719), share_down(0.00042), share_down(0.0), share_down(0.25)
    ('0.7 %', '0.04 %', '0 %', '25.0 %')
    """
    if share <= 0.0:
        return "0 %"
    decimals = _decimals_of_percent(share)
    return f"{_down(100.0 * share, decimals):.{decimals}f} %"


def share_up(share: float) -> str:
    """Format a share in percent, rounded up, with one decimal or more where it is small.

    Examples
    --------
    >>> share_up(0.04871), share_up(0.00042), share_up(1.0)
    ('4.9 %', '0.05 %', '100.0 %')
    """
    decimals = _decimals_of_percent(share)
    return f"{-_down(-100.0 * share, decimals):.{decimals}f} %"


def _decimals_of_percent(share: float) -> int:
    return 1 if share >= 0.001 or share <= 0.0 else min(-math.floor(math.log10(100.0 * share)), MOST_DECIMALS)


def _down(value: float, decimals: int) -> float:
    scaled = value * 10.0**decimals
    return math.floor(scaled + _NOISE * min(1.0, abs(scaled))) / 10.0**decimals
