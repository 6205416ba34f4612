"""Pooled is central where that is promised; nothing of a case leaves; order does not matter; speed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluation.canonical import canonical_json
from evaluation.federation import FederationError, Refusal, pool, summarise
from evaluation.ranking import digest, rank

from .examples import PER_SITE, TOGETHER, assessment, random_site, schemes


def _federation(seed: int) -> dict[str, pd.DataFrame]:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(10, 40, int(generator.integers(2, 6)))
    width = int(generator.integers(2, 6))
    return {f"{k + 1}": random_site(f"{k + 1}", int(n), width, generator, gone=0.03) for k, n in enumerate(sizes)}


def _central(registered: Any, sites: dict[str, pd.DataFrame], **options: Any) -> dict[str, Any]:
    joined = pd.concat(sites.values(), ignore_index=True)
    cases = pd.concat([pd.DataFrame({"case": sorted(set(t["case"])), "site": name}) for name, t in sites.items()])
    return rank(registered, joined, cases=cases, **options)


def _ranks(entry: dict[str, Any]) -> dict[str, tuple[float, float]]:
    return {row["name"]: (row["score"], row["rank"]) for row in entry["algorithms"]}


@pytest.mark.parametrize("scheme", ["mean", "rank", "fets", "sites"])
@pytest.mark.parametrize("seed", range(4))
def test_same_scores_and_ranks(scheme: str, seed: int) -> None:
    every = {**schemes(), "sites": assessment("aggregate_then_rank", 0, TOGETHER, levels=["case", "site"])}
    registered, sites = every[scheme], _federation(seed)
    summaries = [summarise(registered, table, site=name, replicates=200) for name, table in sites.items()]
    pooled, central = pool(registered, summaries, bootstrap=0), _central(registered, sites, bootstrap=0)
    found, wanted = _ranks(pooled["overall"]), _ranks(central["overall"])
    assert {name: row[1] for name, row in found.items()} == {name: row[1] for name, row in wanted.items()}
    for name, row in found.items():
        assert row[0] == pytest.approx(wanted[name][0], rel=1e-10)
    if scheme != "fets":
        for own, theirs in zip(pooled["rankings"], central["rankings"], strict=True):
            assert {n: r[1] for n, r in _ranks(own).items()} == {n: r[1] for n, r in _ranks(theirs).items()}


@pytest.mark.parametrize("scheme", ["rank", "fets"])
def test_interval_ends_within_one_rank(scheme: str) -> None:
    registered, sites = schemes()[scheme], _federation(11)
    summaries = [summarise(registered, table, site=name) for name, table in sites.items()]
    found, wanted = pool(registered, summaries)["overall"], _central(registered, sites)["overall"]
    ends = {row["name"]: row["rank_interval"] for row in wanted["algorithms"]}
    for row in found["algorithms"]:
        assert np.abs(np.subtract(row["rank_interval"], ends[row["name"]])).max() <= 1


def test_order_of_files_does_not_matter() -> None:
    registered, sites = schemes()["rank"], _federation(5)
    summaries = [summarise(registered, table, site=name) for name, table in sites.items()]
    assert digest(pool(registered, summaries)) == digest(pool(registered, summaries[::-1]))


def test_no_case_leaves() -> None:
    """No name and no value of a case, and no number over fewer than ten of them."""
    for name, registered in schemes().items():
        table = random_site("north", 15, 4, np.random.default_rng(2))
        table["value"] += np.random.default_rng(4).integers(1, 99, len(table)) * 1e-6
        text = canonical_json(summarise(registered, table, site="north"))
        assert "north-case" not in text, name
        assert not [value for value in table["value"] if f"{value:.6f}".strip("0") in text], name


def test_replicates_cannot_be_made_again() -> None:
    """Two summaries of the same results have other replicates: no seed fixes them, so none can be guessed."""
    registered, table = schemes()["fets"], random_site("north", 15, 5, np.random.default_rng(2))
    rows = [summarise(registered, table, site="north")["rankings"][0]["replicates"]["rows"] for _ in range(2)]
    assert rows[0] != rows[1]


def test_small_sites_send_variances_only() -> None:
    """With fewer units than numbers and ten more, products of the values would fix the cases up to a rotation."""
    registered = schemes()["mean"]
    for cases, kind in ((10, "variances"), (15, "variances"), (16, "full")):
        table = random_site("north", cases, 3, np.random.default_rng(2))
        assert summarise(registered, table, site="north")["rankings"][0]["covariance"]["kind"] == kind


def test_reconstruction_of_a_small_site_stays_open() -> None:
    """Other cases with the very same summary exist: what leaves a site of ten does not fix its cases."""
    registered = schemes()["mean"]
    table = random_site("north", 10, 2, np.random.default_rng(8))
    other = table.copy()
    for _, rows in table.groupby(["algorithm", "region"]):
        middle = rows["value"].mean()
        other.loc[rows.index, "value"] = 2 * middle - rows["value"]  # mirrored: same sum, same variance
    assert not np.allclose(np.sort(table["value"]), np.sort(other["value"]))
    first, second = (summarise(registered, one, site="north")["rankings"][0] for one in (table, other))
    assert first["covariance"] == second["covariance"]
    assert [cell["sum"] for cell in first["cells"]] == [cell["sum"] for cell in second["cells"]]
    assert [cell["median"] for cell in first["cells"]] == [[None, None]] * 2


def test_schemes_that_sums_cannot_give_are_refused() -> None:
    table = random_site("north", 12, 3, np.random.default_rng(1))
    for scheme, options in (("aggregate_then_rank", {"operator": "median"}), ("test_then_rank", {})):
        with pytest.raises(FederationError, match="rank inside each site instead"):
            summarise(assessment(scheme, 0, TOGETHER, **options), table, site="north")
    summary = summarise(assessment("test_then_rank", 0, PER_SITE), table, site="north", replicates=200)
    assert summary["rankings"][0]["kind"] == "places"


def test_missing_sites() -> None:
    registered, sites = schemes()["rank"], _federation(5)
    summaries = [summarise(registered, table, site=name) for name, table in sites.items()]
    rows = [{"site": name, "state": "included"} for name in sites] + [{"site": "late", "state": "not_arrived"}]
    federation: dict[str, Any] = {"schema": "podium.federation/1", "sites": rows, "sites_required": "all"}
    with pytest.raises(Refusal, match=r"missing: late") as refused:
        pool(registered, summaries, federation=federation, bootstrap=0)
    assert refused.value.code == "wait"
    document = pool(registered, summaries, federation={**federation, "sites_required": len(sites)}, bootstrap=0)
    assert "Site late sent nothing." in document["pooled"]["notes"]
    with pytest.raises(Refusal, match="there is no summary of it"):
        pool(registered, summaries[1:], federation={**federation, "sites_required": 1}, bootstrap=0)
    with pytest.raises(Refusal, match="stands there twice"):
        pool(registered, [*summaries, summaries[0]], bootstrap=0)


def test_leave_one_site_out_and_wins() -> None:
    registered, sites = schemes()["fets"], _federation(7)
    summaries = [summarise(registered, table, site=name) for name, table in sites.items()]
    about = pool(registered, summaries, bootstrap=0)["pooled"]["rankings"][0]
    for row in about["leave_one_site_out"]:
        rest = [summary for summary in summaries if summary["site"] != row["site"]]
        assert pool(registered, rest, bootstrap=0)["overall"]["winners"] == row["winners"]
    for row in about["sites"]:
        alone = _central(registered, {row["site"]: sites[row["site"]]}, bootstrap=0)["overall"]
        assert sorted(alone["winners"]) == row["winners"]
    assert sum(about["wins"].values()) >= len(sites)


def test_drawn_sites() -> None:
    registered = assessment("rank_then_aggregate", "worst_rank", PER_SITE, resample=["site", "case"], strata=())
    generator = np.random.default_rng(1)
    summaries = [
        summarise(registered, random_site(f"s{k}", 12, 3, generator), site=f"s{k}", replicates=200) for k in range(5)
    ]
    document = pool(registered, summaries)
    assert document["overall"]["sets"]["reason"] == "too_few_units"
    assert any("too short" in note for note in document["pooled"]["notes"])
    with pytest.raises(FederationError, match="4 are the fewest"):
        pool(registered, summaries[:3])


def test_speed_of_places() -> None:
    """A short form; the full size is `python -m tests.performance.bench_sites`."""
    registered = schemes()["fets"]
    generator = np.random.default_rng(1)
    summaries = [
        summarise(registered, random_site(f"s{k}", 12, 8, generator), site=f"s{k}", replicates=200) for k in range(4)
    ]
    start = time.process_time()
    pool(registered, summaries)
    assert time.process_time() - start < 5
