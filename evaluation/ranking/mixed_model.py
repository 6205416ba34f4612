"""Mixed models: effects of case characteristics, and a ranking that respects dependent cases.

Images of one patient are similar. A model with a random intercept for the patient and for the image accounts for this.
A plain regression would overstate the certainty. The fits themselves are in `evaluation.ranking.model_fits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.ranking.model_fits import (
    NoFitError,
    Transform,
    fit_hits,
    fit_linear,
    fit_linear_with_result,
    log_likelihood,
)
from evaluation.ranking.scores import rank as rank_values
from evaluation.ranking.scores import snap
from evaluation.ranking.significance import holm

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

FloatArray = npt.NDArray[np.float64]

__all__ = [
    "NoFitError",
    "Transform",
    "algorithm_effect",
    "fit_hits",
    "fit_linear",
    "model_ranking",
    "strengths_and_weaknesses",
]


def algorithm_effect(
    data: pd.DataFrame,
    *,
    value: str,
    fixed: Sequence[str],
    random: Sequence[str],
    transform: Transform = "none",
    algorithm: str = "algorithm",
) -> dict[str, float | int]:
    """Global test of the algorithms: likelihood ratio of the model with and without them, both by maximum likelihood.

    Returns
    -------
    dict
        ``statistic``, ``df`` and ``p`` (chi-squared).
    """
    from scipy.stats import chi2

    complete = data.dropna(subset=[value, *fixed, *random, algorithm])
    settings: dict[str, Any] = {"value": value, "random": random, "transform": transform}
    full, terms = log_likelihood(complete, fixed=[algorithm, *fixed], **settings)
    reduced, fewer_terms = log_likelihood(complete, fixed=list(fixed), **settings)
    degrees = terms - fewer_terms
    statistic = max(0.0, 2.0 * (full - reduced))
    return {"statistic": statistic, "df": degrees, "p": float(chi2.sf(statistic, degrees))}


def model_ranking(
    data: pd.DataFrame,
    *,
    higher_is_better: bool,
    value: str = "value",
    algorithm: str = "algorithm",
    random: Sequence[str] = ("case",),
    transform: Transform = "none",
    alpha: float = 0.05,
) -> dict[str, Any]:
    """Rank algorithms by a mixed model: value ~ algorithm + (1 | case), or (1 | patient/case).

    Parameters
    ----------
    data
        One row a case and algorithm.
    higher_is_better
        Direction of the values.
    value, algorithm, random, transform
        Columns and transformation; `random` from the outside in.
    alpha
        Level of the contrasts.

    Returns
    -------
    dict
        ``algorithms`` (name, estimate, rank, ``group`` 1 for those not significantly worse than the first), the
        ``global_test``, pairwise ``contrasts`` with Holm-adjusted two-sided p-values, and the ``fit``.
    """
    names = sorted(map(str, set(data[algorithm].dropna())))
    fit, result = fit_linear_with_result(data, value=value, fixed=[algorithm], random=random, transform=transform)
    size = len(names)
    covariance = np.asarray(result.cov_params(), dtype=float)[:size, :size]
    means = np.asarray(result.fe_params, dtype=float)
    to_levels = np.eye(size)
    to_levels[:, 0] = 1.0
    levels = to_levels @ means
    spread = to_levels @ covariance @ to_levels.T
    ranks = rank_values(snap(levels, 9), higher_is_better=higher_is_better)
    contrasts = _contrasts(names, levels, spread, higher_is_better=higher_is_better)
    best = names[int(np.argmin(ranks))]
    worse = {c["worse"] for c in contrasts if c["better"] == best and c["p_adjusted"] <= alpha}
    order = np.lexsort((np.array(names), ranks))
    return {
        "algorithms": [
            {
                "name": names[index],
                "estimate": float(levels[index]),
                "std_error": float(np.sqrt(spread[index, index])),
                "rank": float(ranks[index]),
                "group": 1 if names[index] not in worse else None,
            }
            for index in order
        ],
        "group_rule": "not_significantly_worse",
        "global_test": algorithm_effect(
            data, value=value, fixed=[], random=random, transform=transform, algorithm=algorithm
        ),
        "contrasts": contrasts,
        "fit": fit,
    }


def strengths_and_weaknesses(
    data: pd.DataFrame,
    *,
    characteristics: Sequence[str],
    random: Sequence[str],
    value: str | None = "value",
    hits: str | None = None,
    trials: str | None = None,
    algorithm: str = "algorithm",
    transform: Transform = "logit",
) -> dict[str, Any]:
    """Return the effects of case characteristics, over all algorithms and for each of them.

    Parameters
    ----------
    data
        One row per case and algorithm, with the characteristics as columns.
    characteristics
        Explanatory columns of the case table.
    random
        Columns of random intercepts. For values they are nested from the outside in and the algorithms are fixed
        effects; for hits in trials the algorithm is one more random intercept, crossed with the others.
    value, hits, trials
        Either a column of values, or two columns of whole numbers, such as detected pixels and existing pixels.
    algorithm, transform
        Column of the algorithms; transformation of values.

    Returns
    -------
    dict
        ``all`` and ``by_algorithm``: fits with ``terms``; ``exp(estimate)`` is an odds ratio where ``odds`` is set. Terms of
        characteristics have ``p_adjusted`` (Holm, over all of them); ``looked_at`` describes their number.
        ``no_fit``: the reason for a missing fit, by algorithm.

    Raises
    ------
    NoFitError
        If the model of all algorithms has no fit.
    """
    parts = [(str(name), part) for name, part in data.groupby(algorithm)]
    if hits is not None and trials is not None:
        whole = fit_hits(data, hits=hits, trials=trials, fixed=characteristics, random=[*random, algorithm])
        each, none = _of_each(
            parts,
            lambda part: fit_hits(part, hits=hits, trials=trials, fixed=characteristics, random=list(random)[:1]),
        )
    else:
        assert value is not None
        settings: dict[str, Any] = {"value": value, "transform": transform}
        whole = fit_linear(data, fixed=[algorithm, *characteristics], random=random, **settings)
        each, none = _of_each(
            [(name, part) for name, part in parts if _above_rows(part, random)],
            lambda part: fit_linear(part, fixed=list(characteristics), random=_above_rows(part, random), **settings),
        )
    return _adjusted({"all": whole, "by_algorithm": each, "no_fit": none, "characteristics": list(characteristics)})


def _of_each(
    parts: Sequence[tuple[str, pd.DataFrame]], fit: Callable[[pd.DataFrame], dict[str, Any]]
) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
    """The fits of single algorithms, and why some have none."""
    fits, reasons = {}, {}
    for name, part in parts:
        try:
            fits[name] = fit(part)
        except NoFitError as error:
            reasons[name] = str(error)
    return fits, reasons


def _adjusted(analysis: dict[str, Any]) -> dict[str, Any]:
    """Add ``p_adjusted`` to each term of a characteristic, and the number of examined terms to the analysis."""
    fits = [analysis["all"], *analysis["by_algorithm"].values()]
    analysis["looked_at"] = adjust(fits, analysis["characteristics"])
    return analysis


def adjust(fits: Sequence[Mapping[str, Any]], characteristics: Sequence[str]) -> str:
    """Add ``p_adjusted`` to each term of a characteristic, fit by fit.

    Return a sentence on the number of terms in the first fit. The adjustment is Holm's method over all terms of
    characteristics of one fit. Without it, examining many terms would yield significant results by chance.
    """
    wanted = set(characteristics)
    counts = []
    for fit in fits:
        looked_at = [term for term in fit["terms"] if term["term"].split(": ")[0] in wanted]
        p_values = np.array([[term["p"] for term in looked_at]], dtype=float)
        for term, adjusted in zip(looked_at, holm(p_values)[0], strict=True):
            term["p_adjusted"] = float(adjusted)
        counts.append(len(looked_at))
    return multiplicity_words(len(wanted), counts[0])


def multiplicity_words(characteristics: int, terms: int) -> str:
    """Return a sentence on the number of examined characteristics and the adjustment for it.

    Examples
    --------
    >>> multiplicity_words(1, 1)
    'One characteristic was looked at, so nothing had to be adjusted'
    >>> multiplicity_words(3, 5)[:58]
    '3 characteristics with 5 effects were looked at; p-values '
    """
    if terms == 1:
        return "One characteristic was looked at, so nothing had to be adjusted"
    what = "1 characteristic" if characteristics == 1 else f"{characteristics} characteristics"
    were = "was" if characteristics == 1 else "were"
    return (
        f"{what} with {terms} effects {were} looked at; p-values and stars are adjusted for that by Holm’s method, "
        "intervals are those of single effects"
    )


def _contrasts(
    names: Sequence[str], levels: FloatArray, covariance: FloatArray, *, higher_is_better: bool
) -> list[dict[str, Any]]:
    from scipy.stats import norm

    contrasts: list[dict[str, Any]] = []
    for first in range(len(names)):
        for second in range(first + 1, len(names)):
            difference = float(levels[first] - levels[second])
            variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
            leads = (difference > 0) == higher_is_better
            contrasts.append(
                {
                    "better": names[first] if leads else names[second],
                    "worse": names[second] if leads else names[first],
                    "difference": abs(difference),
                    "p": float(2 * norm.sf(abs(difference) / np.sqrt(variance))),
                }
            )
    order = np.argsort(np.array([contrast["p"] for contrast in contrasts], dtype=float), kind="stable")
    reached = 0.0
    for position, index in enumerate(order):
        reached = max(reached, (len(contrasts) - position) * contrasts[index]["p"])
        contrasts[index]["p_adjusted"] = min(1.0, reached)
    return contrasts


def _above_rows(part: pd.DataFrame, random: Sequence[str]) -> list[str]:
    """Return the random intercepts that have several rows per group.

    With one row per group an intercept cannot be distinguished from the residual.
    """
    return [name for name in random if part[name].nunique() < len(part)]
