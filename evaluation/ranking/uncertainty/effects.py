"""Numbers about the lead of the first algorithm that every board and report shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.betting import fewest_to_confirm
from evaluation.ranking.uncertainty.failures import failure_bound
from evaluation.ranking.uncertainty.false_claims import of_leads, resampled_leads
from evaluation.ranking.uncertainty.leads import break_even, fewest_to_unseat
from evaluation.ranking.uncertainty.settling import units_to_settle

if TYPE_CHECKING:
    from evaluation.ranking.uncertainty.draws import Draws
    from evaluation.ranking.uncertainty.elementary import Ranking
    from evaluation.ranking.uncertainty.leads import BreakEven, Lead
    from evaluation.ranking.uncertainty.linear import LinearPart

BoolArray = npt.NDArray[np.bool_]
KEYS: Final = (
    "lead", "break_even_failure_rate", "false_claim_probability", "fewest_cases_to_unseat", "cases_to_settle",
    "cases_to_confirm",
)  # fmt: skip


def has_safe_rate(linear: LinearPart, first: int, winner_share: float, lead: Lead) -> bool:
    """Return whether there is a failure rate above 0 up to which the lead is safe; true if a failure has no value."""
    result = safe_rate(linear, first, winner_share, lead.margin)
    return result is None or result.rate > 0.0


def safe_rate(linear: LinearPart, first: int, winner_share: float, margin: float) -> BreakEven | None:
    """Return the failure rate that would cancel the lead of the first; ``None`` if a failure has no value."""
    without = linear.without_failures(first, winner_share / 2.0, margin)
    return None if without is None else break_even(*without)


def of_linear(
    linear: LinearPart,
    first: int,
    lead: Lead,
    draws: Draws | None,
    winner_share: float,
    *,
    better: BoolArray,
    level: str | None,
) -> dict[str, Any]:
    """Return the numbers about the lead in a linear ranking, by the keys of a ranking document.

    Parameters
    ----------
    linear
        The ranking as sums over units.
    first
        Index of the first algorithm in the table.
    lead
        Limits of its lead.
    draws
        The bootstrap of the ranking.
    winner_share
        The winner's share of the error.
    better
        Row is significantly better than column.
    level
        ``confirmed``, ``significant`` or ``None``.
    """
    others, names = linear.others(first), linear.ranking.algorithms
    strata, weights = linear.units.stratum_of_unit, linear.contributed.unit_weights
    failed, cases = int(linear.failed(first).sum()), len(linear.values)
    rate = safe_rate(linear, first, winner_share, lead.margin)
    unseating = fewest_to_unseat(lead.differences, strata, weights)
    strongest = int(lead.estimates.argmin())
    is_open = np.flatnonzero(~better[first, others])
    probabilities = _probabilities(linear, first, lead, draws)
    if level is not None and _contradicts(probabilities):  # teams of unequal spread do not fit the shrunken model
        probabilities = _probabilities(linear, first, lead, None)
        if _contradicts(probabilities):  # many others, each of which is barely significantly worse
            probabilities = None
    changes = linear.failure_changes(first)
    settled = units_to_settle(
        lead.differences[:, is_open], weights, strata, level=winner_share / 2.0, margin=lead.margin, seed=linear.plan.seed,
        cases=linear.plan.cases, costliest=None if changes is None else -changes[:, is_open].min(axis=0, initial=0.0),
    ) if len(is_open) else []  # fmt: skip
    return {
        "lead": {
            "over": names[int(others[strongest])],
            "estimate": float(lead.estimates[strongest]),
            "interval": None,
        },
        "break_even_failure_rate": None
        if rate is None
        else {
            "rate": rate.rate,
            "estimate": rate.estimate,
            "over": names[int(others[rate.other])],
            "cost": rate.cost,
            "failed": failed,
            "of": cases,
            "upper": failure_bound(failed, cases),
        },
        "false_claim_probability": probabilities,
        "fewest_cases_to_unseat": None
        if unseating is None
        else {"units": unseating[0], "algorithm": names[int(others[unseating[1]])], "is_exact": unseating[2]},
        "cases_to_settle": [
            {
                "algorithm": names[int(others[index])],
                "estimate": needed.estimate,
                "interval": [needed.low, needed.high],
            }
            for index, needed in zip(is_open, settled, strict=True)
        ],
        "cases_to_confirm": _to_confirm(linear, lead, strongest, winner_share) if level == "significant" else None,
    }


def _to_confirm(linear: LinearPart, lead: Lead, strongest: int, winner_share: float) -> int | None:
    """Return the minimum number of units that could confirm the observed lead; ``None`` where no number can."""
    if linear.value_range is None:
        return None
    scaled = (float(lead.estimates[strongest]) - lead.margin) / linear.value_range.width
    return fewest_to_confirm(scaled, winner_share) if scaled > 0.0 else None


def _probabilities(linear: LinearPart, first: int, lead: Lead, draws: Draws | None) -> dict[str, Any] | None:
    weights, strata = linear.contributed.unit_weights, linear.units.stratum_of_unit
    count = lead.differences.shape[1] + 1
    shrunken = draws.true_leads(first) if count > 2 and draws is not None else None
    if shrunken is None:
        leads = resampled_leads(lead.differences, weights, strata, seed=linear.plan.seed, cases=linear.plan.cases)
        method = "bayesian_bootstrap"
    else:
        leads, method = shrunken, "shrunken_draws"
    changes = linear.failure_changes(first)
    unseen = None
    if changes is not None:
        costs = (lead.differences + changes).sum(axis=0) / weights.sum()
        with_failure = resampled_leads(
            lead.differences, weights, strata, added=costs, seed=linear.plan.seed, cases=linear.plan.cases
        )
        unseen = float((with_failure <= lead.margin).mean())
    return {**of_leads(leads, lead.margin).document, "method": method, "with_one_unseen_failure": unseen}


def _contradicts(probabilities: dict[str, Any] | None) -> bool:
    """Return whether probabilities contradict a named winner."""
    return probabilities is not None and not probabilities["better"] > probabilities["worse"]


def of_draws(
    ranking: Ranking, draws: Draws | None, first: int, margin: float, *, level: str | None = None
) -> dict[str, Any]:
    """Return the numbers about the lead in a ranking that is no weighted mean over cases.

    There are no probabilities if their model contradicts a named winner.
    """
    numbers: dict[str, Any] = dict.fromkeys(KEYS)
    if draws is None:
        return numbers
    leads = draws.true_leads(first)
    if leads is not None:
        part = ranking.elementary[0]
        sign = 1.0 if part.higher_is_better else -1.0
        scores = sign * part.scores[0]
        others = [j for j in range(len(scores)) if j != first]
        strongest = max(others, key=lambda j: (scores[j], -j))
        numbers["lead"] = {
            "over": ranking.algorithms[strongest],
            "estimate": float(scores[first] - scores[strongest]),
            "interval": None,
        }
        numbers["false_claim_probability"] = {
            **of_leads(leads, margin).document, "method": "shrunken_draws", "with_one_unseen_failure": None,
        }  # fmt: skip
        if level is not None and _contradicts(numbers["false_claim_probability"]):
            numbers["false_claim_probability"] = None
        return numbers
    places = draws.fresh_places(first)
    if places is not None:
        alone, shared = places
        numbers["false_claim_probability"] = {
            "better": alone, "equivalent": shared, "worse": max(0.0, 1.0 - alone - shared), "method": "fresh_draws",
            "with_one_unseen_failure": None,
        }  # fmt: skip
    return numbers
