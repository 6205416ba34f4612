"""Gain of an algorithm on the field as a characteristic grows, and single values as used in reports."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from evaluation.assessment import parse
from evaluation.ranking.raw import long_table, raw_values
from evaluation.ranking.relative import relative_strengths

SIZE = [float(size) for size in range(12)]
VALUES = np.random.default_rng(3).integers(0, 50, (12, 4)) / 50


def strengths(values, sizes=SIZE, direction="higher", **others):
    raw = {"values": values, "algorithms": list("abcd")[: len(values[0])], "direction": direction}
    return relative_strengths(raw, {"size": sizes, **others})


def spearman(values, sizes, column, sign=1):
    """Return Spearman's coefficient of a column relative to the median of all algorithms on the same case."""
    above = [sign * (row[column] - np.nanmedian(row)) for row in values]
    known = [
        position for position, number in enumerate(above) if not np.isnan(number) and not np.isnan(sizes[position])
    ]
    return spearmanr(
        np.round([above[position] for position in known], 9), [sizes[position] for position in known]
    ).statistic


@pytest.mark.parametrize(("direction", "sign"), [("higher", 1), ("lower", -1)])
def test_what_lies_above_the_median_of_the_case_is_correlated_by_ranks(direction, sign):
    result = strengths(VALUES.tolist(), direction=direction, depth=SIZE[::-1])
    assert (result["algorithms"], result["characteristics"]) == (list("abcd"), ["size", "depth"])
    for column, (size, depth) in enumerate(result["correlation"]):
        assert size == pytest.approx(spearman(VALUES, SIZE, column, sign), abs=6e-13)
        assert size == round(size, 12)
        assert depth == pytest.approx(-size, abs=1e-11)


def test_gaps_leave_out_cases_and_cases_without_any_value_say_nothing():
    values, sizes = VALUES.copy(), list(SIZE)
    values[4], values[5, 1], sizes[6] = np.nan, np.nan, np.nan
    result = strengths(
        np.where(np.isnan(values), None, values).tolist(), np.where(np.isnan(sizes), None, sizes).tolist()
    )
    with_values = np.delete(values, 4, axis=0)
    for column, (coefficient,) in enumerate(result["correlation"]):
        if column == 1:
            assert coefficient is None  # nine cases are left
        else:
            assert coefficient == pytest.approx(spearman(with_values, np.delete(sizes, 4), column), abs=1e-11)


@pytest.mark.parametrize(("cases", "known"), [(9, False), (10, True)])
def test_ten_cases_are_the_fewest(cases, known):
    result = strengths(VALUES[:cases].tolist(), SIZE[:cases])
    assert [row[0] is not None for row in result["correlation"]] == [known] * 4


def test_what_does_not_vary_correlates_with_nothing():
    assert strengths(VALUES.tolist(), [1.0] * 12)["correlation"] == [[None]] * 4
    # The median of three is the second throughout; noise of rounding does not vary.
    steps = [[0.1 + size / 10 + 0.2, 0.3 + size / 10, 0.0] for size in range(12)]
    assert strengths(steps)["correlation"] == [[None], [None], [-1.0]]


@pytest.mark.parametrize(("step", "varies"), [(4e-13, False), (4e-12, True)])
def test_what_differs_beyond_twelve_decimals_is_noise(step, varies):
    steps = [[0.5 + step * (size % 2), 0.5, 0.5] for size in range(12)]
    assert (strengths(steps)["correlation"][0][0] is not None) == varies


def table(policy, **ranking):
    metric = {"id": "value", "direction": "lower", "policy": {"missing": policy, "allow_gaming": True}}
    assessment = parse({"problem": "table", "metrics": [metric], "ranking": ranking})
    rows = [("a", "1", 0.2), ("b", "1", 0.1), ("c", "1", 0.2), ("a", "2", 0.5), ("b", "2", None), ("c", "2", 0.4)]
    return assessment, pd.DataFrame(rows, columns=["algorithm", "case", "value"])


@pytest.mark.parametrize(
    ("policy", "scheme", "value", "ranks"),
    [
        (0.45, "aggregate_then_rank", 0.45, [3, 2, 1]),
        ("worst_rank", "rank_then_aggregate", None, [2, 3, 1]),
        ("exclude", "aggregate_then_rank", None, [2, None, 1]),
    ],
)
def test_single_values_stand_there_after_the_policies_with_their_ranks(policy, scheme, value, ranks):
    assessment, results = table(policy, scheme=scheme)
    (entry,) = raw_values(assessment, results)
    assert (entry["cases"], entry["algorithms"]) == (["1", "2"], ["a", "b", "c"])
    assert entry["values"] == [[0.2, 0.1, 0.2], [0.5, value, 0.4]]
    assert entry["ranks"] == [[2, 1, 2], ranks]
    assert (entry["metric"], entry["region"], entry["task"], entry["direction"]) == ("value", None, None, "lower")
    long = long_table(assessment, results)
    assert list(long.columns) == ["task", "algorithm", "case", "value"]
    assert long.loc[:3].to_numpy().tolist() == [
        ["value", "a", "1", 0.2],
        ["value", "b", "1", 0.1],
        ["value", "c", "1", 0.2],
        ["value", "a", "2", 0.5],
    ]


def test_the_first_of_several_rankings_says_what_the_missing_get():
    metric = {"id": "value", "direction": "higher", "policy": {"missing": "worst_rank"}}
    schemes = [
        {"name": rule, "scheme": "rank_then_aggregate", "missing_rank": rule} for rule in ("last", "shared_last")
    ]
    assessment = parse({"problem": "table", "metrics": [metric], "ranking": schemes})
    results = pd.DataFrame({"algorithm": list("abc"), "case": "1", "value": [0.5, None, None]})
    assert raw_values(assessment, results)[0]["ranks"] == [[1, 3, 3]]


def test_a_long_table_names_task_metric_and_region():
    regions = [{"name": "liver", "labels": [1]}]
    document = {"problem": "semantic_segmentation", "regions": regions, "metrics": [{"id": "dsc"}]}
    rows = [(name, "1", "liver", "dsc", value, "ok", "t") for name, value in (("a", 0.5), ("b", 0.6))]
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "task"]
    long = long_table(parse(document), pd.DataFrame(rows, columns=columns))
    assert long.to_numpy().tolist() == [["t, dsc, liver", "a", "1", 0.5], ["t, dsc, liver", "b", "1", 0.6]]


def test_metrics_of_all_cases_together_have_no_single_values():
    regions = [{"name": "nodule", "labels": [1]}]
    document = {"problem": "object_detection", "regions": regions, "metrics": [{"id": "average_precision"}]}
    rows = [(name, None, "nodule", "average_precision", value, "ok") for name, value in (("a", 0.5), ("b", 0.6))]
    results = pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome"])
    assert raw_values(parse(document), results) == []
