"""Rules by which a board names a winner, reports a lead or leaves the order open, one by one."""

from types import SimpleNamespace

import numpy as np
import pytest

from evaluation.ranking.plans import FIRST_RULES, RULES
from evaluation.ranking.uncertainty.statements import LEADING, Statements, _cases_of

NAMES = ("a", "b", "c")


def about(**facts):
    """Return the facts that a rule reads, for a board of three with a significantly better first algorithm."""
    grounds = SimpleNamespace(
        states_sets=facts.pop("states_sets", True),
        comparable=facts.pop("comparable", True),
        units=SimpleNamespace(number=facts.pop("units", 9)),
        units_needed={"winner": 9, "sets": 12},
    )
    board = {
        "grounds": grounds,
        "reason": None,
        "alone": True,
        "first": 1,
        "count": 3,
        "_against_first": [],
        "order": np.array([1, 0, 2]),
        "ranks": np.array([2.0, 1.0, 3.0]),
        "failed": [0, 0, 0],
        "warnings": [],
        "_is_exploratory": False,
        "ranking": SimpleNamespace(share=None),
    }
    return SimpleNamespace(**{**board, **facts})


SHOWN = SimpleNamespace(level="significant", survives=True)
NOT_SHOWN = SimpleNamespace(level=None, survives=True)
FRAGILE = SimpleNamespace(level="significant", survives=False)


def reason(comparisons=SHOWN, **facts):
    return Statements._winner_reason(about(**facts), comparisons)


def test_a_winner_is_named_with_exactly_as_many_units_as_are_needed():
    assert reason() == "shown"
    assert reason(units=8) == "too_few_units"


def test_without_comparisons_there_are_too_few_units_however_many_there_are():
    assert reason(None) == "too_few_units"


def test_what_forbids_rank_sets_is_told_before_anything_else():
    assert reason(states_sets=False, reason="operator", alone=False) == "operator"
    assert reason(None, states_sets=False, reason="one_algorithm") == "one_algorithm"


def test_a_small_stratum_or_possible_clusters_forbid_a_winner_although_there_are_sets():
    assert reason(reason="stratum_too_small") == "stratum_too_small"
    assert reason(reason="possible_clusters") == "possible_clusters"
    assert reason(reason="too_few_units") == "shown"


def test_a_tie_comes_before_the_evidence_and_contests_of_two_after_it():
    assert reason(alone=False, _against_first=[0]) == "tie"
    assert reason(NOT_SHOWN, _against_first=[0]) == "not_shown"
    assert reason(_against_first=[0]) == "depends_on_entries"


def test_one_more_failure_is_the_last_condition():
    assert reason(FRAGILE) == "one_more_failure"
    assert reason(FRAGILE, _against_first=[0]) == "depends_on_entries"
    assert reason(SimpleNamespace(level=None, survives=False)) == "not_shown"


def verdict(*, level=None, why="not_shown", against=(), again=0.9, **facts):
    return Statements.verdict(about(**facts), level=level, winner_reason=why, against=against, again=again)


def test_the_verdict_of_a_winner_is_its_level_and_a_lead_takes_half_of_the_fresh_draws():
    assert verdict(level="confirmed", why="shown", again=0.1) == "confirmed"
    assert verdict(level="significant", why="shown", again=None) == "significant"
    assert LEADING == 0.5
    assert [verdict(again=share) for share in (0.51, 0.5, 0.49, None)] == ["leaning", "leaning", "open", "open"]


def test_a_lead_that_one_more_failure_would_cost_is_leaning_whatever_fresh_draws_give():
    assert [verdict(why="one_more_failure", again=share) for share in (0.1, None)] == ["leaning", "leaning"]


def test_possible_clusters_allow_a_lead_and_nothing_above_it():
    facts = {"why": "possible_clusters", "reason": "possible_clusters", "comparable": False}
    assert [verdict(again=share, **facts) for share in (0.5, 0.49)] == ["leaning", "open"]


def test_a_lead_is_of_one_alone_whom_nobody_beats_where_pairs_are_compared():
    assert verdict(alone=False) == "open"
    assert verdict(against=[2]) == "open"
    assert verdict(comparable=False) == "open"
    assert verdict(states_sets=False, level="significant") is None


