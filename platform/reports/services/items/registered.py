"""Values of design parameters as sentences and tables, each with its parameter as origin."""

from collections.abc import Iterator

from evaluation.designs.catalogue import Parameter
from evaluation.designs.document import Entry, State, Values
from evaluation.designs.document.words import cell_words, value_words
from reports.domain.content import Exhibit, Item
from reports.domain.registered import Registered, phrase
from reports.exposure.domain.words import capitalized
from reports.services.items.source import Source

SENTENCE_TYPES = frozenset({"longtext"})
"""Parameter types with running text, which appears as it was written.

The values of all other types follow their label.
"""
TABLES = frozenset({"object", "list-of-objects"})


def fill_registered(item: Item, source: Source) -> None:
    """Add the statements of the design about the parameters of an item, if there are any."""
    kinds = []
    for identity in item.parameters:
        parameter = source.parameter(identity)
        if parameter is None or parameter.visibility != "public" or source.document is None:
            continue
        for where, entry in entries(parameter, source):
            kinds.append(_one(item, source, parameter, entry, where))
    if kinds:
        item.declared = all(kind == "declared" for kind in kinds)


def entries(parameter: Parameter, source: Source) -> Iterator[tuple[str, Entry]]:
    """The filled entries of a parameter with the tasks that they belong to; one entry that all tasks share has no name."""
    if not parameter.is_task and not parameter.overridable_per_task:
        entry = source.entry(parameter.id)
        if entry.state is not State.BLANK:
            yield "", entry
        return
    filled_entries: list[tuple[Values, Entry]] = [(values, values.entry(parameter.id)) for values in source.views]
    filled_entries = [(values, entry) for values, entry in filled_entries if entry.state is not State.BLANK]
    different = {repr(entry) for _, entry in filled_entries}
    if len(different) == 1 and len(filled_entries) == len(source.views):
        yield "", filled_entries[0][1]
        return
    for values, entry in filled_entries:
        yield values.name, entry


def _one(item: Item, source: Source, parameter: Parameter, entry: Entry, where: str) -> str:
    origin = source.registered(parameter.id)
    lead = f"{where}: " if where else ""
    ledger = source.ledger
    if declared := declared_words(parameter, entry):
        item.text.append((ledger.say(f"{lead}{declared}", origin),))
        if entry.details:
            item.text.append((ledger.say(ended(entry.details), origin),))
        return "declared"
    if parameter.type in TABLES:
        item.exhibits.append(table_of(parameter, entry, source, where))
    elif parameter.type in SENTENCE_TYPES:
        paragraphs = [part.strip() for part in str(entry.value).split("\n\n") if part.strip()]
        for index, part in enumerate(paragraphs):
            item.text.append((ledger.say(f"{lead if index == 0 else ''}{part}", origin),))
    else:
        item.text.append((ledger.say(f"{lead}{_sentence(parameter, entry)}", origin),))
    if entry.details:
        item.text.append((ledger.say(ended(entry.details), origin),))
    return "value"


def _sentence(parameter: Parameter, entry: Entry) -> str:
    values = entry.value if isinstance(entry.value, list) else [entry.value]
    labels = [value_words(parameter, [value] if parameter.type == "multi-enum" else value) for value in values]
    if words := phrase(Registered(parameter.id, entry.value, labels)):
        return words
    asked = parameter.label if parameter.label.endswith("?") else f"{parameter.label}:"
    return f"{asked} {ended(value_words(parameter, entry.value, public=True))}"


def declared_words(parameter: Parameter, entry: Entry) -> str:
    """Return the statement that the organizers made instead of a value."""
    match entry.state:
        case State.NONE_DECLARED:
            words = phrase(Registered(parameter.id, is_none=True))
            return words or f"{parameter.label}: none, as the organizers state."
        case State.NOT_APPLICABLE:
            return f"{parameter.label}: not applicable. {capitalized(ended(entry.reason))}".strip()
        case State.FOLLOWS:
            return f"{parameter.label}: was to follow by {entry.until}."
        case State.EMBARGOED:
            return f"{parameter.label}: withheld until {entry.event.replace('_', ' ')}; commitment {entry.digest}."
    return ""


def table_of(parameter: Parameter, entry: Entry, source: Source, where: str = "") -> Exhibit:
    """A table of the design, without personal data."""
    rows = entry.value if isinstance(entry.value, list) else [entry.value]
    fields = [
        field
        for field in parameter.item_fields
        if field.visibility == "public" and any(field.key in row for row in rows)
    ]
    return Exhibit(
        "table",
        origins=source.ledger.keys(source.registered(parameter.id)),
        topic=parameter.id,
        text=f"{parameter.label}, {where}" if where else parameter.label,
        columns=tuple(field.label for field in fields),
        rows=tuple(tuple(cell_words(field, row.get(field.key)) for field in fields) for row in rows),
    )


def ended(text: str) -> str:
    """A sentence with its end.

    Examples
    --------
    >>> ended("Docker containers"), ended("Is it?"), ended("")
    ('Docker containers.', 'Is it?', '')
    """
    text = text.strip()
    return text if not text or text[-1] in ".!?…:;" else f"{text}."
