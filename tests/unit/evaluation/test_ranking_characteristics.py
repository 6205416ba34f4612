"""Characteristics of cases: the kind of each column, and the form in which it explains or accompanies values."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking.characteristics import (
    FEWEST_NUMBERS,
    MOST_LEVELS,
    Characteristic,
    _texts,
    _truth,
    characteristics_of,
    explaining_columns,
    guessed_kind,
    indicator_columns,
)

CASES = list("abcdef")


def known(column, values, *, name="thing", **document):
    table = pd.DataFrame({"case": CASES[: len(values)], name: values})
    read = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}], **document})
    return characteristics_of(read, table if column else None)


def kind(values, **more):
    result = known(True, values, **more)
    return result[0].kind if result else None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.5, 2, 3, 4, 5, 5], "number"),  # five different ones
        ([1.5, 2, 3, 4, 4, 4], "name"),
        (["x", "y", "x", "y", "x", "y"], "name"),
        (["1", "2", "3", "4", "5", "six"], "name"),
        (["yes", "No", "TRUE", "false", "y", "n"], "yes_no"),
        (["yes", "no", None, "no", "yes", "no"], "yes_no"),
        ([True, False, True, True, False, False], "yes_no"),
        (["yes", "maybe", "no", "no", "no", "no"], "name"),
        (["x"] * 6, None),
        (["x", None, None, "x", None, "x"], None),
        ([None] * 6, None),
    ],
)
def test_the_kind_of_a_column_is_guessed_from_its_values(values, expected):
    assert kind(values) == expected
    assert (FEWEST_NUMBERS, MOST_LEVELS) == (5, 8)


@pytest.mark.parametrize("name", ["patient_id", "scanner", "Reader", "site", "mr fold", "x-code", "vendor"])
def test_what_is_called_like_an_identifier_is_a_name(name):
    assert guessed_kind(name, pd.Series(list("123456"))) == "name"


@pytest.mark.parametrize("name", ["sites_visited", "idle", "ageid", "number of readers x", "class of 2"])
def test_a_name_that_only_contains_an_identifier_is_none(name):
    assert guessed_kind(name, pd.Series(list("123456"))) == "number"


def test_what_is_declared_wins_over_a_guess_and_a_group_over_both():
    numbers = [1, 2, 3, 4, 5, 6]
    assert kind(numbers, columns={"thing": "name"}) == "name"
    assert kind([1, 2, 1, 2, 1, 2], columns={"thing": "number"}) == "number"
    assert kind([1, 0, 1, 0, 1, 0], columns={"thing": "yes_no"}) == "yes_no"
    grouped = {"columns": {"thing": "number"}, "aggregation": {"levels": ["case", "thing"]}}
    assert kind(numbers, **grouped) == "name"


def test_two_other_words_that_are_declared_as_yes_and_no_are_names():
    (result,) = known(True, ["present", "absent"] * 3, columns={"thing": "yes_no"})
    assert (result.kind, result.by_case.tolist()) == ("name", ["present", "absent"] * 3)


def test_values_are_texts_numbers_or_0_and_1_by_case():
    (number,) = known(True, [1.5, 2, 3, 4, 5, None], name="blood_loss")
    assert (number.name, number.title) == ("blood_loss", "blood loss")
    assert number.by_case.index.tolist() == CASES
    assert number.by_case.tolist() == pytest.approx([1.5, 2, 3, 4, 5, np.nan], nan_ok=True)
    (truth,) = known(True, ["Yes", "no", None, "true", "N", "y"])
    assert truth.by_case.tolist() == pytest.approx([1, 0, np.nan, 1, 0, 1], nan_ok=True)
    (name,) = known(True, [7.0, None, 8.0, 7.0, 8.0, 8.0])
    assert name.by_case.fillna("nothing").tolist() == ["7", "nothing", "8", "7", "8", "8"]


def test_a_column_whose_numbers_are_all_one_is_none():
    """Two spellings of one number do not distinguish cases."""
    assert kind(["1", "1.0", "1", "1.0", "1", "1"], columns={"thing": "number"}) is None
    assert kind(["yes", "true", "y", "YES", "y", "yes"]) is None


def test_without_cases_nothing_is_known():
    assert known(False, [1, 2]) == []
    read = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    assert characteristics_of(read, pd.DataFrame({"thing": [1, 2]})) == []


def test_texts_of_a_column_are_written_as_people_do():
    def written(*values):
        return _texts(pd.Series(values)).fillna("nothing").tolist()

    assert written(1.0, 2.5, None) == ["1.0", "2.5", "nothing"]
    assert written(1.0, 2.0, None) == ["1", "2", "nothing"]
    assert written(" x ", "", None, "  ") == ["x", "nothing", "nothing", "nothing"]
    assert written(True, False) == ["yes", "no"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", 1),
        ("true", 1),
        ("y", 1),
        ("1", 1),
        ("no", 0),
        ("false", 0),
        ("n", 0),
        ("0", 0),
        ("2", None),
        ("x", None),
    ],
)
def test_yes_and_no_have_these_words(text, expected):
    assert _truth(text) == expected
    assert _truth(None) is None


# As columns of a model


def characteristic(kind_of_column, values, title="thing"):
    return Characteristic(title, title, kind_of_column, pd.Series(values, index=CASES[: len(values)]))


def test_numbers_explain_in_standard_deviations_of_all_cases():
    table, left_out = explaining_columns([characteristic("number", [1.0, 3.0, 5.0, 7.0, np.nan])], list("abcd"))
    # Mean 4 and variance (9 + 1 + 1 + 9) / 4.
    assert table["thing"].tolist() == pytest.approx([value / np.sqrt(5) for value in (-3, -1, 1, 3)])
    assert table.index.tolist() == list("abcd")
    assert left_out == []


def test_yes_and_no_and_names_stay_as_they_are_in_the_order_of_the_cases():
    entries = [
        characteristic("yes_no", [1.0, 0.0, np.nan], "smoke"),
        characteristic("name", ["x", "y", None], "site"),
    ]
    table, _ = explaining_columns(entries, ["c", "a", "b", "z"])
    assert table["smoke"].tolist() == pytest.approx([np.nan, 1, 0, np.nan], nan_ok=True)
    assert table["site"].tolist() == [None, "x", "y", None]


def test_what_does_not_tell_these_cases_apart_is_no_column():
    table, left_out = explaining_columns([characteristic("name", ["x", "x", "y"])], ["a", "b"])
    assert (list(table.columns), left_out) == ([], [])


@pytest.mark.parametrize(("levels", "is_column"), [(8, True), (9, False)])
def test_names_of_more_than_eight_values_are_left_out_and_that_is_said(levels, is_column):
    cases = [f"c{number}" for number in range(levels)]
    entry = Characteristic("site", "site", "name", pd.Series([f"s{number}" for number in range(levels)], index=cases))
    table, left_out = explaining_columns([entry], cases)
    assert (list(table.columns) == ["site"]) is is_column
    said = [f"site is left out: it has {levels} values, which stand in the groups of cases"]
    assert left_out == ([] if is_column else said)


# As numbers along cases


def test_numbers_go_along_cases_as_they_are():
    result = indicator_columns(
        [characteristic("number", [1.5, np.nan]), characteristic("yes_no", [1.0, 0.0], "smoke")], ["b", "a"]
    )
    assert result == {"thing": [None, 1.5], "smoke": [0.0, 1.0]}


def test_two_names_become_one_column_and_more_one_each():
    assert indicator_columns([characteristic("name", ["x", "y", None, "x"])], list("abcd")) == {
        "thing: y": [0.0, 1.0, None, 0.0]
    }
    assert indicator_columns([characteristic("name", ["y", "x", "z"])], list("abc")) == {
        "thing: x": [0.0, 1.0, 0.0],
        "thing: y": [1.0, 0.0, 0.0],
        "thing: z": [0.0, 0.0, 1.0],
    }
    assert indicator_columns([characteristic("name", ["x", "x"])], list("ab")) == {"thing: x": [1.0, 1.0]}


def test_of_many_names_the_eight_most_frequent_have_a_column():
    names = [*(f"s{number}" for number in range(9)), *(f"s{number}" for number in range(1, 9))]
    cases = [f"c{number}" for number in range(len(names))]
    result = indicator_columns([Characteristic("site", "site", "name", pd.Series(names, index=cases))], cases)
    assert list(result) == [f"site: s{number}" for number in range(1, 9)]
