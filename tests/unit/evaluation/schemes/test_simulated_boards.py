"""Boards of simulated values: representation of a value of the whole data set and of values of cases."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.simulated import DrawnValues, simulated_ranking

CASES = ("1", "2", "3", "4", "5")
# Two patients with one case, one with three: samples of patients have between three and nine cases.
METADATA = pd.DataFrame({"case": CASES, "patient": ["a", "b", "c", "c", "c"]})
VALUES = np.array([[0.9, 0.1], [0.8, 0.4], [0.2, 0.5], [0.4, 0.3], [0.3, 0.1]])


def assessment(*, level, metrics=("dsc",), combine=None):
    read = parse(
        {
            "problem": "semantic_segmentation",
            "regions": [{"name": "all", "labels": [1]}],
            "metrics": [{"id": name} for name in metrics],
            "ranking": {"combine": combine},
            "aggregation": {"levels": ["case", "patient"], "operator": "mean"},
            "uncertainty": {"resample": ["patient"]},
        }
    )
    return replace(read, metrics=tuple(replace(metric, level=level) for metric in read.metrics))


def board(read, *drawn, bootstrap=20):
    plan = make_plan(read, CASES, METADATA, bootstrap=bootstrap, seed=3)
    return plan, simulated_ranking(drawn, plan, read)


def test_a_value_of_the_whole_data_set_is_the_mean_of_what_cases_contribute_in_every_sample():
    read = assessment(level="dataset")
    plan, ranking = board(read, DrawnValues(read.metrics[0], "all", VALUES))
    sizes = plan.samples.counts.sum(axis=0)
    assert set(sizes[1:21]) > {5.0}, "samples of different sizes, or the divisor could not be told"
    for sample in range(1 + plan.bootstrap):
        drawn = np.repeat(VALUES, plan.samples.counts[:, sample].astype(int), axis=0)
        assert ranking.scores[sample] == pytest.approx(drawn.mean(axis=0), abs=1e-11)
    assert ranking.scores[0] == pytest.approx([0.52, 0.28])
    assert ranking.ranks[0].tolist() == [1.0, 2.0]


def test_values_of_cases_go_the_way_of_results():
    read = assessment(level="case")
    _, ranking = board(read, DrawnValues(read.metrics[0], "all", VALUES))
    assert ranking.scores[0] == pytest.approx([(0.9 + 0.8 + 0.3) / 3, (0.1 + 0.4 + 0.3) / 3]), "means of patients"


def test_failed_cases_are_counted_for_each_team():
    read = assessment(level="case")
    failed = np.zeros(VALUES.shape, dtype=bool)
    failed[:2, 1] = True
    _, ranking = board(read, DrawnValues(read.metrics[0], "all", VALUES, failed))
    assert ranking.elementary[0].item.missing == (0, 2)
    _, none = board(read, DrawnValues(read.metrics[0], "all", VALUES))
    assert none.elementary[0].item.missing == (0, 0)


@pytest.mark.parametrize("level", ["case", "dataset"])
def test_several_metrics_are_combined_by_the_first_ranking(level):
    read = assessment(level=level, metrics=("dsc", "iou"), combine={"over": ["metric"]})
    worse = VALUES[:, ::-1] * [0.5, 0.9]
    one, two = (DrawnValues(metric, "all", own) for metric, own in zip(read.metrics, (VALUES, worse), strict=True))
    _, ranking = board(read, one, two)
    assert ranking.combined
    assert [part.key["metric"] for part in ranking.elementary] == ["dsc", "iou"]
    # First by one and second by the other: both share the first place.
    assert ranking.ranks[0].tolist() == [1.0, 1.0]
    assert ranking.algorithms == ("team 000", "team 001")
