"""Effects of case characteristics on the values of one algorithm alone.

This is the version of the mixed model of `evaluation.ranking.mixed_model` for a single algorithm. It has no term for
the algorithm. With one value per case, the intercept of the case is the residual. The result is a linear model, or a
mixed one where cases belong together (several images of a patient).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from evaluation.ranking.model_fits import Transform, design_of, fit_linear, logits, normality, terms_of
from evaluation.ranking.names_of_tests import LEAST_SQUARES

if TYPE_CHECKING:
    from collections.abc import Sequence

FEWEST_MORE: Final = 8
"""Minimum excess of the number of cases over the number of terms."""
FEWEST_IN_CATEGORY: Final = 3
_NORMAL_ENOUGH: Final = 0.97


def own_effects(
    data: pd.DataFrame,
    *,
    characteristics: Sequence[str],
    groups: Sequence[str] = (),
    value: str = "value",
    transform: Transform = "none",
    interval: float = 0.95,
) -> dict[str, Any]:
    """Fit the values of one algorithm.

    Parameters
    ----------
    data
        One row per case.
    characteristics
        Explanatory columns: numbers as they are, anything else as categories. A column is excluded with a warning if it does
        not vary, follows from those before it, or has a category of fewer than three cases.
    groups
        Columns of random intercepts from the outside in; used where a group has several cases.
    value, transform, interval
        As for `evaluation.ranking.model_fits.fit_linear`.

    Returns
    -------
    dict
        As `fit_linear`, with ``characteristics``: the characteristics in the model.

    Raises
    ------
    ValueError
        If there are fewer cases than the number of terms plus eight, or if no characteristic remains.

    Examples
    --------
    >>> cases = pd.DataFrame({"value": [0.9, 0.8, 0.7, 0.6] * 5, "smoke": [0.0, 1.0, 2.0, 3.0] * 5, "site": "A"})
    >>> fit = own_effects(cases, characteristics=["smoke", "site"])
    >>> [(term["term"], round(term["estimate"], 3)) for term in fit["terms"]], fit["warnings"]
    ([('(Intercept)', 0.9), ('smoke', -0.1)], ['site is left out: it does not vary'])
    """
    complete = data.dropna(subset=[value, *characteristics])
    usable, remarks = _usable(complete, characteristics)
    inner = [name for name in groups if 1 < complete[name].nunique() < len(complete)]
    if not usable:
        message = "no characteristic of the cases can explain anything"
        raise ValueError(message)
    terms = design_of(complete, value, usable, [])[1].shape[1]
    if len(complete) < terms + FEWEST_MORE:
        message = f"{len(complete)} cases are too few for {terms} terms"
        raise ValueError(message)
    settings: dict[str, Any] = {"value": value, "transform": transform, "interval": interval}
    fit = (
        fit_linear(complete, fixed=usable, random=inner, **settings)
        if inner
        else _fit_plain(complete, usable, **settings)
    )
    return fit | {
        "dropped": len(data) - len(complete),
        "characteristics": usable,
        "warnings": [*remarks, *fit["warnings"]],
    }


def _usable(data: pd.DataFrame, characteristics: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the usable characteristics, and the reasons why the others cannot be used."""
    usable: list[str] = []
    remarks = []
    for name in characteristics:
        column = data[name]
        if column.nunique() < 2:
            remarks.append(f"{name} is left out: it does not vary")
            continue
        if not pd.api.types.is_numeric_dtype(column) and column.value_counts().min() < FEWEST_IN_CATEGORY:
            remarks.append(f"{name} is left out: one of its categories has fewer than {FEWEST_IN_CATEGORY} cases")
            continue
        design = design_of(data.assign(_value=0.0), "_value", [*usable, name], [])[1]
        if int(np.linalg.matrix_rank(design.to_numpy(dtype=float))) < design.shape[1]:
            remarks.append(f"{name} is left out: it follows from the others")
            continue
        usable.append(name)
    return usable, remarks


def _fit_plain(
    data: pd.DataFrame, fixed: Sequence[str], *, value: str, transform: Transform, interval: float
) -> dict[str, Any]:
    """Ordinary least squares, as statsmodels fits it, with intervals of Student's t."""
    from statsmodels.regression.linear_model import OLS

    frame, design, _ = design_of(data, value, fixed, [])
    response = frame["y"].to_numpy(dtype=float)
    remarks: list[str] = []
    if transform == "logit":
        response, drawn_in = logits(response)
        if drawn_in:
            remarks.append(f"{drawn_in} of the values lie on 0 or 1; all were drawn in by half an observation")
    result = OLS(response, design.to_numpy(dtype=float)).fit()
    residuals = np.asarray(result.resid, dtype=float)
    spread = float(residuals.std())
    quality = normality(residuals) if spread > 1e-12 else None
    if quality is not None and quality["correlation"] < _NORMAL_ENOUGH:
        remarks.append("the residuals are far from normal: intervals and p-values are rough")
    words = f"logit({value})" if transform == "logit" else value
    return {
        "model": f"{words} ~ {' + '.join(fixed)}",
        "method": LEAST_SQUARES,
        "rows": len(frame),
        "groups": {},
        "terms": terms_of(
            list(design.columns),
            np.asarray(result.params, dtype=float),
            np.asarray(result.bse, dtype=float),
            interval,
            odds=transform == "logit",
            freedom=float(result.df_resid),
        ),
        "odds": transform == "logit",
        "deviations": {"residual": float(np.sqrt(result.scale))},
        "log_likelihood": float(result.llf) if spread > 1e-12 else None,
        "converged": True,
        "warnings": remarks,
        "residuals": quality,
    }
