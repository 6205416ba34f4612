"""Predicted numbers against those of the reference: errors of a case, and agreement over all cases.

All functions take the reference first and the prediction second, one finite number a case. What a case without a prediction
counts as is not their business: the kind of problem puts an answer in its place (`evaluation.problems.regression`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluation.metrics.declaration import IMAGES, TARGETS, declare
from evaluation.metrics.options import Option
from evaluation.metrics.paired_values import PAIRED, paired_arrays
from evaluation.outcomes import Flag, Outcome, ok, undefined

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from evaluation.outcomes import Result


def _judge(metric: str, reference: ArrayLike, prediction: ArrayLike, **options: Any) -> Result:
    truth, answer = paired_arrays(reference, prediction)
    return PAIRED[metric](truth, answer, np.ones((1, len(truth))), **options).result()


@declare(
    "Absolute Error",
    "AE",
    categories=TARGETS,
    direction="lower",
    range=(0, None),
    family="regression",
    needs="numbers",
    worst_by_case=True,
)
def absolute_error(reference: float, prediction: float) -> Result:
    """Absolute error of one case, |p - y|; its mean over cases is the MAE, its median the median absolute error.

    Parameters
    ----------
    reference, prediction
        One number each, in the unit of the target.

    Returns
    -------
    Result
        Value in [0, inf) in the unit of the target, lower is better.

    Examples
    --------
    >>> absolute_error(10.0, 12.5).value
    2.5
    """
    return ok(abs(prediction - reference))


@declare(
    "Squared Error",
    "SE",
    categories=TARGETS,
    direction="lower",
    range=(0, None),
    family="regression",
    needs="numbers",
    worst_by_case=True,
)
def squared_error(reference: float, prediction: float) -> Result:
    """Squared error of one case, (p - y)²; its mean over cases is the MSE.

    Parameters are those of `absolute_error`.

    Returns
    -------
    Result
        Value in [0, inf) in the squared unit of the target, lower is better.

    Examples
    --------
    >>> squared_error(10.0, 12.5).value
    6.25
    """
    return ok((prediction - reference) ** 2)


@declare(
    "Absolute Percentage Error",
    "APE",
    categories=TARGETS,
    direction="lower",
    range=(0, None),
    family="regression",
    needs="numbers",
    worst_by_case=True,
    policy={"degenerate": "exclude"},
)
def absolute_percentage_error(reference: float, prediction: float) -> Result:
    """Absolute error in percent of the reference, 100 |p - y| / |y|; only for targets with a true zero.

    Parameters are those of `absolute_error`.

    Returns
    -------
    Result
        Value in [0, inf) in %, lower is better; ``degenerate`` with the flag ``reference`` if the reference is 0.

    Examples
    --------
    >>> absolute_percentage_error(10.0, 12.5).value
    25.0
    >>> absolute_percentage_error(0.0, 1.0).outcome
    <Outcome.DEGENERATE: 'degenerate'>
    """
    if reference == 0:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    return ok(100.0 * abs(prediction - reference) / abs(reference))


@declare(
    "Root Mean Squared Error",
    "RMSE",
    categories=TARGETS,
    direction="lower",
    range=(0, None),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    worst_by_case=True,
)
def rmse(reference: ArrayLike, prediction: ArrayLike) -> Result:
    """Root of the mean squared error over all cases.

    Parameters
    ----------
    reference, prediction
        One finite number a case, ``(n,)``, in the unit of the target.

    Returns
    -------
    Result
        Value in [0, inf) in the unit of the target, lower is better; ``degenerate`` with the flag ``reference`` without any case.

    Raises
    ------
    ValueError
        If the arrays do not fit one another, or hold anything but finite numbers.

    Examples
    --------
    >>> round(rmse([10, 12, 15, 18, 20, 24], [11, 12.5, 13, 19, 23, 22]).value, 6)
    1.791182
    """
    return _judge("rmse", reference, prediction)


@declare(
    "Absolute Bias",
    "|Bias|",
    categories=TARGETS,
    direction="lower",
    range=(0, None),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    worst_by_case=True,
)
def absolute_bias(reference: ArrayLike, prediction: ArrayLike) -> Result:
    """Absolute value of the mean error over all cases: the overall shift of the answers.

    Parameters are those of `rmse`. Errors in both directions cancel: use a metric of single errors in addition.

    Returns
    -------
    Result
        Value in [0, inf) in the unit of the target, lower is better; ``degenerate`` with the flag ``reference`` if
        there is no case.

    Examples
    --------
    >>> absolute_bias([10, 12, 15, 18, 20, 24], [11, 12.5, 13, 19, 23, 22]).value
    0.25
    """
    return _judge("absolute_bias", reference, prediction)


@declare(
    "Pearson Correlation Coefficient",
    "PCC",
    categories=TARGETS,
    direction="higher",
    range=(-1, 1),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    policy={"degenerate": 0.0},
)
def pearson(reference: ArrayLike, prediction: ArrayLike) -> Result:
    """Pearson's correlation of reference and prediction: how close they are to any straight line.

    Parameters are those of `rmse`. A wrong scale or shift costs nothing: p = 2 y + 5 has the value 1.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better; ``degenerate`` if every prediction is the same, with the flag ``reference`` if
        every reference is.

    Examples
    --------
    >>> round(pearson([1, 2, 3], [7, 9, 11]).value, 12)
    1.0
    """
    return _judge("pearson", reference, prediction)


@declare(
    "Spearman Rank Correlation Coefficient",
    "SRCC",
    categories=TARGETS,
    direction="higher",
    range=(-1, 1),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    policy={"degenerate": 0.0},
)
def spearman(reference: ArrayLike, prediction: ArrayLike) -> Result:
    """Spearman's correlation: Pearson's of the ranks, equal values sharing their mean rank.

    Parameters are those of `rmse`.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better; outcomes of `pearson`.

    Examples
    --------
    >>> round(spearman([1, 2, 3, 4], [1, 4, 9, 16]).value, 12)
    1.0
    """
    return _judge("spearman", reference, prediction)


@declare(
    "Kendall's tau-b",
    "tau_b",
    categories=TARGETS + IMAGES,
    direction="higher",
    range=(-1, 1),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    policy={"degenerate": 0.0},
)
def kendall_tau_b(reference: ArrayLike, prediction: ArrayLike) -> Result:
    """Kendall's tau-b: pairs of cases in the right order less those in the wrong one, corrected for ties on both sides.

    Parameters are those of `rmse`; of ordered classes, the numbers are their levels 0, 1, ….

    Returns
    -------
    Result
        Value in [-1, 1], higher is better; outcomes of `pearson`.

    Examples
    --------
    >>> round(kendall_tau_b([10, 12, 15, 18, 20, 24], [11, 12.5, 13, 19, 23, 22]).value, 6)
    0.866667
    """
    return _judge("kendall_tau_b", reference, prediction)


@declare(
    "Coefficient of Determination",
    "R2",
    categories=TARGETS,
    direction="higher",
    range=(None, 1),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    worst_by_case=True,
    policy={"degenerate": "exclude"},
)
def r2(reference: ArrayLike, prediction: ArrayLike) -> Result:
    """Coefficient of determination, 1 - Σ(p - y)² / Σ(y - ȳ)²: not the squared correlation.

    Parameters are those of `rmse`.

    Returns
    -------
    Result
        Value of at most 1, higher is better, 0 for the mean of the references as every answer, below for worse;
        ``degenerate`` with the flag ``reference`` if every reference is the same.

    Examples
    --------
    >>> round(r2([10, 12, 15, 18, 20, 24], [11, 12.5, 13, 19, 23, 22]).value, 6)
    0.857934
    """
    return _judge("r2", reference, prediction)


@declare(
    "Intraclass Correlation Coefficient",
    "ICC",
    categories=TARGETS,
    direction="higher",
    range=(None, 1),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    worst_by_case=True,
    policy={"degenerate": 0.0},
    label="ICC({form})",
    options=(
        Option(
            "form",
            "enum",
            "2,1",
            "Shrout and Fleiss: 2,1 absolute agreement (ICC(A,1)); 3,1 consistency (ICC(C,1)).",
            choices=("2,1", "3,1"),
        ),
    ),
)
def icc(reference: ArrayLike, prediction: ArrayLike, *, form: Literal["2,1", "3,1"] = "2,1") -> Result:
    """Intraclass correlation of two raters, reference and prediction, in the forms of Shrout and Fleiss.

    Parameters
    ----------
    reference, prediction
        As for `rmse`.
    form
        ``2,1``: absolute agreement, a shift of all answers is an error (McGraw and Wong's ICC(A,1)); ``3,1``: consistency
        (ICC(C,1)), a shift costs nothing.

    Returns
    -------
    Result
        Value of at most 1, higher is better; ``degenerate`` with the flag ``reference`` for fewer than two cases, or if
        nothing varies at all.

    Raises
    ------
    ValueError
        As `rmse`, and for another form.

    Examples
    --------
    >>> y, p = [10, 12, 15, 18, 20, 24], [11, 12.5, 13, 19, 23, 22]
    >>> round(icc(y, p).value, 6), round(icc(y, p, form="3,1").value, 6)
    (0.940485, 0.930702)
    """
    if form not in ("2,1", "3,1"):
        message = f"form is '2,1' or '3,1', not {form!r}"
        raise ValueError(message)
    return _judge("icc", reference, prediction, form=form)


@declare(
    "Concordance Correlation Coefficient",
    "CCC",
    categories=TARGETS,
    direction="higher",
    range=(-1, 1),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    policy={"degenerate": 0.0},
)
def ccc(reference: ArrayLike, prediction: ArrayLike) -> Result:
    """Lin's concordance: closeness to the line of identity, with moments divided by n.

    Parameters are those of `rmse`. Almost the same as `icc` in the form 2,1: rank by one of them.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better; ``degenerate`` with the flag ``reference`` if both are constant and equal.

    Examples
    --------
    >>> round(ccc([10, 12, 15, 18, 20, 24], [11, 12.5, 13, 19, 23, 22]).value, 6)
    0.929423
    """
    return _judge("ccc", reference, prediction)


@declare(
    "Width of the 95 % Limits of Agreement",
    "LoA",
    categories=TARGETS,
    direction="lower",
    range=(0, None),
    family="regression",
    needs="numbers",
    evidence="paired",
    whole_data_set=True,
    worst_by_case=True,
    policy={"degenerate": "exclude"},
)
def loa_width(reference: ArrayLike, prediction: ArrayLike) -> Result:
    """Width of Bland and Altman's limits of agreement: 2 × 1.96 standard deviations (n - 1) of the errors.

    Parameters are those of `rmse`. A shift of all answers costs nothing: use `absolute_bias` in addition.

    Returns
    -------
    Result
        Value in [0, inf) in the unit of the target, lower is better; ``degenerate`` with the flag ``reference`` for
        fewer than two cases.

    Examples
    --------
    >>> round(loa_width([10, 12, 15, 18, 20, 24], [11, 12.5, 13, 19, 23, 22]).value, 6)
    7.616309
    """
    return _judge("loa_width", reference, prediction)
