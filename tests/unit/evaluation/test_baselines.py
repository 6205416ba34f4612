"""Comparison with baselines: significance of pairs, and scores that depend on the other teams."""

import numpy as np
import pandas as pd
import pytest

from evaluation import boards
from evaluation.analyses.baselines import compared
from evaluation.assessment import parse
from evaluation.ranking import rank

LEVELS = {"a": 0.9, "b": 0.8, "base": 0.7, "c": 0.5}
# The last one: adding it changes no other rank.
LOWEST = {**LEVELS, "base": 0.2}
SCHEMES = {
    "mean": {},
    "ranks": {"ranking": {"scheme": "rank_then_aggregate"}},
}


def documents(more, levels=LEVELS):
    chance = np.random.default_rng(4)
    cases = [str(number) for number in range(20)]
    effects = chance.normal(0, 0.02, len(cases))
    results = pd.concat(
        pd.DataFrame({"algorithm": name, "case": cases, "value": level + effects + chance.normal(0, 0.01, len(cases))})
        for name, level in levels.items()
    )
    document = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]} | more
    assessment = parse(document | {"uncertainty": {"bootstrap": 100, "seed": 1}})
    both = rank(assessment, results)
    return both, boards.build(both, assessment), assessment, results


@pytest.mark.parametrize("scheme", SCHEMES)
def test_teams_far_from_the_baseline_are_named_on_their_side(scheme):
    both, table, assessment, _ = documents(SCHEMES[scheme])
    [order] = compared(both, table, "base", assessment).values()
    assert (order["better"], order["worse"], order["of"]) == (["a", "b"], ["c"], 3)


def test_a_mean_is_shown_and_a_mean_rank_is_not():
    both, table, assessment, results = documents(SCHEMES["mean"])
    [order] = compared(both, table, "base", assessment).values()
    mean = results.loc[results["algorithm"] == "base", "value"].mean()
    assert order["score"] == pytest.approx(mean, abs=1e-5)
    assert order["low"] < mean < order["high"]
    for levels in (LEVELS, LOWEST):
        both, table, assessment, _ = documents(SCHEMES["ranks"], levels)
        [order] = compared(both, table, "base", assessment).values()
        assert (order["score"], order["low"], order["high"]) == (None, None, None)


def test_without_comparisons_of_pairs_nothing_is_counted():
    both, table, assessment, _ = documents({})
    for entry in both["rankings"]:
        entry["shown_better"] = None
    [order] = compared(both, table, "base", assessment).values()
    assert (order["better"], order["worse"]) == (None, None)
