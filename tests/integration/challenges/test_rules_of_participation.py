"""Answers to participants' questions on the challenge page, from its phases and its registration."""

from types import SimpleNamespace

import pytest

from challenges.queries.composed_rules import Rule
from challenges.queries.rules_of_participation import rules_of


def phase(label, **more):
    values = {
        "entrants_from": "",
        "submissions_per_day": None,
        "submissions_in_total": None,
        "incomplete_allowed": False,
        **more,
    }
    return SimpleNamespace(label=label, counts="last", task=SimpleNamespace(removed_at=None), **values)


def challenge(**entries):
    document = {"schema": 1, "catalogue": "1.0.0", "challenge": entries, "tasks": []}
    return SimpleNamespace(projection=SimpleNamespace(version=SimpleNamespace(document=document)))


def test_without_phases_and_registration_nothing_is_said():
    assert rules_of(SimpleNamespace(), []) == []


def test_phases_with_the_same_rule_have_one_answer():
    rules = rules_of(SimpleNamespace(), [phase("One", submissions_per_day=2), phase("Two", submissions_per_day=2)])
    assert rules[0] == Rule("How often can a team submit?", "2 per day")
    assert rules[1] == Rule("Which submission counts?", "The last one")


def test_phases_with_other_rules_are_named():
    rules = rules_of(SimpleNamespace(), [phase("One", submissions_per_day=2, submissions_in_total=9), phase("Two")])
    assert rules[0].answer == "One: 2 per day, 9 in total. Two: no limit."


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        (
            {"training_data_policy": "challenge_data_only"},
            Rule("Can we use other training data?", "No additional data allowed"),
        ),
        ({"award_policy__state": {"state": "none_declared"}}, Rule("What are the awards?", "None")),
    ],
)
def test_what_is_registered_is_answered_in_its_words(entry, rule):
    assert rule in rules_of(challenge(**entry), [])


def test_what_is_not_specified_is_not_asked():
    assert rules_of(challenge(challenge_name="Liver"), []) == []