def test_how_often_the_first_comes_first_again_is_asked_of_one_alone_among_several():
    draws = SimpleNamespace(first_again=lambda winner: winner / 4)
    assert Statements._first_again(about(draws=draws)) == 0.25
    assert Statements._first_again(about(draws=draws, count=2)) == 0.25
    assert Statements._first_again(about(draws=draws, alone=False)) is None
    assert Statements._first_again(about(draws=draws, count=1)) is None
    assert Statements._first_again(about(draws=None)) is None


def test_sets_count_who_is_shown_better_and_hold_the_displayed_rank():
    better = np.zeros((3, 3), dtype=bool)
    better[1, 2] = better[0, 2] = True
    low, high = Statements._ends(about(), better)
    assert (low.tolist(), high.tolist()) == ([1, 1, 3], [2, 2, 3])
    # Halves are held on both sides, and what lies outside of what is shown widens the set.
    low, high = Statements._ends(about(ranks=np.array([1.5, 1.5, 1.0])), better)
    assert (low.tolist(), high.tolist()) == ([1, 1, 1], [2, 2, 3])
    better[0, 1] = True
    low, high = Statements._ends(about(ranks=np.array([2.5, 1.5, 2.5])), better)
    assert (low.tolist(), high.tolist()) == ([1, 1, 2], [3, 2, 3])


def decided(comparisons, why, comparable=True):
    board = about(comparable=comparable, _compared=lambda: comparisons, _winner_reason=lambda _: why)
    return Statements._decided(board)


def test_a_named_winner_is_shown_better_than_everybody_and_nobody_than_the_winner():
    better = np.zeros((3, 3), dtype=bool)
    better[2, 1] = better[2, 0] = True
    comparisons = SimpleNamespace(better=better)
    _, _, named = decided(comparisons, "shown")
    assert named.tolist() == [[False] * 3, [True, False, True], [True, False, False]]
    verdict, why, open_order = decided(comparisons, "not_shown")
    assert (verdict, why, open_order.tolist()) == (comparisons, "not_shown", better.tolist())
    assert open_order is not better, "what was compared stays as it is"
    nothing, _, blank = decided(comparisons, "too_few_units", comparable=False)
    assert (nothing, blank.tolist()) == (None, [[False] * 3] * 3)


def item(cases, inside=None):
    plan = SimpleNamespace(cases=("1", "2", "3", "4", "5")[:cases])
    return SimpleNamespace(plan=plan, inside=None if inside is None else np.array(inside, dtype=bool))


def test_cases_of_several_data_sets_count_once_and_all_count_where_one_table_has_all():
    first, second = item(5, [1, 1, 0, 0, 0]), item(5, [0, 1, 1, 0, 0])
    assert _cases_of([first, second]) == 3
    assert _cases_of([first, item(5)]) == 5
    assert _cases_of([item(4)]) == 4


def metric(name, policy="worst"):
    return SimpleNamespace(name=name, policy=SimpleNamespace(missing=policy))


def warned(*, failed=(0, 0, 0), units=4, metrics=(), drawn_by=""):
    tables = [
        SimpleNamespace(item=SimpleNamespace(table=SimpleNamespace(metric=use), drawn_by=drawn_by)) for use in metrics
    ]
    plan = SimpleNamespace(units=SimpleNamespace(number=units), cases=("1", "2", "3", "4"))
    board = about(failed=failed, plan=plan, warnings=[{"code": "before"}], ranking=SimpleNamespace(elementary=tables))
    return Statements._all_warnings(board)


def test_failures_within_units_of_several_cases_are_warned_of():
    assert warned(failed=[0, 1, None], units=3) == [{"code": "before"}, {"code": "failures_clustered"}]
    assert warned(failed=[0, 1, None], units=4) == [{"code": "before"}]
    assert warned(failed=[0, None, 0], units=3) == [{"code": "before"}]


def test_left_out_failures_and_uncertainty_of_others_are_warned_of_once_a_metric():
    uses = [metric("dsc", "exclude"), metric("dsc", "exclude"), metric("nsd")]
    assert warned(metrics=uses)[1:] == [{"code": "failures_left_out", "metric": "dsc"}]
    assert warned(metrics=uses[2:], drawn_by="replicates")[1:] == [{"code": "given_replicates", "metric": "nsd"}]


