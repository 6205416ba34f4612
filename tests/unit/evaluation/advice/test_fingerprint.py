"""The fingerprint: accepted answers, decisions about missing answers, and contradictions."""

from __future__ import annotations

import pytest

from evaluation.advice import FingerprintError, Unanswered, inconsistencies, parse_fingerprint, questions


def parse(problem="semantic_segmentation", classes=None, **answers):
    named = {name.replace("_", "."): value for name, value in answers.items()}
    return parse_fingerprint({"schema": 1, "problem": problem, "answers": named, "classes": classes or {}})


@pytest.mark.parametrize(
    ("document", "place", "allowed"),
    [
        ([], "", "an object"),
        ({"schema": 2}, "schema", "1"),
        ({"question": 1}, "question", "one of the keys"),
        ({"problem": "tracking"}, "problem", "image_classification, semantic_segmentation"),
        ({"name": 3}, "name", "a text"),
        ({"answers": {"FP9.9": True}}, "answers.FP9.9", "FP1.1a"),
        ({"answers": {"FP3.1": 1}}, "answers.FP3.1", "true, false, null"),
        ({"answers": {"FP2.5.6": "far"}}, "answers.FP2.5.6", '"existence"'),
        ({"classes": {"lesion": {"FP4.5": True}}}, "classes.lesion.FP4.5", "the whole task"),
        ({"choices": {"DG6.1": "nsd"}}, "choices.DG6.1", '"dsc", "iou"'),
        ({"choices": {"DG0": "nsd"}}, "choices.DG0", "DG2.1"),
        ({"problem": "object_detection", "answers": {"FP1.1a": "global"}}, "problem", "image_classification"),
    ],
)
def test_what_does_not_fit_is_named_with_its_place_and_what_is_allowed(document, place, allowed):
    with pytest.raises(FingerprintError) as error:
        parse_fingerprint(document)
    assert error.value.place == place
    assert allowed in error.value.allowed


@pytest.mark.parametrize(
    ("answers", "category"),
    [
        ({"FP1.1a": "global"}, "ImLC"),
        ({"FP1.1a": "local", "FP1.1b": False}, "SemS"),
        ({"FP1.1a": "local", "FP1.1b": True, "FP1.1c": False}, "ObD"),
        ({"FP1.1a": "local", "FP1.1b": True, "FP1.1c": True}, "InS"),
        ({"FP1.1a": "local"}, None),
        ({}, None),
    ],
)
def test_the_kind_of_problem_follows_from_three_questions(answers, category):
    assert parse_fingerprint({"schema": 1, "answers": answers}).category == category


def test_an_answer_of_a_class_goes_before_that_of_the_task():
    parsed = parse(FP3_1=False, classes={"vessel": {"FP3.1": True}, "liver": {}})
    assert [parsed.answer("FP3.1", name).value for name in ("vessel", "liver", None)] == [True, False, False]


def test_not_knowing_and_not_saying_both_take_the_cautious_value_and_say_so():
    parsed = parse(FP4_6=None)
    assert parsed.answer("FP4.6") == (True, "unknown")
    assert parsed.answer("FP5.2") == (True, "assumed")
    with pytest.raises(Unanswered):
        parsed.answer("FP5.2", strict=True)


def test_a_question_that_does_not_arise_is_decided_by_the_others():
    assert parse(FP4_1=False, FP2_5_5=True).answer("FP2.5.5") == (False, "derived")
    unequal = parse("image_classification", FP4_1=True, FP2_5_1=False)
    assert unequal.answer("FP2.5.3") == (True, "derived")
    assert parse().answer("FP5.1") == (False, "not_asked")


def test_a_question_without_a_cautious_value_must_be_answered():
    with pytest.raises(Unanswered):
        parse("image_classification").answer("FP5.1")


@pytest.mark.parametrize(
    ("problem", "answers", "items"),
    [
        ("image_classification", {"FP5.1": False, "FP2.7.1": True}, ("FP2.7.1", "FP5.1")),
        ("semantic_segmentation", {"FP2.5.6": "distance_outlier", "FP4.6": True}, ("FP2.5.6", "FP4.6", "FP5.2")),
        ("object_detection", {"FP2.4": "outline", "FP4.4": "position"}, ("FP2.4", "FP4.4")),
        ("semantic_segmentation", {"FP4.1": False, "FP2.5.5": True}, ("FP2.5.5", "FP4.1")),
    ],
)
def test_answers_that_contradict_each_other_are_named(problem, answers, items):
    parsed = parse_fingerprint({"schema": 1, "problem": problem, "answers": answers})
    assert items in [found.items for found in inconsistencies(parsed)]
    first = next(iter(answers))
    alone = parse_fingerprint({"schema": 1, "problem": problem, "answers": {first: answers[first]}})
    assert items not in [found.items for found in inconsistencies(alone)]


def test_every_question_explains_itself():
    for entry in questions():
        assert entry["question"].rstrip().endswith("?")
        assert entry["why"]
        assert len(entry["choices"]) >= 2
        assert entry["problems"]
        assert entry["if_unknown"] is None or entry["if_unknown"] in [c["value"] for c in entry["choices"]]


def test_equal_fingerprints_have_equal_digests():
    assert parse(FP3_1=True, FP3_2=False).digest == parse(FP3_2=False, FP3_1=True).digest
    assert parse(FP3_1=True).digest != parse(FP3_1=False).digest
