"""Executed, only stated and refused parts of a design, one statement per choice."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from evaluation import problems
from evaluation.assessment.costs import CostMetric
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.catalogue.states import (
    ChoiceState,
    ChoiceStates,
    Execution,
    describing_parameters,
    execution_states,
)
from evaluation.designs.compilation import compile_values
from evaluation.designs.compilation.costs import cost_of
from evaluation.designs.compilation.metrics import label_of, meaning
from evaluation.designs.compilation.outside import is_measured_outside
from evaluation.designs.compilation.problems import kinds_of, problem_of
from evaluation.designs.compilation.rankings import scheme_of_kind
from evaluation.designs.compilation.scored import is_scored
from evaluation.designs.compilation.uses import is_reported
from evaluation.designs.document import Document, Entry, State, Values
from evaluation.designs.document.words import cell_words
from evaluation.problems.offered_metrics import kinds_with

RUN_HERE: Final = "Algorithms of teams are run here; their test images never leave the platform."
_WHERE_RUN_HERE: Final = {"submission_method": "docker_container", "test_data_access": "hidden"}
"""Choices that the platform executes if a design describes how algorithms are run here."""
OUTSIDE: Final = "Measured outside; the values are ranked here."
_OUTSIDE: Final = ("metrics", "task_category", "submission_method")
ELSEWHERE: Final = "This design is registered here and evaluated elsewhere."


@dataclass(frozen=True)
class Statement:
    """Treatment of one statement of a design by the platform.

    Attributes
    ----------
    parameter
        Id of the parameter.
    task
        Key of the task; ``None`` for the challenge.
    choice
        The choice as text; empty for the whole value.
    execution
        Executed, stated or refused.
    note
        Description of the actions that the platform does or does not perform.
    """

    parameter: str
    task: str | None
    choice: str
    execution: Execution
    note: str

    @property
    def label(self) -> str:
        """Label of the parameter."""
        return shipped()[self.parameter].label


@dataclass(frozen=True)
class ExecutionCounts:
    """Numbers of executed, stated and refused statements of a design."""

    executed: int
    stated: int
    refused: int

    def __str__(self) -> str:
        parts = [f"{self.executed} executed", f"{self.stated} stated"]
        return ", ".join([*parts, f"{self.refused} refused"] if self.refused else parts)


def statements(document: Document) -> tuple[Statement, ...]:
    """Return for every statement on how the challenge runs whether the platform executes it.

    If one task cannot be executed, the challenge cannot be launched: then nothing of the design is executed.
    """
    everything = list(_all(document))
    if is_evaluated_elsewhere(document):
        everything = [
            replace(entry, execution=Execution.STATED, note=ELSEWHERE)
            if entry.execution is Execution.EXECUTED
            else entry
            for entry in everything
        ]
    elif outside := {values.task_key for values in document.each_task() if is_measured_outside(values)}:
        # Tables are brought instead of what teams would hand in.
        everything = [
            replace(entry, execution=Execution.STATED, note=OUTSIDE)
            if entry.parameter in _OUTSIDE and entry.task in (None, *outside) and entry.execution is Execution.EXECUTED
            else entry
            for entry in everything
        ]
    return tuple(everything)


def is_ranked_from_outside(document: Document) -> bool:
    """Return whether the platform ranks externally measured values of a task as the design describes."""
    return not is_evaluated_elsewhere(document) and any(is_measured_outside(values) for values in document.each_task())


def is_evaluated_elsewhere(document: Document) -> bool:
    """Return whether the platform cannot execute a task of a design, however complete it is."""
    return any(compile_values(values).elsewhere for values in document.each_task())


def counted(all_statements: Sequence[Statement]) -> ExecutionCounts:
    """Count statements by their state."""
    numbers = Counter(entry.execution for entry in all_statements)
    return ExecutionCounts(*(numbers[execution] for execution in Execution))


def runs_here(document: Document) -> bool:
    """Return whether the platform runs algorithms of teams in every task."""
    tasks = list(document.each_task())
    return bool(tasks) and all(values.get("algorithm_execution") for values in tasks)


def statements_of(
    parameter: Parameter, entry: Entry, values: Values, task: str | None = None, *, run_here: bool = False
) -> Iterator[Statement]:
    """Return the statements of one field; none for a field that is blank or only descriptive.

    Parameters
    ----------
    run_here
        Whether the design has algorithms run here (`runs_here`).
    """
    states = execution_states().get(parameter.id)
    if states is None or entry.state is not State.PROVIDED or entry.value in (None, "", []):
        return

    def statement(choice: str, state: ChoiceState) -> Statement:
        return Statement(parameter.id, task, choice, state.execution, state.note)

    if states.choices.decided_by == "problems":
        for category in entry.value:
            yield statement(parameter.label_of(category), _of_category(category))
    elif states.choices.decided_by == "metrics":
        for row in entry.value:
            yield statement(label_of(row), _of_metric(row, values))
    elif parameter.type in ("enum", "multi-enum"):
        for choice in entry.value if isinstance(entry.value, list) else [entry.value]:
            if run_here and choice == _WHERE_RUN_HERE.get(parameter.id):
                yield statement(parameter.label_of(choice), ChoiceState(Execution.EXECUTED, RUN_HERE))
            else:
                yield statement(parameter.label_of(choice), _of_choice(states.choices, choice))
    else:
        cells = [statement(words, state) for words, state in _of_cells(parameter, entry.value, states.fields)]
        yield from dict.fromkeys(cells) or [statement("", states.whole)]


def _all(document: Document) -> Iterator[Statement]:
    shared, run_here = document.values(), runs_here(document)
    for parameter in shipped().parameters.values():
        if parameter.id in describing_parameters():
            continue
        if not parameter.is_task:
            yield from statements_of(parameter, shared.entry(parameter.id), shared, run_here=run_here)
        for values in document.each_task():
            if parameter.is_task or parameter.id in values.task:
                entry = values.entry(parameter.id)
                yield from statements_of(parameter, entry, values, values.task_key, run_here=run_here)


def _of_choice(states: ChoiceStates, choice: Any) -> ChoiceState:
    if isinstance(choice, str) and choice in states.choices:
        return states.choices[choice]
    return states.own_words or ChoiceState(Execution.STATED)


def _of_category(category: Any) -> ChoiceState:
    kind = problem_of(category)
    if kind is None:
        return ChoiceState(Execution.STATED, "The platform has no kind of problem for this category.")
    return ChoiceState(Execution.EXECUTED, f"Scored as {problems.get(kind).title}.")


def _of_metric(row: Mapping[str, Any], values: Values) -> ChoiceState:
    if (cost := cost_of(row)) is not None:
        return _of_cost(cost, row, values)
    meant = meaning(row)
    if is_measured_outside(values) and (row.get("used_for_ranking") or meant.metric is None):
        return ChoiceState(Execution.STATED, OUTSIDE)
    if is_scored(row, meant, values):
        ranked = "ranked by" if row.get("used_for_ranking") else "reported without a rank"
        return ChoiceState(Execution.EXECUTED, f"Computed by the registered scoring image, and {ranked}.")
    if meant.metric is None:
        return ChoiceState(Execution.STATED, "The platform does not compute it; its definition stands here.")
    if meant.unclear:
        return ChoiceState(Execution.STATED, "The platform does not compute it as long as its options are open.")
    kinds = {kind for kind in kinds_of(values) if kind}
    kind = next(iter(kinds)) if len(kinds) == 1 else None
    if kind is not None and kind not in kinds_with(meant.metric):
        return ChoiceState(Execution.STATED, f"The platform does not compute it for {problems.get(kind).title}.")
    if is_reported(row, meant, kind):
        return ChoiceState(Execution.EXECUTED, "Computed and reported without a rank.")
    return ChoiceState(Execution.EXECUTED, "Computed, and ranked by.")


def _of_cost(cost: CostMetric, row: Mapping[str, Any], values: Values) -> ChoiceState:
    if not values.get("algorithm_execution") or is_measured_outside(values):
        return ChoiceState(Execution.STATED, "The platform measures it only where it runs the algorithms.")
    ranked = "ranked by" if row.get("used_for_ranking") else "reported without a rank"
    return ChoiceState(
        Execution.EXECUTED, f"{cost.label} is measured where the platform runs the algorithms, and {ranked}."
    )


def _of_cells(
    parameter: Parameter, value: Any, fields: Mapping[str, ChoiceStates]
) -> Iterator[tuple[str, ChoiceState]]:
    """The choices in columns of a table, or in entries of a record, once each."""
    columns = {column.key: column for column in parameter.item_fields}
    for row in value if isinstance(value, list) else [value]:
        for key, states in fields.items():
            if not isinstance(row, Mapping) or row.get(key) is None:
                continue
            words = f"{columns[key].label}: {cell_words(columns[key], row[key])}"
            if states.decided_by == "schemes":
                scheme = scheme_of_kind(row[key])
                yield (
                    words,
                    ChoiceState(Execution.STATED, "The platform does not execute this scheme.")
                    if scheme is None
                    else ChoiceState(Execution.EXECUTED, f"Ranked by: {scheme.title}."),
                )
            elif columns[key].choices:
                yield words, _of_choice(states, row[key])
            else:
                # A column without choices has one state, whatever stands in it.
                yield columns[key].label, states.own_words or ChoiceState(Execution.STATED)