def shown(table=None, *, limit=None, **facts):
    """Return the inputs for the reported difference between the first and another algorithm."""
    board = about(
        ranking=SimpleNamespace(combined=False),
        uncertainty=SimpleNamespace(interval=0.9),
        margin=lambda: None,
        **facts,
    )
    result = SimpleNamespace(intervals=(table or {}).get, limit=limit)
    better = np.zeros((3, 3), dtype=bool)
    better[1, 2] = True
    return board, result, better


def test_a_difference_is_of_the_first_from_another_of_a_single_ranking():
    board, result, better = shown({0: (0.1, (-0.1, 0.3)), 2: (0.4, None)})
    assert Statements.difference(board, 0, result, better, "not_shown") == {
        "estimate": 0.1,
        "interval": [-0.1, 0.3],
        "level": 0.9,
        "verdict": "undecided",
    }
    assert Statements.difference(board, 2, result, better, "not_shown")["verdict"] == "better"
    assert Statements.difference(board, 1, result, better, "not_shown") is None
    assert Statements.difference(board, 0, None, better, "not_shown") is None
    assert Statements.difference(board, 0, SimpleNamespace(intervals=None), better, "not_shown") is None
    assert Statements.difference(board, 2, shown()[1], better, "not_shown") is None
    board.ranking.combined = True
    assert Statements.difference(board, 0, result, better, "not_shown") is None


def test_the_limit_of_the_lead_counts_where_a_winner_is_named_and_contests_of_two_leave_no_interval():
    board, result, better = shown({2: (0.4, (0.05, 0.6))}, limit=0.2)
    ends = {why: Statements.difference(board, 2, result, better, why)["interval"] for why in ("shown", "not_shown")}
    assert ends == {"shown": [0.2, 0.6], "not_shown": [0.05, 0.6]}
    assert Statements.difference(board, 2, result, better, "depends_on_entries")["interval"] is None


def test_the_margin_is_that_of_the_metric_of_a_single_ranking():
    table = SimpleNamespace(metric=metric("dsc"))
    ranking = SimpleNamespace(combined=False, elementary=[SimpleNamespace(item=SimpleNamespace(table=table))])
    board = about(ranking=ranking, uncertainty=SimpleNamespace(margin={"dsc": 0.1}))
    assert Statements.margin(board) == 0.1
    board.uncertainty.margin = {"nsd": 0.1}
    assert Statements.margin(board) is None
    board.ranking.combined, board.uncertainty.margin = True, {"dsc": 0.1}
    board.plan = SimpleNamespace(rules=RULES)
    assert Statements.margin(board) == 0.1  # a combination of one ranking repeats it
    board.plan.rules = FIRST_RULES
    assert Statements.margin(board) is None
    board.plan.rules, board.ranking.elementary = RULES, board.ranking.elementary * 2
    assert Statements.margin(board) is None


def test_p_values_stand_in_the_order_of_the_board_without_those_of_oneself():
    p_own = np.array([[np.nan, 0.2, 0.3], [0.8, np.nan, 0.1], [0.7, 0.9, np.nan]])
    board = about(_without_pairs=None)
    rows = Statements._p_values(board, SimpleNamespace(p_own=p_own))
    assert rows == [[None, 0.8, 0.1], [0.2, None, 0.3], [0.9, 0.7, None]]
    assert Statements._p_values(board, None) == [[None] * 3] * 3
    board._without_pairs = "too_many_algorithms"
    assert Statements._p_values(board, None) is None
    assert Statements._matrix(board, np.eye(3, dtype=bool)) is None


@pytest.mark.parametrize(("count", "too_many"), [(200, False), (201, True)])
def test_above_two_hundred_algorithms_no_pair_is_written_down(count, too_many):
    board = about(count=count)
    board._without_pairs = Statements._without_pairs.fget(board)
    assert board._without_pairs == ("too_many_algorithms" if too_many else None)
    left_out = Statements._left_out(board, ["a"])
    assert left_out == (dict.fromkeys(("shown_better", "p_own", "letters"), "too_many_algorithms") if too_many else {})
    if not too_many:
        assert Statements._left_out(board, None) == {"letters": "too_many_letters"}
