"""Sharing of the error, the number of units required, and the reported reason against a statement.

Only one of several reasons is reported.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.assessment import Operator, Step, Uncertainty, parse
from evaluation.ranking.uncertainty.budgets import (
    FEWEST_DRAWN_UNITS,
    FEWEST_DRAWS,
    FEWEST_IN_STRATUM,
    Budget,
    allowed_rows,
    budget,
    drawn_units,
    drawn_units_for_quantile,
    drawn_units_for_quantile_sets,
    fewest_units,
)
from evaluation.ranking.uncertainty.grounds import NOTHING, Grounds


def uncertainty(interval=0.95, winner_alpha=None) -> Uncertainty:
    read = parse(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher"}],
            "uncertainty": {"interval": interval, "winner_alpha": winner_alpha},
        }
    )
    return read.uncertainty


def test_two_algorithms_need_one_statement_and_more_share_the_error_in_thirds():
    assert budget(uncertainty(), 2) == Budget(0.05, 0.05, 0.05, 0.05)
    assert budget(uncertainty(), 3) == Budget(0.05, 0.05 / 3, 2 * 0.05 / 3, 0.05)
    assert budget(uncertainty(0.9), 1) == Budget(0.1, 0.1, 0.1, 0.1)


def test_a_lower_ceiling_for_the_winner_is_kept_and_takes_nothing_from_the_sets():
    assert budget(uncertainty(winner_alpha=0.01), 2) == Budget(0.05, 0.05, 0.01, 0.01)
    assert budget(uncertainty(winner_alpha=0.01), 5) == Budget(0.05, 0.05 / 3, 0.01, 0.01)
    assert budget(uncertainty(winner_alpha=0.04), 5) == Budget(0.05, 0.05 / 3, 2 * 0.05 / 3, 0.04)


def test_units_are_as_many_as_make_flips_rare_enough():
    """All units on one side is one flip of 2^(U-1) on either side."""
    shares = Budget(0.05, 0.05 / 3, 0.1 / 3, 0.05)
    assert (shares.units_for_sets, shares.units_for_winner) == (7, 6)
    assert [fewest_units(share) for share in (1.0, 0.5, 0.25, 0.2, 1 / 64, 0.015)] == [1, 2, 3, 4, 7, 8]


@pytest.mark.parametrize(
    ("share", "fewest"), [(0.5, 7), (1 / 7, 7), (0.14, 8), (0.1, 10), (0.9, 10), (0.05, 20), (0.95, 20), (0.33, 7)]
)
def test_the_tail_of_a_quantile_has_to_hold_a_unit(share, fewest):
    assert drawn_units_for_quantile(share) == fewest


def test_more_algorithms_take_more_units_of_a_quantile():
    """Log₂ of the pairs of both orders by the error, beyond 11 bits, at 1.4 bits a unit for medians."""
    for algorithms, total in ((3, 0.05), (11, 0.05), (14, 0.05), (14, 0.1), (50, 0.01), (200, 0.05)):
        bits = math.log2(algorithms * (algorithms - 1) / total) - 11
        assert drawn_units_for_quantile_sets(0.5, algorithms, total) == 7 + max(0, math.ceil(bits / 1.4))
        slower = 0.87 * math.sqrt(0.1)
        for share in (0.1, 0.9):
            assert drawn_units_for_quantile_sets(share, algorithms, total) == 10 + max(0, math.ceil(bits / slower))
    assert [drawn_units_for_quantile_sets(0.5, algorithms, 0.05) for algorithms in (10, 11, 50)] == [7, 8, 11]


def test_the_most_demanding_operator_decides_and_extremes_and_means_ask_for_nothing():
    assert drawn_units([], 5, 0.05) == {"sets": 7, "winner": 7}
    assert drawn_units([None, 0.0, 1.0], 50, 0.05) == {"sets": 7, "winner": 7}
    assert drawn_units([0.5], 14, 0.05) == {"sets": 8, "winner": 7}
    assert drawn_units([0.5, 0.05], 10, 0.05) == {"sets": 20, "winner": 20}
    assert (FEWEST_DRAWN_UNITS, FEWEST_DRAWS, FEWEST_IN_STRATUM) == (7, 200, 5)


def test_a_share_of_no_rows_is_none():
    assert [allowed_rows(share, rows) for share, rows in ((0.0, 64), (1.0, 64), (0.0156, 64), (1 / 64, 64))] == [
        0,
        64,
        0,
        1,
    ]


# Reasons


def units(number, sizes=None):
    sizes = np.array([number] if sizes is None else sizes)
    strata = () if len(sizes) == 1 else tuple(map(str, range(len(sizes))))
    return SimpleNamespace(
        number=number, sizes=sizes, strata=strata, smallest=int(sizes.min()), several_strata=len(strata) > 1
    )


def plan_with(own, *, requested=500, hierarchy=None, warnings=(), schema=3):
    return SimpleNamespace(
        units=own, requested=requested, bootstrap=requested, hierarchy=hierarchy, warnings=warnings, schema=schema
    )


def part(own, plan, *, per_dataset=False, resampled=True, drawn_by="", inside=None, samples=None, task=None):
    table = SimpleNamespace(task=task, per_dataset=per_dataset)
    item = SimpleNamespace(
        table=table, plan=plan, units=own, drawn_by=drawn_by, resampled=resampled, standard_errors=None
    )
    scores = np.zeros((1 + plan.bootstrap if samples is None else samples, 3))
    return SimpleNamespace(item=item, inside=inside, scores=scores)


def grounds(number=40, *, algorithms=3, sizes=None, operator="mean", linear=True, hierarchy=None, inner="mean", **more):
    requested = more.pop("requested", 500)
    own = units(number, sizes)
    plan = plan_with(own, requested=requested, hierarchy=hierarchy, warnings=more.pop("warnings", ()))
    parts = more["parts"] if "parts" in more else [part(own, plan, **more)]
    ranking = SimpleNamespace(
        algorithms=("a", "b", "c")[:algorithms],
        elementary=parts,
        registered=SimpleNamespace(operator=Operator(operator)),
        scheme=SimpleNamespace(is_linear=lambda _: linear and operator == "mean", takes_operator=True),
        assessment=SimpleNamespace(aggregation=SimpleNamespace(operator=Operator(inner))),
    )
    return Grounds(ranking, budget(uncertainty(), algorithms))


def test_enough_units_of_a_mean_give_no_reason():
    enough = grounds(7)
    assert (enough.reason, enough.linear, enough.states_sets, enough.comparable) == (None, True, True, True)
    assert enough.units_needed == {"sets": 7, "winner": 6}


def test_too_few_units_for_sets_may_be_enough_for_a_winner():
    six, five = grounds(6), grounds(5)
    assert (six.reason, six.states_sets, six.comparable) == ("too_few_units", True, True)
    assert (five.reason, five.states_sets, five.comparable) == ("too_few_units", True, False)


@pytest.mark.parametrize(
    ("reason", "facts"),
    [
        ("one_algorithm", {"algorithms": 1}),
        ("not_given", {"drawn_by": NOTHING}),
        ("not_resampled", {"requested": 0}),
        ("no_evidence", {"per_dataset": True, "resampled": False}),
        ("sampled_groups", {"samples": 500}),
        ("operator", {"operator": "min"}),
        ("operator", {"operator": "max"}),
        ("too_few_draws", {"operator": "median", "requested": 199}),
    ],
)
def test_what_forbids_any_statement_is_told_and_leaves_no_sets(reason, facts):
    result = grounds(**facts)
    assert (result.reason, result.states_sets, result.comparable) == (reason, False, False)


def test_two_hundred_draws_are_enough_and_a_mean_needs_none_of_them():
    assert grounds(operator="median", requested=200).reason is None
    assert grounds(requested=1).reason is None


def test_evidence_is_asked_of_values_of_the_whole_data_set_alone():
    assert grounds(per_dataset=True).reason is None
    assert grounds(resampled=False).reason is None


def test_groups_of_some_cases_may_have_fewer_samples():
    assert grounds(inside=np.ones(40, dtype=bool), samples=1).reason is None


def test_what_is_drawn_in_two_places_is_drawn_apart():
    own = units(40)
    plan = plan_with(own)
    together = [part(own, plan, drawn_by="replicates"), part(own, plan, drawn_by="replicates")]
    assert grounds(parts=together).reason is None
    assert grounds(parts=[part(own, plan), part(own, plan, drawn_by="replicates")]).reason == "drawn_apart"


def test_a_stratum_below_five_units_is_too_small():
    assert grounds(sizes=[35, 5]).reason is None
    small = grounds(sizes=[36, 4])
    assert (small.reason, small.states_sets, small.comparable) == ("stratum_too_small", True, False)
    assert grounds(4, sizes=[4]).reason == "too_few_units", "one stratum is all units"


def test_possible_clusters_leave_sets_of_every_rank_and_no_comparison():
    clusters, few = {"code": "possible_clusters"}, {"code": "stratum_few"}
    found = grounds(warnings=[few, clusters])
    assert (found.reason, found.states_sets, found.comparable) == ("possible_clusters", True, False)
    assert grounds(warnings=[few]).reason is None
    assert grounds(4, warnings=[clusters]).reason == "possible_clusters"
    assert grounds(sizes=[36, 4], warnings=[clusters]).reason == "stratum_too_small"


def test_the_spread_is_of_the_fewest_units_and_the_smallest_stratum():
    many, few = units(40, [34, 6]), units(30)
    parts = [part(many, plan_with(many), task="x"), part(few, plan_with(few), task="y")]
    result = grounds(parts=parts)
    assert (result.spread.units, result.spread.strata, result.spread.smallest) == (30, 0, 6)
    assert result.plan is parts[1].item.plan
    assert result.units is few
    assert not result.linear, "two rankings that are combined are no mean"


def test_only_one_mean_over_cases_is_judged_by_flips():
    assert not grounds(per_dataset=True).linear
    assert not grounds(inside=np.ones(40, dtype=bool)).linear
    assert not grounds(linear=False).linear
    assert grounds(hierarchy=object()).linear
    assert not grounds(hierarchy=object(), inner="median").linear
    assert grounds(inner="median").linear, "without levels their operator does nothing"


def test_units_of_draws_are_those_of_all_operators_that_take_part():
    assert grounds(operator="median").units_needed == {"sets": 7, "winner": 7}
    levels = grounds(inner="median", hierarchy=object())
    assert (levels.linear, levels.units_needed) == (False, {"sets": 7, "winner": 7})
    assert grounds(operator="median", inner="min", hierarchy=object()).reason == "operator"
    assert grounds(operator="median", inner="min").reason is None


# Scores into final ranks


def ranking(*, steps=(), ranks_cases=False, compares_pairs=False, parts=1):
    from evaluation.ranking.uncertainty.elementary import Elementary, Ranking

    read = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    item = SimpleNamespace(ranked=SimpleNamespace(higher_is_better=True))
    members = tuple(
        Elementary(item, None, {"metric": str(number)}, np.zeros((1, 2)), np.array([7.0])) for number in range(parts)
    )
    own = Ranking(members, read.rankings[0], read, steps, np.zeros((1, 2)), np.zeros((1, 2)))
    own.__dict__["scheme"] = SimpleNamespace(ranks_cases=ranks_cases, compares_pairs=compares_pairs)
    return own


RERANKED, AVERAGED = (Step(("metric",), Operator("mean"), rerank, "min", False) for rerank in (True, False))


def test_ranks_depend_on_others_where_cases_or_pairs_or_scores_are_ranked_on_the_way():
    assert not ranking().reranked
    assert ranking(ranks_cases=True).reranked
    assert ranking(compares_pairs=True).reranked
    assert ranking(steps=(RERANKED,)).reranked
    assert not ranking(steps=(AVERAGED,)).reranked
    assert (ranking(steps=(AVERAGED,)).combined, ranking().combined) == (True, False)


def test_final_ranks_are_of_ranks_or_of_scores_as_the_steps_have_it():
    scores = [np.array([[0.9, 0.2]]), np.array([[0.4, 0.5]])]
    assert ranking().final(scores[:1]).tolist() == [[1.0, 2.0]]
    assert ranking(steps=(RERANKED,), parts=2).final(scores).tolist() == [[1.0, 1.0]]
    # Of scores that are averaged themselves the lowest mean is first: 0.65 and 0.35.
    assert ranking(steps=(AVERAGED,), parts=2).final(scores).tolist() == [[2.0, 1.0]]


def test_scores_that_are_averaged_are_rounded_before():
    noisy = [np.array([[0.1 + 2e-14, 0.1]]), np.array([[0.9, 0.9]])]
    tied = ranking(steps=(AVERAGED,), parts=2).final(noisy)
    assert tied.tolist() == [[1.0, 1.0]]


def test_signed_scores_are_better_when_greater():
    elementary = ranking().elementary[0]
    scores = np.array([[1.0, -2.0]])
    higher = SimpleNamespace(scores=scores, higher_is_better=True)
    lower = SimpleNamespace(scores=scores, higher_is_better=False)
    assert type(elementary).signed(higher).tolist() == [[1.0, -2.0]]
    assert type(elementary).signed(lower).tolist() == [[-1.0, 2.0]]
