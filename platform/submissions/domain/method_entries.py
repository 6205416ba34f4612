"""Entries of a description: to and from JSON, completeness, and what may be shown to whom."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.completeness import Share, description_share
from evaluation.designs.document import Entry, State

# What a team can say in place of a value: that there is none, or that it does not tell (which stays visible).
STATES = {
    State.PROVIDED: "as described",
    State.NONE_DECLARED: "not used, or none",
    State.EMBARGOED: "withheld",
}
WITHHELD = "withheld by the team"
# Names and addresses of people are for the organizers.
PERSONAL = frozenset({"team_members", "authors_for_joint_paper"})


def parameters() -> Mapping[str, Parameter]:
    """The algorithm parameters in the order of the catalogue."""
    return shipped().algorithm_parameters


def from_json(stored: Mapping[str, Any]) -> dict[str, Entry]:
    """Read stored entries; entries that the catalogue no longer contains are ignored."""
    return {
        name: Entry(value=entry.get("value"), state=State(entry["state"]), event=entry.get("event", ""))
        for name, entry in stored.items()
        if name in parameters()
    }


def to_json(entries: Mapping[str, Entry]) -> dict[str, Any]:
    """Write entries in the order of the catalogue; blank ones leave no trace."""
    return {
        name: {
            "state": str(entries[name].state),
            **({"value": entries[name].value} if entries[name].state is State.PROVIDED else {}),
            **({"event": entries[name].event} if entries[name].event else {}),
        }
        for name in parameters()
        if name in entries and entries[name].state is not State.BLANK
    }


def share(entries: Mapping[str, Entry]) -> Share:
    """Return how many of the required parameters are filled in."""
    return description_share(entries)


@dataclass(frozen=True)
class Requirement:
    """The requirement of a phase for a method description, before it ranks a team finally.

    Attributes
    ----------
    facts
        Identifiers of the answers that are needed; empty for every answer that the catalogue requires.
    link
        The link that replaces them (`Phase.MethodLink`); empty for none.
    """

    facts: tuple[str, ...] = ()
    link: str = ""

    @property
    def parameters(self) -> list[Parameter]:
        """The answers that are needed, in the order of the form."""
        catalogue = parameters().values()
        return [
            parameter for parameter in catalogue if (parameter.id in self.facts if self.facts else parameter.required)
        ]

    def is_linked(self, entries: Mapping[str, Entry]) -> bool:
        """Return whether a link is provided that replaces the answers."""
        return any(has_link(entries, name) for name in LINKS.get(self.link, ()))

    def missing(self, entries: Mapping[str, Entry]) -> list[Parameter]:
        """The needed answers that are blank; none if a link replaces them."""
        return [] if self.is_linked(entries) else [row for row in self.parameters if not _is_filled(entries, row)]

    def share(self, entries: Mapping[str, Entry]) -> Share:
        """The share of the needed answers that are given."""
        needed = self.parameters
        return Share(sum(_is_filled(entries, parameter) for parameter in needed), len(needed))


def missing(entries: Mapping[str, Entry]) -> list[Parameter]:
    """The answers that the catalogue requires and that are blank."""
    return Requirement().missing(entries)


def has_link(entries: Mapping[str, Entry], name: str) -> bool:
    """Return whether an answer contains a web address, a DOI or an arXiv identifier."""
    entry = entries.get(name)
    return entry is not None and entry.state is State.PROVIDED and bool(_LINK.search(str(entry.value or "")))


def _is_filled(entries: Mapping[str, Entry], parameter: Parameter) -> bool:
    return parameter.id in entries and entries[parameter.id].is_filled


_LINK = re.compile(r"https?://[^\s/]+\.[^\s]+|\b10\.\d{4,9}/\S+|\barxiv:\s*\S+", re.IGNORECASE)
LINKS = {
    "publication": ("reference_publication",),
    "repository": ("code_url",),
    "either": ("reference_publication", "code_url"),
}


def words(parameter: Parameter, entry: Entry) -> list[str]:
    """Return an entry as text, line by line."""
    if entry.state is not State.PROVIDED:
        return [STATES.get(entry.state, entry.state.label)]
    value = entry.value
    if parameter.type == "list-of-objects":
        labels = {field.key: field.label for field in parameter.item_fields}
        return ["; ".join(f"{labels.get(key, key)}: {_plain(cell)}" for key, cell in row.items()) for row in value]
    if parameter.type == "enum":
        return [parameter.label_of(value)]
    return str(_plain(value)).splitlines() or [""]


def _plain(value: Any) -> Any:
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
