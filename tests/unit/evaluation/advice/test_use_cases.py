"""Published use cases of the metric recommendation framework.

Answers are ``printed`` (in the source, or following from the task) or ``implied`` (read back from the recommendation).
The counts below are those that the sources permit. Two steps of the gland challenge are outside the framework's
trees, and the sources leave four more preselections open.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.advice import Unanswered, parse_fingerprint, recommend
from evaluation.advice.knowledge import knowledge
from evaluation.advice.walk import walk

CASES = json.loads((Path(__file__).parent / "use_cases.json").read_text("utf-8"))
NOT_REPRODUCIBLE = {("5.2-GlaS", "S7"), ("5.2-GlaS", "S8")}
STEPS = [(case, step) for case in CASES for step in case["expected"]]


def fingerprint(case, *, implied: bool):
    answers = {**case["printed"], **(case["implied"] if implied else {})}
    problem = knowledge().problems[case["category"]]
    return parse_fingerprint({"schema": 1, "problem": problem, "answers": answers})


def accepted(case, step):
    return [set(case["expected"][step]), *({name} for name in case["accept"].get(step, []))]


def offers(leaves, wanted) -> bool:
    """Return whether the ends of a walk together offer all of `wanted`, or nothing if `wanted` is empty."""
    offered = {metric for leaf in leaves for metric in leaf.metrics}
    return not offered if not wanted else wanted <= offered


def possible_leaves(step_id, answered):
    """Return the leaves of each way through a step that can still be taken when only some questions are answered."""
    try:
        walked = walk(step_id, lambda item: answered.answer(item, None, strict=True))
    except Unanswered as question:
        item = question.item
        answers = [{**answered.answers, item.id: value} for value in item.values]
        return [leaves for more in answers for leaves in possible_leaves(step_id, replace(answered, answers=more))]
    return [tuple(leaf for leaf, _ in walked.leaves)]


def is_candidate(case, step) -> bool:
    ends = possible_leaves(step, fingerprint(case, implied=True))
    return any(offers(leaves, wanted) for leaves in ends for wanted in accepted(case, step))


@pytest.mark.parametrize(("case", "step"), STEPS, ids=[f"{case['id']}-{step}" for case, step in STEPS])
def test_the_published_metric_is_among_the_candidates(case, step):
    assert is_candidate(case, step) == ((case["id"], step) not in NOT_REPRODUCIBLE)


def test_the_printed_answers_alone_force_the_published_metric_in_24_steps():
    forced = [
        (case["id"], step)
        for case, step in STEPS
        if (case["id"], step) not in NOT_REPRODUCIBLE and case["id"] != "EXT-tool-1"
        if all(
            any(offers(leaves, wanted) for wanted in accepted(case, step))
            for leaves in possible_leaves(step, fingerprint(case, implied=False))
        )
    ]
    assert len(forced) == 24


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_no_metric_that_the_source_advises_against_is_recommended(case):
    document = recommend(_complete(case))
    assert not {metric["id"] for metric in document["metrics"]} & set(case["rejected"])


def test_the_one_complete_published_session_is_reproduced_without_a_doubt():
    session = next(case for case in CASES if case["id"] == "EXT-tool-1")
    document = recommend(fingerprint(session, implied=False))
    assert [metric["id"] for metric in document["metrics"]] == ["cldice", "masd"]
    assert [step["step"] for step in document["steps"]] == ["S6", "S7"]


def test_a_required_sensitivity_in_detection_leads_to_false_alarms_or_predictive_value_at_it():
    answers = {"FP5.1": True, "FP2.6": "target_value", "FP4.4": "rough"}
    parsed = parse_fingerprint({"schema": 1, "problem": "object_detection", "answers": answers})
    chosen = {metric["id"] for metric in recommend(parsed)["metrics"]}
    assert chosen & {"fppi_at_sensitivity", "ppv_at_sensitivity"}


def _complete(case):
    """The case with a value for the questions that may not be left open."""
    open_items = {"FP5.1": True, "FP4.4": "exact"}
    answers = {**open_items, **case["printed"], **case["implied"]}
    problem = knowledge().problems[case["category"]]
    return parse_fingerprint({"schema": 1, "problem": problem, "answers": answers})
