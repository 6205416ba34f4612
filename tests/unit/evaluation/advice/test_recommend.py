"""Recommendations: complete, usable as they are, explained, and where a design departs from them."""

from __future__ import annotations

import json
import random

import pytest

from evaluation.advice import departures, influence, next_question, parse_fingerprint, recommend
from evaluation.advice.knowledge import items, knowledge
from evaluation.advice.walk import items_of, metrics_below
from evaluation.assessment import parse
from evaluation.catalogue import get
from evaluation.cli import main
from evaluation.problems.offered_metrics import kinds_with

PROBLEMS = tuple(knowledge().categories)


def fingerprint(problem, answers, **more):
    return parse_fingerprint({"schema": 1, "problem": problem, "answers": answers, **more})


def random_fingerprint(problem, seed):
    chance = random.Random(seed)
    answers = {item.id: chance.choice(item.values) for item in items(knowledge().categories[problem])}
    return fingerprint(problem, {key: value for key, value in answers.items() if not key.startswith("FP1.1")})


@pytest.mark.parametrize("problem", PROBLEMS)
def test_any_complete_fingerprint_gives_metrics_and_options_that_an_assessment_accepts(problem):
    for seed in range(60):
        document = recommend(random_fingerprint(problem, seed))
        json.dumps(document, allow_nan=False)
        for metric in document["metrics"]:
            known = get(metric["id"])
            assert problem in kinds_with(known)
            known.check_options(_settable(metric))
            assert set(metric["to_set"]) <= {option.name for option in known.assessment_options} | {"policy.missing"}
            assert metric["why"]
        ruled_out = {entry["id"] for entry in document["ruled_out"]}
        assert not ruled_out & {metric["id"] for metric in document["metrics"]}
        assert not document["assumed"]


def _settable(metric):
    examples = {"weight_matrix": None, "threshold_probability": 0.1, "costs": "zero_one", "localization_threshold": 5.0}
    given = {name: examples[name] for name in metric["to_set"] if examples.get(name) is not None}
    return {**metric["options"], **given}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_an_assessment_takes_the_recommended_metrics_once_open_values_are_set(problem):
    for seed in range(30):
        document = recommend(random_fingerprint(problem, seed))
        metrics = [
            {"id": metric["id"], "name": metric["name"] or metric["id"], "options": _settable(metric)}
            | ({"policy": {"missing": 9}} if "policy.missing" in metric["to_set"] else {})
            for metric in document["metrics"]
        ]
        if metrics:
            regions = [{"name": "one", "labels": [1]}, {"name": "two", "labels": [2]}]
            parsed = parse({"schema": 1, "problem": problem, "regions": regions, "metrics": metrics})
            assert [metric.id for metric in parsed.metrics] == [metric["id"] for metric in document["metrics"]]


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_is_recommended_lies_among_the_candidates_of_its_step(problem):
    for seed in range(40):
        document = recommend(random_fingerprint(problem, seed))
        candidates = {metric for step in document["steps"] for metric in step["candidates"]}
        assert {metric["id"] for metric in document["metrics"]} <= candidates


def test_every_metric_of_the_trees_is_in_the_catalogue():
    rules = {
        "greedy_by_score",
        "greedy_by_criterion",
        "hungarian",
        "criterion_gt_half",
        "double_as_fp",
        "double_ignored",
    }
    for step in knowledge().steps.values():
        for metric in set(metrics_below(step.root)) - rules:
            assert get(metric).id == metric


def test_every_question_is_used_somewhere():
    asked = {item for step in knowledge().steps for item in items_of(step)}
    text = json.dumps(
        [[guide.hints for guide in knowledge().guides.values()], list(knowledge().rules), list(knowledge().complements)]
        + [[item.ask_if, item.derive] for item in items()]
    )
    unused = {item.id for item in items() if item.id not in asked and f'"{item.id}"' not in text}
    assert unused == {"FP2.5.8b"}  # named in the trees' notes only: the matching rule has no second half


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_dialogue_asks_until_nothing_open_matters_and_then_assumes_nothing(problem):
    answers: dict = {}
    for _ in range(60):
        question = next_question(fingerprint(problem, answers))
        if question is None:
            break
        item, name = question
        assert name is None
        assert item.id not in answers
        answers[item.id] = item.values[0]
    assert next_question(fingerprint(problem, answers)) is None
    assert recommend(fingerprint(problem, answers))["assumed"] == []


def test_a_dialogue_starts_with_the_kind_of_problem():
    assert next_question(parse_fingerprint({"schema": 1, "answers": {}}))[0].id == "FP1.1a"


def test_classes_that_differ_get_metrics_of_their_own():
    document = recommend(
        fingerprint(
            "semantic_segmentation",
            {"FP2.3": False, "CTX.readership": "clinical"},
            classes={"vessel": {"FP2.3": True, "FP3.3": True}, "liver": {}},
        )
    )
    overlap = {metric["id"]: metric["classes"] for metric in document["metrics"] if metric["steps"] == ["S6"]}
    assert overlap == {"cldice": ["vessel"], "dsc": ["liver"]}


