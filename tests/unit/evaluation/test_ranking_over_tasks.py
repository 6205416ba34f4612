"""One ranking over several tasks, on boards small enough to be counted by hand."""

import numpy as np
import pandas as pd
import pytest

from evaluation.aggregation import ResultsError
from evaluation.assessment import AssessmentError, parse
from evaluation.ranking.overall import SCHEMA, TaskResults, overall_digest, rank_over_tasks

STEPS = [{"over": ["metric", "region", "task"], "operator": "mean", "rerank": True}]
# Mean values of three cases each: in liver a, b, c; in lung b, a, c, the last two tied; in bone c, b, a.
LIVER = {"a": [0.9, 0.8, 0.7], "b": [0.7, 0.6, 0.5], "c": [0.3, 0.2, 0.1]}
LUNG = {"a": [0.4, 0.4, 0.4], "b": [0.9, 0.9, 0.9], "c": [0.4, 0.4, 0.4]}
BONE = {"a": [0.1, 0.2, 0.3], "b": [0.4, 0.5, 0.6], "c": [0.7, 0.8, 0.9]}


def assessment(**more):
    return parse(
        {"problem": "table", "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": 0}}], **more}
    )


def task(name, values, *, rule=None, ranking=""):
    rows = [(algorithm, f"{name} {case}", value) for algorithm, own in values.items() for case, value in enumerate(own)]
    return TaskResults(name, rule or assessment(), pd.DataFrame(rows, columns=["algorithm", "case", "value"]), ranking)


def board(made):
    return {row["name"]: (row["rank"], row["score"]) for row in made["overall"]["algorithms"]}


def test_ranks_in_tasks_are_averaged_and_ranked_anew():
    made = rank_over_tasks([task("liver", LIVER), task("lung", LUNG), task("bone", BONE)], STEPS, bootstrap=0)
    # Across tasks, tied ranks are fractional: a and c share 2.5 in lung.
    assert board(made) == {
        "a": (2, pytest.approx((1 + 2.5 + 3) / 3)),
        "b": (1, pytest.approx((2 + 1 + 2) / 3)),
        "c": (2, pytest.approx((3 + 2.5 + 1) / 3)),
    }
    assert made["overall"]["over"] == ["metric", "region", "task"]
    assert made["overall"]["cases"] == 9


def test_the_document_says_what_was_combined_and_how():
    rule = assessment(uncertainty={"bootstrap": 30, "seed": 5})
    tasks = [task("liver", LIVER, rule=rule), task("lung", LUNG)]
    made = rank_over_tasks(tasks, STEPS, name="Over all")
    assert (made["schema"], made["name"], made["absent"], made["left_out"]) == (SCHEMA, "Over all", "refuse", [])
    assert (made["bootstrap"], made["seed"]) == (30, 5), "those of the first task"
    assert made["tasks"] == [
        {"task": "liver", "assessment": rule.digest, "ranking": None},
        {"task": "lung", "assessment": tasks[1].assessment.digest, "ranking": None},
    ]
    assert [step["over"] for step in made["steps"]] == [["metric", "region", "task"]]
    assert made["resampling"] == {"unit": "case"}
    assert made["overall"]["name"] == "Over all"
    assert made["overall"]["resampled"]
    given = rank_over_tasks(tasks, STEPS, bootstrap=10, seed=9)
    assert (given["bootstrap"], given["seed"], given["name"], "name" in given["overall"]) == (10, 9, "", False)


def test_the_unit_is_named_where_all_tasks_have_the_same():
    patients = assessment(
        aggregation={"levels": ["case", "patient"], "operator": "mean"}, uncertainty={"resample": ["patient"]}
    )
    cases = pd.DataFrame({"case": [f"liver {case}" for case in range(3)], "patient": ["p", "q", "q"]})
    liver = TaskResults("liver", patients, task("liver", LIVER).results, cases=cases)
    lung = TaskResults(
        "lung",
        patients,
        task("lung", LUNG).results,
        cases=cases.assign(case=cases["case"].str.replace("liver", "lung")),
    )
    assert rank_over_tasks([liver, lung], STEPS, bootstrap=0)["resampling"] == {"unit": "patient"}
    assert rank_over_tasks([liver, task("bone", BONE)], STEPS, bootstrap=0)["resampling"] == {"unit": "case"}


def test_tasks_are_drawn_each_from_its_own_cases():
    made = rank_over_tasks([task("liver", LIVER), task("bone", BONE)], STEPS, bootstrap=200)
    # Whatever is drawn, a is first and last, c last and first: the order within a task never changes.
    assert {row["name"]: row["rank_interval"] for row in made["overall"]["algorithms"]} == {
        name: [1, 1] for name in "abc"
    }
    again = rank_over_tasks([task("liver", LIVER), task("bone", BONE)], STEPS, bootstrap=200)
    assert overall_digest(again) == overall_digest(made)
    assert overall_digest({**made, "seed": 12}) != overall_digest(made)


