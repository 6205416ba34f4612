"""Fits of mixed models: linear ones by statsmodels, of hits in trials by Laplace's approximation.

Linear models are fitted to values or to their logits, with random intercepts nested in one another; models of hits in
trials may have crossed ones, too.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.special import logit

from evaluation.ranking.laplace import fit_logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

FloatArray = npt.NDArray[np.float64]
Transform = Literal["none", "logit"]
_NORMAL_ENOUGH = 0.985
_FARTHEST_LOGIT = 30.0
"""Largest plausible log odds, about 10 million millions to one.

An estimate beyond it means that no finite estimate exists.
"""
_NO_RESIDUAL = 1e-10


_SEPARATED = (
    "the fit did not converge: a characteristic, or a group, tells hits and misses apart completely, so its effect has no "
    "finite estimate"
)


_FLAT = "the likelihood is flat around its maximum: standard errors, intervals and p-values are rough"


class NoFitError(ValueError):
    """Error for a model without meaningful numbers on these data; the message contains the reason."""


def fit_linear(
    data: pd.DataFrame,
    *,
    value: str,
    fixed: Sequence[str],
    random: Sequence[str],
    transform: Transform = "none",
    interval: float = 0.95,
    reml: bool = True,
) -> dict[str, Any]:
    """Fit a linear mixed model with nested random intercepts.

    Parameters
    ----------
    data
        One row per measurement; rows with a missing value in any used column are excluded and counted.
    value
        Column to explain.
    fixed
        Explanatory columns: numbers as they are, anything else as categories against the first in sorted order.
    random
        Columns of the random intercepts from the outside in: ``["patient", "image"]``.
    transform
        ``logit`` for values between 0 and 1. If some are on the bounds, all are moved inwards slightly, and this is reported.
    interval
        Coverage of the intervals.
    reml
        Restricted maximum likelihood; plain maximum likelihood is for comparing models.

    Returns
    -------
    dict
        ``model`` as text, ``terms`` (term, estimate, std_error, statistic, p, interval), ``deviations`` of the random
        intercepts and the residual, ``log_likelihood``, ``converged``, ``warnings``, ``residuals`` (their
        normality), numbers of rows, and ``odds``: whether ``exp(estimate)`` is an odds ratio.

    Raises
    ------
    NoFitError
        If the fit did not converge to a result whose errors can be computed.
    """
    settings: dict[str, Any] = {"transform": transform, "interval": interval, "reml": reml}
    return fit_linear_with_result(data, value=value, fixed=fixed, random=random, **settings)[0]


def fit_linear_with_result(
    data: pd.DataFrame,
    *,
    value: str,
    fixed: Sequence[str],
    random: Sequence[str],
    transform: Transform = "none",
    interval: float = 0.95,
    reml: bool = True,
) -> tuple[dict[str, Any], Any]:
    """The fit as `fit_linear` describes it, and as statsmodels returns it."""
    frame, design, dropped = design_of(data, value, fixed, random)
    design, remarks = independent(design)
    response = frame["y"].to_numpy(dtype=float)
    if transform == "logit":
        response, drawn_in = logits(response)
        if drawn_in:
            remarks.append(f"{drawn_in} of the values lie on 0 or 1; all were drawn in by half an observation")
    result, caught = _fit(response, design, frame, random, reml=reml)
    estimates = np.asarray(result.fe_params, dtype=float)
    errors = _errors(np.asarray(result.cov_params(), dtype=float)[: len(estimates), : len(estimates)])
    residuals = _residuals(result)
    if float(np.ptp(residuals)) <= _NO_RESIDUAL * max(float(np.ptp(response)), float(np.abs(response).max())):
        message = "the fit leaves no residual: the model explains the values exactly, and nothing varies by chance"
        raise NoFitError(message)
    remarks += caught
    if not result.converged:
        remarks.append("the fit did not converge: its numbers cannot be trusted")
    quality = normality(residuals)
    if quality["correlation"] < _NORMAL_ENOUGH:
        remarks.append(
            "the residuals are far from normal (see the quantile plot): intervals and p-values are rough; "
            "try the other transformation or a model of hits in trials"
        )
    deviations = _deviations(result, random)
    if min(deviations.values()) < 1e-4 * max(deviations.values()):
        remarks.append("a random intercept explains nothing: the fit lies at the edge of what is possible")
    response_words = f"logit({value})" if transform == "logit" else value
    document = {
        "model": f"{response_words} ~ {' + '.join(fixed)}, random intercepts {_nested_words(random)}",
        "method": "REML" if reml else "ML",
        "rows": len(frame),
        "dropped": dropped,
        "groups": {name: int(frame[f"r{index}"].nunique()) for index, name in enumerate(random)},
        "terms": terms_of(list(design.columns), estimates, errors, interval, odds=transform == "logit"),
        "odds": transform == "logit",
        "deviations": deviations,
        "log_likelihood": float(result.llf),
        "converged": bool(result.converged),
        "warnings": remarks,
        "residuals": quality,
    }
    return document, result


def fit_hits(
    data: pd.DataFrame,
    *,
    hits: str,
    trials: str,
    fixed: Sequence[str],
    random: Sequence[str],
    interval: float = 0.95,
) -> dict[str, Any]:
    """Fit a logistic model of hits in trials with random intercepts, nested or crossed.

    Returns
    -------
    dict
        As `fit_linear`; estimates are log odds ratios.

    Raises
    ------
    NoFitError
        If all trials have the same result, or a column separates hits and misses completely. The likeliest effect is then
        infinite.
    """
    frame, design, dropped = design_of(data, hits, fixed, random, extra=trials)
    design, left_out = independent(design)
    hit, tried = frame["y"].to_numpy(dtype=float), frame["n"].to_numpy(dtype=float)
    if (hit == tried).all() or not hit.any():
        message = f"{'all' if hit.any() else 'none'} of the trials are hits: there is nothing to explain"
        raise NoFitError(message)
    try:
        fit = fit_logistic(
            hit,
            tried,
            design.to_numpy(dtype=float),
            {name: frame[f"r{index}"].tolist() for index, name in enumerate(random)},
        )
    except np.linalg.LinAlgError as error:
        raise NoFitError(_SEPARATED) from error
    errors = _errors(fit.covariance)
    if float(np.abs(fit.estimates).max()) > _FARTHEST_LOGIT:
        raise NoFitError(_SEPARATED)
    remarks = (
        left_out
        if fit.converged
        else [*left_out, f"the fit did not converge ({fit.message}): its numbers cannot be trusted"]
    )
    remarks += [f"{name} explains nothing" for name, spread in fit.deviations.items() if spread < 1e-3]
    return {
        "model": f"{hits} of {trials} ~ {' + '.join(fixed)}, random intercepts {', '.join(random)}, logit link",
        "method": "Laplace",
        "rows": len(frame),
        "dropped": dropped,
        "groups": {name: int(frame[f"r{index}"].nunique()) for index, name in enumerate(random)},
        "terms": terms_of(list(design.columns), fit.estimates, errors, interval, odds=True),
        "odds": True,
        "deviations": fit.deviations,
        "log_likelihood": fit.log_likelihood,
        "converged": fit.converged,
        "warnings": remarks,
        "residuals": None,
    }


def log_likelihood(
    data: pd.DataFrame, *, value: str, fixed: Sequence[str], random: Sequence[str], transform: Transform = "none"
) -> tuple[float, int]:
    """Log-likelihood of a linear mixed model by maximum likelihood, and how many fixed effects it has."""
    frame, design, _ = design_of(data, value, fixed, random)
    response = frame["y"].to_numpy(dtype=float)
    result, _ = _fit(logits(response)[0] if transform == "logit" else response, design, frame, random, reml=False)
    return float(result.llf), design.shape[1]


def _errors(covariance: FloatArray) -> FloatArray:
    """Standard errors; a variance that is no positive number belongs to a fit that ended at no maximum."""
    variances = np.diag(covariance)
    if not (np.isfinite(variances).all() and (variances > 0).all()):
        message = (
            "the fit did not converge: it ended where the likelihood has no maximum, so its errors cannot be computed"
        )
        raise NoFitError(message)
    return np.asarray(np.sqrt(variances))


def design_of(
    data: pd.DataFrame, value: str, fixed: Sequence[str], random: Sequence[str], *, extra: str | None = None
) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Columns under safe names, the matrix of fixed effects, and how many rows had gaps."""
    used = [value, *fixed, *random] + ([extra] if extra else [])
    for name in used:
        if name not in data.columns:
            message = f"the data have no column {name!r}"
            raise ValueError(message)
    complete = data.dropna(subset=used)
    frame = pd.DataFrame({"y": pd.to_numeric(complete[value])}).reset_index(drop=True)
    if extra:
        frame["n"] = pd.to_numeric(complete[extra]).to_numpy()
    for index, name in enumerate(random):
        frame[f"r{index}"] = complete[name].astype(str).to_numpy()
    columns: dict[str, Any] = {"(Intercept)": np.ones(len(frame))}
    for name in fixed:
        column = complete[name].reset_index(drop=True)
        if pd.api.types.is_numeric_dtype(column):
            columns[name] = column.to_numpy(dtype=float)
            continue
        levels = sorted(map(str, set(column)))
        for level in levels[1:]:
            columns[f"{name}: {level}"] = (column.astype(str) == level).astype(float).to_numpy()
    return frame, pd.DataFrame(columns), len(data) - len(complete)


