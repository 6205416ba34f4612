"""The same data under other schemes, subgroups and annotators, and what withholding cases would have paid."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from evaluation.aggregation import ResultsError
from evaluation.assessment import parse
from evaluation.claims.comparisons import first_under_other_schemes
from evaluation.ranking import rank
from evaluation.ranking.compare import kendall_tau_b
from evaluation.ranking.comparison import (
    across_rankings,
    across_schemes,
    alternative_schemes,
    by_column,
    compare,
    compare_documents,
)
from evaluation.ranking.gaming import gaming_check
from evaluation.ranking.tasks import across_tasks
from tests.unit.evaluation.ranking_vectors import FOLDER, assessment_of, vectors


def table_document(**ranking):
    metric = {"id": "value", "direction": "higher", "policy": {"missing": 0}}
    return parse({"problem": "table", "metrics": [metric], "ranking": ranking})


def long_table(values, names=("steady", "brilliant", "weak"), **columns):
    rows = [
        (name, f"c{row:03d}", value) for row, line in enumerate(values) for name, value in zip(names, line, strict=True)
    ]
    return pd.DataFrame(rows, columns=["algorithm", "case", "value"]).assign(**columns)


def two_faced():
    """An algorithm that is best on most cases and fails on some: the mean and the median disagree about it."""
    values = np.tile([0.80, 0.90, 0.60], (20, 1)) + np.arange(20)[:, None] / 1000
    values[:6, 1] = 0.05
    return values.round(3)


def test_another_scheme_crowns_someone_else_and_it_is_said():
    found = across_schemes(table_document(), long_table(two_faced()))
    assert len(found) == 1
    comparison = found[0]
    assert comparison["reference"] == "mean, then rank"
    assert comparison["winners"]["mean, then rank"] == ["steady"]
    assert comparison["winners"]["median, then rank"] == ["brilliant"]
    assert comparison["other_winners"] == ["brilliant"]
    assert comparison["winner_kept"] == pytest.approx(1 / 4)


@pytest.mark.parametrize("task", ["best", "random", "worst"])
def test_ranks_under_all_schemes_are_those_of_the_vectors(task):
    results = pd.read_csv(FOLDER / "ex1_simulated.csv")
    comparison = next(entry for entry in across_schemes(table_document(), results) if entry.get("task") == task)
    keys = ["mean_then_rank", "median_then_rank", "rank_then_mean", "rank_then_median", "test_then_rank_unadjusted"]
    for row, key in zip(comparison["ranks"], keys, strict=True):
        expected = vectors("ex1_simulated")["tasks"][task]["rankings"][f"{key}/ties=min"]["rank"]
        assert dict(zip(comparison["algorithms"], row, strict=True)) == expected


def test_a_scheme_that_is_not_among_the_usual_ones_is_compared_with_them():
    percentile = table_document(operator={"percentile": 5})
    assert next(iter(alternative_schemes(percentile.rankings[0]))) == "registered"
    assert across_schemes(percentile, long_table(two_faced()))[0]["reference"] == "registered"


def test_only_algorithms_that_all_rankings_have_are_compared():
    found = compare({"one": {"a": 1, "b": 2, "c": 3}, "two": {"b": 1, "c": 2}})
    assert found["algorithms"] == ["b", "c"]


def test_a_subgroup_can_have_another_winner():
    values = two_faced()
    results = long_table(values)
    cases = pd.DataFrame({"case": [f"c{row:03d}" for row in range(20)], "site": ["north"] * 6 + ["south"] * 14})
    found = by_column(table_document(), results, cases, "site", bootstrap=20)
    assert found["comparison"][0]["winners"] == {
        "all cases": ["steady"],
        "north": ["steady"],
        "south": ["brilliant"],
    }
    assert found["documents"]["south"]["rankings"][0]["cases"] == 14


def test_each_annotator_gives_a_ranking():
    values = two_faced()
    tables = {"first": long_table(values), "second": long_table(values[:, [1, 0, 2]])}
    documents = {name: rank(table_document(), table, bootstrap=0) for name, table in tables.items()}
    assert compare_documents(documents)[0]["winners"] == {"first": ["steady"], "second": ["brilliant"]}


def test_rankings_of_metrics_are_compared_with_the_overall_one():
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "r", "labels": [1]}],
        "metrics": [{"id": "dsc"}, {"id": "iou"}],
    }
    first = long_table(two_faced(), metric="dsc", region="r", outcome="ok")
    second = long_table(two_faced()[:, ::-1], metric="iou", region="r", outcome="ok")
    found = across_rankings(rank(parse(document), pd.concat([first, second]), bootstrap=0))
    assert found["labels"] == ["overall", "dsc, r", "iou, r"]
    assert found["tau"][1][2] < 1


def test_withholding_never_pays_under_the_registered_policy_but_does_where_it_is_ignored():
    found = gaming_check(table_document(), long_table(two_faced()), shares=(0.05, 0.3))[0]
    assert found["gain_registered"] == []
    assert found["could_have_won_registered"] == []
    assert found["could_have_won_ignored"] == ["brilliant"]
    brilliant = next(a for a in found["algorithms"] if a["name"] == "brilliant")
    assert [attempt["withheld"] for attempt in brilliant["attempts"]] == [1, 6]
    assert brilliant["attempts"][1] == {"share": 0.3, "withheld": 6, "rank_registered": 3, "rank_ignored": 1} or (
        brilliant["attempts"][1]["rank_ignored"] == 1 and brilliant["attempts"][1]["rank_registered"] >= 2
    )


def test_withholding_below_a_threshold():
    found = gaming_check(table_document(), long_table(two_faced()), worse_than=0.5)[0]
    withheld = {a["name"]: a["attempts"][0]["withheld"] for a in found["algorithms"]}
    assert withheld == {"steady": 0, "brilliant": 6, "weak": 0}


def test_withholding_a_distance_costs_the_diagonal_of_the_image():
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "r", "labels": [1]}],
        "metrics": [{"id": "assd"}],
    }
    values = np.tile([1.0, 2.0, 3.0], (20, 1)) + np.arange(20)[:, None] / 100
    values[0, 1] = 60.0
    results = long_table(values, metric="assd", region="r", outcome="ok", image_diagonal=90.0)
    found = gaming_check(parse(document), results, shares=(0.05,))[0]
    assert found["missing_policy"] == "image_diagonal"
    assert found["gain_registered"] == []
    assert found["gain_ignored"] == ["brilliant"]


def test_a_table_without_a_policy_cannot_be_checked_and_says_so():
    assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    with pytest.raises(ResultsError, match="no policy for missing values"):
        gaming_check(assessment, long_table(two_faced()))


def test_tasks_of_a_document_have_a_consensus_and_distances():
    assessment = assessment_of("ex1_simulated", "mean_then_rank/ties=min")
    document = rank(assessment, pd.read_csv(FOLDER / "ex1_simulated.csv"), bootstrap=50)
    found = across_tasks(document)
    expected = vectors("ex1_simulated")["multi_task"]["mean_then_rank/ties=min"]
    assert found["tasks"] == ["best", "random", "worst"]
    assert [entry["name"] for entry in found["consensus"]] == expected["order"]
    for entry in found["consensus"]:
        assert entry["mean_rank"] == pytest.approx(expected["consensus_mean_fractional_rank"][entry["name"]])
        assert entry["rank"] == expected["consensus_rank_min"][entry["name"]]
    assert found["distances"]["footrule"] == expected["task_distance"]["footrule"]
    assert found["distances"]["symmetric_difference"] == expected["task_distance"]["symdiff"]
    assert found["winners"] == expected["winners_per_task"]
    assert set(found["dendrograms"]) == {"complete", "average"}


def test_the_consensus_over_tasks_is_resampled_within_each_task():
    document = assessment_of("ex1_simulated", "mean_then_rank/ties=min").document
    step = {"over": ["task"], "operator": "mean"}
    combined = parse({**document, "ranking": {"combine": step}})
    overall = rank(combined, pd.read_csv(FOLDER / "ex1_simulated.csv"), bootstrap=200)["overall"]
    expected = vectors("ex1_simulated")["multi_task"]["mean_then_rank/ties=min"]["consensus_mean_fractional_rank"]
    assert overall["over"] == ["task"]
    assert "metric" not in overall
    for algorithm in overall["algorithms"]:
        assert algorithm["score"] == pytest.approx(expected[algorithm["name"]])
        assert sum(algorithm["rank_frequencies"]) == 200


def test_what_is_not_combined_stays_apart():
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "r", "labels": [1]}, {"name": "s", "labels": [2]}],
        "metrics": [{"id": "dsc"}, {"id": "iou"}],
        "ranking": {"combine": {"over": ["region"]}},
    }
    rows = [
        long_table(two_faced()[:, order], metric=metric, region=region, outcome="ok")
        for metric, order in (("dsc", [0, 1, 2]), ("iou", [2, 1, 0]))
        for region in "rs"
    ]
    overall = rank(parse(document), pd.concat(rows), bootstrap=20)["overall"]
    assert [(entry["metric"], entry["winners"]) for entry in overall] == [("dsc", ["steady"]), ("iou", ["weak"])]


@pytest.mark.parametrize("teams", [3, 300])
def test_tau_is_scipys_with_ties_and_half_ranks_however_many_teams_there_are(teams):
    generator = np.random.default_rng(5)
    reference = generator.integers(1, teams + 1, teams) / 2
    rankings = np.vstack([generator.integers(1, 2 * teams, (4, teams)) / 2, reference, -reference])
    found = kendall_tau_b(reference, rankings)
    assert found == pytest.approx([kendalltau(reference, row).statistic for row in rankings], nan_ok=True)
    rankings[0, 1] = np.nan
    assert np.isnan(kendall_tau_b(reference, rankings)[0])


def test_sharing_first_place_is_not_told_as_being_first_alone():
    shared = compare({"mean": {"a": 1, "b": 2}, "median": {"a": 1, "b": 1}, "rank": {"a": 1, "b": 2}})
    assert first_under_other_schemes(shared) == (
        "a stays first under both other schemes. b shares first place under “median”."
    )
    both = compare({"mean": {"a": 1, "b": 2}, "median": {"a": 1, "b": 1}, "rank": {"a": 2, "b": 1}})
    assert first_under_other_schemes(both) == (
        "a stays first under 1 of 2 other schemes. b is first under “rank” and shares first place under “median”."
    )
    alone = compare({"mean": {"a": 1, "b": 2}, "median": {"a": 1, "b": 2}})
    assert first_under_other_schemes(alone) == ("a stays first under the other scheme. No other one is first under it.")
