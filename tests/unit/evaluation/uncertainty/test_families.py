"""Several rankings of one challenge: primary and secondary ones share the error, exploratory ones name no winner."""

import re

import numpy as np
import pandas as pd
import pytest

from evaluation.analyses.catalogue import orders_of
from evaluation.assessment import AssessmentError, parse
from evaluation.boards import build
from evaluation.boards.effects import effects_of
from evaluation.claims.ranking import headline_of, sentences_of
from evaluation.designs.compilation.rankings import _role_problems, _roles
from evaluation.ranking import rank
from evaluation.ranking.document import rank as rank_document
from evaluation.ranking.plans import FIRST_RULES, RULES
from evaluation.ranking.reading import Facts
from evaluation.ranking.uncertainty import effects
from evaluation.ranking.uncertainty.looks import Look
from tests.claims.consistency import contradictions
from tests.sizes import size
from tests.unit.evaluation.uncertainty.many_boards import contradictions as contradictions_of_board
from tests.unit.evaluation.uncertainty.many_boards import random_board

NAMES = ("a", "b")


def assessment(roles, metrics="xyz", **further):
    rankings = [
        {"name": metric, "metrics": [metric], "combine": None, **({"role": role} if role else {})}
        for metric, role in zip(metrics, roles, strict=True)
    ]
    return parse(
        {
            "problem": "external",
            "metrics": [{"id": metric, "direction": "higher", "policy": {"missing": 0}} for metric in metrics],
            "ranking": rankings if len(rankings) > 1 else rankings[0],
            **further,
        }
    )


def results(leads, *, cases=40, seed=1, spread=0.05):
    random = np.random.default_rng(seed)
    rows = [
        {"algorithm": name, "case": f"c{case:02d}", "metric": metric, "region": "", "outcome": "ok", "task": "",
         "value": float(np.clip(0.5 + lead * (name == "a") + random.normal(0, spread), 0, 1))}
        for metric, lead in leads.items() for case in range(cases) for name in NAMES
    ]  # fmt: skip
    return pd.DataFrame(rows)


def named(document):
    return [entry["winner"]["named"] for entry in document["rankings"]]


def combined(metrics, *, role=None):
    """Rank by metrics that are combined, with the results of `results`."""
    document = {
        "problem": "external",
        "metrics": [{"id": metric, "direction": "higher", "policy": {"missing": 0}} for metric in metrics],
        "ranking": {"combine": {"over": ["metric"], "operator": "mean", "rerank": True}, **({"role": role} if role else {})},
    }  # fmt: skip
    return parse(document)


def test_parts_of_a_combined_ranking_without_roles_share_the_error():
    table = results({"x": 0.05, "y": 0.04, "z": 0.0})
    document = rank_document(combined("xyz"), table)
    assert [entry["family"]["role"] for entry in document["rankings"]] == ["secondary"] * 3
    assert [entry["family"]["rankings"] for entry in document["rankings"]] == [3] * 3
    # Holm's steps: once two winners are named, the last ranking uses the whole level.
    assert [entry["family"]["tests"] for entry in document["rankings"]] == [3, 3, 1]
    assert named(document) == [True, True, False]
    assert "family" not in document["overall"]
    # The combined ranking is decided as by the first rules, where each part had the whole level.
    before = rank_document(combined("xyz"), table, rules=FIRST_RULES)
    assert before["overall"] == document["overall"]
    assert all("family" not in entry for entry in before["rankings"])
    with_role = rank_document(combined("xyz", role="primary"), table)
    assert [entry["family"]["role"] for entry in with_role["rankings"]] == ["exploratory"] * 3


def test_the_only_part_of_a_combination_is_the_same_ranking():
    document = rank_document(combined("x"), results({"x": 0.05}))
    assert "family" not in document["rankings"][0]
    assert document["rankings"][0]["verdict"] == document["overall"]["verdict"]


def test_equal_algorithms_are_seldom_named_in_any_part():
    """With the whole level for each of six parts, a false winner in any of them would be about five times as frequent."""
    counts = dict.fromkeys((FIRST_RULES, RULES), 0)
    boards = size(60, 400)
    for seed in range(boards):
        table = results(dict.fromkeys("uvwxyz", 0.0), cases=30, seed=seed)
        for rules in counts:
            document = rank_document(combined("uvwxyz"), table, bootstrap=200, rules=rules)
            counts[rules] += any(named(document))
    assert counts[RULES] <= 0.05 * boards + 3 * (0.05 * 0.95 * boards) ** 0.5
    assert counts[RULES] < counts[FIRST_RULES]


