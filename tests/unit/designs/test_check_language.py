"""The rule language: every operator, empty values, free-text choices, declared fields."""

import pytest

from evaluation.designs.catalogue import shipped
from evaluation.designs.checks.language import ConditionError, holds, missing, parameters_in
from evaluation.designs.document import from_json

ROWS = [{"event": "event_day", "note": "x"}, {"event": "submission_deadline"}]


def values(**challenge):
    document, _ = from_json({"challenge": challenge, "tasks": []}, catalogue=shipped())
    return document.values()


@pytest.mark.parametrize(
    ("operator", "value", "holds_for", "fails_for"),
    [
        ("nonempty", None, "text", ""),
        ("empty", None, "", "text"),
        ("eq", "a", "a", "b"),
        ("ne", "a", "b", "a"),
        ("in", ["a", "b"], "b", "c"),
        ("min_length", 3, "abc", "ab"),
        ("max_length", 3, "abc", "abcd"),
        ("min_words", 2, "one two", "one"),
        ("max_words", 2, "one two", "one two three"),
        ("matches", "(19|20)\\d\\d", "in 2026", "in 26"),
    ],
)
def test_operators_on_texts(operator, value, holds_for, fails_for):
    condition = {"param": "challenge_name", "op": operator, "value": value}
    assert holds(condition, values(challenge_name=holds_for))
    assert not holds(condition, values(challenge_name=fails_for))


@pytest.mark.parametrize(
    ("operator", "bound", "holds_for", "fails_for"),
    [("gt", 2000, 2001, 2000), ("gte", 2000, 2000, 1999), ("lt", 2000, 1999, 2000), ("lte", 2000, 2000, 2001)],
)
def test_operators_on_numbers(operator, bound, holds_for, fails_for):
    condition = {"param": "challenge_year", "op": operator, "value": bound}
    assert holds(condition, values(challenge_year=holds_for))
    assert not holds(condition, values(challenge_year=fails_for))
    assert not holds(condition, values())


@pytest.mark.parametrize(
    ("operator", "value", "holds_for", "fails_for"),
    [
        ("contains", "semi_automatic", ["semi_automatic"], ["fully_automatic"]),
        ("intersects", ["semi_automatic"], ["semi_automatic", "fully_automatic"], ["fully_automatic"]),
        ("count_eq", 1, ["semi_automatic"], []),
        ("count_gt", 1, ["semi_automatic", "fully_automatic"], ["semi_automatic"]),
        ("count_gte", 1, ["semi_automatic"], []),
        ("count_lte", 1, [], ["semi_automatic", "fully_automatic"]),
    ],
)
def test_operators_on_lists(operator, value, holds_for, fails_for):
    condition = {"param": "interaction_level_policy", "op": operator, "value": value}
    assert holds(condition, values(interaction_level_policy=holds_for))
    assert not holds(condition, values(interaction_level_policy=fails_for))


@pytest.mark.parametrize(
    ("operator", "more", "expected"),
    [
        ("every", {"item": {"field": "event", "op": "nonempty"}}, True),
        ("every", {"item": {"field": "note", "op": "nonempty"}}, False),
        ("some", {"item": {"field": "note", "op": "eq", "value": "x"}}, True),
        ("some", {"item": {"field": "note", "op": "eq", "value": "y"}}, False),
        ("some", {"item": {"all": [{"field": "note", "op": "nonempty"}, {"field": "event", "op": "eq", "value": "event_day"}]}}, True),
        ("every", {"item": {"any": [{"field": "note", "op": "nonempty"}, {"not": {"field": "event", "op": "eq", "value": "event_day"}}]}}, True),
        ("count_where_gt", {"value": 1, "item": {"field": "event", "op": "nonempty"}}, True),
        ("count_where_gt", {"value": 1, "item": {"field": "note", "op": "nonempty"}}, False),
    ],
)  # fmt: skip
def test_operators_on_tables(operator, more, expected):
    condition = {"param": "challenge_schedule", "op": operator, **more}
    assert holds(condition, values(challenge_schedule=ROWS)) is expected


