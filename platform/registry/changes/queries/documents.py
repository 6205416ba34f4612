"""Proposals from the organizers' working design, and approved changes put into the registered document."""

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from designs.models import FieldValue
from designs.queries import document_of
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.differences import Cell, Difference, RowChange, compare, compare_entries
from evaluation.designs.document import Document, Entry, State, from_json, to_json
from evaluation.designs.document.entries import BLANK
from evaluation.designs.document.words import entry_words
from registry.changes.models import ProposedChange
from registry.domain.public_documents import Publication, publication
from registry.models import Registration, RegistrationVersion

SUFFIXES = ("", "__details", "__state")
"""Suffixes of the keys of a document that belong to one parameter: value, details, state."""
CHALLENGE = "challenge"
WHOLE_TASK: Final = "whole_task"
"""Substitute for a parameter if a change adds or removes a task with all its content."""
_WHOLE: Final = Parameter(
    id=WHOLE_TASK,
    kind="design",
    section="",
    scope="task",
    label="Whole task",
    help_text="",
    why_it_matters="",
    type="longtext",
    required=True,
    required_when=None,
    required_when_text="",
    required_by="",
    essential=False,
    change_class="critical",
    visibility="public",
)


def parameter_of(identity: str) -> Parameter:
    """Return a parameter of the catalogue, or the substitute for a whole task.

    Examples
    --------
    >>> parameter_of("whole_task").change_class
    'critical'
    """
    return _WHOLE if identity == WHOLE_TASK else shipped()[identity]


@dataclass(frozen=True)
class Proposal:
    """A parameter whose value in the working design is not the registered one; or a task that only one of them has."""

    task: str
    parameter: Parameter
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    sealed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Location: task or “challenge”, a slash, the parameter."""
        return f"{self.task or CHALLENGE}/{self.parameter.id}"

    @property
    def difference(self) -> Difference | None:
        """Both values compared, by word, row or unit."""
        return difference(self.parameter, self.before, self.after, task=self.task or None)


def proposals(registration: Registration, version: RegistrationVersion) -> list[Proposal]:
    """Everything public in which the working design differs from a registered version, in the order of the catalogue.

    A task that only one of them has is one proposal, to add or to remove it as a whole.
    """
    design = registration.design
    secrets = sealed_values(registration)
    drafted = publication(to_json(document_of(design), catalogue=shipped()), secrets)
    registered = version.document
    public_proposals = list(_whole_tasks(registered, drafted))
    for task in ("", *(key for key in _keys(registered) if key in _keys(drafted.document))):
        old, new = _entries(registered, task), _entries(drafted.document, task)
        for parameter in shipped().parameters.values():
            before, after = fragment(old, parameter.id), fragment(new, parameter.id)
            proposal = Proposal(
                task, parameter, before, after, drafted.sealed.get(f"{task or CHALLENGE}/{parameter.id}", {})
            )
            if before != after and parameter.visibility == "public" and proposal.difference is not None:
                public_proposals.append(proposal)
    return public_proposals


def _whole_tasks(registered: Mapping[str, Any], drafted: Publication) -> Iterator[Proposal]:
    before, after = _keys(registered), _keys(drafted.document)
    for key in after:
        if key not in before:
            sealed = {
                field_path: secret for field_path, secret in drafted.sealed.items() if field_path.startswith(f"{key}/")
            }
            yield Proposal(key, _WHOLE, {}, {"": dict(_entries(drafted.document, key))}, sealed)
    for key in before:
        if key not in after:
            yield Proposal(key, _WHOLE, {"": dict(_entries(registered, key))}, {})


def sealed_values(registration: Registration) -> dict[str, dict[str, Any]]:
    """Values under embargo in the working design, with their nonces, by place."""
    rows = FieldValue.objects.filter(design=registration.design, state=str(State.EMBARGOED)).select_related("task")
    return {
        f"{row.task.key if row.task else CHALLENGE}/{row.parameter}": {"nonce": row.nonce, "value": row.value}
        for row in rows
        if row.task is None or row.task.removed_at is None
    }


def applied(version: RegistrationVersion, changes: Iterable[ProposedChange]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the document of a version with some changes in it, and the values that they seal.

    Content that no change concerns remains byte for byte as it is.
    """
    data = copy.deepcopy(version.document)
    sealed: dict[str, Any] = {}
    for change in changes:
        if change.parameter == WHOLE_TASK:
            data["tasks"] = [task for task in data["tasks"] if task["key"] != change.task]
            data["tasks"] += [copy.deepcopy(change.after[""])] if change.after else []
            sealed |= change.sealed
            continue
        entries = _entries(data, change.task)
        for suffix in SUFFIXES:
            entries.pop(change.parameter + suffix, None)
        entries |= {change.parameter + suffix: value for suffix, value in change.after.items()}
        if change.sealed:
            sealed[change.place] = change.sealed
    return data, sealed


