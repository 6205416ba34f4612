"""Versions of one algorithm: detected if they are visible, and questioned if they could have been entered."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.claims.comparisons import entering_copies
from evaluation.ranking import rank
from evaluation.ranking.copies import copies_check
from evaluation.ranking.similar_values import alike
from tests.reading.contests import CONTESTS

TEAMS = ("best", "second", "third", "fourth", "fifth")


def two_metrics(values):
    """Rows of two metrics by their names, cases × teams each."""
    rows = [
        (team, f"c{case:02d}", "whole", metric, table[case, place], "ok", 100.0)
        for metric, table in values.items()
        for place, team in enumerate(TEAMS[: table.shape[1]])
        for case in range(len(table))
    ]
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]
    return pd.DataFrame(rows, columns=columns)


def document(**ranking):
    return {
        "problem": "semantic_segmentation",
        "regions": [{"name": "whole", "labels": [1]}],
        "metrics": [{"id": "dsc"}, {"id": "iou"}],
        "uncertainty": {"bootstrap": 200, "seed": 1},
        **({"ranking": ranking} if ranking else {}),
    }


def drawn(seed=1, cases=30):
    random = np.random.default_rng(seed)
    level = random.normal(0.6, 0.05, (cases, 1)) + np.array([0.1, 0.07, 0.0, -0.1, -0.2])
    return {metric: level + random.normal(0, 0.03, (cases, 5)) for metric in ("dsc", "iou")}


def test_copies_lift_a_team_where_ranks_of_metrics_are_averaged():
    contest = CONTESTS["clones"]()
    found = copies_check(parse(contest.document), contest.results)
    assert found["rankings"][0]["could_have_won"] == ["Ben"]
    assert entering_copies(found) == (
        "Ben or Dora would have ranked better with two slightly worse copies of itself; Ben could have come first."
    )


def test_copies_gain_nothing_where_no_rank_depends_on_others():
    contest = CONTESTS["two teams"]()
    found = copies_check(parse(contest.document), contest.results)
    assert found == {"possible": False, "copies": 2, "rankings": []}
    assert entering_copies(found) == (
        "Entering copies of an algorithm gains nothing: no rank depends on the other participants."
    )


def test_copies_of_one_far_ahead_lift_nobody():
    values = drawn()
    found = copies_check(parse(document()), two_metrics(values))
    assert entering_copies(found) == "No team would have ranked better with two slightly worse copies of itself."


@pytest.mark.parametrize(("noise", "flagged"), [(1e-10, True), (0.0005, True), (0.03, False)])
def test_a_lightly_perturbed_copy_is_flagged_and_another_algorithm_is_not(noise, flagged):
    values = drawn()
    random = np.random.default_rng(2)
    for table in values.values():
        table[:, 4] = table[:, 0] + random.normal(0, noise, len(table))
    made = rank(parse(document()), two_metrics(values))["overall"]["sensitivity"]
    assert (sorted(map(sorted, made["duplicates"])) == [["best", "fifth"]]) is flagged
    assert (made["without_duplicates"] is not None) is flagged


def test_a_copy_that_changes_few_cases_is_flagged():
    values = drawn()
    for table in values.values():
        table[:, 4] = table[:, 0]
        table[::3, 4] -= 0.05
    assert rank(parse(document()), two_metrics(values))["overall"]["sensitivity"]["duplicates"] == [["best", "fifth"]]


def test_an_ensemble_is_no_copy_of_its_members():
    values = drawn()
    random = np.random.default_rng(3)
    for table in values.values():
        # What members have in common, and of what is their own a part: as in the calibration of the specification.
        table[:, 4] = table[:, :3].mean(axis=1) + random.normal(0, 0.01, len(table))
    assert rank(parse(document()), two_metrics(values))["overall"]["sensitivity"]["duplicates"] == []


def test_copies_are_entered_where_a_metric_of_all_cases_stands_beside_one_of_each():
    """Average precision has one value; the cases are those of the other metric."""
    registered = {
        "problem": "object_detection",
        "regions": [{"name": "lesion", "labels": ["lesion"]}],
        "metrics": [{"id": "average_precision"}, {"id": "sensitivity", "options": {"scale": "image"}}],
        "ranking": {"combine": {"over": ["metric"], "operator": "mean", "rerank": True}},
    }
    scores = {"best": 0.9, "second": 0.6, "third": 0.3}
    rows = [(team, "", "lesion", "average_precision", score, "ok") for team, score in scores.items()]
    rows += [
        (team, f"c{case}", "lesion", "sensitivity", score, "ok") for team, score in scores.items() for case in range(6)
    ]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])
    found = copies_check(parse(registered), results)
    assert [row["rank"] for row in found["rankings"][0]["algorithms"]] == [1, 2, 3]
    assert entering_copies(found) == "No team would have ranked better with two slightly worse copies of itself."


@pytest.mark.parametrize(("scale", "shift"), [(1e-8, 0.0), (1e-8, 0.5), (1e-3, -0.2), (0.5, 0.1)])
def test_what_copies_gain_does_not_depend_on_the_scale_of_values(scale, shift):
    rule = document(scheme="rank_then_aggregate", operator="mean", combine={"over": ["metric"]})
    values = drawn()
    moved = {metric: scale * table + shift for metric, table in values.items()}
    first_check, again = (copies_check(parse(rule), two_metrics(table)) for table in (values, moved))
    assert again == first_check
    assert any(entry["gain"] for entry in first_check["rankings"])


def test_two_cases_tell_whether_two_go_together():
    values = np.array([[0.90, 0.901, 0.5, 0.3], [0.80, 0.802, 0.2, 0.6]])
    assert alike(values).tolist() == [
        [False, True, False, False],
        [True, False, False, False],
        [False] * 4,
        [False] * 4,
    ]
