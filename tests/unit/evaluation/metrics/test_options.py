"""Accepted and rejected values of metric options, at the limits of each kind."""

import pytest

from evaluation.catalogue import all_metrics, get
from evaluation.metrics.declaration import check_option
from evaluation.metrics.options import Option, OptionError


def option(kind, default=None, **more):
    return Option(more.pop("name", "setting"), kind, default, "What it sets", **more)


TAKEN = [
    (
        option("number", 1.0, minimum=0, maximum=2),
        [(0, 0.0), (2, 2.0), (1.5, 1.5)],
        [-0.1, 2.1, True, "1", float("nan")],
    ),
    (
        option("number", 1.0, exclusive_minimum=0, exclusive_maximum=2),
        [(0.1, 0.1), (1.9, 1.9)],
        [0, 2, float("inf"), None, [1]],
    ),
    (option("integer", 3, minimum=1), [(1, 1), (4.0, 4)], [0, 1.5, True, "3", None]),
    (option("boolean", False), [(True, True), (False, False)], [0, 1, "true", None]),
    (option("string", "", name="label"), [("a", "a"), ("", "")], [1, True, None, ["a"]]),
    (option("enum", "one", choices=("one", "two")), [("one", "one"), ("two", "two")], ["three", "", 1, None]),
    (option("number", None), [(None, None), (1, 1.0)], ["none"]),
    (option("number", None, required=True), [(1, 1.0)], [None]),
    (option("object", None), [({"a": 1}, {"a": 1}), (None, None)], [[1], "a", 1]),
    (
        option("string or object", "mean", choices=("mean", "max")),
        [("max", "max"), ({"percentile": 100}, {"percentile": 100.0}), ({"percentile": 0.5}, {"percentile": 0.5})],
        [
            {"percentile": 0},
            {"percentile": 100.1},
            {"percentile": True},
            {"percentile": "5"},
            {"p": 5},
            {},
            {"percentile": 5, "p": 1},
        ],
    ),
    (option("number", 0.0, name="target_ppv"), [(0, 0.0), (1, 1.0)], [-0.01, 1.01]),
    (option("number", 0.0, name="target_fppi"), [(0, 0.0), (9, 9.0)], [-0.01]),
    (option("number", 1.0, name="bandwidth"), [(0.1, 0.1)], [0, -1]),
    (
        option("array", None, name="fppi_points"),
        [([0.5, 2], [0.5, 2.0]), ((0,), [0.0])],
        [[], [-1, 1], [1, "2"], [True], [float("inf")], "custom"],
    ),
    (option("array", None, name="spacing"), [([0.5, 2], [0.5, 2.0])], [[0, 1], [-1], []]),
    (
        option("array", None, name="data_range"),
        [([-1, 1], [-1.0, 1.0])],
        [[1, 1], [2, 1], [0], [0, 1, 2], [float("-inf"), 1]],
    ),
    (
        option("array", None, name="weight_matrix"),
        [([[0, 1], [2, 0]], [[0.0, 1.0], [2.0, 0.0]])],
        [[[0]], [[0, 1]], [[0, 1], [1]], [[0, 1], 1], [[0, -1], [1, 0]], [1, 2]],
    ),
]
EACH = [(one, value, kept) for one, taken, _ in TAKEN for value, kept in taken]
REFUSED = [(one, value) for one, _, refused in TAKEN for value in refused]


@pytest.mark.parametrize(("one", "value", "kept"), EACH, ids=lambda part: str(part)[:40])
def test_what_is_taken_comes_back_in_normal_form(one, value, kept):
    found = one.check(value)
    assert (found, type(found)) == (kept, type(kept))


@pytest.mark.parametrize(("one", "value"), REFUSED, ids=lambda part: str(part)[:40])
def test_what_is_refused_is_named_with_what_would_be_taken(one, value):
    with pytest.raises(OptionError) as error:
        one.check(value)
    assert (error.value.name, error.value.allowed) == (one.name, one.allowed)
    # Of a matrix, the row that is wrong.
    assert str(error.value) == f"{one.name}: {error.value.value!r} is not allowed; allowed is {one.allowed}"
    assert error.value.value in (value, *(value if isinstance(value, list) else ()))


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (TAKEN[0][0], "a number >= 0 and <= 2"),
        (TAKEN[1][0], "a number > 0 and < 2"),
        (TAKEN[2][0], "a whole number >= 1"),
        (TAKEN[3][0], "true or false"),
        (TAKEN[4][0], "a text"),
        (TAKEN[5][0], "one of one, two"),
        (TAKEN[6][0], "a number or null"),
        (TAKEN[7][0], "a number"),
        (TAKEN[8][0], "an object or null"),
        (TAKEN[9][0], 'one of mean, max or {"percentile": a number > 0 and <= 100}'),
        (TAKEN[10][0], "a number >= 0 and <= 1"),
        (TAKEN[12][0], "a number > 0"),
        (TAKEN[13][0], "a list of numbers >= 0 or null"),
        (TAKEN[14][0], "a list of numbers > 0 or null"),
        (TAKEN[15][0], "a list of two numbers, the lower first or null"),
        (TAKEN[16][0], "a square matrix of numbers >= 0, one row and one column a class or null"),
        (option("number or string", "auto"), "a number or 'auto'"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_what_is_allowed_is_said_in_words(one, words):
    assert one.allowed == words


def test_options_that_set_a_policy_are_told_from_those_of_functions():
    assert option("string", "exclude", name="on_both_empty").sets_policy
    assert not option("string", "exclude", name="only").sets_policy


def test_documents_hold_what_is_said_and_nothing_else():
    document = option("number", (1, 2), minimum=0, unit="mm", required=True).as_document()
    assert document == {
        "name": "setting",
        "type": "number",
        "default": [1, 2],
        "unit": "mm",
        "min": 0,
        "required": True,
        "description": "What it sets",
    }


def test_a_criterion_may_come_with_options_of_its_own():
    known = next(
        one
        for metric in all_metrics()
        for one in metric.options
        if one.choices_declared_in and "loc_boundary_iou" in one.choices
    )
    assert check_option(known, "loc_boundary_iou") == "loc_boundary_iou"
    own = {one.name: one for one in get("loc_boundary_iou").options if one.name != "threshold"}
    checked = check_option(known, {"id": "loc_boundary_iou", "options": {"distance": 2}})
    assert checked == {
        "id": "loc_boundary_iou",
        "options": {name: one.default for name, one in own.items()} | {"distance": 2.0},
    }
    assert check_option(known, {"id": "loc_boundary_iou"})["options"] == {
        name: one.default for name, one in own.items()
    }
    for wrong in ({"id": "dsc"}, {"id": "loc_boundary_iou", "option": {}}, {"id": "loc_boundary_iou", "options": [2]}):
        with pytest.raises(OptionError, match="with the options of that criterion"):
            check_option(known, wrong)
    with pytest.raises(OptionError, match="is not allowed"):
        check_option(known, {"id": "loc_boundary_iou", "options": {"threshold": 0.5}})
