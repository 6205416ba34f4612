"""Logistic models of hits in trials with crossed or nested random intercepts, by Laplace's approximation.

statsmodels has no maximum-likelihood fit of such models (its Bayesian one takes single trials only), so it is done
here: for given standard deviations and fixed effects the most likely random effects are found by penalised Newton
steps, their spread enters by Laplace's approximation, and the resulting likelihood is maximised.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, gammaln

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
_STEP = 2e-3
_ROUNDS = 10
_NOTHING_GAINED = 1e-7


@dataclass(frozen=True)
class LogisticFit:
    """Fixed effects as log odds ratios with their covariance, standard deviations of the random intercepts."""

    estimates: FloatArray
    covariance: FloatArray
    deviations: dict[str, float]
    log_likelihood: float
    converged: bool
    message: str


def fit_logistic(
    hits: FloatArray, trials: FloatArray, design: FloatArray, groups: Mapping[str, Sequence[object]]
) -> LogisticFit:
    """Fit hits ~ Binomial(trials, logistic(design · β + random intercepts)).

    Parameters
    ----------
    hits, trials
        One entry a row, whole numbers; ``trials`` of 1 for single yes or no answers.
    design
        Rows × fixed effects.
    groups
        For each random intercept, the group of every row; groups may be nested or crossed.

    Notes
    -----
    The covariance comes from the curvature of the deviance in standard deviations and fixed effects together. A
    standard deviation at 0 is a fit at the edge: the group then explains nothing.

    References
    ----------
    Bates, Mächler, Bolker, Walker, "Fitting linear mixed-effects models using lme4", Journal of Statistical Software 67,
    2015; Breslow, Clayton, "Approximate inference in generalized linear mixed models", JASA 88, 1993.
    """
    from scipy.optimize import minimize

    model = _Model(hits, trials, design, groups)
    start = np.concatenate([np.full(model.kinds, 0.5), model.plain_fit()])
    tight = {"maxiter": 500, "ftol": 1e-13, "gtol": 1e-5}
    best = minimize(model.deviance, start, method="L-BFGS-B", jac="3-point", bounds=model.bounds, options=tight)
    for _ in range(_ROUNDS):
        again = minimize(model.deviance, best.x, method="L-BFGS-B", jac="3-point", bounds=model.bounds, options=tight)
        gained, best = best.fun - again.fun, again if again.fun < best.fun else best
        if gained < _NOTHING_GAINED:
            break
    curvature = _hessian(model.deviance, best.x)
    free = np.concatenate([best.x[: model.kinds] > 2 * _STEP, np.ones(design.shape[1], dtype=bool)])
    covariance = 2.0 * np.linalg.pinv(curvature[np.ix_(free, free)])[-design.shape[1] :, -design.shape[1] :]
    return LogisticFit(
        estimates=best.x[model.kinds :],
        covariance=covariance,
        deviations=dict(zip(groups, map(float, best.x[: model.kinds]), strict=True)),
        log_likelihood=-float(best.fun) / 2.0,
        converged=bool(best.success),
        message=str(best.message),
    )


class _Model:
    """The deviance as a function of standard deviations and fixed effects."""

    def __init__(
        self, hits: FloatArray, trials: FloatArray, design: FloatArray, groups: Mapping[str, Sequence[object]]
    ) -> None:
        self.hits, self.trials, self.design = hits, trials, design
        indicators = []
        kinds = []
        for kind, names in enumerate(groups.values()):
            _, number = np.unique(np.asarray(names, dtype=str), return_inverse=True)
            indicators.append(np.eye(int(number.max()) + 1)[number])
            kinds += [kind] * (int(number.max()) + 1)
        self.kind = np.array(kinds)
        self.kinds = len(indicators)
        self.indicators = np.hstack(indicators)
        self.bounds = [(0.0, None)] * self.kinds + [(None, None)] * design.shape[1]
        self.constant = float((gammaln(trials + 1) - gammaln(hits + 1) - gammaln(trials - hits + 1)).sum())
        self.effects = np.zeros(len(kinds))

    def plain_fit(self) -> FloatArray:
        """Fixed effects of the model without random intercepts, by iteratively weighted least squares."""
        estimates = np.zeros(self.design.shape[1])
        for _ in range(50):
            chance = expit(self.design @ estimates)
            weight = self.trials * chance * (1 - chance)
            information = self.design.T @ (weight[:, None] * self.design)
            step = np.linalg.solve(information, self.design.T @ (self.hits - self.trials * chance))
            estimates = estimates + step
            if np.abs(step).max() < 1e-10:
                break
        return estimates

    def deviance(self, parameters: FloatArray) -> float:
        """Minus twice the approximate log-likelihood."""
        spread = np.abs(parameters[: self.kinds])[self.kind]
        fixed = self.design @ parameters[self.kinds :]
        scaled = self.indicators * spread
        effects = self.effects
        current = self._penalised(fixed + scaled @ effects, effects)
        for _ in range(100):
            chance = expit(fixed + scaled @ effects)
            weight = self.trials * chance * (1 - chance)
            factor = cho_factor(scaled.T @ (weight[:, None] * scaled) + np.eye(len(effects)))
            step = cho_solve(factor, scaled.T @ (self.hits - self.trials * chance) - effects)
            size = 1.0
            proposed = self._penalised(fixed + scaled @ (effects + step), effects + step)
            while proposed > current + 1e-12 and size > 1e-6:
                size /= 2
                proposed = self._penalised(fixed + scaled @ (effects + size * step), effects + size * step)
            effects = effects + size * step
            current = min(current, proposed)
            if np.abs(size * step).max() < 1e-9:
                break
        self.effects = effects
        chance = expit(fixed + scaled @ effects)
        weight = self.trials * chance * (1 - chance)
        factor = cho_factor(scaled.T @ (weight[:, None] * scaled) + np.eye(len(effects)))
        log_determinant = 2.0 * float(np.log(np.diag(factor[0])).sum())
        return self._penalised(fixed + scaled @ effects, effects) + log_determinant - 2.0 * self.constant

    def _penalised(self, predictor: FloatArray, effects: FloatArray) -> float:
        log_likelihood = float((self.hits * predictor - self.trials * np.logaddexp(0.0, predictor)).sum())
        return -2.0 * log_likelihood + float(effects @ effects)


def _hessian(function: object, point: FloatArray) -> FloatArray:
    """Second derivatives by central differences."""
    size = len(point)
    result = np.empty((size, size))
    unit = np.eye(size) * _STEP
    for row in range(size):
        for column in range(row, size):
            corners = [
                function(point + a * unit[row] + b * unit[column])  # type: ignore[operator]
                for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
            ]
            value = (corners[0] - corners[1] - corners[2] + corners[3]) / (4 * _STEP**2)
            result[row, column] = result[column, row] = value
    return result
