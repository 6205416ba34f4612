"""Compilation is a sequence of steps: in one order, without side effects, and shown by the pseudo-code."""

import ast
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

import evaluation.designs.compilation as package
from evaluation.designs.catalogue import shipped
from evaluation.designs.compilation import compile_values
from evaluation.designs.compilation.compiler import compile_parts
from evaluation.designs.document import Values, from_json
from tests.sources import parsed

FOLDER = Path(package.__file__).parent
TASK: dict[str, Any] = {
    "task_category": ["segmentation"],
    "regions": [{"name": "liver", "labels": ["1"]}, {"name": "tumour", "labels": ["2"]}],
    "metrics": [
        {"metric": "dsc", "used_for_ranking": True},
        {"metric": "nsd", "options": {"tolerance": 2}, "used_for_ranking": True},
    ],
    "ranking_type": "single_ranking",
    "ranking_method": [{"name": "R", "scheme": "metric_based", "operator": "mean", "metric_aggregation": "mean_rank"}],
    "tie_handling": "standard_competition",
    "missing_data_handling": "worst_value",
}
SCHEME = TASK["ranking_method"][0]
SHOWN: dict[str, dict[str, Any]] = {
    "problem": {"task_category": ["instance_segmentation"], "metrics": [{"metric": "panoptic_quality", "used_for_ranking": True}]},
    "regions": {"regions": TASK["regions"][:1]},
    "metrics": {"metrics": TASK["metrics"][:1]},
    "aggregation": {"aggregation_levels": [{"name": "case"}, {"name": "patient", "role": "random"}]},
    "ranking": {"ranking_method": [{**SCHEME, "operator": "median"}]},
    "uncertainty": {"uncertainty_settings": {"bootstrap": 200}},
    "exclusions": {"excluded_cases": [{"case": "a", "reason": "reference_error"}]},
    "interaction_weights": {"interaction_level_handling": "weighting", "interaction_level_weights": {"fully_automatic": 1, "fully_interactive": 0.5}},
}  # fmt: skip
"""Changes of a design by the part of the assessment that they change."""
OF_THE_DATA = {"settings", "columns", "scorer"}
"""Parts that say how data are read and which image computes values. They contain no rule from values to ranks."""


def values_of(**changes: Any) -> Values:
    document, _ = from_json({"challenge": {}, "tasks": [{**TASK, **changes}]}, catalogue=shipped())
    return document.values("task-1")


def test_every_part_is_shown_by_the_pseudo_code_or_is_about_the_data() -> None:
    assert {*SHOWN, *OF_THE_DATA} == set(compile_parts(values_of(), assume=False))


@pytest.mark.parametrize("part", SHOWN)
def test_a_change_of_a_part_changes_the_pseudo_code(part: str) -> None:
    before, after = compile_values(values_of()), compile_values(values_of(**SHOWN[part]))
    assert after.problems == ()
    assert before.parts.get(part) != after.parts[part]
    assert before.pseudo_code != after.pseudo_code


def test_a_design_with_problems_has_no_pseudo_code() -> None:
    assert compile_values(values_of(tie_handling=None)).pseudo_code == []


def test_problems_are_reported_in_the_order_of_the_steps() -> None:
    values = values_of(
        problem_settings={"settings": {"zz": 1}},
        regions=[],
        metrics=[{"metric": "nsd", "used_for_ranking": True}],
        ranking_type=None,
        tie_handling=None,
        missing_data_handling=None,
        ranking_method=[{**SCHEME, "operator": None}],
        interaction_level_handling="weighting",
    )
    assert [problem.parameter for problem in compile_values(values).problems] == [
        "problem_settings",
        "regions",
        "metrics",
        "missing_data_handling",
        "ranking_type",
        "tie_handling",
        "ranking_method",
        "interaction_level_weights",
    ]


@pytest.mark.parametrize("part", SHOWN)
def test_compiling_changes_nothing_that_it_reads(part: str) -> None:
    values = values_of(**SHOWN[part])
    before = deepcopy(values)
    first, second = compile_values(values), compile_values(values)
    assert values == before
    assert first == second


MUTATING = {"append", "extend", "insert", "add", "update", "setdefault", "pop", "remove", "clear", "sort"}


def mutated_arguments(function: ast.FunctionDef) -> Iterator[str]:
    """Arguments of a function, and of functions around it, that it changes: by a method, an assignment or an operator."""
    arguments = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    for node in ast.walk(function):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATING:
            targets = [node.func.value]
        elif isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Assign | ast.Delete):
            targets = [target for target in node.targets if isinstance(target, ast.Subscript | ast.Attribute)]
        for target in targets:
            names = {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
            base: ast.expr = target
            while isinstance(base, ast.Subscript | ast.Attribute):
                base = base.value
            if isinstance(base, ast.Name) and base.id in arguments & names:
                yield f"{function.name}: {base.id}"


def mutations(sources: Mapping[str, str]) -> list[str]:
    return [
        f"{name}, {mutation}"
        for name, text in sources.items()
        for function in ast.walk(parsed(text))
        if isinstance(function, ast.FunctionDef) and function.name != "__init__"
        for mutation in mutated_arguments(function)
    ]


def test_no_step_changes_its_arguments() -> None:
    assert mutations({path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.py"))}) == []


@pytest.mark.parametrize(
    "line", ["problems.append(1)", "problems += [1]", "problems[0] = 1", "del problems[0]", "problems[0].add(1)"]
)
def test_the_search_sees_changes_of_arguments(line: str) -> None:
    assert mutations({"a.py": f"def step(problems):\n    {line}\n"}) == ["a.py, step: problems"]
