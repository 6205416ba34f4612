"""The schemes of FeTS, MSD and RobustMIS, written as assessment documents, give the ranks that are printed or computed."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.assessment.presets import NAMES, about, preset
from evaluation.ranking import rank
from evaluation.ranking.schemes import win_shares
from evaluation.ranking.scores import rank as rank_rows

FOLDER = Path(__file__).parent / "ranking_examples"
HAND = json.loads((FOLDER / "computed_fets_ranking_example.json").read_text())
FEDERATED = json.loads((FOLDER / "synthetic_federated_expected.json").read_text())
METRICS = {"DSC": "dsc", "HD95": "hausdorff_percentile"}


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_is_a_valid_assessment_and_says_what_it_is(name):
    assessment = parse(preset(name))
    assert parse(assessment.document) == assessment
    assert about(name).endswith(".")


def fets(**step_changes):
    """The FeTS preset on one region, with changes to its two steps, given as step1_KEY and step2_KEY."""
    document = preset("fets")
    for key, value in step_changes.items():
        number, _, name = key.partition("_")
        document["ranking"]["combine"][int(number.removeprefix("step")) - 1][name] = value
    return document


def by_hand(document, *, lost=(), sites=("S1", "S2")):
    document["regions"] = document["regions"][2:]
    rows, cases = [], []
    for case in HAND["cases"]:
        if case["site"] not in sites:
            continue
        cases.append((case["case"], case["site"]))
        for metric, name in METRICS.items():
            for algorithm, value in case[metric].items():
                missing = (algorithm, case["case"]) in lost
                outcome = "missing" if missing else "ok"
                rows.append((algorithm, case["case"], "ET", name, None if missing else value, outcome, 300.0))
    results = pd.DataFrame(
        rows, columns=["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]
    )
    found = rank(parse(document), results, cases=pd.DataFrame(cases, columns=["case", "site"]), bootstrap=0)
    return {entry["name"]: (round(entry["score"], 6), entry["rank"]) for entry in found["overall"]["algorithms"]}


def expected(block):
    return {name: (block["final_score"][name], block["final_rank"][name]) for name in block["final_score"]}


def test_fets_as_the_released_script_ranks():
    found = by_hand(fets())
    assert found == expected(HAND["variants"]["official_script_rule_rerank_then_mean"])
    assert found == {"A": (1.5, 1), "B": (2.25, 3), "C": (1.75, 2)}


def test_fets_without_ranking_the_sub_rankings_again_another_algorithm_wins():
    assert by_hand(fets(step1_rerank=False)) == expected(HAND["variants"]["mean_of_mean_ranks_no_rerank"])


def test_fets_with_sites_weighted_by_their_cases_a_third_algorithm_wins():
    found = by_hand(fets(step1_rerank=False, step2_weights="cases"))
    assert found == expected(HAND["variants"]["no_rerank_weighted_by_cases"])


def test_fets_one_missing_case_gets_the_worst_rank():
    found = by_hand(fets(), lost=[("C", "S1c5")])
    assert found == expected(HAND["one_case_missing_for_C"]["worst_rank_rule"])


def test_fets_a_run_that_failed_at_a_site_gets_worst_ranks_or_the_site_is_dropped_for_everyone():
    failed = HAND["run_of_C_failed_at_S2"]
    assert by_hand(fets(), lost=[("C", "S2c1"), ("C", "S2c2")]) == expected(failed["worst_rank_rule"])
    assert by_hand(fets(), sites=("S1",)) == expected(failed["site_dropped_for_everyone"])


def federated(document, *, sites=None, without=(), bootstrap=0, missing_rank="last"):
    table = pd.read_csv(FOLDER / "synthetic_federated_cases.csv")
    table = table[~table["submission"].isin(without)]
    if sites is not None:
        table = table[table["site"].isin(sites)]
    results = table.rename(columns={"submission": "algorithm"}).assign(
        metric=table["metric"].map(METRICS), outcome=table["status"], image_diagonal=373.13
    )
    document["ranking"]["missing_rank"] = missing_rank
    cases = table[["case", "site"]].drop_duplicates()
    return rank(parse(document), results, cases=cases, bootstrap=bootstrap)["overall"]


def final(entry):
    return {a["name"]: (a["score"], a["rank"]) for a in entry["algorithms"]}


WITHOUT_SITE_4 = ("site_1", "site_2", "site_3")
POLICIES = {
    "P0_all_sites_worst_rank": ({}, {}),
    "P0_all_sites_worst_rank_no_rerank": ({"step1_rerank": False}, {}),
    "P0_all_sites_missing_rank_is_max_plus_1": ({}, {"missing_rank": "toolkit"}),
    "P0_all_sites_missing_share_minimum_rank_of_tied_block": ({}, {"missing_rank": "shared_last"}),
    "P1_drop_site_fault_site_4": ({}, {"sites": WITHOUT_SITE_4}),
    "P2_drop_all_incomplete_runs_sites_3_and_4": ({}, {"sites": ("site_1", "site_2")}),
    "P1_weighted_by_cases": ({"step2_weights": "cases"}, {"sites": WITHOUT_SITE_4}),
    "P1_weighted_by_sqrt_cases": (
        {"step2_weights": {"site_1": 20**0.5, "site_2": 8**0.5, "site_3": 5**0.5}},
        {"sites": WITHOUT_SITE_4},
    ),
    "P1_rerank_also_at_site_level": ({"step2_rerank": True}, {"sites": WITHOUT_SITE_4}),
    "P1_without_alg_e": ({}, {"sites": WITHOUT_SITE_4, "without": ("alg_e",)}),
}


@pytest.mark.parametrize("policy", FEDERATED["policies"])
def test_federated_ranking_under_every_policy(policy):
    steps, settings = POLICIES[policy]
    block = FEDERATED["policies"][policy]
    found = final(federated(fets(**steps), **settings))
    for name, (score, place) in found.items():
        assert score == pytest.approx(block["final_score"][name], abs=1e-6)
        assert place == block["final_rank"][name]


def test_federated_bootstrap_draws_cases_within_each_site():
    entry = federated(fets(), sites=WITHOUT_SITE_4, bootstrap=3000)
    wanted = FEDERATED["bootstrap"]["result"]
    for algorithm in entry["algorithms"]:
        block = wanted[algorithm["name"]]
        assert algorithm["share_first"] == pytest.approx(block["rank1_share"], abs=0.07)
        assert algorithm["rank_median"] == block["median_rank"]
        assert algorithm["rank_interval"] == pytest.approx(block["rank_p2.5_p97.5"], abs=1)


def test_sites_can_be_drawn_too_and_then_the_ranking_is_less_certain():
    document = fets()
    document["uncertainty"] = {"resample": ["site", "case"], "bootstrap": 400}
    drawn = {a["name"]: a for a in federated(document, sites=WITHOUT_SITE_4, bootstrap=400)["algorithms"]}
    fixed = {a["name"]: a for a in federated(fets(), sites=WITHOUT_SITE_4, bootstrap=400)["algorithms"]}
    for name, algorithm in drawn.items():
        assert algorithm["score"] == fixed[name]["score"]
        assert algorithm["rank"] == fixed[name]["rank"]
    widths = [sum(a["score_interval"][1] - a["score_interval"][0] for a in found.values()) for found in (drawn, fixed)]
    assert widths[0] > widths[1]


ROBUSTMIS_SHARES = {
    "binary DSC": ([1.00, 0.89, 0.78, 0.67, 0.56, 0.44, 0.33, 0.22, 0.11, 0.00], list(range(1, 11))),
    "binary NSD": ([0.89, 0.89, 0.67, 0.67, 0.56, 0.44, 0.33, 0.22, 0.11, 0.00], [1, 1, 3, 3, 5, 6, 7, 8, 9, 10]),
    "MI DSC": ([1.00, 0.83, 0.67, 0.33, 0.33, 0.17, 0.00], [1, 2, 3, 4, 4, 6, 7]),
    "MI NSD": ([1.00, 0.67, 0.50, 0.50, 0.33, 0.17, 0.00], [1, 2, 3, 3, 5, 6, 7]),
    "binary DSC, robustness": ([0.52, 0.50, 0.49, 0.34, 0.28, 0.22, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 7, 7, 7, 7]),
    "MI NSD, robustness": ([0.35, 0.29, 0.27, 0.26, 0.16, 0.00, 0.00], [1, 2, 3, 4, 5, 6, 6]),
}


@pytest.mark.parametrize("table", ROBUSTMIS_SHARES)
def test_printed_ties_of_robustmis_follow_the_rule_min(table):
    scores, places = ROBUSTMIS_SHARES[table]
    ties = parse(preset("robustmis")).rankings[0].ties
    assert rank_rows(scores, higher_is_better=True, ties=ties).tolist() == places


def test_the_share_of_wins_is_counted_among_the_other_algorithms():
    """Ten teams, each better than all behind it: 9, 8, 7 … of 9, printed as 1.00, 0.89, 0.78 …"""
    p_values = np.where(np.triu(np.ones((10, 10)), 1) > 0, 0.001, 0.999)
    np.fill_diagonal(p_values, np.nan)
    shares = win_shares(p_values[None], alpha=0.05, adjust="none")[0]
    assert shares.round(2).tolist() == ROBUSTMIS_SHARES["binary DSC"][0]


def test_a_comparison_counts_at_the_level_itself():
    p_values = np.array([[[np.nan, 0.05], [0.95, np.nan]]])
    assert win_shares(p_values, alpha=0.05, adjust="none").tolist() == [[1.0, 0.0]]


def robustmis_results():
    generator = np.random.default_rng(4)
    rows = []
    for case in range(60):
        hard = generator.random() < 0.15
        for index, algorithm in enumerate(("steady", "brilliant", "weak")):
            for metric in ("dsc", "nsd"):
                value = [0.80, 0.90, 0.60][index] + generator.normal(0, 0.02)
                if hard:
                    value = [0.70, 0.10, 0.05][index] + generator.normal(0, 0.01)
                rows.append((algorithm, f"c{case:02d}", "instrument", metric, round(value, 4), "ok"))
    return pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])


def test_robustmis_ranks_accuracy_and_robustness_apart():
    document = rank(parse(preset("robustmis")), robustmis_results(), bootstrap=50)
    winners = {(entry["name"], entry["metric"]): entry["winners"] for entry in document["rankings"]}
    assert winners == {
        ("accuracy", "dsc"): ["brilliant"],
        ("accuracy", "nsd"): ["brilliant"],
        ("robustness", "dsc"): ["steady"],
        ("robustness", "nsd"): ["steady"],
    }
    assert document["overall"] is None


def test_msd_averages_significance_ranks_and_shares_final_places():
    document = preset("msd")
    document["regions"] = document["regions"][:1]
    results = robustmis_results().assign(region="organ")
    twins = pd.concat([results, results[results["algorithm"] == "weak"].assign(algorithm="weak too")])
    overall = rank(parse(document), twins, bootstrap=50)["overall"]
    places = {entry["name"]: entry["rank"] for entry in overall["algorithms"]}
    assert places == {"brilliant": 1, "steady": 2, "weak": 3.5, "weak too": 3.5}
    assert overall["algorithms"][2]["rank_frequencies"] == overall["algorithms"][3]["rank_frequencies"]


def test_presets_are_copies_that_may_be_changed():
    first = preset("msd")
    original = copy.deepcopy(first)
    first["metrics"].clear()
    assert preset("msd") == original
