"""Numbers in sentences: bounds rounded outwards, levels in full, differences with the decimals that their interval supports."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_DECIMALS: Final = 15
_SIGNIFICANT: Final = 2
# Widths below are those of rounding, as a share of the larger end.
_SMALLEST: Final = 1e-9
_MOST_DIGITS: Final = 4
MOST_CASES: Final = 10_000
"""Largest number of cases that a sentence states."""


def level(share: float) -> str:
    """Format a level or a registered share, in full.

    Examples
    --------
    >>> level(0.95), level(0.999), level(0.0005), level(1.0)
    ('95 %', '99.9 %', '0.05 %', '100 %')
    """
    return f"{_plain(Decimal(f'{100 * share:.10g}'))} %"


def about(share: float) -> str:
    """Format a computed level: in full if it has up to four digits, otherwise with two significant digits.

    Examples
    --------
    >>> about(0.05), about(0.0125), about(0.1 / 3), about(0.02 / 3)
    ('5 %', '1.25 %', '3.3 %', '0.67 %')
    """
    exact = Decimal(f"{100 * share:.10g}")
    if len(exact.normalize().as_tuple().digits) > _MOST_DIGITS:
        exact = Decimal(f"{100 * share:.2g}")
    return f"{_plain(exact)} %"


def at_most(share: float) -> str:
    """Format an upper bound: rounded up, to one decimal, or to one significant digit below 0.1 %.

    Examples
    --------
    >>> at_most(0.0487), at_most(0.0015), at_most(0.00012), at_most(0.1 / 3), at_most(0.9999)
    ('4.9 %', '0.2 %', '0.02 %', '3.4 %', '100 %')
    """
    return f"{_plain(_rounded(share, ROUND_CEILING))} %"


def at_least(share: float) -> str:
    """Format a lower bound: rounded down, to one decimal, or to one significant digit below 0.1 %.

    Examples
    --------
    >>> at_least(0.00717), at_least(0.9999), at_least(0.00019)
    ('0.7 %', '99.9 %', '0.01 %')
    """
    return f"{_plain(_rounded(share, ROUND_FLOOR))} %"


def _rounded(share: float, rounding: str) -> Decimal:
    number = Decimal(f"{100 * share:.12g}")
    decimals = 1 if number == 0 else max(1, -number.adjusted())
    return number.quantize(Decimal(1).scaleb(-decimals), rounding)


def _plain(number: Decimal) -> str:
    """Write a number without an exponent and without zeros at its end."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def probability(share: float) -> str:
    """Format an estimated probability: no estimate is exactly 0 or 1.

    Examples
    --------
    >>> probability(0.974), probability(1.0), probability(0.0), probability(0.005)
    ('97 %', 'over 99 %', 'under 1 %', 'under 1 %')
    """
    whole = round(100 * share)
    if whole < 1 or share <= 0.005:
        return "under 1 %"
    return "over 99 %" if whole > 99 or share >= 0.995 else f"{whole} %"


def p_value(share: float) -> str:
    """Format a p-value: rounded up to two decimals.

    Examples
    --------
    >>> p_value(0.384), p_value(0.0), p_value(1.0)
    ('0.39', 'under 0.01', '1')
    """
    if share < 0.01:
        return "under 0.01"
    return _plain(Decimal(f"{share:.12g}").quantize(Decimal("0.01"), ROUND_CEILING))


