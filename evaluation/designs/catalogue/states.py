"""Actions of the platform for each choice of each parameter, as data of the catalogue."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any, Final

STATES_FILE: Final = "states.v1.json"


class Execution(StrEnum):
    """Treatment of a design statement by the platform: executed, only stated, or refused."""

    EXECUTED = "executed"
    STATED = "stated"
    REFUSED = "refused"

    @property
    def words(self) -> str:
        """Label of the state for pages."""
        return _WORDS[self]


_WORDS: Final[Mapping[str, str]] = {
    "executed": "executed by the platform",
    "stated": "stated by the organizers, not executed by the platform",
    "refused": "refused by the platform",
}


@dataclass(frozen=True, slots=True)
class ChoiceState:
    """State of one choice, with a note on the actions that the platform does or does not perform."""

    execution: Execution
    note: str = ""


@dataclass(frozen=True, slots=True)
class ChoiceStates:
    """States of a closed or open list of choices.

    Attributes
    ----------
    choices
        States by the slug of the choice.
    own_words
        State of a free-text choice; ``None`` if free text is not a choice.
    decided_by
        Name of the registry that decides instead of this list, since installed packages can extend it; empty for the
        list itself.
    """

    choices: Mapping[str, ChoiceState] = field(default_factory=dict)
    own_words: ChoiceState | None = None
    decided_by: str = ""


@dataclass(frozen=True, slots=True)
class ParameterStates:
    """States of one parameter that describes how the challenge runs.

    Attributes
    ----------
    whole
        State of a value without choices: a text, a number, a table.
    choices
        States of its choices, if it is a choice.
    fields
        States of the choices in columns of its table or entries of its record.
    """

    whole: ChoiceState
    choices: ChoiceStates
    fields: Mapping[str, ChoiceStates]


@cache
def execution_states() -> Mapping[str, ParameterStates]:
    """Return the states of all parameters that describe how the challenge runs, by parameter."""
    return {identity: _parameter(item) for identity, item in _read()["parameters"].items()}


@cache
def describing_parameters() -> frozenset[str]:
    """Return the parameters that describe the challenge without affecting how it runs."""
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