def test_the_trace_tells_question_answer_and_what_it_ruled_out():
    document = recommend(fingerprint("semantic_segmentation", {"FP2.5.7": True}))
    visit = next(v for step in document["steps"] for v in step["trace"] if v["node"] == "S7/no/yes")
    assert visit["asked"][0]["item"] == "FP2.5.7"
    assert visit["branch"] == "yes"
    assert "masd" in visit["ruled_out"]
    reasons = {entry["id"]: entry["why"] for entry in document["ruled_out"]}
    assert reasons["masd"] == "It does not fit, since “Tolerance for small deviations” was answered with “yes”."


def test_a_choice_in_a_guide_is_followed_and_marked_as_yours():
    document = recommend(fingerprint("semantic_segmentation", {}, choices={"DG6.1": "iou"}))
    assert document["metrics"][0]["id"] == "iou"
    assert document["guides"]["DG6.1"]["preselected"] == "dsc"
    assert document["guides"]["DG6.1"]["why"].startswith("your choice")


def test_beta_follows_from_the_error_that_is_worse():
    answers = {"FP2.5.2": True, "CTX.error_preference_seg": "fn_worse"}
    document = recommend(fingerprint("semantic_segmentation", answers))
    assert document["metrics"][0]["options"] == {"beta": 2.0}


def test_tiny_structures_with_a_noisy_reference_are_proposed_as_detection():
    document = recommend(fingerprint("semantic_segmentation", {"FP3.1": True, "FP4.3.1": True}))
    assert [entry["problem"] for entry in document["reroute"]] == ["object_detection"]


def test_objects_are_matched_as_the_steps_say():
    answers = {"FP5.1": False, "FP5.4": False, "FP2.5.8": False}
    document = recommend(fingerprint("instance_segmentation", answers))
    assert document["matching"][0]["assignment"] == "criterion_gt_half"
    assert document["matching"][0]["double_assignment"] == "ignore"
    assert document["metrics"][0]["options"]["assignment"] == "criterion_gt_half"


def test_influence_names_the_answers_that_would_change_the_metrics():
    changes = influence(fingerprint("semantic_segmentation", {"FP4.3.1": False, "FP2.5.7": True}))
    assert changes["FP3.5"]["Yes"] == {"added": [], "removed": ["nsd"]}
    assert changes["FP2.5.2"]["Yes"] == {"added": ["fbeta"], "removed": ["dsc"]}
    assert "FP5.3" not in changes


def test_departures_are_empty_for_the_recommendation_itself():
    for problem in PROBLEMS:
        for seed in range(20):
            document = recommend(random_fingerprint(problem, seed))
            chosen = [{"id": metric["id"], "options": metric["options"]} for metric in document["metrics"]]
            kinds = {found.kind for found in departures(document, chosen)}
            assert kinds <= {"related"}, (problem, seed, departures(document, chosen))


def test_every_way_to_depart_is_named():
    answers = {"FP2.5.2": True, "CTX.error_preference_seg": "fn_worse", "FP2.5.7": True}
    document = recommend(fingerprint("semantic_segmentation", answers))
    metrics = [
        {"id": "fbeta", "options": {"beta": 1}},
        {"id": "accuracy"},
        {"id": "hausdorff_distance"},
        {"id": "mi_dsc"},
    ]
    found = {(entry.kind, entry.metric) for entry in departures(document, metrics)}
    assert found == {
        ("option", "fbeta"),
        ("ruled_out", "accuracy"),
        ("ruled_out", "hausdorff_distance"),
        ("not_recommended", "mi_dsc"),
        ("omitted", "nsd"),
    }


def test_departures_take_the_metrics_of_an_assessment():
    document = recommend(fingerprint("semantic_segmentation", {"FP2.5.7": True}))
    assessment = parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": "liver", "labels": [1]}],
            "metrics": [{"id": "dsc"}, {"id": "nsd", "options": {"tolerance": 7}}],
        }
    )
    assert departures(document, assessment.metrics) == []


def test_the_command_writes_the_document(tmp_path, capsys):
    given = tmp_path / "fingerprint.json"
    given.write_text(json.dumps({"schema": 1, "problem": "semantic_segmentation", "answers": {}}))
    output = tmp_path / "recommendation.json"
    assert main(["recommend", str(given), "--output", str(output)]) == 0
    written = json.loads(output.read_text())
    assert main(["recommend", str(given)]) == 0
    assert json.loads(capsys.readouterr().out) == written
    assert written["problem"] == "semantic_segmentation"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "no JSON document"),
        ('{"schema": 1, "answers": {"FP1.1a": "local"}}', "answers.FP1.1b"),
        ('{"schema": 1, "answers": {"FP3.1": 7}}', "answers.FP3.1: 7 is not allowed"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path, capsys, text, words):
    given = tmp_path / "fingerprint.json"
    given.write_text(text)
    assert main(["recommend", str(given)]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
