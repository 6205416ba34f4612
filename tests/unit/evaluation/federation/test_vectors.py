"""The reference's vectors: summaries, pooled scores and ranks, draws, intervals; and the invented federation of FeTS."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.assessment.model import Operator, Step
from evaluation.federation import FederationError, pool, summarise
from evaluation.federation.drawing import key_of, normal, picked, replicate_rows, words
from evaluation.ranking.combination import Part, combine

from .examples import PER_SITE, TOGETHER, VECTORS, assessment, schemes, table, vector_table

FETS = Path(__file__).parent / "fets"
MEDIUM = VECTORS["medium_example"]


@pytest.mark.parametrize("scheme", ["mean", "rank", "fets"])
def test_medium_example(scheme: str) -> None:
    registered = schemes()[scheme]
    summaries = [summarise(registered, vector_table(site), site=site) for site in ("7", "12")]
    for summary in summaries:
        expected, found = MEDIUM["summaries"][scheme][summary["site"]], summary["rankings"][0]
        assert {key: found[key] for key in expected if key != "cells"} == {
            key: value for key, value in expected.items() if key != "cells"
        }
        for wanted, own in zip(expected["cells"], found["cells"], strict=True):
            assert {key: own[key] for key in wanted} == wanted
    document = pool(registered, summaries)
    expected = MEDIUM["pooled"][scheme]
    rows = {row["name"]: row for row in document["overall"]["algorithms"]}
    ordered = [rows[name] for name in MEDIUM["algorithms"]]
    assert [row["rank"] for row in ordered] == expected["rank"]
    assert [row["score"] for row in ordered] == pytest.approx(expected["score"], rel=1e-9)
    for row, ends, share in zip(
        ordered, expected["rank_interval_of_20000_central_samples"], expected["share_first"], strict=True
    ):
        assert np.abs(np.subtract(row["rank_interval"], ends)).max() <= 1
        # A missing value counts 0 in the means: such skew is what `penalised` warns of (docs/sites.md).
        assert abs(row["share_first"] - share) <= (0.15 if scheme == "mean" else 0.05)
    if "cell_scores" in expected:
        for entry, scores, ranks in zip(
            document["rankings"], expected["cell_scores"], expected["cell_ranks"], strict=True
        ):
            own = {row["name"]: row for row in entry["algorithms"]}
            assert [own[name]["score"] for name in MEDIUM["algorithms"]] == pytest.approx(scores, rel=1e-9)
            assert [own[name]["rank"] for name in MEDIUM["algorithms"]] == ranks


def test_small_site_is_refused_without_its_number() -> None:
    with pytest.raises(FederationError, match="site 3 has fewer than the minimum of 10 units") as refused:
        summarise(schemes()["mean"], vector_table("3"), site="3")
    assert "4" not in str(refused.value)


def test_worked_example() -> None:
    example = VECTORS["worked_example"]
    algorithms = ["A", "B", "C"]
    registered = {
        "aggregate_then_rank": ("aggregate_then_rank", 0, None, None),
        "rank_then_aggregate": ("rank_then_aggregate", "worst_rank", None, None),
        "ranked_per_site": ("rank_then_aggregate", "worst_rank", PER_SITE, None),
        "mean_of_sites": ("aggregate_then_rank", 0, None, ["case", "site"]),
    }
    for name, (scheme, missing, combine_, levels) in registered.items():
        draft = assessment(scheme, missing, combine_ or TOGETHER, levels=levels, ties="min").document
        document = {**draft, "regions": [{"name": "WT", "labels": [1]}]}
        one = parse(document)
        summaries = []
        for site, values in example["values"].items():
            cases = [f"{site}{i}" for i in range(len(values))]
            summaries.append(summarise(one, table(cases, {("dsc", "WT"): values}, algorithms), site=site, minimum=2))
        expected = example["pooled"][name]
        for summary in summaries:
            wanted, cell = example["sites"][summary["site"]], summary["rankings"][0]["cells"][0]
            assert summary["units"] == wanted["units"]
            assert cell["missing"] == wanted["missing"]
            assert cell["sum"] == (wanted["value_sums"] if scheme == "aggregate_then_rank" else wanted["rank_sums"])
            if combine_ is not None:
                assert cell["place"] == wanted["places"]
            kind = "value" if scheme == "aggregate_then_rank" else "rank"
            if combine_ is None:
                full = np.diag(np.array(wanted[f"{kind}_covariance_divisor_n"]))
                assert summary["rankings"][0]["covariance"]["variances"] == pytest.approx(full)
        found = pool(one, summaries, allow_test=True, bootstrap=0)
        entry = found["overall"] if combine_ is not None else found["rankings"][0]
        rows = {row["name"]: row for row in entry["algorithms"]}
        assert [rows[a]["score"] for a in algorithms] == pytest.approx(expected["scores"], rel=1e-9)
        if "ranks" in expected:
            assert [rows[a]["rank"] for a in algorithms] == expected["ranks"]


def test_draws() -> None:
    vector = VECTORS["draws"]
    assert key_of(vector["seed"], vector["sites"][::-1]) == vector["key_hex"]
    word = words(vector["seed"], vector["sites"], 10, 2)
    picks = np.stack([picked(word[:, k], 8) for k in range(2)], axis=1)
    assert picks.tolist() == vector["first_ten_picks"]
    rows = [replicate_rows(summary["rankings"][0]["replicates"]) for summary in vector["summaries"]]
    scores = [(rows[0][a] + rows[1][b]) / 2 for a, b in picks]
    assert np.array(scores).tolist() == vector["first_ten_scores"]
    four = normal(words(vector["seed"], vector["sites"], 4, 1))[:, 0]
    assert four == pytest.approx(vector["first_four_normal_deviates_of_the_same_key"], rel=1e-9)


def test_tie_is_kept() -> None:
    vector = VECTORS["tie_kept"]
    sixths = vector["site_scores_in_sixths"]
    parts = [
        Part({"site": str(k)}, np.array([[sixths["A"][k] / 6, sixths["B"][k] / 6]]), np.array([[1.0, 2.0]]), np.ones(1))
        for k in range(4)
    ]
    found = combine(parts, [Step(("site",), Operator("mean"), rerank=False, ties="min", fractional=False)])[0]
    assert found.ranks.tolist() == [[1.0, 1.0]]
    assert found.scores[0].tolist() == pytest.approx([vector["score"]] * 2, rel=1e-9)


def _fets(steps: list[dict[str, Any]], missing_rank: str = "last") -> Any:
    policy = {"missing": "worst_rank", "ref_empty": 0, "pred_empty": 0, "both_empty": 1}
    far = {**policy, "ref_empty": 373.13, "pred_empty": 373.13, "both_empty": 0}
    return parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": name, "labels": [label]} for label, name in enumerate(("WT", "TC", "ET"), 1)],
            "metrics": [
                {"id": "dsc", "name": "DSC", "policy": policy},
                {"id": "hausdorff_percentile", "name": "HD95", "options": {"percentile": 95}, "policy": far},
            ],
            "ranking": {"scheme": "rank_then_aggregate", "ties": "min", "missing_rank": missing_rank, "combine": steps},
            "uncertainty": {"bootstrap": 0, "seed": 1, "resample": "case", "strata": ["site"]},
        }
    )


ROOTS = {"site": {f"site_{k}": float(np.sqrt(n)) for k, n in ((1, 20), (2, 8), (3, 5))}}
POLICIES: dict[str, tuple[dict[str, Any], dict[str, Any], str, tuple[str, ...]]] = {
    "P0_all_sites_worst_rank": ({}, {}, "last", ()),
    "P0_all_sites_worst_rank_no_rerank": ({"rerank": False}, {}, "last", ()),
    "P0_all_sites_missing_rank_is_max_plus_1": ({}, {}, "toolkit", ()),
    "P0_all_sites_missing_share_minimum_rank_of_tied_block": ({}, {}, "shared_last", ()),
    "P1_drop_site_fault_site_4": ({}, {}, "last", ("site_4",)),
    "P2_drop_all_incomplete_runs_sites_3_and_4": ({}, {}, "last", ("site_3", "site_4")),
    "P1_weighted_by_cases": ({}, {"weights": {"site": "cases"}}, "last", ("site_4",)),
    "P1_weighted_by_sqrt_cases": ({}, {"weights": ROOTS}, "last", ("site_4",)),
    "P1_rerank_also_at_site_level": ({}, {"rerank": True}, "last", ("site_4",)),
}


@pytest.mark.parametrize("policy", POLICIES)
def test_fets(policy: str) -> None:
    first, second, missing_rank, left_out = POLICIES[policy]
    given = json.loads((FETS / "synthetic_federated_expected.json").read_text(encoding="utf-8"))
    expected = given["policies"][policy]
    registered = _fets([{**PER_SITE[0], **first}, {**PER_SITE[1], **second}], missing_rank)
    frame = pd.read_csv(FETS / "synthetic_federated_cases.csv", dtype={"site": str, "case": str})
    frame = frame.rename(columns={"submission": "algorithm", "status": "outcome"})
    summaries = [
        summarise(registered, rows.drop(columns=["site", "reference_empty"]), site=str(site), minimum=2, replicates=200)
        for site, rows in frame.groupby("site")
        if site not in left_out
    ]
    document = pool(registered, summaries, allow_test=True)
    rows = {row["name"]: row for row in document["overall"]["algorithms"]}
    assert {name: row["rank"] for name, row in rows.items()} == expected["final_rank"]
    assert {name: row["score"] for name, row in rows.items()} == pytest.approx(expected["final_score"], abs=1e-6)
    if second.get("rerank"):
        return  # the score of a site is then its rank
    for row in document["pooled"]["rankings"][0]["sites"]:
        for name, score in row["score"].items():
            assert score == pytest.approx(expected["site_mean_rank"][name][row["site"]], abs=1e-6)
