"""Controls of a record, one of which can be the kind of problem with specific settings."""

from collections.abc import Mapping
from typing import Any

from django.utils.text import capfirst

from designs.forms.controls import Input, Option, cell, option_inputs
from evaluation.designs.catalogue import ItemField
from evaluation.designs.compilation.problems import chosen_kind, kinds_of
from evaluation.designs.document import Values
from evaluation.problems import all_problems
from evaluation.problems.base import Problem


def record_inputs(item: ItemField, key: str, record: Mapping[str, Any], values: Values) -> tuple[Input, ...]:
    """The controls of one entry of a record: of the settings of a kind of problem one each."""
    name = f"value.{item.key}"
    if item.type == "problem":
        return (_kind_cell(item, name, key, record.get(item.key), values), _shown_kind(key, values))
    if item.type == "json":
        kind = _kind(values)
        given = record.get(item.key) or {}
        return option_inputs(kind.settings, given, name, key, with_allowed=True) if kind else ()
    return (cell(item, name, key, record.get(item.key)),)


def _kind(values: Values) -> Problem | None:
    """The kind of problem that a task is scored as, if it is one; the chosen one as long as the task has no category."""
    ids = set(kinds_of(values)) if values.get("task_category") else {chosen_kind(values)}
    identity = ids.pop() if len(ids) == 1 else None
    return next((kind for kind in all_problems() if kind.id == identity), None)


def _kind_cell(item: ItemField, name: str, key: str, value: Any, values: Values) -> Input:
    """The kinds of problem that the categories of the task may be; all of them as long as none is chosen."""
    categories = values.get("task_category") or ()
    fitting = [
        kind
        for kind in all_problems()
        if kind.id == value or (set(categories) & set(kind.task_categories) if categories else kind.task_categories)
    ]
    options = [Option("", "Automatic", not value)]
    options += [Option(kind.id, capfirst(kind.title), kind.id == value) for kind in fitting]
    identity = f"v-{key}-{name.replace('.', '-')}"
    return Input(name, identity, "enum", item.label, "", tuple(options), help_text=item.help_text)


def _shown_kind(key: str, values: Values) -> Input:
    """Return the hidden control with the kind of problem whose settings the page shows.

    With it, the server detects that another choice requires other settings.
    """
    kind = _kind(values)
    return Input("value.shown", f"v-{key}-value-shown", "hidden", "", kind.id if kind else "")
