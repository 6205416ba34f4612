"""Steps of a combination by hand: weights, order statistics over parts, samples without values, and groups of cases."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import build_tables, check_results
from evaluation.assessment import Operator, Step, parse
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.evaluate import evaluate, make_plan
from evaluation.ranking.parts import parts_of
from evaluation.ranking.scores import rank

MEAN, MEDIAN = Operator("mean"), Operator("median")


def step(operator=MEAN, *, over="metric", rerank=False, ties="min", fractional=False, weights=None):
    return Step((over,), operator, rerank, ties, fractional, weights)


def part(name, *scores, cases=1.0, ranks=None, **key):
    rows = np.array(scores, dtype=float)
    own = rank(rows, higher_is_better=False) if ranks is None else np.array(ranks, dtype=float)
    return Part({"metric": name, **key}, rows, own, np.broadcast_to(np.asarray(cases, dtype=float), len(rows)))


THREE = [part("x", [0.2, 0.9]), part("y", [0.9, 0.1]), part("z", [0.5, 0.3])]


def combined(parts, *steps, **more):
    (whole,) = combine(parts, steps, **more)
    return whole


def scores(parts, *steps):
    return combined(parts, *steps).scores.tolist()


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        # Columns are .2, .5, .9 and .1, .3, .9 in ascending order.
        (MEAN, [1.6 / 3, 1.3 / 3]),
        (MEDIAN, [0.5, 0.3]),
        (Operator("min"), [0.2, 0.1]),
        (Operator("max"), [0.9, 0.9]),
        # A fifth from the worse end, which of scores to be low is the upper one: place 1.6 of 0 to 2.
        (Operator("percentile", 20.0), [0.5 + 0.6 * 0.4, 0.3 + 0.6 * 0.6]),
        (Operator("percentile", 75.0), [0.2 + 0.5 * 0.3, 0.1 + 0.5 * 0.2]),
    ],
)
def test_scores_of_parts_are_aggregated_and_the_lowest_is_first(operator, expected):
    whole = combined(THREE, step(operator))
    assert whole.scores[0] == pytest.approx(expected)
    assert whole.ranks.tolist() == rank(np.array([expected]), higher_is_better=False).tolist()
    assert whole.key == {}


def test_weighted_means_and_medians_count_each_part_by_its_weight():
    weights = {"metric": {"x": 1.0, "y": 1.0, "z": 2.0}}
    assert scores(THREE, step(weights=weights)) == [pytest.approx([2.1 / 4, 1.6 / 4])]
    # Ascending .2 (1), .5 (2), .9 (1): half of 4 is reached at .5; .1 (1), .3 (2), .9 (1): at .3.
    assert scores(THREE, step(MEDIAN, weights=weights)) == [[0.5, 0.3]]
    heavy = {"metric": {"x": 1.0, "y": 3.0, "z": 1.0}}
    # .2 (1), .5 (1), .9 (3): half of 5 is reached at .9; .1 (3), .3 (1), .9 (1): at .1.
    assert scores(THREE, step(MEDIAN, weights=heavy)) == [[0.9, 0.1]]


def test_a_weight_that_reaches_the_share_exactly_is_enough():
    weights = {"metric": {"x": 1.0, "z": 1.0, "y": 2.0}}
    # .2 (1), .5 (1), .9 (2): the first two are half of 4.
    assert scores(THREE, step(MEDIAN, weights=weights))[0][0] == 0.5


def test_equal_weights_of_any_size_interpolate():
    parts = [*THREE, part("w", [0.6, 0.4])]
    weights = {"metric": dict.fromkeys("wxyz", 3.0)}
    assert scores(parts, step(MEDIAN, weights=weights)) == [pytest.approx([0.55, 0.35])]


def test_the_first_part_and_the_last_are_reached_by_extreme_shares():
    weights = {"metric": {"x": 1.0, "y": 1.0, "z": 2.0}}
    assert scores(THREE, step(Operator("min"), weights=weights)) == [[0.2, 0.1]]
    assert scores(THREE, step(Operator("max"), weights=weights)) == [[0.9, 0.9]]


def test_weights_by_cases_are_those_of_each_sample():
    parts = [part("x", [0.0, 1.0], [0.0, 1.0], cases=[1, 9]), part("y", [1.0, 0.0], [1.0, 0.0], cases=[3, 16])]
    assert scores(parts, step(weights={"metric": "cases"})) == [[0.75, 0.25], [0.64, 0.36]]
    root = math.sqrt(3) / (1 + math.sqrt(3))
    result = scores(parts, step(weights={"metric": "sqrt_cases"}))
    assert result == [pytest.approx([root, 1 - root]), pytest.approx([4 / 7, 3 / 7])]


def test_weights_of_two_dimensions_are_multiplied():
    parts = [part(metric, [float(metric == "x" and site == "p"), 0.0], site=site) for metric in "xy" for site in "pq"]
    both = Step(
        ("metric", "site"), MEAN, False, "min", False, {"metric": {"x": 3.0, "y": 1.0}, "site": {"p": 2.0, "q": 1.0}}
    )
    # 6 of 6 + 3 + 2 + 1.
    assert scores(parts, both) == [[0.5, 0.0]]


def test_a_part_without_a_registered_weight_is_refused_by_name():
    with pytest.raises(ValueError, match="the weights of metric name x, y, but not z"):
        combine(THREE, [step(weights={"metric": {"x": 1.0, "y": 1.0}})])


@pytest.mark.parametrize("operator", [MEAN, MEDIAN])
def test_an_algorithm_without_a_score_in_a_part_has_the_score_of_the_others(operator):
    gappy = [part("x", [np.nan, 0.9]), part("y", [0.7, 0.1])]
    assert scores(gappy, step(operator)) == [[0.7, 0.5]]
    weights = {"metric": {"x": 1.0, "y": 3.0}}
    assert scores(gappy, step(operator, weights=weights)) == [[0.7, 0.3 if operator is MEAN else 0.1]]


@pytest.mark.parametrize("operator", [MEAN, MEDIAN])
def test_who_has_no_score_anywhere_has_none_and_is_ranked_last(operator):
    gappy = [part("x", [np.nan, 0.9, 0.2]), part("y", [np.nan, 0.1, 0.2])]
    whole = combined(gappy, step(operator))
    assert np.isnan(whole.scores[0]).tolist() == [True, False, False]
    assert whole.ranks.tolist() == [[3.0, 2.0, 1.0]]


def test_a_missing_rank_follows_the_registered_rule():
    gappy = [part("x", [np.nan, 0.5, 0.5, np.nan])]
    assert combined(gappy, step(), missing_rank="last").ranks.tolist() == [[4.0, 1.0, 1.0, 4.0]]
    assert combined(gappy, step()).ranks.tolist() == [[2.0, 1.0, 1.0, 2.0]]


def test_a_sample_that_holds_nothing_has_no_ranks():
    parts = [part("x", [0.2, 0.4], [np.nan, np.nan]), part("y", [0.6, 0.2], [np.nan, np.nan])]
    whole = combined(parts, step(ties="average"))
    assert whole.ranks[0].tolist() == [2.0, 1.0]
    assert np.isnan(whole.ranks[1]).all()


def test_parts_of_different_lengths_are_combined_as_far_as_all_go():
    parts = [part("x", [0.2, 0.4], [0.9, 0.1], cases=2), part("y", [0.6, 0.9], cases=5)]
    whole = combined(parts, step())
    assert whole.scores.tolist() == [[0.4, 0.65]]
    assert whole.cases.tolist() == [7.0]


def test_ranks_are_averaged_as_they_are_or_made_fractional():
    tied = part("x", [0.5, 0.5, 0.9], ranks=[[1, 1, 3]])
    other = part("y", [0.1, 0.2, 0.3], ranks=[[1, 2, 3]])
    assert scores([tied, other], step(rerank=True)) == [[1.0, 1.5, 3.0]]
    assert scores([tied, other], step(rerank=True, fractional=True)) == [[1.25, 1.75, 3.0]]
    gone = part("x", [np.nan] * 3, ranks=[[np.nan] * 3])
    assert scores([gone, other], step(rerank=True, fractional=True)) == [[1.0, 2.0, 3.0]]


def test_what_is_not_combined_stays_apart_and_steps_follow_one_another():
    parts = [
        part(metric, [value, 0.5], site=site)
        for (metric, site), value in zip(
            [("x", "p"), ("y", "p"), ("x", "q"), ("y", "q")], (0.1, 0.3, 0.9, 0.7), strict=True
        )
    ]
    apart = combine(parts, [step()])
    assert [(whole.key, whole.scores.tolist()) for whole in apart] == [
        ({"site": "p"}, [[0.2, 0.5]]),
        ({"site": "q"}, [[0.8, 0.5]]),
    ]
    # Ranks of the sites are 1 and 2, then 2 and 1: a tie; by the larger of ties both are second.
    whole = combined(parts, step(), step(over="site", rerank=True, ties="max"))
    assert (whole.scores.tolist(), whole.ranks.tolist()) == ([[1.5, 1.5]], [[2.0, 2.0]])


def test_without_steps_parts_stay_and_scores_are_rounded_to_twelve_digits():
    (alone,) = combine([part("x", [0.1 + 1e-16, 0.3000000000000004])], [])
    assert alone.scores.tolist() == [[0.1, 0.3]]


# Parts of one table


def board(over, *, resample=("case",), weights=None, bootstrap=30, metrics=1):
    """Six cases at three sites of one, two and three cases."""
    read = parse(
        {
            "problem": "external",
            "metrics": [{"id": f"metric{number}", "direction": "higher"} for number in range(metrics)],
            "ranking": {"combine": {"over": over, "weights": weights}},
            "uncertainty": {"resample": list(resample)},
        }
    )
    cases = pd.DataFrame({"case": list("123456"), "site": list("abbccc"), "ward": list("xxyyyx")})
    values = {"p": [0.9, 0.1, 0.5, 0.4, 0.4, 0.1], "q": [0.2, 0.6, 0.4, 0.3, 0.9, 0.9]}
    rows = [
        (name, case, f"metric{number}", value)
        for number in range(metrics)
        for name, column in values.items()
        for case, value in zip("123456", column, strict=True)
    ]
    results = check_results(pd.DataFrame(rows, columns=["algorithm", "case", "metric", "value"]))
    plan = make_plan(read, list("123456"), cases, bootstrap=bootstrap, seed=2)
    evaluated = [evaluate(table, plan, read.rankings[0], read) for table in build_tables(read, results)]
    return read, plan, evaluated, np.array([values["p"], values["q"]]).T


def test_a_table_that_is_not_divided_is_one_part_of_all_its_cases():
    read, plan, evaluated, _ = board(["metric"], metrics=2)
    parts = parts_of(evaluated, read.rankings[0], read)
    assert [dict(contribution.key) for contribution in parts] == [
        {"task": None, "metric": name, "region": None} for name in ("metric0", "metric1")
    ]
    assert all((contribution.cases == 6.0).all() for contribution in parts)
    assert all(len(contribution.cases) == plan.number for contribution in parts)
    assert [contribution.source for contribution in parts] == evaluated
    inside = np.array([True, True, False, False, False, False])
    (some,) = parts_of([replace(evaluated[0], inside=inside)], read.rankings[0], read)
    assert set(some.cases) == {2.0}, "of a value of one data set, the cases of that"


def test_each_group_of_cases_is_ranked_on_its_own_cases_in_every_sample():
    read, plan, evaluated, values = board(["site"])
    parts = parts_of(evaluated, read.rankings[0], read)
    assert [own.key["site"] for own in parts] == ["a", "b", "c"]
    counts = plan.samples.counts
    assert (counts[0] == 0).any(), "some sample holds nothing of the first site"
    for own, rows in zip(parts, ([0], [1, 2], [3, 4, 5]), strict=True):
        assert own.inside.nonzero()[0].tolist() == rows
        assert own.source is evaluated[0]
        for sample in range(plan.number):
            drawn = np.repeat(values[rows], counts[rows, sample].astype(int), axis=0)
            assert own.cases[sample] == len(drawn)
            if len(drawn):
                assert own.scores[sample] == pytest.approx(drawn.mean(axis=0))
                first, second = own.ranks[sample]
                gap = round(float(np.subtract(*drawn.mean(axis=0))), 9)
                assert (first, second) == ((1, 2) if gap > 0 else (2, 1) if gap < 0 else (1, 1))
            else:
                assert np.isnan([own.scores[sample], own.ranks[sample]]).all()


def test_two_columns_make_one_group_of_each_pair_of_values_that_there_is():
    read, _, evaluated, values = board(["site", "ward"])
    parts = parts_of(evaluated, read.rankings[0], read)
    groups = {
        (contribution.key["site"], contribution.key["ward"]): contribution.scores[0].tolist() for contribution in parts
    }
    assert groups == {
        ("a", "x"): pytest.approx(values[0].tolist()),
        ("b", "x"): pytest.approx(values[1].tolist()),
        ("b", "y"): pytest.approx(values[2].tolist()),
        ("c", "x"): pytest.approx(values[5].tolist()),
        ("c", "y"): pytest.approx(values[3:5].mean(axis=0).tolist()),
    }


def test_a_site_that_is_drawn_twice_is_ranked_twice():
    read, plan, evaluated, values = board(["site"], resample=["site"])
    parts = parts_of(evaluated, read.rankings[0], read)
    counts = plan.samples.counts
    rows_of = [[0], [1, 2], [3, 4, 5]]
    assert [contribution.key["site"] for contribution in parts] == [
        f"site {number} of the sample" for number in (1, 2, 3)
    ]
    assert all(contribution.source is None and contribution.inside is None for contribution in parts)
    for sample in range(plan.number):
        times = [int(counts[rows[0], sample]) for rows in rows_of]
        expected = sorted(
            (len(rows), *values[rows].mean(axis=0).round(9).tolist())
            for rows, number in zip(rows_of, times, strict=True)
            for _ in range(number)
        )
        result = sorted(
            (int(contribution.cases[sample]), *contribution.scores[sample].round(9).tolist())
            for contribution in parts
            if contribution.cases[sample]
        )
        assert result == expected
        assert all(
            np.isnan(contribution.ranks[sample]).all() for contribution in parts if not contribution.cases[sample]
        )
    assert any(counts[0] > 1)
