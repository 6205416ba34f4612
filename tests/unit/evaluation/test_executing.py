"""Every design parameter about running the challenge is executed, stated or refused, and none is ignored."""

import json
from importlib import resources

import pytest

from evaluation.designs.catalogue import shipped
from evaluation.designs.catalogue.states import Execution, describing_parameters, execution_states
from evaluation.designs.document import Entry, State, from_json
from evaluation.designs.executing import counted, statements, statements_of

# Columns whose choices describe, and decide nothing about how the challenge runs.
DESCRIBING_COLUMNS = {("organizing_team", "role"), ("case_table", "split")}


def document(name="hippocampus", **changes):
    text = resources.files("evaluation.designs.examples").joinpath(f"{name}.json").read_text()
    data = json.loads(text)
    for key, value in changes.items():
        holder = data["tasks"][0] if shipped()[key].is_task else data["challenge"]
        holder[key] = value
    found, problems = from_json(data, catalogue=shipped())
    assert problems == []
    return found


def said(parameter, **changes):
    return {entry.choice: entry.execution for entry in statements(document(**changes)) if entry.parameter == parameter}


def test_every_parameter_says_how_the_challenge_runs_or_only_describes_it():
    everything = set(shipped().parameters)
    assert set(execution_states()) | describing_parameters() == everything
    assert not set(execution_states()) & describing_parameters()


@pytest.mark.parametrize("identity", sorted(execution_states()))
def test_every_choice_of_every_parameter_has_a_state_of_its_own(identity):
    parameter, states = shipped()[identity], execution_states()[identity]
    if states.choices.decided_by:
        return
    if parameter.type in ("enum", "multi-enum"):
        assert {choice.value for choice in parameter.choices} == set(states.choices.choices)
        assert (states.choices.own_words is not None) == (parameter.choices_mode != "closed")
    for column in parameter.item_fields:
        if column.choices:
            held = states.fields[column.key]
            assert held.decided_by or {choice.value for choice in column.choices} == set(held.choices)
            assert held.decided_by or not column.allow_other or held.own_words is not None
    known = {column.key for column in parameter.item_fields}
    assert set(states.fields) <= known


def walked():
    """Yield each parameter about running the challenge, with each of its choices as a value."""
    for identity, states in execution_states().items():
        parameter = shipped()[identity]
        if parameter.type in ("enum", "multi-enum"):
            for choice in parameter.choices:
                yield identity, [choice.value] if parameter.type == "multi-enum" else choice.value
            if parameter.choices_mode != "closed":
                yield identity, [{"other": "x"}] if parameter.type == "multi-enum" else {"other": "x"}
        elif parameter.item_fields:
            for column in parameter.item_fields:
                for choice in column.choices:
                    cell = {column.key: choice.value}
                    yield identity, [cell] if parameter.type == "list-of-objects" else cell
        else:
            yield identity, states.whole and ("text" if parameter.type != "integer" else 3)


@pytest.mark.parametrize(("identity", "value"), list(walked()), ids=lambda value: str(value)[:40])
def test_the_walk_finds_no_choice_without_a_statement(identity, value):
    found = list(statements_of(shipped()[identity], Entry(value, state=State.PROVIDED), document().values("task-1")))
    assert found
    assert all(entry.execution in Execution for entry in found)
    assert all(entry.parameter == identity for entry in found)


def test_what_runs_a_challenge_is_counted():
    counts = counted(statements(document()))
    assert counts.executed > 30
    assert counts.stated > 5
    assert counts.refused == 0
    assert str(counts) == f"{counts.executed} executed, {counts.stated} stated"


def test_the_registries_decide_what_of_tasks_metrics_and_schemes_is_executed():
    assert said("task_category") == {"Semantic (binary or multi-class) segmentation": Execution.EXECUTED}
    assert said("task_category", task_category=["stitching"]) == {"Stitching": Execution.STATED}
    rows = [
        {"metric": "dsc", "used_for_ranking": True},
        {"metric": "iou", "used_for_ranking": False},
        {"name": {"other": "seam visibility"}, "used_for_ranking": False},
        {"metric": "auroc", "used_for_ranking": False},
        {"metric": "nsd", "used_for_ranking": False},
    ]
    assert said("metrics", metrics=rows) == {
        "DSC": Execution.EXECUTED,
        "IoU": Execution.EXECUTED,
        "seam visibility": Execution.STATED,
        "AUROC": Execution.STATED,
        "NSD": Execution.STATED,
    }


def test_nothing_of_a_design_that_is_evaluated_elsewhere_is_called_executed():
    found = statements(document(task_category=["stitching"]))
    assert Execution.EXECUTED not in {entry.execution for entry in found}


def test_a_withheld_value_says_nothing():
    parameter = shipped()["tie_handling"]
    hidden = Entry("dense", state=State.EMBARGOED, event="test_data_release")
    assert list(statements_of(parameter, hidden, document().values("task-1"))) == []


def test_containers_and_hidden_images_are_executed_where_algorithms_are_run_here():
    given = {"submission_method": ["docker_container", "cloud"], "test_data_access": "hidden"}
    without, run_here = said("submission_method", **given), {**given, "algorithm_execution": {"case_seconds": 60}}
    assert set(without.values()) == {Execution.STATED}
    assert sorted(said("submission_method", **run_here).values()) == [Execution.EXECUTED, Execution.STATED]
    assert set(said("test_data_access", **given).values()) == {Execution.STATED}
    assert set(said("test_data_access", **run_here).values()) == {Execution.EXECUTED}
