"""Designs that this platform exported as Word or PDF: the record in the file, compared with the printed words."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from evaluation.designs.document import Document, Entry, State, UnfitValueError, clean, fitting_cells, from_json
from evaluation.designs.exports.outline import END_HEADINGS, TASK_HEADING, heading_of, outline
from evaluation.designs.imports.lines import letters
from evaluation.designs.imports.passages import layout_of, words_of
from evaluation.designs.imports.proposals import EXPORT, DesignProposals, Proposal
from evaluation.designs.imports.values import aliases

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.designs.catalogue import Catalogue, Parameter
    from evaluation.designs.imports.lines import Line, Pages
    from evaluation.documents import Block

_MARK: Final = letters("Parameter catalogue")
_TASK: Final = re.compile(rf"^{re.escape(TASK_HEADING)}(?P<name>.*)$")
_LONGEST_HEADING_LINES: Final = 3
_FIRST_LINES: Final = 12
_CHANGED: Final = "The text was changed after the export. Check the value."


def is_export(pages: Pages) -> bool:
    """Return whether a document is an export of a design."""
    return any(letters(line.text).startswith(_MARK) for line in pages.lines[:_FIRST_LINES])


def propose_from_export(pages: Pages, *, catalogue: Catalogue) -> DesignProposals:
    """Return the proposals of an exported design.

    A value of the record in the file is proposed if the file still prints exactly that value. Otherwise the value is
    read from the printed words.
    """
    names, printed = _printed(pages.lines, catalogue)
    record = _record(pages.record, catalogue)
    expected = _expected(record, catalogue) if record is not None else {}
    layout = layout_of(pages.lines)
    keys = list(record.tasks) if record is not None else []
    proposals: list[Proposal] = []
    for (task, identity), lines in printed.items():
        parameter = catalogue[identity]
        words = words_of(lines, layout).strip()
        page = lines[0].page if lines else None
        entry = _recorded(record, keys, task, identity)
        if any(_same(lines, variant) for variant in expected.get((task, identity), ())):
            if entry is not None and entry.state is State.EMBARGOED:
                question = "The value was withheld, so the file does not contain it. Enter it again."
                proposals.append(Proposal(identity, task, page, words, Entry(), question))
            elif entry is not None:
                proposals.append(Proposal(identity, task, page, words, entry))
            continue
        proposal = _read(parameter, task, page, words, lines)
        if proposal is not None:
            proposals.append(proposal)
    return DesignProposals(
        file=pages.file,
        source=EXPORT,
        pages=pages.pages,
        tasks=tuple(names),
        proposals=tuple(proposals),
        notes=pages.notes,
    )


def _record(text: str, catalogue: Catalogue) -> Document | None:
    if not text:
        return None
    try:
        return from_json(json.loads(text), catalogue=catalogue, lenient=True)[0]
    except (ValueError, UnfitValueError, RecursionError):
        return None


def _recorded(record: Document | None, keys: Sequence[str], task: int | None, identity: str) -> Entry | None:
    if record is None or (task is not None and task >= len(keys)):
        return None
    entry = (record.challenge if task is None else record.tasks[keys[task]]).get(identity)
    return None if entry is None or (entry.state is State.BLANK and not entry.details) else entry


Key = tuple[int | None, str]


def _printed(lines: Sequence[Line], catalogue: Catalogue) -> tuple[list[str], dict[Key, list[Line]]]:
    """Return the names of the tasks, and the lines below the heading of each parameter."""
    known_names = {letters(heading_of(parameter)): parameter.id for parameter in catalogue.parameters.values()}
    ends = {letters(section.label) for section in catalogue.sections} | set(map(letters, END_HEADINGS))
    names: list[str] = []
    printed: dict[Key, list[Line]] = {}
    current: list[Line] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        match = _TASK.match(line.text)
        if match and _begins_task(lines, at, ends):
            length = _task_lines(lines, at, ends)
            names.append(" ".join([match["name"], *(item.text for item in lines[at + 1 : at + length])]).strip())
            current = []
            at += length
            continue
        length, identity = _heading_at(lines, at, known_names)
        task = len(names) - 1 if names else None
        key = (task, identity)
        if identity and key not in printed:
            current = printed[key] = []
            at += length
            continue
        if letters(line.text) in ends:
            current = []
        else:
            current.append(line)
        at += 1
    return names, printed


def _begins_task(lines: Sequence[Line], at: int, ends: set[str]) -> bool:
    return lines[at].is_heading or _task_lines(lines, at, ends) > 0


def _task_lines(lines: Sequence[Line], at: int, ends: set[str]) -> int:
    """Return the number of lines of a task's heading; a section follows it."""
    for length in range(1, _LONGEST_HEADING_LINES + 1):
        if at + length < len(lines) and letters(lines[at + length].text) in ends:
            return length
    return 1 if lines[at].is_heading else 0


def _heading_at(lines: Sequence[Line], at: int, known_names: Mapping[str, str]) -> tuple[int, str]:
    text = ""
    for length in range(1, _LONGEST_HEADING_LINES + 1):
        if at + length > len(lines):
            break
        text += letters(lines[at + length - 1].text)
        if text in known_names:
            return length, known_names[text]
    return 0, ""


