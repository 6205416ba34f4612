"""Possible attacks on resampled scores of a site: known seeds, and short vectors of lattices.

The attacker receives more than leaves a site: the order of the resamples, which the kit removes by sorting, and the
exact method of resampling. Each attack has a control, on something that must never be sent, in which it succeeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.federation import summarise, summary
from evaluation.federation.scheme import at_a_site, site_schemes
from evaluation.ranking.evaluate import make_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd
    import pytest

    from evaluation.assessment import Assessment
    from evaluation.ranking.plans import Plan

Array = npt.NDArray[np.float64]
_LOVASZ = 0.99


@dataclass(frozen=True)
class Observed:
    """A summary, and what stayed at the site: how often each case is in each resample, and the scores in their order."""

    document: dict[str, Any]
    weights: Array
    scores: Array


def observed(
    patch: pytest.MonkeyPatch, registered: Assessment, table: pd.DataFrame, *, replicates: int = 200
) -> Observed:
    """Make the summary of a site as the kit does, and look over its shoulder."""
    plans: list[Plan] = []
    scores: list[Array] = []

    def planned(*arguments: Any, **more: Any) -> Plan:
        plans.append(make_plan(*arguments, **more))
        return plans[-1]

    real = summary.combine

    def combined(*arguments: Any) -> Any:
        found = real(*arguments)
        scores.append(found[0].scores)
        return found

    with patch.context() as during:
        during.setattr(summary, "make_plan", planned)
        during.setattr(summary, "combine", combined)
        document = summarise(registered, table, site="north", replicates=replicates)
    rows = slice(1, 1 + replicates)
    return Observed(document, plans[0].samples.counts[:, rows].T.astype(float), scores[0][rows])


def drawn(registered: Assessment, cases: int, number: int, seed: int) -> Array:
    """Return the number of occurrences of each case in each resample under a seed, as `evaluation` samples them."""
    names = [f"case-{index:03d}" for index in range(cases)]
    local = at_a_site(registered, site_schemes(registered, "site")[0], "site")
    plan = make_plan(local, names, None, bootstrap=number, seed=seed, leave_one_out=False)
    return plan.samples.counts[:, 1 : 1 + number].T.astype(float)


def fit(weights: Array, scores: Sequence[Array]) -> list[float]:
    """Share of the variance of resampled scores that weights explain, by least squares; one for each table of scores."""
    basis, _ = np.linalg.qr(weights)
    found = []
    for table in scores:
        moving = table[:, table.std(axis=0) > 0]
        centred = moving - moving.mean(axis=0)
        explained = basis @ (basis.T @ centred)
        found.append(float((explained**2).sum() / (centred**2).sum()) if moving.size else 0.0)
    return found


def best_seed(
    seeds: Sequence[int], weights_of: Callable[[int], Array], scores: Sequence[Array]
) -> list[tuple[float, int]]:
    """The seed that explains each table of scores best, and how much of it."""
    best = [(0.0, -1)] * len(scores)
    for seed in seeds:
        best = [max(old, (new, seed)) for old, new in zip(best, fit(weights_of(seed), scores), strict=True)]
    return best


def weights_by_lattice(rows: Array, cases: int, scale: float) -> list[npt.NDArray[np.int64]]:
    """Return columns of weights that short vectors of a lattice suggest (Nguyen and Stern, 1999).

    Parameters
    ----------
    rows
        Resamples × numbers, each number a weighted sum of the values of single cases.
    cases
        Number of cases, as stated in the summary.
    scale
        Factor that converts the numbers to integers.
    """
    number = len(rows)
    whole = np.rint(rows * scale).astype(np.int64)
    identity = np.eye(number, dtype=np.int64)
    orthogonal = reduced(np.hstack([identity, 8 * whole]))[: max(1, number - cases), :number]
    basis = reduced(np.hstack([identity, 64 * orthogonal.T]))[:cases, :number]
    found = [*basis, *(-basis)]
    found += [one + other for index, one in enumerate(found) for other in found[:index]]
    ones = np.ones(number, dtype=np.int64)
    # Weights sum to the number of cases in every resample, so the vector of ones lies in the lattice, too.
    return [vector + shift * ones for vector in found for shift in (-1, 0, 1, 2)]


def found_columns(weights: Array, suggested: Sequence[npt.NDArray[np.int64]]) -> int:
    """Return the number of cases whose weights are among the suggested columns."""
    known = {vector.tobytes() for vector in suggested}
    return sum(column.astype(np.int64).tobytes() in known for column in weights.T)


def reduced(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """A basis of the same lattice with short vectors first (Lenstra, Lenstra and Lovász, 1982), in floating point."""
    basis = rows.copy()
    number = len(basis)
    mu, norms = np.zeros((number, number)), np.zeros(number)
    star = np.zeros(basis.shape)

    def orthogonalise(k: int) -> None:
        own = basis[k].astype(float)
        if k:
            mu[k, :k] = (star[:k] @ own) / norms[:k]
            own = own - mu[k, :k] @ star[:k]
            # Once more: rounding errors of the first time are orthogonalised away.
            again = (star[:k] @ own) / norms[:k]
            own = own - again @ star[:k]
        star[k], norms[k] = own, max(float(own @ own), 1e-30)

    orthogonalise(0)
    k = 1
    while k < number:
        for _ in range(20):
            orthogonalise(k)
            coefficients, moved = mu[k, :k].copy(), False
            for j in range(k - 1, -1, -1):
                step = round(float(coefficients[j]))
                if step:
                    moved = True
                    basis[k] -= step * basis[j]
                    coefficients[:j] -= step * mu[j, :j]
            if not moved:
                break
        if norms[k] >= (_LOVASZ - mu[k, k - 1] ** 2) * norms[k - 1]:
            k += 1
            continue
        basis[[k - 1, k]] = basis[[k, k - 1]]
        orthogonalise(k - 1)
        k = max(k - 1, 1)
    return basis[np.argsort((basis.astype(float) ** 2).sum(axis=1), kind="stable")]
