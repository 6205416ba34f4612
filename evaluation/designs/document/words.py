"""Text of entries for histories, comparisons and exports."""

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.catalogue import choice_words, option_words
from evaluation.designs.catalogue import ItemField, Parameter
from evaluation.designs.document.entries import Entry, State


def cell_words(field: ItemField, value: Any) -> str:
    """One cell of a table."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field.choices:
        return _choice(field.choices, value)
    if field.type == "problem":
        return str(value).replace("_", " ")
    if field.type == "metric":
        return choice_words(value)
    if field.key == "options" and isinstance(value, Mapping):
        return option_words(dict(sorted(value.items())))
    return plain(value)


def plain(value: Any) -> str:
    """A JSON value as a person writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return (
            str(value["other"])
            if set(value) == {"other"}
            else ", ".join(f"{k}: {plain(v)}" for k, v in sorted(value.items()))
        )
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(plain(item) for item in value)
    return "" if value is None else str(value)


def value_words(parameter: Parameter, value: Any, *, public: bool = False) -> str:
    """Return a value as one text; each row of a table is on a separate line.

    With `public`, personal data are excluded.
    """
    if value is None:
        return ""
    if parameter.type in ("enum", "multi-enum"):
        items = value if isinstance(value, list) else [value]
        return "; ".join(_choice(parameter.choices, item) for item in items)
    if parameter.type == "object":
        return row_words(parameter, value, public=public)
    if parameter.type == "list-of-objects":
        return "\n".join(row_words(parameter, row, public=public) for row in value)
    return plain(value)


def row_words(parameter: Parameter, row: Mapping[str, Any], *, public: bool = False) -> str:
    """A row as “label: value; …”."""
    parts = [
        f"{field.label}: {cell_words(field, row[field.key])}"
        for field in parameter.item_fields
        if field.key in row and not (public and field.visibility != "public")
    ]
    return "; ".join(parts)


def row_cells(parameter: Parameter, entry: Entry) -> list[list[tuple[str, str]]]:
    """The rows of a table, or the one of an object, as labels and texts; empty for anything else, and for blank cells."""
    if parameter.type not in ("object", "list-of-objects") or entry.state is not State.PROVIDED or not entry.value:
        return []
    rows = entry.value if isinstance(entry.value, list) else [entry.value]
    return [
        [(field.label, words) for field in parameter.item_fields if (words := cell_words(field, row.get(field.key)))]
        for row in rows
    ]


def state_words(entry: Entry) -> str:
    """Describe the state of an entry that replaces its value; empty if it has a value or is blank."""
    match entry.state:
        case State.NONE_DECLARED:
            return "None (stated by the organizers)"
        case State.NOT_APPLICABLE:
            return f"Not applicable: {entry.reason}"
        case State.FOLLOWS:
            return f"Follows by {entry.until}"
        case State.EMBARGOED:
            return f"Withheld until {entry.event.replace('_', ' ')}; SHA-256 of the commitment: {entry.digest}"
    return ""


def entry_words(parameter: Parameter, entry: Entry, *, insider: bool = False) -> str:
    """Return an entry as text; embargoed and personal content appears only for an insider of the design."""
    state_text = state_words(entry)
    if not insider and parameter.visibility != "public":
        return "Not public"
    if entry.state is State.EMBARGOED and insider:
        state_text = f"{value_words(parameter, entry.value)} (withheld until {entry.event.replace('_', ' ')})"
    text = state_text or value_words(parameter, entry.value, public=not insider)
    return f"{text}\n{entry.details}".strip() if entry.details else text


def _choice(choices: Sequence[Any], value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value.get("other", ""))
    return next((choice.label for choice in choices if choice.value == value), str(value))