def independent(design: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the linearly independent columns of a matrix of fixed effects, and remarks on the others.

    A column is excluded if it follows from those before it. With such a column there would be infinitely many best
    fits, some of them with unbounded coefficients.

    Examples
    --------
    >>> table = pd.DataFrame({"(Intercept)": [1.0, 1.0, 1.0], "site: B": [0.0, 1.0, 1.0], "lamp: on": [1.0, 0.0, 0.0]})
    >>> kept, remarks = independent(table)
    >>> list(kept.columns), remarks
    (['(Intercept)', 'site: B'], ['lamp: on is left out: it follows from the others'])
    """
    values = design.to_numpy(dtype=float)
    if int(np.linalg.matrix_rank(values)) == design.shape[1]:
        return design, []
    columns: list[int] = []
    for column in range(design.shape[1]):
        if int(np.linalg.matrix_rank(values[:, [*columns, column]])) > len(columns):
            columns.append(column)
    left_out = [name for column, name in enumerate(design.columns) if column not in columns]
    return design.iloc[:, columns], [f"{name} is left out: it follows from the others" for name in left_out]


def _fit(
    response: FloatArray, design: pd.DataFrame, frame: pd.DataFrame, random: Sequence[str], *, reml: bool
) -> tuple[Any, list[str]]:
    from statsmodels.regression.mixed_linear_model import MixedLM

    data = frame.assign(y=response)
    names = [f"x{index}" for index in range(design.shape[1])]
    for name, column in zip(names, design.columns, strict=True):
        data[name] = design[column]
    inner = {f"v{index}": f"0 + C(r{index})" for index in range(1, len(random))}
    model = MixedLM.from_formula(
        "y ~ 0 + " + " + ".join(names), groups="r0", re_formula="1", vc_formula=inner or None, data=data
    )
    return _best_of_methods(model, reml=reml)


def _best_of_methods(model: Any, *, reml: bool) -> tuple[Any, list[str]]:
    """Return the likeliest fit of several statsmodels optimisers, with its warnings.

    A single optimiser may diverge.
    """
    fits: list[tuple[Any, list[str]]] = []
    for method in ("lbfgs", "bfgs", "powell", "cg"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = model.fit(reml=reml, method=method)
                sensible = bool(np.isfinite(result.llf)) and float(np.asarray(result.cov_re).max()) < 1e6 * result.scale
            except (np.linalg.LinAlgError, ValueError, FloatingPointError):
                continue
        if sensible:
            flat = any("not positive definite" in str(item.message) for item in caught)
            fits.append((result, [_FLAT] if flat else []))
        if len(fits) == 2 and abs(fits[0][0].llf - fits[1][0].llf) < 1e-4:
            break
    if not fits:
        message = "the fit did not converge with any optimiser of statsmodels"
        raise NoFitError(message)
    return max(fits, key=lambda fit: (bool(fit[0].converged), float(fit[0].llf)))


def _residuals(result: Any) -> FloatArray:
    """Return the residuals of fixed effects and random intercepts.

    The random intercepts are omitted if they explain nothing.
    """
    try:
        return np.asarray(result.resid, dtype=float)
    except ValueError:
        return np.asarray(result.model.endog - result.model.exog @ result.fe_params, dtype=float)


def _deviations(result: Any, random: Sequence[str]) -> dict[str, float]:
    """Standard deviations of the random intercepts and of the residual."""
    scale = float(result.scale)
    outer = float(np.asarray(result.cov_re)[0, 0])
    deviations = {random[0]: max(outer, 0.0) ** 0.5}
    components = np.asarray(result.vcomp, dtype=float)
    for index, name in enumerate(random[1:]):
        deviations[name] = max(float(components[index]), 0.0) ** 0.5
    return {**deviations, "residual": scale**0.5}


def terms_of(
    names: Sequence[str],
    estimates: FloatArray,
    errors: FloatArray,
    interval: float,
    *,
    odds: bool,
    freedom: float = np.inf,
) -> list[dict[str, Any]]:
    """Estimates with intervals and p-values, normal or of Student's t with `freedom` degrees."""
    from scipy.stats import t

    width = float(t.ppf(0.5 + interval / 2, freedom))
    terms = []
    for name, estimate, error in zip(names, estimates, errors, strict=True):
        statistic = float(estimate / error) if error > 0 else float("nan")
        low, high = float(estimate - width * error), float(estimate + width * error)
        term: dict[str, Any] = {
            "term": name,
            "estimate": float(estimate),
            "std_error": float(error),
            "statistic": statistic,
            "p": float(2 * t.sf(abs(statistic), freedom)),
            "interval": [low, high],
        }
        if odds:
            term |= {"odds_ratio": float(np.exp(estimate)), "odds_interval": [float(np.exp(low)), float(np.exp(high))]}
        terms.append(term)
    return terms


def logits(values: FloatArray) -> tuple[FloatArray, int]:
    """Logits; values on the bounds are first drawn in by half an observation, all by the same rule."""
    if (values < 0).any() or (values > 1).any():
        message = "the logit needs values between 0 and 1"
        raise ValueError(message)
    edge = int(((values == 0) | (values == 1)).sum())
    if edge:
        values = (values * (len(values) - 1) + 0.5) / len(values)
    return logit(values), edge


def normality(residuals: FloatArray) -> dict[str, Any]:
    """Return measures of the normality of residuals.

    They are points of the quantile plot and their correlation, skewness, and excess kurtosis.
    """
    from scipy.stats import kurtosis, probplot, skew

    (theoretical, ordered), (_, _, correlation) = probplot(residuals)
    keep = np.unique(np.linspace(0, len(ordered) - 1, min(len(ordered), 200)).astype(int))
    return {
        "correlation": float(correlation),
        "skewness": float(skew(residuals)),
        "excess_kurtosis": float(kurtosis(residuals)),
        "quantiles": [[float(theoretical[index]), float(ordered[index])] for index in keep],
    }


def _nested_words(random: Sequence[str]) -> str:
    words: list[str] = []
    for index, name in enumerate(random):
        words.append(name if index == 0 else f"{name} within {random[index - 1]}")
    return " and ".join(words)
