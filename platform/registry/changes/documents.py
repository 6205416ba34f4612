"""Proposals from the organizers' working design, and approved changes put into the registered document."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from designs.catalogue import Parameter, shipped
from designs.differences import Difference, compare_entries
from designs.document import Entry, State, from_json, to_json
from designs.document.entries import BLANK
from designs.models import FieldValue
from designs.queries import document_of
from registry.documents import publication
from registry.models import ProposedChange, Registration, RegistrationVersion

SUFFIXES = ("", "__details", "__state")
"""The keys of a document that belong to one parameter: value, words beside it, state."""
CHALLENGE = "challenge"


@dataclass(frozen=True)
class Proposal:
    """A parameter whose value in the working design is not the registered one."""

    task: str
    parameter: Parameter
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    sealed: Mapping[str, Any] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it stands: task or “challenge”, a slash, the parameter."""
        return f"{self.task or CHALLENGE}/{self.parameter.id}"

    @property
    def difference(self) -> Difference | None:
        """Both values compared, by word, row or unit."""
        return difference(self.parameter, self.before, self.after, task=self.task or None)


def proposals(registration: Registration, version: RegistrationVersion) -> list[Proposal]:
    """Everything public in which the working design differs from a registered version, in the order of the catalogue.

    Tasks that only one of them has are left out: what runs for whom is a matter of a new registration.
    """
    design = registration.design
    secrets = sealed_values(registration)
    drafted = publication(to_json(document_of(design), catalogue=shipped()), secrets)
    registered = version.document
    found = []
    for task in ("", *(key for key in _keys(registered) if key in _keys(drafted.document))):
        old, new = _entries(registered, task), _entries(drafted.document, task)
        for parameter in shipped().parameters.values():
            before, after = fragment(old, parameter.id), fragment(new, parameter.id)
            proposal = Proposal(
                task, parameter, before, after, drafted.sealed.get(f"{task or CHALLENGE}/{parameter.id}", {})
            )
            if before != after and parameter.visibility == "public" and proposal.difference is not None:
                found.append(proposal)
    return found


def sealed_values(registration: Registration) -> dict[str, dict[str, Any]]:
    """Values under embargo in the working design, with their nonces, by place."""
    rows = FieldValue.objects.filter(design=registration.design, state=str(State.EMBARGOED)).select_related("task")
    return {
        f"{row.task.key if row.task else CHALLENGE}/{row.parameter}": {"nonce": row.nonce, "value": row.value}
        for row in rows
        if row.task is None or row.task.removed_at is None
    }


def applied(version: RegistrationVersion, changes: Iterable[ProposedChange]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The document of a version with some changes in it, and what they put under seal.

    The document is taken as it is: what nobody asked to change stays byte for byte.
    """
    data = copy.deepcopy(version.document)
    sealed: dict[str, Any] = {}
    for change in changes:
        entries = _entries(data, change.task)
        for suffix in SUFFIXES:
            entries.pop(change.parameter + suffix, None)
        entries |= {change.parameter + suffix: value for suffix, value in change.after.items()}
        if change.sealed:
            sealed[change.place] = change.sealed
    return data, sealed


def is_current(version: RegistrationVersion, change: ProposedChange) -> bool:
    """Whether a version still holds the value that a change started from."""
    document = version.document
    return (not change.task or change.task in _keys(document)) and fragment(
        _entries(document, change.task), change.parameter
    ) == change.before


def fragment(entries: Mapping[str, Any], parameter: str) -> dict[str, Any]:
    """What a document holds of one parameter, by suffix."""
    return {suffix: entries[parameter + suffix] for suffix in SUFFIXES if parameter + suffix in entries}


def entry_of(parameter: str, held: Mapping[str, Any]) -> Entry:
    """What a document holds of one parameter, as an entry."""
    keys = {parameter + suffix: value for suffix, value in held.items()}
    document, _ = from_json({"challenge": keys, "tasks": []}, catalogue=shipped(), lenient=True)
    return document.challenge.get(parameter, BLANK)


def difference(
    parameter: Parameter, before: Mapping[str, Any], after: Mapping[str, Any], *, task: str | None = None
) -> Difference | None:
    """Compare two states of a parameter."""
    return compare_entries(parameter, entry_of(parameter.id, before), entry_of(parameter.id, after), task=task)


def task_names(version: RegistrationVersion) -> dict[str, str]:
    """Names of the tasks by key."""
    return {str(task["key"]): str(task.get("task_name") or task["key"]) for task in version.document["tasks"]}


def _keys(document: Mapping[str, Any]) -> list[str]:
    return [str(task["key"]) for task in document["tasks"]]


def _entries(document: Mapping[str, Any], task: str) -> dict[str, Any]:
    if not task:
        challenge: dict[str, Any] = document[CHALLENGE]
        return challenge
    return next(entries for entries in document["tasks"] if entries["key"] == task)
