"""Controls of the form of a design: what one is, and how a cell becomes one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.text import capfirst

from designs.forms.posted import OTHER
from evaluation.catalogue import choice_words, option_name
from evaluation.designs.catalogue import ItemField
from evaluation.metrics.options import Option as Declared


@dataclass(frozen=True)
class Option:
    """One choice of a select or a list of boxes."""

    value: str
    label: str
    is_chosen: bool = False


@dataclass(frozen=True)
class Input:
    """One control: its name, kind, present text, and what can be chosen."""

    name: str
    id: str
    kind: str
    label: str
    text: str = ""
    options: tuple[Option, ...] = ()
    allow_other: bool = False
    other: str = ""
    help_text: str = ""
    required: bool = False
    minimum: float | None = None


@dataclass(frozen=True)
class Row:
    """Row of a table: its controls, and for a metric also the controls of its options and policy.

    `folded` contains controls that rarely need a change.
    For a metric of the platform, these are the controls of the values that follow from the metric.
    For a metric that was not yet chosen, these are the controls that describe a metric measured elsewhere.
    `fold` is their heading.
    """

    place: str
    inputs: tuple[Input, ...]
    title: str
    folded: tuple[Input, ...] = ()
    fold: str = ""
    options: tuple[Input, ...] = ()
    policy: tuple[Input, ...] = ()
    facts: str = ""
    metric: str = ""


def cell(item: ItemField, name: str, key: str, value: Any) -> Input:
    """The control of one cell of a table or record."""
    identity = f"v-{key}-{name.replace('.', '-')}"
    options: list[Option] = []
    other = ""
    if item.type == "enum":
        other = value["other"] if isinstance(value, Mapping) else ""
        options = [Option("", "–", value is None)]
        options += [Option(choice.value, choice.label, choice.value == value) for choice in item.choices]
        if item.allow_other:
            options.append(Option(OTHER, "Other (free text)", bool(other)))
    elif item.type == "boolean":
        options = [
            Option("", "–", value is None),
            Option("true", "yes", value is True),
            Option("false", "no", value is False),
        ]
    text = ", ".join(map(str, value)) if isinstance(value, list) else text_of(value)
    kind = "enum" if item.type == "boolean" else item.type
    return Input(
        name,
        identity,
        kind,
        item.label,
        "" if options else text,
        tuple(options),
        item.allow_other,
        other,
        item.help_text,
        item.required,
        item.minimum,
    )


def text_of(value: Any) -> str:
    """A value as it is typed."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (Mapping, Sequence)) and not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def chosen(item: Input) -> str:
    """Return the text of the choice in a control, or an empty text if nothing is chosen."""
    return item.other or next((option.label for option in item.options if option.is_chosen and option.value), "")


def option_inputs(
    options: Iterable[Declared], given: Mapping[str, Any], prefix: str, key: str, *, with_allowed: bool = False
) -> tuple[Input, ...]:
    """A control for each option that a metric or a kind of problem declares."""
    inputs = []
    for option in options:
        name = f"{prefix}.{option.name}"
        value = given.get(option.name)
        given_choices = option.choices if option.type == "enum" else None
        words = choice_words if given_choices else text_of
        default = "" if option.default is None else f"; blank: {words(option.default)}"
        allowed = (
            f" ({option.allowed.removesuffix(' or null')})"
            if (with_allowed or option.choices) and option.type != "enum"
            else ""
        )
        choices: tuple[Option, ...] = ()
        # What is a choice or a number is written, so that both can be given.
        if given_choices:
            blank = Option("", f"– {words(option.default)} –" if option.default is not None else "–", value is None)
            choices = (blank, *(Option(choice, choice_words(choice), choice == value) for choice in given_choices))
        inputs.append(
            Input(
                name,
                f"v-{key}-{name.replace('.', '-')}",
                "enum" if choices else "text",
                option_name(option.name),
                "" if choices else text_of(value),
                choices,
                help_text=f"{capfirst(option.description)}{allowed}{default}",
                required=option.required,
            )
        )
    return tuple(inputs)
