"""Operators in words, for sentences, tables and pseudo-code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evaluation.assessment import Operator


def ordinal(number: float) -> str:
    """Write a percentile as people read it.

    Examples
    --------
    >>> ordinal(5), ordinal(2.5), ordinal(21)
    ('5th', '2.5th', '21st')
    """
    if number != int(number):
        return f"{number:g}th"
    whole = int(number)
    ending = "th" if 10 <= whole % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(whole % 10, "th")
    return f"{whole}{ending}"


def operator_phrase(operator: Operator) -> str:
    """An operator inside a sentence: "the mean", "the 5th percentile counted from the worse end"."""
    words = {"mean": "the mean", "median": "the median", "min": "the smallest", "max": "the largest"}
    if operator.kind in words:
        return words[operator.kind]
    end = " counted from the worse end" if operator.counted_from == "worse" else ""
    return f"the {ordinal(operator.percentile or 0.0)} percentile{end}"


def operator_name(operator: Operator) -> str:
    """An operator in the head of a column or a line of pseudo-code: "mean", "5 % percentile"."""
    return f"{operator.percentile:g} % percentile" if operator.percentile is not None else operator.kind
