"""Names of statistical tests with their sidedness, as they appear next to p-values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

LEAST_SQUARES: Final = "least squares"
"""Method of a fit without random intercepts."""
_OWN_TESTS: Final = {
    "sign_flips": "one-sided sign-flip test",
    "draws": "one-sided bootstrap test",
    "given_errors": "one-sided z test",
}


def test_of_pairs(entry: Mapping[str, Any]) -> str:
    """Return the name of the tests behind the p-values of a ranking.

    Examples
    --------
    >>> test_of_pairs({"tests": {"stratified": False}})
    'one-sided Wilcoxon signed rank test'
    """
    return (
        "one-sided stratified Wilcoxon signed rank test"
        if entry["tests"]["stratified"]
        else "one-sided Wilcoxon signed rank test"
    )


def own_test(entry: Mapping[str, Any]) -> str:
    """Return the name of the tests by the statistic that ranks.

    Examples
    --------
    >>> own_test({"sets": {"method": "draws"}})
    'one-sided bootstrap test'
    """
    return _OWN_TESTS[entry["sets"]["method"]]


def tests_of_terms(fit: Mapping[str, Any]) -> str:
    """Return the name of the tests of the terms of a fit.

    Examples
    --------
    >>> tests_of_terms({"method": LEAST_SQUARES}), tests_of_terms({"method": "REML"})
    ('two-sided t tests', 'two-sided Wald tests')
    """
    return "two-sided t tests" if fit["method"] == LEAST_SQUARES else "two-sided Wald tests"