def test_an_empty_table_satisfies_every_and_not_some():
    item = {"item": {"field": "event", "op": "nonempty"}}
    assert holds({"param": "challenge_schedule", "op": "every", **item}, values())
    assert not holds({"param": "challenge_schedule", "op": "some", **item}, values())
    assert holds({"param": "challenge_schedule", "op": "count_eq", "value": 0}, values())


def test_every_comparison_with_an_empty_value_is_false():
    for operator in ("eq", "ne", "gt", "lt", "matches", "min_words", "max_words", "contains"):
        assert not holds({"param": "challenge_name", "op": operator, "value": "a"}, values())


def test_a_choice_in_own_words_is_no_listed_choice():
    own = {"other": "miccai"}
    assert not holds({"param": "challenge_venue", "op": "eq", "value": "miccai"}, values(challenge_venue=own))
    assert not holds({"param": "challenge_venue", "op": "in", "value": ["miccai"]}, values(challenge_venue=own))
    assert holds({"param": "challenge_venue", "op": "ne", "value": "miccai"}, values(challenge_venue=own))
    assert holds({"param": "challenge_venue", "op": "nonempty"}, values(challenge_venue=own))


def test_all_any_and_not():
    true, false = {"param": "challenge_name", "op": "nonempty"}, {"param": "challenge_name", "op": "empty"}
    named = values(challenge_name="x")
    assert holds({"all": [true, true]}, named)
    assert not holds({"all": [true, false]}, named)
    assert holds({"any": [true, false]}, named)
    assert not holds({"any": [false, false]}, named)
    assert holds({"not": false}, named)


def test_words_beside_a_choice_are_read_under_their_own_name():
    condition = {"param": "data_license__details", "op": "nonempty"}
    assert holds(condition, values(data_license="cc_by", data_license__details="4.0"))
    assert not holds(condition, values(data_license="cc_by"))


def test_saying_that_there_is_none_is_enough_for_the_field_itself_but_is_no_value_for_others():
    declared = values(conflicts_of_interest__state={"state": "none_declared"})
    assert holds({"param": "conflicts_of_interest", "op": "nonempty"}, declared)
    assert not holds({"param": "conflicts_of_interest", "op": "empty"}, declared)
    long = {"param": "conflicts_of_interest", "op": "min_words", "value": 8}
    assert holds(long, declared, owner="conflicts_of_interest")
    assert not holds(long, declared, owner="funding_and_sponsorship")


def test_an_unknown_operator_is_an_error_of_the_catalogue():
    with pytest.raises(ConditionError, match="sounds_like"):
        holds({"param": "challenge_name", "op": "sounds_like", "value": "a"}, values(challenge_name="x"))


def test_a_rule_says_how_far_one_is():
    condition = {"param": "challenge_abstract", "op": "min_words", "value": 50}
    assert list(missing(condition, values(challenge_abstract="two words"))) == ["2 words so far; at least 50 needed."]
    assert list(missing(condition, values(challenge_abstract="word"))) == ["1 word so far; at least 50 needed."]
    assert list(missing(condition, values())) == ["Nothing written yet; at least 50 words needed."]
    a_word = {"param": "challenge_abstract", "op": "min_words", "value": 1}
    assert list(missing(a_word, values())) == ["Nothing written yet; at least 1 word needed."]
    one = {"param": "organizing_team", "op": "count_gte", "value": 1}
    assert list(missing(one, values())) == []


def test_every_rule_of_the_catalogue_speaks_the_language_and_reads_known_parameters():
    catalogue = shipped()
    rules = [check for check in catalogue.checks if not check.custom]
    assert len(rules) > 100
    empty = values()
    full = values(challenge_name="x")
    for check in rules:
        for condition in filter(None, (check.assertion, check.when)):
            assert holds(condition, empty) in (True, False)
            assert holds(condition, full) in (True, False)
            for parameter in parameters_in(condition):
                assert catalogue[parameter]