def difference(
    estimate: float, interval: Sequence[float] | None, margin: float = 0.0
) -> tuple[str, tuple[str, str] | None]:
    """Format a difference and its interval.

    The number of decimals gives the width of the interval two significant digits. The lower end is rounded down and the
    upper end up. There are more decimals where rounding would change the sign of a number, or its comparison with the
    margin.

    Returns
    -------
    tuple
        The difference, and the ends of the interval; ``None`` without an interval.

    Examples
    --------
    >>> difference(0.0238, [0.0061, 0.0405])
    ('0.024', ('0.006', '0.041'))
    >>> difference(0.0098, [-0.0033, 0.0232])
    ('0.010', ('−0.004', '0.024'))
    >>> difference(0.0238, [0.0000612, 0.0405])
    ('0.02380', ('0.00006', '0.04050'))
    >>> difference(12.26, None), difference(0.5, [0.5, 0.5])
    (('12', None), ('0.50', ('0.50', '0.50')))
    """
    if interval is None:
        decimals = _decimals(abs(estimate))
        while decimals < _MOST_DECIMALS and not _keeps(estimate, _to(estimate, decimals, ROUND_HALF_EVEN), margin):
            decimals += 1
        return _signed(_to(estimate, decimals, ROUND_HALF_EVEN)), None
    low, high = interval
    width = high - low
    decimals = _decimals(width if width > _SMALLEST * max(abs(low), abs(high)) else abs(estimate))
    while decimals < _MOST_DECIMALS:
        ends = _to(low, decimals, ROUND_FLOOR), _to(high, decimals, ROUND_CEILING)
        middle = _to(estimate, decimals, ROUND_HALF_EVEN)
        if all(_keeps(*pair, margin) for pair in ((low, ends[0]), (high, ends[1]), (estimate, middle))):
            break
        decimals += 1
    text = tuple(
        _signed(_to(value, decimals, rounding)) for value, rounding in ((low, ROUND_FLOOR), (high, ROUND_CEILING))
    )
    return _signed(_to(estimate, decimals, ROUND_HALF_EVEN)), (text[0], text[1])


def _decimals(width: float) -> int:
    """Return the number of decimals that gives a width two significant digits."""
    if not width > 0.0:
        return 3
    return min(_MOST_DECIMALS, max(0, _SIGNIFICANT - 1 - math.floor(math.log10(width))))


def _to(value: float, decimals: int, rounding: str) -> Decimal:
    return Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-decimals), rounding)


def _keeps(value: float, rounded: Decimal, margin: float) -> bool:
    """Return whether a rounded number compares with 0 and with both ends of the margin as the number itself."""
    return all(
        (value > limit) == (rounded > edge) and (value < limit) == (rounded < edge)
        for limit in {0.0, margin, -margin}
        for edge in (Decimal(f"{limit:.15g}"),)
    )


def _signed(number: Decimal) -> str:
    """Write a number with a minus sign instead of a hyphen, and without a sign before 0."""
    text = f"{abs(number):f}"
    return f"−{text}" if number < 0 else text


def cases_down(number: int) -> str:
    """Format a lower end of a number of cases: two significant digits, rounded down.

    Examples
    --------
    >>> cases_down(45), cases_down(1053), cases_down(987)
    ('45', '1,000', '980')
    """
    return f"{_to_two_digits(number, ROUND_FLOOR):,}"


def cases_up(number: int | None) -> str:
    """Format an upper end of a number of cases: two significant digits, rounded up; ``None`` is above 10,000.

    Examples
    --------
    >>> cases_up(1053), cases_up(None)
    ('1,100', 'more than 10,000')
    """
    return f"more than {MOST_CASES:,}" if number is None else f"{_to_two_digits(number, ROUND_CEILING):,}"


def about_cases(number: int) -> str:
    """Format an estimated number of cases: two significant digits.

    Examples
    --------
    >>> about_cases(1053), about_cases(262), about_cases(7)
    ('1,100', '260', '7')
    """
    return f"{_to_two_digits(number, ROUND_HALF_EVEN):,}"


def _to_two_digits(number: int, rounding: str) -> int:
    exact = Decimal(number)
    return int(exact.quantize(Decimal(1).scaleb(max(0, exact.adjusted() - _SIGNIFICANT + 1)), rounding))


def level_of_winner(share: float, *, is_confirmed: bool, assumptions: str = "") -> str:
    """Return the clause that explains the level at which a winner is named.

    Parameters
    ----------
    share
        Share of the error that naming a winner may use.
    is_confirmed
        Whether the level holds without assumptions on the shape of differences.
    assumptions
        Further assumptions of the rule, after a comma.

    Examples
    --------
    >>> level_of_winner(0.05, is_confirmed=False)
    'if the two best algorithms were equally good, one of them would be named in about 5 % of challenges.'
    """
    what = f"confirmed in at most {at_most(share)}" if is_confirmed else f"named in about {about(share)}"
    return f"if the two best algorithms were equally good{assumptions}, one of them would be {what} of challenges."
