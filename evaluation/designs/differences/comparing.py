"""Comparing documents field by field."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.differences.parts import ADDED, REMOVED, NumberChange, RowChange, Run, row_changes, word_runs
from evaluation.designs.document import Document, Entry, State
from evaluation.designs.document.entries import BLANK
from evaluation.designs.document.words import state_words, value_words


@dataclass(frozen=True)
class Difference:
    """Change of one field.

    If the value changed, exactly one of `words`, `rows` and `number` is filled. If the state changed, `state` contains
    the descriptions of both states.
    """

    parameter: Parameter
    task: str | None
    kind: str
    words: tuple[Run, ...] = ()
    rows: tuple[RowChange, ...] = ()
    number: NumberChange | None = None
    details: tuple[Run, ...] = ()
    state: tuple[str, str] | None = None


def compare(before: Document, after: Document) -> list[Difference]:
    """All differences, in the order of the catalogue: the challenge first, then each task.

    A task is known by its key, so that renaming it is a change of its name.
    """
    differences = _fields(before.challenge, after.challenge, None)
    for task in dict.fromkeys((*before.tasks, *after.tasks)):
        differences += _fields(before.tasks.get(task, {}), after.tasks.get(task, {}), task)
    return differences


def compare_entries(parameter: Parameter, before: Entry, after: Entry, *, task: str | None = None) -> Difference | None:
    """The difference of one field, ``None`` if there is none."""
    if replace(before, digest="") == replace(after, digest="") and before.digest == after.digest:
        return None
    kind = ADDED if before.state is State.BLANK else REMOVED if after.state is State.BLANK else "changed"
    difference = Difference(parameter, task, kind)
    if before.details != after.details:
        difference = replace(difference, details=tuple(word_runs(before.details, after.details)))
    states = state_words(before) or _plainly(before), state_words(after) or _plainly(after)
    if before.state != after.state or state_words(before) != state_words(after):
        difference = replace(difference, state=states)
    if before.value == after.value:
        return difference
    if parameter.type == "list-of-objects":
        return replace(difference, rows=tuple(row_changes(parameter, before.value or [], after.value or [])))
    if parameter.type == "object":
        rows = row_changes(parameter, [before.value] if before.value else [], [after.value] if after.value else [])
        return replace(difference, rows=tuple(rows))
    if _is_number(before.value) and _is_number(after.value):
        return replace(difference, number=NumberChange(before.value, after.value))
    runs = word_runs(value_words(parameter, before.value), value_words(parameter, after.value))
    return replace(difference, words=tuple(runs))


def _fields(before: Mapping[str, Entry], after: Mapping[str, Entry], task: str | None) -> list[Difference]:
    differences = []
    for parameter in shipped().parameters.values():
        old, new = before.get(parameter.id, BLANK), after.get(parameter.id, BLANK)
        difference = compare_entries(parameter, old, new, task=task)
        if difference is not None:
            differences.append(difference)
    return differences


def _plainly(entry: Entry) -> str:
    return "Provided" if entry.state is State.PROVIDED else "Not specified"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
