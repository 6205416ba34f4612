"""Presentation of the fields on the pages of the form."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

from designs.forms.controls import Input, Option, Row, cell, chosen, text_of
from designs.forms.metric_rows import metric_row
from designs.forms.posted import OTHER
from designs.forms.records import record_inputs
from evaluation.designs.catalogue import Parameter
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import RARELY_REPORTED, applies, is_required
from evaluation.designs.document import Entry, State, Values
from evaluation.designs.document.words import entry_words
from evaluation.designs.executing import Statement, statements_of
from evaluation.designs.starting_points import StartingPoint, starting_points

# Of rows with more cells only those stand open that are needed or filled.
SHORT_ROW: Final = 8


class Mark(StrEnum):
    """Status of a field: the value names a style, and `words` is the text for readers."""

    DONE = "done"
    ERROR = "error"
    NEEDED = "needed"
    OPTIONAL = "optional"
    IDLE = "idle"

    @property
    def words(self) -> str:
        """For readers who see no dot."""
        return _MARKS[self]


_MARKS = {
    Mark.DONE: "answered",
    Mark.ERROR: "has an error",
    Mark.NEEDED: "required, open",
    Mark.OPTIONAL: "optional, open",
    Mark.IDLE: "does not apply",
}


@dataclass(frozen=True)
class FieldView:
    """A field of the form."""

    parameter: Parameter
    entry: Entry
    revision: int
    task_key: str
    applies: bool
    is_required: bool
    words: str
    findings: tuple[Finding, ...] = ()
    comments: int = 0
    statements: tuple[Statement, ...] = ()
    inputs: tuple[Input, ...] = ()
    rows: tuple[Row, ...] = ()
    blank_row: Row | None = None
    states: tuple[Option, ...] = field(default_factory=tuple)
    is_hidden: bool = False
    opens_pair: bool = False
    closes_pair: bool = False

    @property
    def starting_points(self) -> tuple[StartingPoint, ...]:
        """Published schemes to start from, for the table of rankings."""
        return starting_points() if self.parameter.id == "ranking_method" else ()

    @property
    def key(self) -> str:
        """Base of the ids of the field on the page."""
        return f"{self.parameter.id}-{self.task_key}" if self.task_key else self.parameter.id

    @property
    def is_blank(self) -> bool:
        """True if the field is unanswered, in which case its errors are shown only after it is left."""
        return self.entry.state is State.BLANK

    @property
    def mark(self) -> Mark:
        """Status of the field in the list of fields."""
        if not self.applies:
            return Mark.IDLE
        blocks = any(finding.blocks for finding in self.findings)
        if self.is_blank:
            return Mark.NEEDED if blocks or self.is_required else Mark.OPTIONAL
        return Mark.ERROR if blocks else Mark.DONE

    @property
    def has_details(self) -> bool:
        """True if the field requests text in addition to the choice, or has text from an imported document."""
        return self.parameter.has_details or bool(self.entry.details)

    @property
    def loud_statements(self) -> tuple[Statement, ...]:
        """Statements about choices that are not executed, which must be visible immediately."""
        return tuple(each for each in self.statements if each.execution == "refused")

    @property
    def quiet_statements(self) -> tuple[Statement, ...]:
        """Statements about choices that are executed, or that are recorded and left to people."""
        return tuple(each for each in self.statements if each.execution != "refused")

    @property
    def is_rarely_reported(self) -> bool:
        """True if fewer than a fifth of the historic tasks reported this field (REP-4)."""
        return self.parameter.left_out is not None and self.parameter.left_out >= 100 - RARELY_REPORTED

    @property
    def left_out(self) -> int | None:
        """Share of historic tasks without it, in whole percent."""
        return None if self.parameter.left_out is None else round(self.parameter.left_out)


def field_view(
    parameter: Parameter,
    entry: Entry,
    *,
    values: Values,
    revision: int = 0,
    task_key: str = "",
    findings: Iterable[Finding] = (),
    comments: int = 0,
    editable: bool = True,
    insider: bool = True,
    run_here: bool = False,
) -> FieldView:
    """Everything that the template of a field needs; `run_here`: whether the design has algorithms run here."""
    key = f"{parameter.id}-{task_key}" if task_key else parameter.id
    inputs: tuple[Input, ...] = ()
    rows: tuple[Row, ...] = ()
    blank: Row | None = None
    if editable and parameter.type == "list-of-objects":
        stored = entry.value if isinstance(entry.value, list) else []
        # A table that is still empty begins with a row to write in; a row without a word is never stored.
        rows = tuple(_row(parameter, index, row, key, values) for index, row in enumerate(stored or [{}]))
        blank = _row(parameter, None, {}, key, values)
    elif editable and parameter.type == "object":
        record = entry.value if isinstance(entry.value, Mapping) else {}
        inputs = tuple(cell for item in parameter.item_fields for cell in record_inputs(item, key, record, values))
    elif editable:
        inputs = (_single(parameter, key, entry.value),)
    return FieldView(
        parameter=parameter,
        entry=entry,
        revision=revision,
        task_key=task_key,
        applies=applies(parameter, values),
        is_required=is_required(parameter, values),
        words=entry_words(parameter, entry, insider=insider),
        findings=tuple(findings),
        comments=comments,
        statements=tuple(statements_of(parameter, entry, values, run_here=run_here)),
        inputs=inputs,
        rows=rows,
        blank_row=blank,
        states=_states(parameter, entry),
    )


def paired(views: list[FieldView]) -> list[FieldView]:
    """Mark the fields that describe both training and test data, for display side by side."""
    marked = list(views)
    for index, (first, second) in enumerate(pairwise(views)):
        one, other = first.parameter.id.split("_"), second.parameter.id.split("_")
        if "training" in one and [{"training": "test"}.get(word, word) for word in one] == other:
            marked[index] = replace(first, opens_pair=True)
            marked[index + 1] = replace(second, closes_pair=True)
    return marked


def _states(parameter: Parameter, entry: Entry) -> tuple[Option, ...]:
    if parameter.never_absent:
        offered = [State.PROVIDED, State.EMBARGOED]
    else:
        offered = [State.PROVIDED, State.NONE_DECLARED, State.NOT_APPLICABLE, State.FOLLOWS, State.EMBARGOED]
    current = State.PROVIDED if entry.state is State.BLANK else entry.state
    return tuple(Option(str(state), state.label, state is current) for state in offered)


def _single(parameter: Parameter, key: str, value: Any) -> Input:
    identity = f"v-{key}"
    if parameter.type in ("enum", "multi-enum"):
        chosen = value if isinstance(value, list) else [value]
        other = next((item["other"] for item in chosen if isinstance(item, Mapping)), "")
        options = [Option(choice.value, choice.label, choice.value in chosen) for choice in parameter.choices]
        is_open = parameter.choices_mode != "closed"
        if is_open and parameter.type == "enum":
            options.append(Option(OTHER, "Other (free text)", bool(other)))
        return Input("value", identity, parameter.type, parameter.label, "", tuple(options), is_open, other)
    text = ", ".join(value) if isinstance(value, list) else text_of(value)
    suggestions = tuple(Option(choice.label, choice.label) for choice in parameter.choices)
    return Input("value", identity, parameter.type, parameter.label, text, suggestions, minimum=parameter.minimum)


def _row(parameter: Parameter, index: int | None, row: Mapping[str, Any], key: str, values: Values) -> Row:
    if parameter.id == "metrics":
        return metric_row(parameter, index, row, key, values)
    position = "__n__" if index is None else str(index)
    inputs = tuple(cell(item, f"row.{position}.{item.key}", key, row.get(item.key)) for item in parameter.item_fields)
    title = next((text for item in inputs if (text := item.text or chosen(item))), "New row")
    if len(inputs) <= SHORT_ROW:
        return Row(place=position, inputs=inputs, title=title)
    is_asked = [each.required or bool(each.text or chosen(each)) or at == 0 for at, each in enumerate(inputs)]
    return Row(
        place=position,
        inputs=tuple(each for each, asked in zip(inputs, is_asked, strict=True) if asked),
        title=title,
        folded=tuple(each for each, asked in zip(inputs, is_asked, strict=True) if not asked),
        fold="More, where it is needed",
    )
