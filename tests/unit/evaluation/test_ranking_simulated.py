"""Selection among several simulated values and registered rankings for a simulated board, and its table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evaluation.assessment import parse
from evaluation.ranking.evaluate import make_plan
from evaluation.ranking.simulated import DrawnValues, _evaluated, simulated_ranking

CASES = ("1", "2", "3")
# By the mean the second team is first, by the best case the first one.
VALUES = np.array([[0.9, 0.8], [0.1, 0.7], [0.2, 0.6]])


def assessment(*operators, level="case"):
    rankings = [{"name": operator, "operator": operator, "combine": None} for operator in operators]
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "all", "labels": [1]}],
        "metrics": [{"id": "dsc"}],
        "ranking": rankings,
    }
    read = parse(document)
    return replace(read, metrics=tuple(replace(metric, level=level) for metric in read.metrics))


def board(read, *values):
    plan = make_plan(read, CASES, None, bootstrap=5, seed=1)
    return simulated_ranking([DrawnValues(read.metrics[0], "all", matrix) for matrix in values], plan, read)


def test_the_first_of_several_rankings_makes_the_board():
    assert board(assessment("mean", "max"), VALUES).ranks[0].tolist() == [2, 1]
    assert board(assessment("max", "mean"), VALUES).ranks[0].tolist() == [1, 2]


def test_without_a_combination_the_first_values_make_the_board():
    assert board(assessment("mean"), VALUES, VALUES[:, ::-1]).ranks[0].tolist() == [2, 1]
    assert board(assessment("mean"), VALUES[:, ::-1], VALUES).ranks[0].tolist() == [1, 2]


def test_a_table_of_the_whole_data_set_has_one_row_of_scores_and_none_is_ranked_last():
    read = assessment("mean", level="dataset")
    plan = make_plan(read, CASES, None, bootstrap=5, seed=1)
    failed = np.array([[True, False], [True, False], [False, False]])
    evaluated = _evaluated(DrawnValues(read.metrics[0], "all", VALUES, failed), plan, read)
    assert evaluated.table.values == pytest.approx(np.array([[0.4, 0.7]]))
    assert evaluated.table.last_rank.tolist() == [[False, False]]
    assert evaluated.table.algorithms == ("team 000", "team 001")
    assert [outcomes["missing"] for outcomes in evaluated.table.outcomes] == [2, 0]
