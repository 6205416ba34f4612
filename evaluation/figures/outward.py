"""Differences with their intervals as text, rounded so that no interval gets narrower."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Final, NamedTuple

MINUS: Final = "−"
_MOST_DECIMALS: Final = 15
_SIGNIFICANT: Final = 2


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


def outward(estimate: float, interval: tuple[float, float] | None, *, margin: float = 0.0) -> Texts:
    """Format a difference and its interval, with two significant digits of the width.

    The lower end is rounded down and the upper end up. There are more decimals where rounding would change the sign of a
    number, or its comparison with the margin.

    Parameters
    ----------
    margin
        Difference that does not matter.

    Examples
    --------
    >>> outward(0.0243, (0.0063, 0.0412)).joined
    '0.024 (0.006 to 0.042)'
    >>> outward(0.0102, (-0.0042, 0.0238)).joined
    '0.010 (−0.005 to 0.024)'
    >>> outward(0.02, (0.0004, 0.04)).joined
    '0.0200 (0.0004 to 0.0400)'
    >>> outward(12.34, (-80.0, 120.5)).joined, outward(0.1234, None).joined
    ('12 (−80 to 121)', '0.12')
    """
    if interval is None:
        decimals = decimals_of(abs(estimate))
        return Texts(text(estimate, decimals), "", "")
    low, high = interval
    numbers = ((estimate, ROUND_HALF_EVEN), (low, ROUND_FLOOR), (high, ROUND_CEILING))
    for decimals in range(decimals_of(high - low), _MOST_DECIMALS + 1):
        rounded = [_to(value, decimals, rounding) for value, rounding in numbers]
        if all(_keeps(value, number, margin) for (value, _), number in zip(numbers, rounded, strict=True)):
            break
    return Texts(*map(_signed, rounded))


def decimals_of(width: float) -> int:
    """Return the number of decimals that two significant digits of a width need.

    Examples
    --------
    >>> decimals_of(0.0349), decimals_of(3.2), decimals_of(250.0), decimals_of(0.0)
    (3, 1, 0, 3)
    """
    if not width > 0.0:
        return 3
    return min(_MOST_DECIMALS, max(0, _SIGNIFICANT - 1 - math.floor(math.log10(width))))


def text(value: float, decimals: int) -> str:
    """Format a number with a true minus sign, and zero without a sign.

    Examples
    --------
    >>> text(-0.25, 1), text(-0.001, 2), text(1234.5, 0)
    ('−0.2', '0.00', '1234')
    """
    return _signed(_to(value, decimals, ROUND_HALF_EVEN))


def share_down(share: float) -> str:
    """Format a share in percent, rounded down to one decimal, or to one significant digit below 0.1 %.

    Examples
    --------
    >>> share_down(0.00719), share_down(0.00042), share_down(0.25)
    ('0.7 %', '0.04 %', '25 %')
    """
    return _percent(share, ROUND_FLOOR)


def share_up(share: float) -> str:
    """Format a share in percent, rounded up to one decimal, or to one significant digit below 0.1 %.

    Examples
    --------
    >>> share_up(0.04871), share_up(0.00042), share_up(1.0)
    ('4.9 %', '0.05 %', '100 %')
    """
    return _percent(share, ROUND_CEILING)


def cases_text(number: int, rounding: str = ROUND_HALF_EVEN) -> str:
    """Format an uncertain number of cases with two significant digits.

    Examples
    --------
    >>> cases_text(576), cases_text(1422, ROUND_FLOOR), cases_text(1422, ROUND_CEILING), cases_text(7)
    ('580', '1,400', '1,500', '7')
    """
    exact = Decimal(number)
    return f"{int(exact.quantize(Decimal(1).scaleb(max(0, exact.adjusted() - _SIGNIFICANT + 1)), rounding)):,}"


def _percent(share: float, rounding: str) -> str:
    number = Decimal(f"{100 * share:.12g}")
    decimals = 1 if number == 0 else max(1, -number.adjusted())
    written = f"{number.quantize(Decimal(1).scaleb(-decimals), rounding):f}".rstrip("0").rstrip(".")
    return f"{written or '0'} %"


def _to(value: float, decimals: int, rounding: str) -> Decimal:
    return Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-decimals), rounding)


def _keeps(value: float, rounded: Decimal, margin: float) -> bool:
    """Return whether a rounded number compares with 0 and with both ends of the margin as the number itself."""
    return all(
        (value > limit) == (rounded > edge) and (value < limit) == (rounded < edge)
        for limit in (0.0, margin, -margin)
        for edge in (Decimal(f"{limit:.15g}"),)
    )


def _signed(number: Decimal) -> str:
    return f"{MINUS}{abs(number):f}" if number < 0 else f"{abs(number):f}"