def test_a_family_is_tested_in_the_steps_of_holm():
    table = results({"x": 0.05, "y": 0.04, "z": 0.0})
    document = rank(assessment(("primary",) * 3), table)
    families = [entry["family"] for entry in document["rankings"]]
    assert named(document) == [True, True, False]
    assert [family["tests"] for family in families] == [3, 3, 1]
    assert all(family["rankings"] == 3 for family in families)
    assert [entry["spent_level"] for entry in document["rankings"]] == [pytest.approx(0.05 / 3)] * 2 + [None]


def test_a_ranking_that_is_named_alone_may_not_be_named_in_its_family():
    for seed in range(60):
        table = results({"x": 0.022, "y": 0.0, "z": 0.0}, seed=seed)
        alone = rank(assessment(("primary", "exploratory", "exploratory")), table)
        together = rank(assessment(("primary",) * 3), table)
        assert named(alone)[0] or not named(together)[0]
        if named(alone)[0] and not named(together)[0]:
            return
    pytest.fail("the family never mattered")


def test_primary_and_secondary_rankings_do_not_share():
    table = results({"x": 0.05, "y": 0.04, "z": 0.0})
    document = rank(assessment(("primary", "secondary", "secondary")), table)
    assert [entry["family"] for entry in document["rankings"]] == [
        {"role": "primary", "rankings": 1, "tests": 1},
        {"role": "secondary", "rankings": 2, "tests": 2},
        {"role": "secondary", "rankings": 2, "tests": 1},
    ]


def test_an_exploratory_ranking_describes_and_states_no_significance():
    table = results({"x": 0.2})
    document = rank(assessment(("exploratory",), "x"), table)
    (entry,) = document["rankings"]
    assert (entry["winner"]["named"], entry["winner"]["reason"], entry["verdict"]) == (False, "exploratory", None)
    assert entry["shown_better"] is entry["p_own"] is entry["p_values"] is None
    difference = entry["algorithms"][1]["difference_from_first"]
    assert difference["verdict"] is None
    assert 0.1 < difference["interval"][0] < difference["estimate"] < difference["interval"][1]
    texts = " ".join(sentences_of(entry, document))
    assert "This ranking is exploratory: there is no statement of significance." in headline_of(entry, document)
    for word in ("significantly", "winner.", "statistically", "probability", "p-value", "shown to be"):
        assert word not in texts


def test_parts_of_a_combined_ranking_with_a_role_are_exploratory():
    read = assessment(("primary",), "x")
    document = dict(read.document)
    both = parse(
        {
            "problem": "external",
            "metrics": [{"id": metric, "direction": "higher", "policy": {"missing": 0}} for metric in "xy"],
            "ranking": {"role": "primary", "combine": {"over": ["metric"]}},
        }
    )
    assert document["ranking"]["role"] == both.document["ranking"]["role"] == "primary"
    ranked = rank(both, results({"x": 0.1, "y": 0.1}))
    assert [entry["family"]["role"] for entry in ranked["rankings"]] == ["exploratory"] * 2
    assert ranked["overall"]["family"] == {"role": "primary", "rankings": 1, "tests": 1}
    assert ranked["overall"]["winner"]["named"]


@pytest.mark.parametrize(("roles", "most"), [(("primary",) * 8, 0.05), (("",) * 8, None)])
def test_eight_rankings_of_two_equal_teams_name_a_winner_somewhere_in_five_of_a_hundred(roles, most):
    metrics = "abcdefgh"
    read = assessment(roles, metrics)
    boards = size(25, 60)
    somewhere = sum(
        any(named(rank(read, results(dict.fromkeys(metrics, 0.0), cases=30, seed=seed), bootstrap=1000)))
        for seed in range(boards)
    )
    if most is None:
        assert somewhere / boards > 0.15  # what sharing prevents
    else:
        assert somewhere / boards <= most + 2 * np.sqrt(most * (1 - most) / boards)


def test_rankings_without_roles_say_that_the_level_applies_to_each():
    document = rank(assessment(("", "", "")), results({"x": 0.05, "y": 0.04, "z": 0.0}))
    texts = sentences_of(document["rankings"][0], document)
    sentence = (
        "The level of about 5 % applies to each of the 3 rankings separately. If the two best were equally good in every ranking, these "
        "shares add up to about 15 %."
    )
    assert sentence in texts
    assert Facts(document["rankings"][0], document).share_of_all == pytest.approx(0.15)
    single = rank(assessment(("",), "x"), results({"x": 0.05}))
    assert not any("applies to each of the" in text for text in sentences_of(single["rankings"][0], single))


