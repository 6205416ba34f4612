"""Types of the catalogue: each accepts its valid values, explains rejected ones, and has one canonical form."""

import pytest

from evaluation.designs.catalogue import shipped
from evaluation.designs.document import UnfitValueError, clean, fitting_cells

CASES = [
    ("challenge_name", "  Hippocampus   2026 ", "Hippocampus 2026"),
    ("challenge_abstract", "one  \r\n two ", "one\n two"),
    ("challenge_year", "2026", 2026),
    ("challenge_website", "https://example.org/a", "https://example.org/a"),
    ("challenge_keywords", "MRI, brain, MRI", ["MRI", "brain"]),
    ("challenge_goal_type", "insight", "insight"),
    ("life_cycle_type", {"other": "every leap year"}, {"other": "every leap year"}),
    ("interaction_level_policy", ["semi_automatic", "fully_automatic"], ["fully_automatic", "semi_automatic"]),
    ("contact_person", {"name": "A", "affiliation": "", "email": "a@b.org"}, {"name": "A", "email": "a@b.org"}),
    ("challenge_schedule", [{"event": "event_day", "date": "2026-10-01"}, {}], [{"event": "event_day", "date": "2026-10-01"}]),
    ("metrics", [{"metric": "nsd", "options": '{"tolerance": 1}'}], [{"metric": "nsd", "options": {"tolerance": 1}}]),
    ("number_test_cases", "", None),
    ("annotators_test", [{"who": "A", "is_algorithm": "no"}], [{"who": "A", "is_algorithm": False}]),
]  # fmt: skip


@pytest.mark.parametrize(("parameter", "raw", "expected"), CASES)
def test_a_value_is_brought_into_canonical_form(parameter, raw, expected):
    assert clean(shipped()[parameter], raw) == expected


@pytest.mark.parametrize(("parameter", "raw", "expected"), CASES)
def test_the_canonical_form_stays_as_it_is(parameter, raw, expected):
    assert clean(shipped()[parameter], expected) == expected


@pytest.mark.parametrize(
    ("parameter", "raw", "words"),
    [
        ("challenge_year", "next year", "number"),
        ("challenge_year", "1200", "At least 1990"),
        ("challenge_year", "2026.5", "whole number"),
        ("challenge_year", True, "number"),
        ("number_test_cases", "inf", "number"),
        ("challenge_website", "javascript:alert(1)", "http"),
        ("challenge_goal_type", "fame", "none of the choices"),
        ("challenge_goal_type", {"other": "fame"}, "Only the listed"),
        ("life_cycle_type", {"other": ""}, "in words"),
        ("contact_person", {"email": "nobody"}, "e-mail"),
        ("contact_person", {"phone": "1"}, "no entry phone"),
        ("challenge_schedule", [{"event": "event_day", "date": "soon"}], "row 1, Date"),
        ("challenge_schedule", [{"event": "event_day", "date": "03/04/2026"}], "3 April 2026 or 4 March 2026"),
        ("challenge_schedule", [{"event": "event_day", "date": "31 February 2026"}], "no such day"),
        ("challenge_schedule", "tomorrow", "table"),
        ("metrics", [{"metric": "dice"}], "no metric has the id"),
        ("metrics", [{"metric": "loc_mask_iou"}], "not a metric"),
        ("metrics", [{"options": "tolerance 1"}], "JSON"),
        ("challenge_name", "x" * 501, "500"),
        ("task_name", ["a"], "text"),
    ],
)
def test_what_does_not_fit_is_refused_with_words(parameter, raw, words):
    with pytest.raises(UnfitValueError, match=words):
        clean(shipped()[parameter], raw)


def test_one_wrong_cell_of_a_table_does_not_lose_the_others():
    metrics = shipped().parameters["metrics"]
    raw = [{"metric": "dsc", "weight": "2"}, {"metric": "nsd", "weight": "heavy"}]
    rows, problems = fitting_cells(metrics, raw)
    assert rows == [{"metric": "dsc", "weight": 2}, {"metric": "nsd"}]
    assert len(problems) == 1
    assert problems[0].startswith("row 2, ")
    assert raw[1]["weight"] == "heavy"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-31", "2026-03-31"),
        ("2026/3/31", "2026-03-31"),
        ("31.03.2026", "2026-03-31"),
        ("3.4.2026", "2026-04-03"),
        ("31/3/2026", "2026-03-31"),
        ("3/31/2026", "2026-03-31"),
        ("4/4/2026", "2026-04-04"),
        ("31 March 2026", "2026-03-31"),
        ("31st of March 2026", "2026-03-31"),
        ("March 31, 2026", "2026-03-31"),
        ("Sept. 1st 2026", "2026-09-01"),
        ("Mar 2026", "2026-03"),
        ("2026-03", "2026-03"),
        ("2026", "2026"),
    ],
)
def test_a_date_is_read_in_the_forms_that_people_write(text, expected):
    assert clean(shipped()["challenge_schedule"], [{"event": "event_day", "date": text}]) == [
        {"event": "event_day", "date": expected}
    ]


@pytest.mark.parametrize(
    "text", ["soon", "31 Foo 2026", "1 May 31 2026", "13/13/2026", "2026-00", "0000", "31.03.26", "Ju 2026"]
)
def test_what_is_no_date_is_refused(text):
    with pytest.raises(UnfitValueError):
        clean(shipped()["challenge_schedule"], [{"event": "event_day", "date": text}])
