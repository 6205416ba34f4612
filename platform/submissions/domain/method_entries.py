"""Entries of a description: to and from JSON, completeness, and what may be shown to whom."""

from collections.abc import Mapping
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
    """Read stored entries; what the catalogue no longer knows is left out."""
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
    """How many of the required parameters say something."""
    return description_share(entries)


def missing(entries: Mapping[str, Entry]) -> list[Parameter]:
    """The required parameters that say nothing yet."""
    return [
        parameter
        for parameter in parameters().values()
        if parameter.required and not (parameter.id in entries and entries[parameter.id].is_filled)
    ]


def words(parameter: Parameter, entry: Entry) -> list[str]:
    """What an entry says, line by line."""
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