def test_rankings_with_a_role_state_their_error_alone_and_together():
    document = rank(assessment(("primary", "primary", "primary")), results({"x": 0.0, "y": 0.0, "z": 0.0}))
    assert not any(named(document))
    for entry in document["rankings"]:
        assert (
            "The 3 primary rankings share the error, by Holm’s method for winners: about 1.7 % in this ranking, and about 5 % over all of "
            "them."
        ) in sentences_of(entry, document)


def test_either_all_rankings_have_a_role_or_none():
    with pytest.raises(AssessmentError, match=r"ranking\[1\]\.role: .* since other rankings have a role"):
        assessment(("primary", "", "secondary"))
    with pytest.raises(AssessmentError, match="role"):
        assessment(("best",), "x")


def test_a_design_with_roles_has_one_primary_ranking_of_a_task():
    assert _roles([["one"], ["two", "three"]]) == ["primary", "secondary", "secondary"]
    assert not _role_problems([{}, {}])
    assert not _role_problems([{}, {"role": "exploratory"}])
    assert not _role_problems([{"role": "secondary"}, {"role": "primary"}])
    (problem,) = _role_problems([{"role": "secondary"}, {"role": "secondary"}])
    assert "must be primary, and none is" in problem.message
    (problem,) = _role_problems([{"role": "primary"}, {"role": "primary"}])
    assert "2 are" in problem.message


@pytest.fixture(scope="module")
def later():
    """A document with a winner of a later step of Holm's method, and its entry."""
    for seed in range(60):
        document = rank(assessment(("primary",) * 2, "xy"), results({"x": 0.06, "y": 0.024}, seed=seed))
        for entry in document["rankings"]:
            if entry["winner"]["named"] and entry["family"]["tests"] == 1:
                return document, entry
    pytest.fail("no winner of a later step")


def test_the_interval_of_a_later_winner_does_not_contain_zero_anywhere(later):
    document, entry = later
    assert entry["lead"]["interval"][0] == 0.0
    headline = headline_of(entry, document)
    assert re.search(r"95 % interval > 0\.0+ to 0\.\d+", headline), headline
    table = build(document, assessment(("primary",) * 2, "xy"))
    order = next(order for order, one in orders_of(document, table) if one is entry)
    (lead,) = [effect for effect in effects_of(order, table["teams"]) if effect.key == "lead"]
    assert re.search(r"\(> 0\.0+ to", lead.value), lead.value
    assert contradictions(entry, document, sentences_of(entry, document), order, table) == []


@pytest.mark.parametrize("ranking", [{}, {"operator": "median"}])
@pytest.mark.parametrize(("change", "is_beyond"), [(10, False), (11, True)])
def test_a_change_beyond_the_registered_number_names_no_winner_and_says_so(change, is_beyond, ranking):
    one = assessment(("",), "x", ranking={"scheme": "aggregate_then_rank", "combine": None, **ranking})
    document = rank(one, results({"x": 0.3}), look=Look(change, 10))
    (entry,) = document["rankings"]
    beyond = (
        "a ranks first so far, but the board has had more changes than the phase registered. No winner can be named."
    )
    assert entry["winner"]["named"] != is_beyond
    assert (headline_of(entry, document, closed=False) == beyond) == is_beyond
    assert not re.search(r"\d{5}", " ".join(sentences_of(entry, document)))


def test_a_lead_without_a_lower_limit_has_no_interval():
    """Bootstrap-t has no limit for these differences. The margin, which is above the lead, took its place."""
    board = random_board(312)
    (entry,) = board.ranked()["rankings"]
    assert entry["lead"]["estimate"] < entry["margin"]
    assert entry["lead"]["interval"] is None
    assert not contradictions_of_board(board)


@pytest.mark.parametrize(("seed", "method"), [(799, None), (1171, "bayesian_bootstrap")])
def test_a_probability_never_contradicts_a_named_winner(seed, method):
    """The shrunken model takes these teams, of very unequal spread, for alike."""
    board = random_board(seed)
    winners = [entry for entry in board.ranked()["rankings"] if entry["winner"]["named"]]
    methods = {(entry["false_claim_probability"] or {}).get("method") for entry in winners}
    assert method in methods
    assert not contradictions_of_board(board)


def test_a_winner_has_no_probability_where_every_model_contradicts_it(monkeypatch):
    """Each of several hundred others can be significantly worse while one of them is probably better."""
    of_every_model = {"better": 0.4, "equivalent": 0.0, "worse": 0.6, "method": "", "with_one_unseen_failure": None}
    monkeypatch.setattr(effects, "_probabilities", lambda *_: of_every_model)
    winners = [entry for entry in random_board(1171).ranked()["rankings"] if entry["winner"]["named"]]
    assert winners
    assert [entry["false_claim_probability"] for entry in winners] == [None] * len(winners)
