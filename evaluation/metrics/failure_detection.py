"""Failure detection: the confidence of each prediction compared with the risk of that prediction.

All functions take the risk of each case first, a finite number of 0 or more, and its confidence second. A confidence is
any number, larger for a more certain answer, minus infinity for a rejected case. Equal confidences enter together. A
strictly rising function of all confidences changes only `confidence_pearson` and `mae_quality`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluation.metrics.confidence_values import BY_CONFIDENCE, RULES, confidence_arrays
from evaluation.metrics.declaration import CONFIDENCES, declare
from evaluation.metrics.options import Option
from evaluation.outcomes import ok

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from evaluation.outcomes import Result

Rule = Literal["step", "trapezoid_flat", "trapezoid_truncated"]
_RULE = Option("rule", "enum", "step", "How the risk-coverage curve is integrated.", choices=RULES)


def _judge(metric: str, values: ArrayLike, confidence: ArrayLike, /, **options: Any) -> Result:
    risks, sure = confidence_arrays(values, confidence)
    return BY_CONFIDENCE[metric](risks, sure, np.ones((1, len(risks))), **options).result()


@declare(
    "Risk of the prediction",
    "Risk",
    categories=CONFIDENCES,
    direction="lower",
    range=(0, 1),
    family="failure_detection",
    needs="confidences",
)
def risk(value: float) -> Result:
    """Risk of the prediction of one case; its mean is the selective risk when every case is kept.

    Parameters
    ----------
    value
        Of 0 or more: 0 for a perfect prediction, 1 for a useless one.

    Returns
    -------
    Result
        The value, lower is better.

    Examples
    --------
    >>> risk(0.25).value
    0.25
    """
    return ok(value)


@declare(
    "Area under the Risk-Coverage Curve",
    "AURC",
    categories=CONFIDENCES,
    direction="lower",
    range=(0, 1),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
    options=(_RULE,),
)
def aurc(risk: ArrayLike, confidence: ArrayLike, *, rule: Rule = "step") -> Result:
    """Area under the risk-coverage curve: the mean risk of the surest cases, over all shares of cases that are kept.

    Parameters
    ----------
    risk
        Of each case, finite and at least 0, ``(n,)``.
    confidence
        Of each case, larger for surer, minus infinity for a rejected one, ``(n,)``.
    rule
        ``step``: each step of coverage times the risk behind it; ``trapezoid_flat``: trapezoids, flat before the first point;
        ``trapezoid_truncated``: the same without the first piece.

    Returns
    -------
    Result
        Value in [0, 1] for risks up to 1, lower is better; the mean risk for a constant confidence. ``degenerate`` with the
        flag ``reference`` without any case.

    Raises
    ------
    ValueError
        If the arrays do not fit one another, or a risk is negative or not finite.

    Notes
    -----
    It gives the surest cases the most weight (the ten surest of 100 a third of it), and mixes the quality of predictions
    with that of confidences: good predictions with useless confidences may beat weak ones with perfect confidences.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(aurc(risks, sure).value, 6)
    0.149056
    """
    return _judge("aurc", risk, confidence, rule=rule)


@declare(
    "Excess Area under the Risk-Coverage Curve",
    "e-AURC",
    categories=CONFIDENCES,
    direction="lower",
    range=(0, 1),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
    options=(_RULE,),
)
def e_aurc(risk: ArrayLike, confidence: ArrayLike, *, rule: Rule = "step") -> Result:
    """Excess of `aurc` over the best order, which is the same rule on ascending risks taken as untied.

    Parameters are those of `aurc`.

    Returns
    -------
    Result
        Value of 0 or more, lower is better, 0 for the best order; with ``trapezoid_truncated`` and ties it may fall below 0.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(e_aurc(risks, sure).value, 6)
    0.023472
    """
    return _judge("e_aurc", risk, confidence, rule=rule)


@declare(
    "Normalized Area under the Risk-Coverage Curve",
    "nAURC",
    categories=CONFIDENCES,
    direction="lower",
    range=(0, None),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
    policy={"degenerate": 1.0, "missing": 1.0},
    options=(Option("rule", "enum", "step", "How the risk-coverage curve is integrated.", choices=RULES[:2]),),
)
def n_aurc(risk: ArrayLike, confidence: ArrayLike, *, rule: Literal["step", "trapezoid_flat"] = "step") -> Result:
    """Excess of `aurc` in units of what a useless confidence has: how much of the possible order is missed.

    Parameters are those of `aurc`. The rule ``trapezoid_truncated`` has another value for useless confidences.

    Returns
    -------
    Result
        Value of 0 or more, lower is better: 0 for the best order, 1 for a constant confidence, above 1 for worse than that.
        ``degenerate`` with the flag ``reference`` if all risks are equal.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(n_aurc(risks, sure).value, 6)
    0.144223
    """
    return _judge("n_aurc", risk, confidence, rule=rule)


@declare(
    "Area under the Generalized Risk-Coverage Curve",
    "AUGRC",
    categories=CONFIDENCES,
    direction="lower",
    range=(0, 0.5),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
)
def augrc(risk: ArrayLike, confidence: ArrayLike) -> Result:
    """Area under the generalized risk-coverage curve: the mean risk of what slips through, over all thresholds.

    Parameters are those of `aurc`.

    Returns
    -------
    Result
        Value in [0, 0.5] for risks up to 1, lower is better; half the mean risk for a constant confidence.

    Notes
    -----
    Trapezoids over coverage and coverage times selective risk, from (0, 0). Every case weighs alike (Traub et al. 2024).

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(augrc(risks, sure).value, 6)
    0.080972
    """
    return _judge("augrc", risk, confidence)


@declare(
    "Excess Area under the Generalized Risk-Coverage Curve",
    "e-AUGRC",
    categories=CONFIDENCES,
    direction="lower",
    range=(0, 0.5),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
)
def e_augrc(risk: ArrayLike, confidence: ArrayLike) -> Result:
    """Excess of `augrc` over that of ascending risks taken as untied.

    Parameters are those of `aurc`.

    Returns
    -------
    Result
        Value of 0 or more, lower is better, 0 for the best order.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(e_augrc(risks, sure).value, 6)
    0.010556
    """
    return _judge("e_augrc", risk, confidence)


@declare(
    "Failure AUROC",
    "AUROC_f",
    categories=CONFIDENCES,
    direction="higher",
    range=(0, 1),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
    policy={"degenerate": 0.5},
    options=(
        Option(
            "threshold",
            "number",
            None,
            "A case has failed if its risk is greater than this; needs a stated origin.",
            required=True,
        ),
    ),
)
def auroc_f(risk: ArrayLike, confidence: ArrayLike, *, threshold: float) -> Result:
    """Probability that a success has a higher confidence than a failure, equal ones counting half.

    Parameters are those of `aurc`. A case has failed if its risk is above
    ``threshold``.

    Returns
    -------
    Result
        Value in [0, 1], higher is better, 0.5 for a useless confidence; ``degenerate`` with the flag ``reference`` if nothing or
        everything fails.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(auroc_f(risks, sure, threshold=0.3).value, 6)
    0.8125
    """
    return _judge("auroc_f", risk, confidence, threshold=threshold)


@declare(
    "Selective Risk at Coverage",
    "Risk@Cov",
    categories=CONFIDENCES,
    direction="lower",
    range=(0, 1),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
    label="Risk@Cov{coverage:g}",
    options=(
        Option(
            "coverage",
            "number",
            None,
            "Smallest share of cases that has to be kept.",
            exclusive_minimum=0,
            maximum=1,
            required=True,
        ),
    ),
)
def risk_at_coverage(risk: ArrayLike, confidence: ArrayLike, *, coverage: float) -> Result:
    """Mean risk of the surest cases when a given share of all is kept.

    Parameters are those of `aurc`. ``coverage`` is the share that is
    kept at least; equal confidences are kept together.

    Returns
    -------
    Result
        Value in [0, 1] for risks up to 1, lower is better.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(risk_at_coverage(risks, sure, coverage=0.8).value, 6)
    0.166
    """
    return _judge("risk_at_coverage", risk, confidence, coverage=coverage)


@declare(
    "Coverage at Selective Risk",
    "Cov@Risk",
    categories=CONFIDENCES,
    direction="higher",
    range=(0, 1),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
    label="Cov@Risk{risk:g}",
    options=(Option("risk", "number", None, "Largest selective risk that is accepted.", minimum=0, required=True),),
)
def coverage_at_risk(risks: ArrayLike, confidence: ArrayLike, /, *, risk: float) -> Result:
    """Largest share of cases that can be kept at an accepted mean risk.

    Parameters are those of `aurc`, ``risks`` being the first. ``risk`` is the largest mean risk of the kept cases.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; 0 if no point of the curve has so small a risk. All points are looked at, since
        the curve may fall again.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(coverage_at_risk(risks, sure, risk=0.2).value, 6)
    0.833333
    """
    return _judge("coverage_at_risk", risks, confidence, risk=risk)


@declare(
    "Spearman Correlation of Confidence and Quality",
    "SC",
    categories=CONFIDENCES,
    direction="higher",
    range=(-1, 1),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
    policy={"degenerate": 0.0},
)
def confidence_spearman(risk: ArrayLike, confidence: ArrayLike) -> Result:
    """Spearman's correlation of confidence and quality, 1 - risk.

    Parameters are those of `aurc`.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better, 0 for a useless confidence; ``degenerate`` for a constant confidence, with the flag
        ``reference`` if all risks are equal.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(confidence_spearman(risks, sure).value, 6)
    0.811679
    """
    return _judge("confidence_spearman", risk, confidence)


@declare(
    "Pearson Correlation of Confidence and Quality",
    "PC",
    categories=CONFIDENCES,
    direction="higher",
    range=(-1, 1),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
    policy={"degenerate": 0.0},
)
def confidence_pearson(risk: ArrayLike, confidence: ArrayLike) -> Result:
    """Pearson's correlation of confidence and quality, 1 - risk; a rejected case has the lowest confidence of all.

    Parameters are those of `aurc`.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better; outcomes of `confidence_spearman`.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(confidence_pearson(risks, sure).value, 6)
    0.876081
    """
    return _judge("confidence_pearson", risk, confidence)


@declare(
    "Mean Absolute Error of Predicted Quality",
    "MAE_q",
    categories=CONFIDENCES,
    direction="lower",
    range=(0, 1),
    family="failure_detection",
    needs="confidences",
    evidence="confidences",
    whole_data_set=True,
)
def mae_quality(risk: ArrayLike, confidence: ArrayLike) -> Result:
    """Mean absolute difference of confidence and quality, 1 - risk: only where confidences are estimates of quality.

    Parameters are those of `aurc`.

    Returns
    -------
    Result
        Value of 0 or more, lower is better; a rejected case counts as far off as can be.

    Examples
    --------
    >>> risks, sure = [0.05, 0.1, 0.08, 0.4, 0.2, 0.9], [0.95, 0.9, 0.8, 0.8, 0.6, 0.3]
    >>> round(mae_quality(risks, sure).value, 6)
    0.12
    """
    return _judge("mae_quality", risk, confidence)
