"""Comparison of two states: text, rows, numbers, states."""

import pytest

from designs.services.examples import example_document
from evaluation.designs.catalogue import shipped
from evaluation.designs.differences import compare, number_change, row_changes, word_runs
from evaluation.designs.document import from_json


def document(challenge=None, *tasks):
    made, _ = from_json({"challenge": challenge or {}, "tasks": list(tasks) or [{}]}, catalogue=shipped())
    return made


def only(before, after):
    (difference,) = compare(before, after)
    return difference


def test_equal_documents_have_no_difference():
    data = example_document("msd")
    one, _ = from_json(data, catalogue=shipped())
    other, _ = from_json(data, catalogue=shipped())
    assert compare(one, other) == []


def test_text_is_compared_by_word():
    difference = only(
        document({"primary_objective": "Find the best method for adults."}),
        document({"primary_objective": "Find the fastest method for adults."}),
    )
    assert [(run.kind, run.text) for run in difference.words] == [
        ("same", "Find the "),
        ("removed", "best"),
        ("added", "fastest"),
        ("same", " method for adults."),
    ]


def test_words_that_changed_together_are_read_together():
    runs = word_runs("the best new method here", "the fastest old way here")
    assert [(run.kind, run.text) for run in runs] == [
        ("same", "the "),
        ("removed", "best new method"),
        ("added", "fastest old way"),
        ("same", " here"),
    ]


def test_numbers_are_compared_by_their_amount():
    difference = only(document({}, {"number_test_cases": 60}), document({}, {"number_test_cases": 45}))
    assert (difference.number.before, difference.number.after, difference.task) == (60, 45, "task-1")
    assert difference.number.words == "-15, -25 %"
    assert number_change(0, 5).words == "+5"


def test_choices_are_compared_by_their_words():
    difference = only(document({"data_license": "cc_by"}), document({"data_license": "cc_by_sa"}))
    assert {run.kind for run in difference.words} == {"same", "removed", "added"}


def test_tables_are_compared_by_row():
    parameter = shipped()["challenge_schedule"]
    before = [
        {"event": "submission_open", "date": "2026-02-01"},
        {"event": "submission_deadline", "date": "2026-06-30", "phase": "Final"},
        {"event": "event_day", "date": "2026-10-01"},
    ]
    after = [
        {"event": "submission_open", "date": "2026-02-01"},
        {"event": "submission_deadline", "date": "2026-07-31", "phase": "Final"},
        {"event": "embargo_end", "date": "2027-01-01"},
    ]
    changes = row_changes(parameter, before, after)
    assert [change.kind for change in changes] == ["same", "changed", "added", "removed"]
    (cell,) = [cell for cell in changes[1].cells if cell.is_changed]
    assert (cell.label, cell.before, cell.after) == ("Date", "2026-06-30", "2026-07-31")


def test_a_row_that_moved_is_the_same_row():
    parameter = shipped()["challenge_schedule"]
    rows = [{"event": "event_day", "date": "2026-10-01"}, {"event": "embargo_end", "date": "2027-01-01"}]
    assert [change.kind for change in row_changes(parameter, rows, rows[::-1])] == ["same", "same"]


def test_a_change_of_state_says_both_states():
    difference = only(
        document({"award_policy": "1000 euro"}), document({"award_policy__state": {"state": "none_declared"}})
    )
    assert difference.state == ("Provided", "None (stated by the organizers)")


def test_a_new_embargoed_value_shows_as_another_digest():
    def sealed(digest):
        return document({"award_policy__state": {"state": "embargoed_until", "event": "x", "digest": digest}})

    difference = only(sealed("a" * 64), sealed("b" * 64))
    assert "b" * 64 in difference.state[1]


def test_a_task_that_came_and_words_beside_a_choice():
    differences = compare(
        document({"data_license": "cc_by", "data_license__details": "version 3"}, {"task_name": "A"}),
        document(
            {"data_license": "cc_by", "data_license__details": "version 4"}, {"task_name": "A"}, {"task_name": "B"}
        ),
    )
    assert [(entry.parameter.id, entry.task, entry.kind) for entry in differences] == [
        ("data_license", None, "changed"),
        ("task_name", "task-2", "added"),
    ]
    assert [run.text for run in differences[0].details] == ["version ", "3", "4"]


@pytest.mark.parametrize(("before", "after"), [("", "new words"), ("old words", ""), ("a  b", "a b")])
def test_the_runs_of_words_give_back_both_texts(before, after):
    runs = word_runs(before, after)
    assert "".join(run.text for run in runs if run.kind != "added") == before
    assert "".join(run.text for run in runs if run.kind != "removed") == after