def is_current(version: RegistrationVersion, change: ProposedChange) -> bool:
    """Return whether a version still contains the value that a change started from."""
    document = version.document
    if change.parameter == WHOLE_TASK:
        present = change.task in _keys(document)
        return change.before == ({"": dict(_entries(document, change.task))} if present else {})
    return (not change.task or change.task in _keys(document)) and fragment(
        _entries(document, change.task), change.parameter
    ) == change.before


def fragment(entries: Mapping[str, Any], parameter: str) -> dict[str, Any]:
    """Return the content of a document for one parameter, by suffix."""
    return {suffix: entries[parameter + suffix] for suffix in SUFFIXES if parameter + suffix in entries}


def entry_of(parameter: str, held: Mapping[str, Any]) -> Entry:
    """Return the content of a document for one parameter, as an entry."""
    keys = {parameter + suffix: value for suffix, value in held.items()}
    document, _ = from_json({"challenge": keys, "tasks": []}, catalogue=shipped(), lenient=True)
    return document.challenge.get(parameter, BLANK)


def difference(
    parameter: Parameter, before: Mapping[str, Any], after: Mapping[str, Any], *, task: str | None = None
) -> Difference | None:
    """Compare two states of a parameter, or show everything of a task that comes or goes."""
    if parameter.id == WHOLE_TASK:
        return _whole_difference(before, after, task)
    return compare_entries(parameter, entry_of(parameter.id, before), entry_of(parameter.id, after), task=task)


def _whole_difference(before: Mapping[str, Any], after: Mapping[str, Any], task: str | None) -> Difference:
    """One row whose cells are the parameters of the task, in the order of the catalogue."""
    kind, held = ("added", after[""]) if after else ("removed", before[""])
    document, _ = from_json({"challenge": {}, "tasks": [held]}, catalogue=shipped(), lenient=True)
    words = [
        (
            difference.parameter.label,
            entry_words(difference.parameter, document.tasks[held["key"]][difference.parameter.id]),
        )
        for difference in compare(Document(), document)
    ]
    cells = tuple(Cell(label, "" if after else text, text if after else "") for label, text in words)
    return Difference(_WHOLE, task, kind, rows=(RowChange(kind, cells),))


def task_names(version: RegistrationVersion) -> dict[str, str]:
    """Names of the tasks by key."""
    return {str(task["key"]): str(task.get("task_name") or task["key"]) for task in version.document["tasks"]}


def task_of(change: Proposal | ProposedChange) -> str:
    """The name of the task that a change adds, else its key; empty for a change of the challenge."""
    return str(change.after.get("", {}).get("task_name") or change.task) if _is_whole(change) else change.task


def _is_whole(change: Proposal | ProposedChange) -> bool:
    parameter = change.parameter
    return (parameter if isinstance(parameter, str) else parameter.id) == WHOLE_TASK


def _keys(document: Mapping[str, Any]) -> list[str]:
    return [str(task["key"]) for task in document["tasks"]]


def _entries(document: Mapping[str, Any], task: str) -> dict[str, Any]:
    if not task:
        challenge: dict[str, Any] = document[CHALLENGE]
        return challenge
    return next(entries for entries in document["tasks"] if entries["key"] == task)
