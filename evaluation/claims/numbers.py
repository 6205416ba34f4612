"""Numbers in sentences: levels in full, probabilities and numbers of cases without false precision."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final

from evaluation.rounding import count_text, plain, share_up

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
    return f"{plain(Decimal(f'{100 * share:.10g}'))} %"


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
    return f"{plain(exact)} %"


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


def about_probability(share: float) -> str:
    """Format a probability that was estimated from random draws, for a running sentence.

    Examples
    --------
    >>> about_probability(0.974), about_probability(1.0), about_probability(0.0)
    ('about 97 %', 'over 99 %', 'under 1 %')
    """
    text = probability(share)
    return text if text[0] in "ou" else f"about {text}"


def about_p_value(share: float) -> str:
    """Format a p-value that was estimated from random draws, for a running sentence.

    Examples
    --------
    >>> about_p_value(0.384), about_p_value(0.0)
    ('about 0.39', 'under 0.01')
    """
    text = p_value(share)
    return text if text.startswith("under") else f"about {text}"


def p_value(share: float) -> str:
    """Format a p-value: rounded up to two decimals.

    Examples
    --------
    >>> p_value(0.384), p_value(0.0), p_value(1.0)
    ('0.39', 'under 0.01', '1')
    """
    if share < 0.01:
        return "under 0.01"
    return plain(Decimal(f"{share:.12g}").quantize(Decimal("0.01"), ROUND_CEILING))


def cases_down(number: int) -> str:
    """Format a lower end of a number of cases: two significant digits, rounded down.

    Examples
    --------
    >>> cases_down(45), cases_down(1053), cases_down(987)
    ('45', '1,000', '980')
    """
    return count_text(number, ROUND_FLOOR)


def cases_up(number: int | None) -> str:
    """Format an upper end of a number of cases: two significant digits, rounded up; ``None`` is above 10,000.

    Examples
    --------
    >>> cases_up(1053), cases_up(None)
    ('1,100', 'more than 10,000')
    """
    return f"more than {MOST_CASES:,}" if number is None else count_text(number, ROUND_CEILING)


def about_cases(number: int) -> str:
    """Format an estimated number of cases: two significant digits.

    Examples
    --------
    >>> about_cases(1053), about_cases(262), about_cases(7)
    ('1,100', '260', '7')
    """
    return count_text(number)


def needed_cases(estimate: int | None, low: int | None, high: int | None, units: str, *, over: str = "") -> str:
    """Return the clause on the number of cases needed, for boards, reports and the simulation of designs.

    Parameters
    ----------
    estimate
        Number of units; ``None`` above 10,000.
    low, high
        90 % range; ``None`` above 10,000. Without a lower end no range is stated.
    units
        Name of several units.
    over
        Source of the range.

    Examples
    --------
    >>> needed_cases(262, 94, None, "cases")
    'About 260 cases (90 % range 94 to more than 10,000) would be needed'
    >>> needed_cases(None, None, None, "cases")
    'More than 10,000 cases would be needed'
    """
    number = f"About {about_cases(estimate)}" if estimate is not None else cases_up(None).capitalize()
    spread = "" if low is None else f" (90 % range{over} {cases_down(low)} to {cases_up(high)})"
    return f"{number} {units}{spread} would be needed"


def level_of_winner(share: float, *, is_confirmed: bool, has_margin: bool = False, assumptions: str = "") -> str:
    """Return the clause that explains the level at which a winner is named.

    Parameters
    ----------
    share
        Share of the error that naming a winner may use.
    is_confirmed
        Whether the level holds without assumptions on the shape of differences.
    has_margin
        Whether a lead must exceed a registered margin. Algorithms that are equally good are then named less often.
    assumptions
        Further assumptions of the rule, after a comma.

    Examples
    --------
    >>> level_of_winner(0.05, is_confirmed=False)
    'if the two best algorithms were equally good, one of them would be named in about 5 % of challenges.'
    >>> level_of_winner(0.05, is_confirmed=False, has_margin=True).partition(", ")[2]
    'one of them would be named in at most about 5 % of challenges, since its lead must exceed the margin.'
    """
    at_most, why = ("at most ", ", since its lead must exceed the margin") if has_margin else ("", "")
    what = f"confirmed in at most {share_up(share)}" if is_confirmed else f"named in {at_most}about {about(share)}"
    return f"if the two best algorithms were equally good{assumptions}, one of them would be {what} of challenges{why}."
