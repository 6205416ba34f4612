"""Comparisons by draws, step by step, on draws few enough to be counted by hand."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from evaluation.ranking.scores import spread_around_median
from evaluation.ranking.uncertainty import draws as module
from evaluation.ranking.uncertainty.draws import Draws, Spread, _fresh


def by_order(scores):
    """Ranks of rows of scores, more is better; ties share the better rank."""
    return np.stack([stats.rankdata(-row, method="min") for row in scores])


def drawn(scores, *, spread=None, ranks=None, higher=True, steps=(), inside=None, item=None):
    """The draws of a single ranking: the first row are the scores on the full data."""
    scores = np.array(scores, dtype=float)
    part = SimpleNamespace(scores=scores, higher_is_better=higher, inside=inside, item=item)
    ranking = SimpleNamespace(
        elementary=[part],
        algorithms=tuple("abcdef"[: scores.shape[1]]),
        ranks=by_order(scores if higher else -scores) if ranks is None else np.array(ranks, dtype=float),
        final=lambda shifted: by_order(shifted[0] if higher else -shifted[0]),
        steps=steps,
    )
    return Draws(ranking, len(scores) - 1, spread or Spread(10, 0, 10))


def test_the_growth_is_of_the_smallest_stratum_and_freedom_of_all_units_less_their_strata():
    spread = Spread(units=12, strata=3, smallest=4)
    assert spread.growth == pytest.approx(math.sqrt(4 / 3))
    assert spread.critical(0.05) == pytest.approx(math.sqrt(4 / 3) * stats.t.ppf(0.95, 9))
    # Without strata all units are one.
    assert Spread(12, 0, 12).critical(0.01) == pytest.approx(math.sqrt(12 / 11) * stats.t.ppf(0.99, 11))
    assert Spread(12, 1, 12).critical(0.01) == Spread(12, 0, 12).critical(0.01)


def test_the_largest_of_three_draws_stands_for_the_upper_quarter():
    assert drawn([[1, 0]] * 4).extreme == pytest.approx(stats.norm.ppf(0.75))


def test_deviations_are_of_the_bootstrap_from_the_full_data():
    one = Draws(drawn([[3, 1], [4, 1], [2, 5], [0, 0]]).ranking, 2, Spread(9, 0, 9))
    assert one.full[0].tolist() == [3.0, 1.0]
    assert one.deviations[0].tolist() == [[1.0, 0.0], [-1.0, 4.0]]
    assert one.before.tolist() == [[False, True], [False, False]]


def test_algorithms_are_identical_that_have_the_same_scores_in_the_full_data_and_every_draw():
    same = drawn([[2, 2, 1], [3, 3, 3], [1, 1, 0]])
    assert same.identical.tolist() == [[True, True, False], [True, True, False], [False, False, True]]
    differ_once = drawn([[2, 2, 1], [3, 3, 3], [1, 1.5, 0]])
    assert differ_once.identical.tolist() == np.eye(3, dtype=bool).tolist()
    apart_at_first = drawn([[2, 3, 1], [3, 3, 3], [1, 1, 0]])
    assert apart_at_first.identical.tolist() == np.eye(3, dtype=bool).tolist()
    # What lies behind the bootstrap, cases left out in turn, does not count.
    behind = Draws(drawn([[2, 2], [3, 3], [1, 4]]).ranking, 1, Spread(9, 0, 9))
    assert behind.identical.all()
    ranking = drawn([[2, 2], [3, 3]]).ranking
    ranking.elementary = [*ranking.elementary, drawn([[1, 1], [0, 1]]).ranking.elementary[0]]
    assert Draws(ranking, 1, Spread(9, 0, 9)).identical.tolist() == [[True, False], [False, True]]


@pytest.mark.parametrize("at_once", [1, 9, 18, 2_000_000])
def test_draws_are_counted_in_which_one_does_not_come_strictly_before_another(monkeypatch, at_once):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    one = drawn([[3, 2, 1], [3, 2, 2], [2, 3, 1], [3, 1, 0], [3, 2, 4]])
    # a is before b in 3 of 4, before c in 3; b before c in 2: once they tie, once c is before.
    expected = [[1, 1 / 4, 1 / 4], [3 / 4, 1, 2 / 4], [3 / 4, 3 / 4, 1]]
    assert one.not_before(1.0).tolist() == expected


def test_without_inflation_the_ranks_of_the_draws_count_and_with_it_those_of_inflated_deviations():
    one = drawn([[4, 2], [3, 2], [4, 3]], ranks=[[1, 2], [2, 1], [2, 1]])
    assert one.not_before(1.0)[0, 1] == 1.0, "as the ranking has them"
    assert one.not_before(1.5)[0, 1] == 0.0
    # The difference of 2 falls by 1 in each: twice that is a tie, which is not before.
    assert one.not_before(2.0)[0, 1] == 1.0
    one.ranking.final = None
    assert one.not_before(1.5)[0, 1] == 0.0, "what was counted is kept"


def steps_of(one, share):
    """Section 4, by hand: pairs that no inflated draw reverses are shown, and the others are tested again."""
    algorithms = len(one.ranking.algorithms)
    pairs = [(j, k) for j in range(algorithms) for k in range(algorithms) if j != k and not one.identical[j, k]]
    alive, shown, first = set(pairs), set(), None
    while alive:
        inflation = max(1.0, one.spread.critical(share / len(alive)) / one.extreme)
        first = first or inflation
        new = {pair for pair in alive if one.before[pair] and one.not_before(inflation)[pair] == 0}
        if not new:
            break
        shown |= new
        alive -= new
    return shown, first or 1.0


def gradual():
    """Three algorithms: one is far ahead, the others come apart only once fewer pairs are left."""
    random = np.random.default_rng(3)
    full = np.array([9.0, 1.0, 0.0])
    return drawn(np.vstack([full, full + random.uniform(-0.2, 0.2, (200, 3))]), spread=Spread(9, 0, 9))


@pytest.mark.parametrize("share", [0.3, 0.05, 0.01, 1e-4, 1e-9])
def test_what_is_shown_is_worked_out_step_by_step(share):
    one = gradual()
    differences, inflation = one.shown(share)
    expected, first = steps_of(one, share)
    assert {(int(j), int(k)) for j, k in np.argwhere(differences)} == expected
    assert inflation == pytest.approx(first)


def test_inflation_is_never_below_one():
    differences, inflation = drawn([[2, 1]] * 2001).shown(0.99)
    assert inflation == 1.0
    assert differences.tolist() == [[False, True], [False, False]]


def test_where_all_are_identical_nothing_is_asked():
    differences, inflation = drawn([[2, 2], [1, 1]]).shown(0.05)
    assert (differences.any(), inflation) == (False, 1.0)


def winning(gap_below, share, *, draws=999, reversed_by=0):
    """Return whether the first algorithm wins if some draws lower its lead of 1.

    Of `draws` draws, one lowers the lead by `gap_below`. Another `reversed_by` draws lower it by enough to reverse the
    order.
    """
    rows = np.tile([1.0, 0.0], (draws, 1))
    rows[0, 1] += gap_below
    rows[1 : 1 + reversed_by, 1] += 0.9
    return drawn(np.vstack([[1.0, 0.0], rows]), spread=Spread(30, 0, 30)).wins(0, share)


def test_a_winner_is_one_whom_no_draw_reverses_when_inflated_to_the_largest():
    share = 0.04
    critical = math.sqrt(30 / 29) * stats.t.ppf(1 - share / 2, 29)
    limit = stats.norm.ppf(1 - 1 / 1000) / critical
    assert winning(limit * 0.999, share)
    assert not winning(limit * 1.001, share)


def test_a_winner_is_one_whom_few_draws_reverse_when_inflated_to_the_share():
    """With 39 draws the largest represents less than the share, and the second condition decides.

    One of 39 is too many.
    """
    one = drawn(np.vstack([[1.0, 0.0], np.tile([1.0, 0.0], (39, 1))]), spread=Spread(30, 0, 30))
    p = 0.02
    critical = one.spread.critical(p)
    asked = []

    def answer(inflation):
        asked.append(inflation)
        share = 0.0 if inflation == pytest.approx(critical / one.extreme) else answer.share
        return np.array([[1.0, share], [1.0, 1.0]])

    one.not_before = answer
    for answer.share, wins in ((0.02, True), (0.0201, False), (0.0, True)):
        assert one.wins(0, 0.04) is wins
    assert asked[:2] == [pytest.approx(critical / one.extreme), pytest.approx(critical / stats.norm.ppf(1 - p))]


def test_nobody_wins_who_is_not_first_or_is_the_same_as_another():
    assert not drawn([[1, 0]] * 50).wins(1, 0.05)
    tied = drawn([[2, 2, 0]] * 50, ranks=[[1, 2, 3]] * 50)
    assert not tied.wins(0, 0.05)
    assert drawn([[2, 1, 0]] * 50).wins(0, 0.05)


def test_p_values_count_the_full_data_too_and_are_one_for_what_is_identical():
    one = drawn([[3, 2, 2], [2, 3, 3], [3, 1, 1], [4, 0, 0]])
    p_values = one.p_own()
    assert np.isnan(np.diag(p_values)).all()
    # One of three draws has b before a: (1 + 1) / (3 + 1), and the other way (2 + 1) / 4.
    assert [p_values[0, 1], p_values[1, 0], p_values[1, 2], p_values[2, 1]] == [0.5, 0.75, 1.0, 1.0]


def test_an_interval_of_a_distance_is_turned_round_and_widened():
    one = drawn([[1.0, 3.0], [1.5, 3.0], [0.5, 3.5]], higher=False)
    estimate, interval = one.interval(0, 1, 2.0)
    # The first is better by 2; deviations of that are -0.5 and +1, doubled -1 and +2.
    assert (estimate, interval) == (2.0, (1.0, 4.0))


def test_the_spread_is_the_mean_square_around_the_median_of_each_draw():
    deviations = np.array([[1.0, 2.0, 6.0], [0.0, 3.0, 3.0]])
    # Medians 2 and 3: (1 + 9)/2, 0 and (16 + 0)/2.
    assert spread_around_median(deviations).tolist() == [5.0, 0.0, 8.0]


# On fresh units


@pytest.mark.parametrize("higher", [True, False])
def test_the_first_of_two_comes_first_again_where_a_draw_and_the_next_leave_it_ahead(higher):
    """Scores 1 and 0; of two teams nothing is shrunk. The difference of fresh scores is 1 and two deviations that follow."""
    sign = 1.0 if higher else -1.0
    lead = np.array([0.2, -0.7, -0.5, 0.4])  # deviations of the lead; sums of two in a row: -.5, -1.2, -.1, .6
    scores = sign * np.vstack([[1.0, 0.0], np.column_stack([1.0 + lead, np.zeros(4)])])
    one = drawn(scores, higher=higher, spread=Spread(10**9, 0, 10**9))
    assert one.first_again(0) == pytest.approx(3 / 4)


def test_sharing_the_first_place_is_coming_first():
    one = drawn([[2.0, 1.0], [1.5, 1.0], [1.5, 1.0]], spread=Spread(10**15, 0, 10**15))
    assert one.first_again(0) == 1.0, "2 less twice 0.5 is a tie"
    combined = drawn([[2.0, 1.0], [1.5, 1.0], [1.75, 1.0]], steps=("metric",), spread=Spread(10**15, 0, 10**15))
    assert combined.first_again(0) == 1.0
    combined.ranking.final = lambda fresh: by_order(-fresh[0])
    assert combined.first_again(0) == 0.0


def test_few_units_make_fresh_draws_wider():
    scores = [[1.0, 0.0], [0.55, 0.0], [0.55, 0.0]]
    assert drawn(scores, spread=Spread(100, 0, 100)).first_again(0) == 1.0
    # 0.45 twice, by the root of 5/4, is more than 1.
    assert drawn(scores, spread=Spread(5, 0, 5)).first_again(0) == 0.0


def test_nothing_is_said_where_a_draw_has_no_score():
    assert drawn([[1.0, 0.0], [0.5, np.nan]]).first_again(0) is None


def test_the_spread_that_is_kept_with_a_table_is_taken_where_all_its_draws_are():
    scores = [[1.0, 0.9, 0.8], [1.1, 0.9, 0.9], [0.9, 1.0, 0.7], [1.0, 0.8, 0.8]]
    used = []

    class Item:
        plan = SimpleNamespace(bootstrap=3)

        @property
        def spread_of_draws(self):
            used.append(True)
            return np.ones(3)

    assert drawn(scores, item=Item()).first_again(0) is not None
    assert used == [True]
    drawn(scores, item=Item(), inside=np.ones(4, dtype=bool)).first_again(0)
    shorter = Item()
    shorter.plan = SimpleNamespace(bootstrap=4)
    drawn(scores, item=shorter).first_again(0)
    assert used == [True], "of some cases, or of fewer draws, it is worked out anew"


CLOSE = np.array([1.0, 0.95, 0.8, 0.5])
DEVIATIONS = np.array([[0.1, 0.0, 0.0, 0.0], [-0.1, 0.0, 0.0, 0.0], [0.1, 0.0, 0.0, 0.0], [-0.1, 0.0, 0.0, 0.0]])


def shrunk(scores, deviations, spread):
    """Return which algorithms have true scores that are shrunk towards one another.

    These are the algorithms whose fresh scores differ from the sum of score and deviations.
    """
    plain = scores + deviations + np.roll(deviations, -1, axis=0)
    return (~np.isclose(_fresh(True, scores, deviations, 0, spread), plain).all(axis=0)).tolist()


def test_those_within_three_standard_errors_of_the_first_are_close():
    # The difference to each other one varies by 0.1: up to 0.3 is close, 0.5 is not.
    assert shrunk(CLOSE, DEVIATIONS, np.ones(4)) == [True, True, True, False]
    three = np.array([1.0, 0.9, 0.7, 0.5])
    assert shrunk(np.round(three, 1), DEVIATIONS * 1.0001, np.ones(4))[2]
    assert not any(shrunk(np.array([1.0, 0.9, 0.69, 0.5]), DEVIATIONS, np.ones(4))), "two are not drawn together"


def test_one_whose_draws_spread_more_than_four_times_the_median_is_no_companion():
    scores = np.array([1.0, 0.9, 0.8, 0.75])
    assert shrunk(scores, DEVIATIONS, np.array([1.0, 1.0, 4.0, 1.0])) == [True] * 4
    assert shrunk(scores, DEVIATIONS, np.array([1.0, 1.0, 4.1, 1.0])) == [True, True, False, True]


def test_equal_scores_are_all_chance():
    equal = np.array([0.5, 0.5, 0.5])
    result = _fresh(True, equal, DEVIATIONS[:, :3], 0, np.ones(3))
    assert result == pytest.approx(0.5 + np.roll(DEVIATIONS[:, :3], -1, axis=0))
