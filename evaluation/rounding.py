"""Rounding of numbers for readers: bounds outwards, differences with the decimals that their interval supports."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MINUS: Final = "−"
_MOST_DECIMALS: Final = 15
_SIGNIFICANT: Final = 2
# Widths below are those of rounding, as a share of the larger end.
_SMALLEST: Final = 1e-9


def difference_texts(
    estimate: float, interval: Sequence[float] | None, margin: float = 0.0, *, is_better: bool = False
) -> tuple[str, tuple[str, str] | None]:
    """Format a difference and its interval.

    The number of decimals gives the width of the interval two significant digits. The lower end is rounded down and the
    upper end up. There are more decimals where rounding would change the sign of a number, or its comparison with the
    margin.

    Parameters
    ----------
    margin
        Difference that does not matter.
    is_better
        Whether the difference is significant. A lower end at the margin, from a later step of the test, is then above it.

    Returns
    -------
    tuple
        The difference, and the ends of the interval; ``None`` without an interval.

    Examples
    --------
    >>> difference_texts(0.0238, [0.0061, 0.0405])
    ('0.024', ('0.006', '0.041'))
    >>> difference_texts(0.0098, [-0.0033, 0.0232])
    ('0.010', ('−0.004', '0.024'))
    >>> difference_texts(0.0238, [0.0000612, 0.0405])
    ('0.02380', ('0.00006', '0.04050'))
    >>> difference_texts(12.26, None), difference_texts(0.5, [0.5, 0.5])
    (('12', None), ('0.50', ('0.50', '0.50')))
    >>> difference_texts(0.5, [0.0, 1.0], is_better=True)
    ('0.5', ('> 0.0', '1.0'))
    """
    low, high = (estimate, estimate) if interval is None else (interval[0], interval[1])
    width = high - low
    decimals = decimals_of(width if width > _SMALLEST * max(abs(low), abs(high)) else abs(estimate))
    numbers = ((estimate, ROUND_HALF_EVEN), (low, ROUND_FLOOR), (high, ROUND_CEILING))
    checked = numbers[:1] if interval is None else numbers
    while decimals < _MOST_DECIMALS:
        if all(_keeps(value, to_decimals(value, decimals, rounding), margin) for value, rounding in checked):
            break
        decimals += 1
    middle, lower, upper = (signed(to_decimals(value, decimals, rounding)) for value, rounding in numbers)
    if interval is None:
        return middle, None
    return middle, (f"> {lower}" if is_better and low <= margin else lower, upper)


def decimals_of(width: float) -> int:
    """Return the number of decimals that gives a width two significant digits.

    Examples
    --------
    >>> decimals_of(0.0349), decimals_of(3.2), decimals_of(250.0), decimals_of(0.0)
    (3, 1, 0, 3)
    """
    if not width > 0.0:
        return 3
    return min(_MOST_DECIMALS, max(0, _SIGNIFICANT - 1 - math.floor(math.log10(width))))


def to_decimals(value: float, decimals: int, rounding: str = ROUND_HALF_EVEN) -> Decimal:
    """Round a number to some decimals."""
    return Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-decimals), rounding)


def signed(number: Decimal) -> str:
    """Write a number with a minus sign instead of a hyphen, and without a sign before 0.

    Examples
    --------
    >>> signed(Decimal("-0.2")), signed(Decimal("-0.00"))
    ('−0.2', '0.00')
    """
    return f"{MINUS}{abs(number):f}" if number < 0 else f"{abs(number):f}"


def plain(number: Decimal) -> str:
    """Write a number without an exponent and without zeros at its end.

    Examples
    --------
    >>> plain(Decimal("95.0")), plain(Decimal("1E+2"))
    ('95', '100')
    """
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def share_up(share: float) -> str:
    """Format an upper bound in per cent: rounded up, to one decimal, or to one significant digit below 0.1 %.

    Examples
    --------
    >>> share_up(0.0487), share_up(0.0015), share_up(0.00012), share_up(0.1 / 3), share_up(0.9999)
    ('4.9 %', '0.2 %', '0.02 %', '3.4 %', '100 %')
    """
    return f"{plain(_percent(share, ROUND_CEILING))} %"


def share_down(share: float) -> str:
    """Format a lower bound in per cent: rounded down, to one decimal, or to one significant digit below 0.1 %.

    Examples
    --------
    >>> share_down(0.00717), share_down(0.9999), share_down(0.00019)
    ('0.7 %', '99.9 %', '0.01 %')
    """
    return f"{plain(_percent(share, ROUND_FLOOR))} %"


def bound_text(bound: float, *, is_lower: bool, decimals: int = 3) -> str:
    """Format a bound: a lower bound is rounded down, an upper bound up.

    Examples
    --------
    >>> bound_text(0.74113, is_lower=True), bound_text(0.25887, is_lower=False)
    ('0.741', '0.259')
    """
    return f"{to_decimals(bound, decimals, ROUND_FLOOR if is_lower else ROUND_CEILING):f}"


def count_text(number: int, rounding: str = ROUND_HALF_EVEN) -> str:
    """Format an uncertain number of cases with two significant digits.

    Examples
    --------
    >>> count_text(576), count_text(1422, ROUND_FLOOR), count_text(1422, ROUND_CEILING), count_text(7)
    ('580', '1,400', '1,500', '7')
    """
    exact = Decimal(number)
    return f"{int(exact.quantize(Decimal(1).scaleb(max(0, exact.adjusted() - _SIGNIFICANT + 1)), rounding)):,}"


def _percent(share: float, rounding: str) -> Decimal:
    number = Decimal(f"{100 * share:.12g}")
    decimals = 1 if number == 0 else max(1, -number.adjusted())
    return number.quantize(Decimal(1).scaleb(-decimals), rounding)


def _keeps(value: float, rounded: Decimal, margin: float) -> bool:
    """Return whether a rounded number compares with 0 and with both ends of the margin as the number itself."""
    return all(
        (value > limit) == (rounded > edge) and (value < limit) == (rounded < edge)
        for limit in (0.0, margin, -margin)
        for edge in (Decimal(f"{limit:.15g}"),)
    )
