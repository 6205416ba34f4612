"""Every number of the test vectors comes out: ranks exactly, aggregates to 1e-9, p-values to 1e-10."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.ranking.compare import kendall_tau_b
from evaluation.ranking.consensus import cluster, consensus, task_distances, task_tau, winners_by_task
from evaluation.ranking.resampling import multiplicities
from evaluation.ranking.schemes import case_ranks
from evaluation.ranking.significance import holm, wilcoxon_matrices
from evaluation.ranking.stability import measure, percentiles
from tests.unit.evaluation.ranking_vectors import counts_of, design_of, ranked, scheme_keys, table_of, tasks, vectors


def case(file, task, part):
    return vectors(file)["tasks"][task][part]


def scheme(block, key):
    return next(item for item in block if item["scheme"] == key)


@pytest.mark.parametrize(("file", "task", "key"), scheme_keys("rankings"))
def test_aggregates_and_ranks_on_the_full_data(file, task, key):
    expected = case(file, task, "rankings")[key]
    table, result = ranked(file, task, key)
    assert set(expected["rank"]) == set(table.algorithms)
    for index, name in enumerate(table.algorithms):
        assert result.scores[0, index] == pytest.approx(expected["aggregate"][name], abs=1e-9)
        assert result.ranks[0, index] == expected["rank"][name]


@pytest.mark.parametrize(("file", "task"), tasks())
@pytest.mark.parametrize(("kind", "digits"), [("p", None), ("p_rounded", 10)])
def test_p_values_of_all_ordered_pairs(file, task, kind, digits):
    for policy, expected in case(file, task, "wilcoxon").items():
        key = "mean_then_rank/ties=min" + ("" if policy == "none" else f"/na={policy}")
        _, table = table_of(file, task, key)
        assert list(table.algorithms) == expected["algorithms"]
        ones = np.ones((len(table.cases), 1))
        higher = table.metric.higher_is_better
        p_values = wilcoxon_matrices(table.values, ones, higher_is_better=higher, digits=digits)[0]
        np.testing.assert_allclose(p_values, np.array(expected[kind], dtype=float), atol=1e-10, equal_nan=True)
        if kind == "p":
            adjusted = holm(p_values)
            np.testing.assert_allclose(adjusted, np.array(expected["p_holm"], dtype=float), atol=1e-10, equal_nan=True)
            assert ((adjusted <= 0.05) == np.array(expected["significant_holm"], dtype=bool)).all()
            assert ((p_values <= 0.05) == np.array(expected["significant_unadjusted"], dtype=bool)).all()


@pytest.mark.parametrize(("file", "task", "key"), scheme_keys("leave_one_out"))
def test_leaving_out_each_case_in_turn(file, task, key):
    expected = scheme(case(file, task, "leave_one_out"), key)
    table, _ = ranked(file, task, key)
    draws = [[name for name in table.cases if name != left_out] for left_out in expected["left_out"]]
    _, result = ranked(file, task, key, counts_of(table, draws))
    wanted = np.array(expected["ranks"], dtype=float)
    for noise in vectors(file)["float_noise"]:
        if (noise["task"], noise["where"], noise["scheme"]) == (task, "leave_one_out", key):
            for item in noise["items"]:
                assert wanted[item["index"]].tolist() == item["challengeR"]
                wanted[item["index"]] = item["snapped"]
    np.testing.assert_array_equal(result.ranks, wanted)


@pytest.mark.parametrize(("file", "task", "key"), scheme_keys("fixed_resamples"))
def test_a_case_drawn_several_times_counts_as_several_cases(file, task, key):
    resamples = case(file, task, "fixed_resamples")
    expected = scheme(resamples["rankings"], key)
    table, _ = ranked(file, task, key)
    _, result = ranked(file, task, key, counts_of(table, resamples["cases"]))
    np.testing.assert_array_equal(result.ranks, np.array(expected["ranks"], dtype=float))


@pytest.mark.parametrize(("file", "task"), tasks())
def test_tau_b_between_schemes(file, task):
    expected = case(file, task, "kendall_between_schemes")
    names = table_of(file, task, expected["schemes"][0])[1].algorithms
    ranks = np.array([ranked(file, task, key)[1].ranks[0] for key in expected["schemes"]])
    tau = np.array([kendall_tau_b(row, ranks) for row in ranks])
    wanted = np.array(expected["tau_b"], dtype=float)
    assert ranks.shape[1] == len(names)
    np.testing.assert_allclose(tau, wanted, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize(("file", "task"), tasks())
def test_how_often_an_algorithm_has_which_rank_on_single_cases(file, task):
    for policy, expected in case(file, task, "case_rank_frequency_ties_min").items():
        key = "rank_then_mean/ties=min" + ("" if policy == "none" else f"/na={policy}")
        assessment, table = table_of(file, task, key)
        ranks = case_ranks(
            table.values, table.last_rank, assessment.rankings[0], higher_is_better=table.metric.higher_is_better
        )
        for index, name in enumerate(table.algorithms):
            places, counts = np.unique(ranks[~np.isnan(ranks[:, index]), index], return_counts=True)
            found = {str(int(place)): int(count) for place, count in zip(places, counts, strict=True)}
            assert found == expected[name]


@pytest.mark.parametrize(("file", "task", "key"), scheme_keys("bootstrap_reference"))
def test_random_resamples_agree_with_twenty_thousand_of_another_program(file, task, key):
    expected = scheme(case(file, task, "bootstrap_reference"), key)
    samples = 4000
    table, full = ranked(file, task, key)
    drawn = design_of(table).draw(samples, seed=11)
    _, result = ranked(file, task, key, multiplicities(drawn, len(table.cases), samples))
    stability = measure(full.ranks[0], result.ranks, result.scores, 0.95)
    for index, name in enumerate(table.algorithms):
        shares = stability.frequencies[index] / samples
        for place, share in enumerate(shares, start=1):
            wanted = expected["rank_share"][name].get(str(place), 0.0)
            allowed = 4 * (wanted * (1 - wanted) * (1 / samples + 1 / 20000)) ** 0.5 + 2 / samples
            assert abs(share - wanted) <= allowed, (name, place)
        first = expected["first_share"][name]
        assert abs(stability.share_first[index] - first) <= 4 * (first * (1 - first) / samples) ** 0.5 + 2 / samples
    undefined = expected["tau"]["undefined_share"]
    found = stability.kendall_tau["undefined"] / samples
    assert abs(found - undefined) <= 4 * (undefined * (1 - undefined) / samples) ** 0.5 + 2 / samples
    if "mean" not in expected["tau"]:
        assert stability.kendall_tau["mean"] is None
    else:
        assert stability.kendall_tau["mean"] == pytest.approx(expected["tau"]["mean"], abs=0.03)


@pytest.mark.parametrize("key", vectors("ex1_simulated")["multi_task"])
def test_consensus_and_distances_of_tasks(key):
    expected = vectors("ex1_simulated")["multi_task"][key]
    names = expected["task_distance"]["tasks"]
    tables = {task: ranked("ex1_simulated", task, key) for task in names}
    algorithms = tables[names[0]][0].algorithms
    ranks = np.array([result.ranks[0] for _, result in tables.values()])
    means, places = consensus(ranks)
    for index, name in enumerate(algorithms):
        assert means[index] == pytest.approx(expected["consensus_mean_fractional_rank"][name], abs=1e-9)
        assert places[index] == expected["consensus_rank_min"][name]
        low, middle, high = percentiles(ranks[:, [index]], [0.025, 0.5, 0.975])[:, 0]
        wanted = expected["rank_across_tasks"][name]
        assert (middle, low, high) == pytest.approx((wanted["median"], wanted["q025"], wanted["q975"]))
    distances = expected["task_distance"]
    assert task_distances(ranks, "symmetric_difference").tolist() == distances["symdiff"]
    assert task_distances(ranks, "footrule").tolist() == distances["footrule"]
    off_diagonal = ~np.eye(len(names), dtype=bool)
    tau = np.array(distances["tau_b"], dtype=float)[off_diagonal]
    np.testing.assert_allclose(task_tau(ranks)[off_diagonal], tau, atol=1e-9, equal_nan=True)
    found = winners_by_task(dict(zip(names, ranks, strict=True)), algorithms)
    assert found == expected["winners_per_task"]


@pytest.mark.parametrize("key", vectors("ex1_simulated")["multi_task"])
@pytest.mark.parametrize("method", ["complete", "average"])
def test_dendrogram_heights_where_no_distances_tie(key, method):
    expected = vectors("ex1_simulated")["multi_task"][key]
    distances = np.array(expected["task_distance"]["symdiff"], dtype=float)
    sides = distances[np.triu_indices(3, 1)]
    tree = cluster(distances, expected["task_distance"]["tasks"], method)
    heights = [merge["height"] for merge in tree["merges"]]
    assert heights[0] == sides.min()
    if len(set(sides)) == len(sides):
        assert heights == expected["dendrogram_on_symdiff"][method]["height"]
