"""Every choice that the catalogue calls executed is checked: another plan for another choice, or a test by its name."""

import ast
from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from challenges.models import Team
from challenges.queries.conflicts import CONSEQUENCES
from challenges.queries.planning import NotLaunchableError, plan
from designs.services.examples import example_document
from evaluation.assessment import parse
from evaluation.canonical import canonical_json
from evaluation.designs.catalogue import shipped
from evaluation.designs.catalogue.states import Execution, execution_states
from evaluation.designs.document import from_json
from evaluation.ranking import rank
from tests.unit.challenges.executed_choices import BEHAVIOUR, DATES, PLANS, VALUES

ROOT = Path(__file__).resolve().parents[3]
TEXTS = ("title", "summary", "description", "data_description", "rules_text", "contact", "attribution")


def executed():
    """The name of everything that is called executed."""

    def of(states, prefix):
        if states.decided_by:
            yield f"{prefix}:{states.decided_by}"
        yield from (
            f"{prefix}={slug}" for slug, state in states.choices.items() if state.execution is Execution.EXECUTED
        )
        if states.own_words is not None and states.own_words.execution is Execution.EXECUTED:
            yield f"{prefix}=own words"

    for identity, states in execution_states().items():
        has_choices = bool(states.choices.choices or states.choices.decided_by)
        if states.whole.execution is Execution.EXECUTED and not has_choices:
            yield identity
        yield from of(states.choices, identity)
        for column, own in states.fields.items():
            yield from of(own, f"{identity}.{column}")


EXECUTED = tuple(executed())


def choices_of(group):
    return [key.split("=")[1] for key in EXECUTED if key.startswith(f"{group.key}=") and key not in BEHAVIOUR]


def outcome(changes, *, tasks=1):
    """Return the plan of a design with these values, without texts for people, or the launch errors."""
    data = example_document("hippocampus")
    data["challenge"]["challenge_schedule"] = DATES
    for name, value in changes.items():
        parameter = shipped()[name.removesuffix("__details")]
        holder = data["tasks"][0] if parameter.is_task else data["challenge"]
        holder[name] = value
        holder.pop(f"{name}__state", None)
    data["tasks"] = [{**data["tasks"][0], "task_name": f"Task {number}"} for number in range(1, tasks + 1)]
    document, problems = from_json(data, catalogue=shipped())
    assert problems == []
    try:
        found = asdict(plan(document))
    except NotLaunchableError as error:
        return "not launched: " + "; ".join(map(str, error.problems))
    return canonical_json({name: repr(value) for name, value in found.items() if name not in TEXTS})


def value_of(group, choice):
    parameter = shipped()[group.parameter]
    if group.value is not None:
        return group.value(choice)
    if not group.column:
        return choice
    row = {**group.row, group.column: choice}
    return [row] if parameter.type == "list-of-objects" else row


def test_everything_that_is_called_executed_is_checked_and_nothing_else():
    groups = {f"{group.key}={choice}" for group in PLANS for choice in choices_of(group)}
    assert groups | {entry.key for entry in VALUES} | set(BEHAVIOUR) == set(EXECUTED)


@pytest.mark.parametrize("group", PLANS, ids=lambda group: group.key)
def test_each_choice_makes_a_plan_of_its_own(group):
    found = {
        choice: outcome({**group.challenge, **group.task, group.parameter: value_of(group, choice)}, tasks=group.tasks)
        for choice in [*choices_of(group), *group.beside]
    }
    assert len(found) > 1
    same = {one: {other for other in found if found[other] == found[one]} for one in found}
    expected = {one: {one}.union(*(own for own in group.alike if one in own)) for one in found}
    assert same == expected
    assert any(not value.startswith("not launched") for value in found.values())


@pytest.mark.parametrize("entry", VALUES, ids=lambda entry: entry.key)
def test_another_value_makes_another_plan(entry):
    one, other = (outcome(changes, tasks=entry.tasks) for changes in (entry.one, entry.other))
    assert one != other
    assert not one.startswith("not launched")
    assert not other.startswith("not launched")


@cache
def names_of_tests(file):
    return {node.name for node in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("choice", BEHAVIOUR)
def test_the_named_test_is_there(choice):
    file, name = BEHAVIOUR[choice].split("::")
    assert name in names_of_tests(file)


def test_what_the_policy_on_organizers_makes_of_their_teams():
    states = execution_states()["organizer_participation_policy"].choices.choices
    done = {slug for slug, state in states.items() if state.execution is Execution.EXECUTED}
    assert {slug: CONSEQUENCES[slug] for slug in done} == {
        "not_allowed": Team.Standing.DISQUALIFIED,
        "allowed_unranked": Team.Standing.UNRANKED,
        "allowed_ranked_no_award": Team.Standing.NO_AWARD,
        "allowed_fully": Team.Standing.RANKED,
    }


def test_what_is_done_in_any_case_stands_in_the_ranking():
    draw = np.random.default_rng(1)
    table = pd.DataFrame(
        [(name, f"c{case}", draw.beta(9 - index, 2)) for index, name in enumerate("abc") for case in range(25)],
        columns=["algorithm", "case", "value"],
    )
    assessment = parse({"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]})
    (entry,) = rank(assessment, table, bootstrap=200)["rankings"]
    assert entry["algorithms"][0]["rank_interval"]
    assert entry["kendall_tau"]["mean"] is not None
    assert set(entry["leave_one_out"]) == {"winner_stays", "others_first", "changed_by"}
    assert entry["tests"]["adjust"] == "holm"
    assert len(entry["p_adjusted"]) == 3
