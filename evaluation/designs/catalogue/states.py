"""What the platform does with each choice of each parameter, as data of the catalogue."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, Final

STATES_FILE: Final = "states.v1.json"


class Execution(StrEnum):
    """Whether what a design says is done by the platform."""

    EXECUTED = "executed"
    STATED = "stated"
    REFUSED = "refused"

    @property
    def words(self) -> str:
        """In words for pages."""
        return _WORDS[self]


_WORDS: Final[Mapping[str, str]] = {
    "executed": "executed by the platform",
    "stated": "stated by the organizers, not executed by the platform",
    "refused": "refused by the platform",
}


@dataclass(frozen=True, slots=True)
class ChoiceState:
    """The state of one choice, and what the platform does or does not do, in words."""

    execution: Execution
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChoiceStates:
    """The states of a closed or open list of choices.

    Attributes
    ----------
    choices
        By the slug of the choice.
    own_words
        Of a choice in own words; ``None`` where there is no such choice.
    decided_by
        Name of what decides in place of this list, since installed packages can add to it; empty for the list itself.
    """

    choices: Mapping[str, ChoiceState] = field(default_factory=dict)
    own_words: ChoiceState | None = None
    decided_by: str = ""


@dataclass(frozen=True, slots=True)
class ParameterStates:
    """The states of one parameter that says how the challenge runs.

    Attributes
    ----------
    whole
        Of a value without choices: a text, a number, a table.
    choices
        Of its choices, where it is a choice.
    fields
        Of the choices in columns of its table or entries of its record.
    """

    whole: ChoiceState
    choices: ChoiceStates
    fields: Mapping[str, ChoiceStates]


@cache
def execution_states() -> Mapping[str, ParameterStates]:
    """The states of all parameters that say how the challenge runs, by parameter."""
    return {identity: _parameter(item) for identity, item in _read()["parameters"].items()}


@cache
def describing_parameters() -> frozenset[str]:
    """Parameters that describe the challenge and say nothing about how it runs."""
    return frozenset(_read()["describes"])


@cache
def _read() -> dict[str, Any]:
    text = resources.files("evaluation.designs.catalogue").joinpath(STATES_FILE).read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def _parameter(item: Mapping[str, Any]) -> ParameterStates:
    return ParameterStates(
        whole=ChoiceState(Execution(item["state"]), item.get("note", "")),
        choices=_choices(item),
        fields={key: _choices(inner) for key, inner in (item.get("fields") or {}).items()},
    )


def _choices(item: Mapping[str, Any]) -> ChoiceStates:
    own_words = item.get("own_words")
    return ChoiceStates(
        choices={slug: _state(inner) for slug, inner in (item.get("choices") or {}).items()},
        own_words=None if own_words is None else _state(own_words),
        decided_by=item.get("decided_by", ""),
    )


def _state(item: Mapping[str, Any]) -> ChoiceState:
    return ChoiceState(Execution(item["state"]), item.get("note", ""))
