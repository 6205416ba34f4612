"""Given standard errors are used as they are: neither listed cases nor draws nor seeds change what they show."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, studentized_range

from evaluation.assessment import parse
from evaluation.ranking import rank
from evaluation.ranking.uncertainty.given_errors import GivenErrors, range_quantile
from evaluation.scoring.evidence import make_evidence
from evaluation.scoring.given_evidence import Given, shared_of
from tests.sizes import size

TEN = GivenErrors(np.linspace(3, 1, 10), np.full(10, 0.2))


def sets_of(given, share):
    better, _ = given.shown(share)
    count = len(given.values)
    return [(1 + int(better[:, j].sum()), count - int(better[j].sum())) for j in range(count)]


def test_the_example_of_csranks_has_its_sets():
    assert sets_of(TEN, 0.05) == [
        (1, 4), (1, 5), (1, 6), (1, 7), (2, 8), (3, 9), (4, 10), (5, 10), (6, 10), (7, 10),
    ]  # fmt: skip
    widths = [high - low + 1 for low, high in sets_of(TEN, 0.05 / 3)]
    assert np.mean(widths) == 7.0


@pytest.mark.parametrize(
    ("share", "algorithms"),
    size([(0.05, 2), (0.05 / 3, 5), (0.01, 10), (0.05, 40)], [*product([0.05, 0.05 / 3, 0.01], [2, 5, 10, 40])]),
)
def test_critical_values_are_those_of_the_studentized_range(share, algorithms):
    expected = studentized_range.isf(share, algorithms, np.inf) / np.sqrt(2)
    assert range_quantile(share, algorithms) == pytest.approx(expected, abs=0.005)


def test_unequal_errors_cover_all_pairs_and_stay_below_the_bound():
    random = np.random.default_rng(3)
    given = GivenErrors(np.zeros(12), random.uniform(0.05, 0.5, 12))
    _, critical = given.shown(0.05)
    assert critical <= range_quantile(0.05, 12)
    noise = random.standard_normal((40_000, 12)) * given.errors
    rows, columns = np.triu_indices(12, 1)
    largest = np.abs(noise[:, rows] - noise[:, columns]) / given.error_of_differences[rows, columns]
    assert (largest.max(axis=1) > critical).mean() == pytest.approx(0.05, abs=0.004)


def test_one_comparison_is_that_of_the_normal_distribution():
    given = GivenErrors(np.array([1.0, 0.5]), np.array([0.3, 0.4]))
    assert given.p_values()[0, 1] == pytest.approx(norm.sf(0.5 / 0.5))
    assert given.limits(0, 0.025)[1] == pytest.approx(0.5 - 1.959964 * 0.5)
    assert GivenErrors(np.array([1.0, 0.5]), np.zeros(2)).shown(0.05)[0].tolist() == [[False, True], [False, False]]


def board(*, cases, bootstrap, seed, start=10.0, **known):
    metric = {"id": "fid", "direction": "lower", "level": "dataset", "policy": {"missing": 100}, **known}
    assessment = parse(
        {"problem": "external", "metrics": [metric], "uncertainty": {"bootstrap": bootstrap, "seed": seed}}
    )
    scores = {f"team {index}": (start + 2 * index, 1.0) for index in range(6)}
    rows = [
        {"algorithm": name, "case": "", "metric": "fid", "region": "", "value": value, "outcome": "ok", "task": ""}
        for name, (value, _) in scores.items()
    ]
    blocks = [Given(value, standard_error=error).block("fid", name, "") for name, (value, error) in scores.items()]
    evidence = make_evidence(
        assessment, blocks, parts={"fid": "fid"}, shared=shared_of([f"c{index:03d}" for index in range(cases)])
    )
    return rank(assessment, pd.DataFrame(rows), evidence=evidence)["rankings"][0]


def told(entry):
    keys = ("rank_set", "letters", "difference_from_first")
    return (
        [[row[key] for key in keys] for row in entry["algorithms"]],
        entry["winner"],
        entry["shown_better"],
        entry["p_own"],
    )


def test_neither_listed_cases_nor_draws_nor_seed_change_the_statements():
    one = board(cases=20, bootstrap=1000, seed=1)
    assert one["sets"]["method"] == "given_errors"
    assert one["shown_better"][0][5]
    assert not one["shown_better"][0][1]
    for cases, bootstrap, seed in ((3, 1000, 1), (500, 1000, 1), (20, 200, 1), (20, 5000, 7), (20, 50, 3)):
        assert told(board(cases=cases, bootstrap=bootstrap, seed=seed)) == told(one)


def test_no_range_of_draws_leaves_the_range_of_the_metric():
    plain = board(cases=20, bootstrap=1000, seed=1, start=0.5)
    cut = board(cases=20, bootstrap=1000, seed=1, start=0.5, range=[0, None])
    ends = [[row["score_interval"] for row in entry["algorithms"]] for entry in (plain, cut)]
    assert ends[0][0][0] < 0.0
    assert ends[1] == [[max(low, 0.0), high] for low, high in ends[0]]