def _expected(record: Document, catalogue: Catalogue) -> dict[Key, tuple[str, ...]]:
    """Return the letters that an export of a document prints below each heading, in the layouts of the formats."""
    known_names = {heading_of(parameter): parameter.id for parameter in catalogue.parameters.values()}
    expected: dict[Key, list[list[str]]] = {}
    current: list[list[str]] | None = None
    task: int | None = None
    for public in (False, True):
        for block in outline(record, title="", catalogue=catalogue, public=public, open_points=[]):
            if block.kind == "heading":
                if block.text.startswith(TASK_HEADING) and block.level == _TASK_LEVEL:
                    task = 0 if task is None else task + 1
                identity = known_names.get(block.text)
                current = None
                if identity:
                    current = [[], []]
                    expected.setdefault((task, identity), []).extend(current)
            elif current is not None:
                for variant, text in zip(current, _layouts(block), strict=True):
                    variant.append(text)
        task = None
    return {key: tuple(dict.fromkeys("".join(variant) for variant in variants)) for key, variants in expected.items()}


_TASK_LEVEL: Final = 2


def _layouts(block: Block) -> tuple[str, str]:
    """Return the letters of a block as a table, and as a list of its cells."""
    if block.kind != "table":
        text = letters(block.text + "".join(block.items))
        return text, text
    table = letters("".join([*block.columns, *(cell for row in block.rows for cell in row)]))
    cells = (f"{column}{cell}" for row in block.rows for column, cell in zip(block.columns, row, strict=True) if cell)
    return table, letters("".join(cells))


def _same(lines: Sequence[Line], expected: str) -> bool:
    printed = letters("".join(line.text for line in lines))
    if printed == expected:
        return True
    # A table that continues on the next page repeats its head.
    return _without_repeats(lines) == expected


def _without_repeats(lines: Sequence[Line]) -> str:
    kept_items: list[str] = []
    page = lines[0].page if lines else None
    head = letters(lines[0].text) if lines else ""
    for at, line in enumerate(lines):
        text = letters(line.text)
        if at and line.page != page and text == head:
            page = line.page
            continue
        page = line.page
        kept_items.append(text)
    return "".join(kept_items)


def _read(
    parameter: Parameter, task: int | None, page: int | None, words: str, lines: Sequence[Line]
) -> Proposal | None:
    """Return the proposal of a value that only its printed words give."""
    first = lines[0].text if lines else ""
    if not words or first == "Not specified":
        return None
    entry = _declared(words)
    if entry is not None:
        return Proposal(parameter.id, task, page, words, entry, _CHANGED)
    value, details = _value(parameter, words, lines)
    if value is None:
        return Proposal(parameter.id, task, page, words, Entry(), "Enter the value that these words state.")
    return Proposal(parameter.id, task, page, words, Entry(value, details, State.PROVIDED), _CHANGED)


def _declared(words: str) -> Entry | None:
    line = words.split("\n", maxsplit=1)[0]
    if line == "None (stated by the organizers)":
        return Entry(state=State.NONE_DECLARED)
    if line.startswith("Not applicable: "):
        return Entry(state=State.NOT_APPLICABLE, reason=line.removeprefix("Not applicable: "))
    match = re.fullmatch(r"Follows by (\d{4}-\d\d-\d\d)", line)
    return Entry(state=State.FOLLOWS, until=match[1]) if match else None


def _value(parameter: Parameter, words: str, lines: Sequence[Line]) -> tuple[Any, str]:
    try:
        if parameter.type in ("object", "list-of-objects"):
            return _table(parameter, lines), ""
        if parameter.type in ("enum", "multi-enum"):
            options = aliases(parameter)
            first, _, details = words.partition("\n")
            parts = first.split("; ") if parameter.type == "multi-enum" else [first]
            chosen = [options.get(letters(part)) for part in parts]
            if not all(chosen):
                return None, ""
            return clean(parameter, chosen if parameter.type == "multi-enum" else chosen[0]), details
        if parameter.type == "tags":
            return clean(parameter, words.split(", ")), ""
        return clean(parameter, words), ""
    except UnfitValueError:
        return None, ""


def _table(parameter: Parameter, lines: Sequence[Line]) -> Any:
    rows = [line.cells for line in lines if line.cells]
    if not rows:
        return None
    by_label = {item.label: item for item in parameter.item_fields}
    columns = [by_label.get(label) for label in rows[0]]
    if not all(columns):
        return None
    read: list[dict[str, Any]] = []
    for row in rows[1:]:
        record: dict[str, Any] = {}
        for item, cell in zip(columns, row, strict=False):
            if item is not None and cell:
                options = {choice.label: choice.value for choice in item.choices}
                record[item.key] = options.get(cell, cell)
        read.append(record)
    if parameter.type == "object":
        return clean(parameter, read[0]) if read else None
    return fitting_cells(parameter, read)[0] or None