@pytest.mark.parametrize("absent", ["refuse", "last", "not_ranked"])
def test_who_lacks_a_task(absent):
    lacking = {name: own for name, own in BONE.items() if name != "c"}
    tasks = [task("liver", LIVER), task("bone", lacking)]
    if absent == "refuse":
        with pytest.raises(ResultsError, match="c lacks bone"):
            rank_over_tasks(tasks, STEPS, bootstrap=0)
        return
    made = rank_over_tasks(tasks, STEPS, absent=absent, bootstrap=0)
    if absent == "last":
        # In bone its cases count by the policy, and it is last there.
        assert board(made) == {"a": (1, 1.5), "b": (1, 1.5), "c": (3, 3.0)}
        assert made["left_out"] == []
    else:
        assert board(made) == {"a": (1, 1.5), "b": (1, 1.5)}
        assert made["left_out"] == [{"name": "c", "lacks": ["bone"]}]


def test_a_task_may_have_one_result_alone():
    made = rank_over_tasks([task("liver", LIVER), task("bone", {"a": [0.5]})], STEPS, absent="last", bootstrap=0)
    # In bone, a is before b and c, whose one case is missing and counts as 0.
    assert board(made) == {"a": (1, 1.0), "b": (2, (2 + 2.5) / 2), "c": (3, (3 + 2.5) / 2)}


def test_two_algorithms_are_the_least():
    only = [task("liver", LIVER), task("bone", {"a": BONE["a"]})]
    with pytest.raises(ResultsError, match="fewer than two algorithms"):
        rank_over_tasks(only, STEPS, absent="not_ranked", bootstrap=0)
    two = [task("liver", LIVER), task("bone", {name: BONE[name] for name in "ab"})]
    assert len(board(rank_over_tasks(two, STEPS, absent="not_ranked", bootstrap=0))) == 2


def test_what_is_no_combination_is_refused():
    tasks = [task("liver", LIVER), task("bone", BONE)]
    with pytest.raises(AssessmentError, match="absent"):
        rank_over_tasks(tasks, STEPS, absent="first", bootstrap=0)
    with pytest.raises(AssessmentError, match="steps that leave one ranking"):
        rank_over_tasks(tasks, [{"over": ["metric", "region"], "operator": "mean", "rerank": True}], bootstrap=0)


def test_the_ranking_of_a_task_that_is_named_is_the_one_combined():
    several = assessment(
        ranking=[
            {"name": "typical", "operator": "median"},
            {"name": "worst", "operator": "min"},
        ]
    )
    values = {"a": [0.1, 0.8, 0.9], "b": [0.5, 0.6, 0.7]}
    lung = task("lung", {name: LUNG[name] for name in "ab"})
    by_worst = rank_over_tasks([task("liver", values, rule=several, ranking="worst"), lung], STEPS, bootstrap=0)
    assert board(by_worst) == {"a": (2, 2.0), "b": (1, 1.0)}
    assert [entry["ranking"] for entry in by_worst["tasks"]] == ["worst", None]
    by_first = rank_over_tasks([task("liver", values, rule=several), lung], STEPS, bootstrap=0)
    assert board(by_first) == {"a": (1, 1.5), "b": (1, 1.5)}
    with pytest.raises(ResultsError, match="liver has no ranking called 'best'"):
        rank_over_tasks([task("liver", values, rule=several, ranking="best"), lung], STEPS, bootstrap=0)


def test_weights_of_tasks_count():
    weighted = [{**STEPS[0], "over": ["task"], "weights": {"task": {"liver": 3, "bone": 1}}}]
    made = rank_over_tasks([task("liver", LIVER), task("bone", BONE)], weighted, bootstrap=0)
    assert board(made)["a"] == (1, pytest.approx((3 * 1 + 3) / 4))
    assert board(made)["c"] == (3, pytest.approx((3 * 3 + 1) / 4))


def test_samples_of_a_task_are_those_of_its_own_ranking():
    random = np.random.default_rng(1)
    values = {name: list(random.normal(mean, 0.2, 12)) for name, mean in (("a", 0.6), ("b", 0.5))}
    alone = rank_over_tasks([task("liver", values), task("lung", values)], STEPS, bootstrap=100, seed=1)
    shares = {row["name"]: row["share_first"] for row in alone["overall"]["algorithms"]}
    assert 0 < shares["b"] < shares["a"] <= 1
