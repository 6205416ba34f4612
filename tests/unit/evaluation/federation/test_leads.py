"""Leads of rankings over sites: with an interval where the sums of the sites allow one, else with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from evaluation.claims.ranking import sentences_of
from evaluation.federation import pool, summarise
from evaluation.ranking import rank
from evaluation.ranking.reading import entries, overall

from .examples import TOGETHER, assessment, table

if TYPE_CHECKING:
    import pandas as pd

ALGORITHMS = ["net-a", "net-b", "net-c"]


def federation(lead: float, cases: int = 30, *, seed: int = 1) -> dict[str, pd.DataFrame]:
    """Three sites with paired values; the first algorithm leads by as much in every one."""
    generator, sites = np.random.default_rng(seed), {}
    for site in ("north", "east", "south"):
        level = generator.normal(0.7, 0.05, (cases, 1))
        values = {
            ("dsc", region): np.clip(
                level - np.array([0.0, lead, 2 * lead]) + generator.normal(0, 0.02, (cases, 3)), 0, 1
            )
            .round(4)
            .tolist()
            for region in ("TC", "WT")
        }
        sites[site] = table([f"{site}-{number:02d}" for number in range(cases)], values, ALGORITHMS)
    return sites


def pooled(registered: Any, sites: dict[str, pd.DataFrame], **options: Any) -> dict[str, Any]:
    return pool(registered, [summarise(registered, frame, site=site) for site, frame in sites.items()], **options)


@pytest.mark.parametrize(("lead", "named"), [(0.05, True), (0.0005, False)])
def test_a_lead_over_sites_has_an_interval_that_agrees_with_the_verdict(lead: float, named: bool) -> None:
    registered, sites = assessment("aggregate_then_rank", 0, None), federation(lead)
    document = pooled(registered, sites)
    for entry in entries(document):
        assert entry["winner"]["named"] is named
        low, high = entry["lead"]["interval"]
        assert entry["lead"]["level"] == 0.95
        assert low <= entry["lead"]["estimate"] <= high
        assert (low > 0) is named
        words = str(sentences_of(entry, document)[0])
        assert " to " in words
        assert ("95 % interval" in words) is named


def test_the_interval_is_close_to_that_of_the_pooled_cases() -> None:
    import pandas as pd

    registered, sites = assessment("aggregate_then_rank", 0, None), federation(0.05)
    found = entries(pooled(registered, sites))[0]["lead"]
    cases = pd.concat([pd.DataFrame({"case": sorted(set(t["case"])), "site": s}) for s, t in sites.items()])
    central = entries(rank(registered, pd.concat(sites.values()), cases=cases))[0]["lead"]
    assert found["estimate"] == pytest.approx(central["estimate"], abs=1e-6)
    width = central["interval"][1] - central["interval"][0]
    assert found["interval"] == pytest.approx(central["interval"], abs=width / 2)


def test_combined_ranks_state_why_there_is_no_lead() -> None:
    document = pooled(assessment("aggregate_then_rank", 0, TOGETHER), federation(0.05))
    (entry,) = overall(document)
    assert (
        "No size of the lead is stated: the ranking combines ranks, and a difference of ranks depends on the other participants."
        in sentences_of(entry, document)
    )


def test_a_ranking_without_draws_states_why_its_lead_has_no_interval() -> None:
    document = pooled(assessment("aggregate_then_rank", 0, None), federation(0.05), bootstrap=50)
    entry = entries(document)[0]
    assert "The lead has no interval: there were fewer than 200 draws." in sentences_of(entry, document)
