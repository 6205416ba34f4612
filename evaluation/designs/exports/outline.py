"""A design as a sequence of plain blocks, from which every kind of file is written."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from evaluation.designs.advising import Answers, departures_of
from evaluation.designs.catalogue import Catalogue, Parameter, Section, shipped
from evaluation.designs.catalogue.states import Execution
from evaluation.designs.checks.compiling import all_findings
from evaluation.designs.checks.running import Finding
from evaluation.designs.compilation import compile_values
from evaluation.designs.differences import compare_entries
from evaluation.designs.document import Document, Entry, State, Values
from evaluation.designs.document.entries import BLANK
from evaluation.designs.document.words import cell_words, state_words, value_words
from evaluation.designs.executing import Statement, statements
from evaluation.documents import Block

TASK_HEADING: Final = "Task: "
WINNER: Final = "How the winner is determined"
DEPARTURES: Final = "Departures from the recommended metrics"
OPEN_POINTS: Final = "Open points"
END_HEADINGS: Final = (WINNER, DEPARTURES, OPEN_POINTS)
"""Headings after which no field follows in the same task."""


def heading_of(parameter: Parameter) -> str:
    """Return the heading of a field."""
    return f"{parameter.label} (BIAS {parameter.bias})" if parameter.bias else parameter.label


def outline(
    document: Document,
    *,
    title: str,
    digest: str = "",
    answers: Mapping[str, Answers] | None = None,
    catalogue: Catalogue | None = None,
    public: bool = False,
    without: Collection[str] = (),
    open_points: list[Finding] | None = None,
    before: Document | None = None,
) -> Iterator[Block]:
    """Return the complete design, including blank parameters, executable ranking and open points.

    Parameters
    ----------
    digest
        SHA-256 of the canonical JSON, shown at the top.
    answers
        Answers about the problem of each task, by its key. Departures from the recommendation are listed.
    catalogue
        Catalogue with modified texts; the shipped catalogue if omitted.
    public
        Exclude content that only reviewers see.
    without
        Keys of sections to exclude, for readers who must not learn the identity of the organizers.
    open_points
        Findings that are still open; the checks are run if omitted.
    before
        An earlier state of the design. Differences from it are marked and show the earlier content.
    """
    catalogue = catalogue or shipped()
    sections = [section for section in catalogue.sections if section.key not in without]
    answers = answers or {}
    all_statements = statements(document)
    yield Block("heading", title, 1)
    yield Block("remark", f"Parameter catalogue {catalogue.version}; numbers of the BIAS guideline in brackets.")
    if digest:
        yield Block("digest", digest, items=("SHA-256 of the canonical JSON",))
    for section in sections:
        earlier = before.challenge if before is not None else None
        stated = _stated(all_statements, None)
        yield from _section(
            section, document.challenge, catalogue, level=2, task=False, public=public, earlier=earlier, stated=stated
        )
    for values in document.each_task():
        yield Block("heading", f"{TASK_HEADING}{values.name}", 2)
        earlier = before.tasks.get(values.task_key or "", {}) if before is not None else None
        for section in sections:
            stated = _stated(all_statements, values.task_key)
            yield from _section(
                section, values.task, catalogue, level=3, task=True, public=public, earlier=earlier, stated=stated
            )
        yield from _executable(values)
        yield from _departures(values, answers.get(values.task_key or ""))
    yield from _open_points(all_findings(document) if open_points is None else open_points, document)


def _section(
    section: Section,
    entries: Mapping[str, Entry],
    catalogue: Catalogue,
    *,
    level: int,
    task: bool,
    public: bool,
    stated: Mapping[str, list[Statement]],
    earlier: Mapping[str, Entry] | None = None,
) -> Iterator[Block]:
    parameters = [
        parameter
        for parameter in catalogue.in_section(section.key)
        if (parameter.is_task == task or (task and parameter.id in entries))
        and not (public and parameter.visibility != "public")
    ]
    if not parameters:
        return
    yield Block("heading", section.label, level)
    for parameter in parameters:
        entry = entries.get(parameter.id, BLANK)
        was = earlier.get(parameter.id, BLANK) if earlier is not None else entry
        yield from _parameter(parameter, entry, level=level + 1, public=public, was=was)
        for statement in stated.get(parameter.id, ()):
            choice = f"{statement.choice}: " if statement.choice else ""
            words = f"{choice}{statement.execution.words}."
            yield Block("remark", f"{words[0].upper()}{words[1:]} {statement.note}".rstrip())


def _stated(all_statements: Sequence[Statement], task: str | None) -> dict[str, list[Statement]]:
    """Return the statements of the challenge, or of a task, that are not executed, by parameter."""
    stated: dict[str, list[Statement]] = {}
    for statement in all_statements:
        if statement.task == task and statement.execution is not Execution.EXECUTED:
            stated.setdefault(statement.parameter, []).append(statement)
    return stated


def _parameter(parameter: Parameter, entry: Entry, *, level: int, public: bool, was: Entry) -> Iterator[Block]:
    yield Block("heading", heading_of(parameter), level)
    if compare_entries(parameter, was, entry) is not None:
        yield Block("mark", f"Changed in this version. Before: {_plain(parameter, was, public=public)}")
    if state_text := state_words(entry):
        yield Block("remark", state_text)
    elif entry.state is State.BLANK:
        yield Block("remark", "Not specified")
    elif parameter.type in ("object", "list-of-objects"):
        yield _table(parameter, entry.value, public=public)
    else:
        yield Block("text", value_words(parameter, entry.value))
    if entry.details:
        yield Block("text", entry.details)


def _plain(parameter: Parameter, entry: Entry, *, public: bool) -> str:
    """An entry in one text, for a mark."""
    if entry.state is State.BLANK:
        return "blank"
    if state_text := state_words(entry):
        return state_text
    if parameter.type not in ("object", "list-of-objects"):
        return value_words(parameter, entry.value)
    table = _table(parameter, entry.value, public=public)
    rows = (
        ", ".join(f"{label}: {cell}" for label, cell in zip(table.columns, row, strict=True) if cell)
        for row in table.rows
    )
    return "; ".join(rows)


def _table(parameter: Parameter, value: Any, *, public: bool) -> Block:
    rows = value if isinstance(value, list) else [value]
    fields = [
        item
        for item in parameter.item_fields
        if any(item.key in row for row in rows) and not (public and item.visibility != "public")
    ]
    return Block(
        "table",
        columns=tuple(item.label for item in fields),
        rows=tuple(tuple(cell_words(item, row.get(item.key)) for item in fields) for row in rows),
    )


def _executable(values: Values) -> Iterator[Block]:
    compilation = compile_values(values)
    yield Block("heading", WINNER, 3)
    if compilation.assessment is None:
        if compilation.gaps:
            yield Block("text", "The ranking cannot be executed yet:")
            yield Block("list", items=tuple(str(problem) for problem in compilation.gaps))
        if compilation.elsewhere:
            yield Block("text", "Registered here, evaluated elsewhere:")
            yield Block("list", items=tuple(str(problem) for problem in compilation.elsewhere))
    else:
        yield Block("code", "\n".join(compilation.pseudo_code))
        yield Block("digest", compilation.assessment.digest, items=("SHA-256 of the assessment",))


def _departures(values: Values, stored: Answers | None) -> Iterator[Block]:
    """Return blocks on departures from the metrics that the organizers' answers recommend, with reasons.

    They are for reviewers and for the report.
    """
    departures = departures_of(values, stored) if stored else ()
    if departures:
        yield Block("heading", DEPARTURES, 3)
        lines = (f"{entry.words}. {entry.reason or 'No reason is given yet.'}" for entry in departures)
        yield Block("list", items=tuple(lines))


def _open_points(findings: list[Finding], document: Document) -> Iterator[Block]:
    yield Block("heading", OPEN_POINTS, 2)
    if not findings:
        yield Block("text", "No check is open.")
        return
    names = {values.task_key: values.name for values in document.each_task()}
    lines = []
    for finding in findings:
        where = f" ({names[finding.task]})" if finding.task else ""
        answer = f" Answer: {finding.answer.text}" if finding.answer else ""
        lines.append(f"{finding.word.capitalize()}{where}: {finding.message} {finding.detail}{answer}".rstrip())
    yield Block("list", items=tuple(lines))
