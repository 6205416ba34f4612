"""A report item by item, as a sequence of plain blocks."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evaluation.documents import Block
from reports.domain.content import Status, items_of, shown_paragraphs
from reports.domain.guideline import CHAPTERS, chapter_of
from reports.domain.paper.composing import made_from
from reports.exposure.domain.words import were

Content = Mapping[str, Any]
MOST_COLUMNS: Final = 8
MOST_TURNED: Final = 6


def blocks(content: Content, *, title: str = "") -> Iterator[Block]:
    """Return the whole report: chapters, deviations, exposure, checklist and sources.

    Parameters
    ----------
    title
        Title of the report if it follows a page with another title.
    """
    numbers = {key: str(index) for index, key in enumerate(content["origins"], start=1)}
    yield Block("heading", title or content["title"], 2 if title else 1)
    yield Block("remark", made_from(content))
    for chapter in content["chapters"]:
        if not title:
            yield Block("heading", chapter["title"], 2)
        for item in chapter["items"]:
            yield from _item(item, numbers, is_guideline=bool(content["score"]))
    if content["exposure"] is not None:
        yield from _deviations(content)
        yield from _exposure(content)
        yield from _checklist(content)
    yield Block("heading", "Where everything comes from", 2)
    yield Block(
        "text",
        "Numbers after “Sources” are those of this table. Of digests (SHA-256) the first 16 digits stand here; the pages of the "
        "report and its HTML file show all of them.",
    )
    rows = tuple(
        (numbers[key], origin["words"], origin["digest"][:16], origin["address"])
        for key, origin in content["origins"].items()
    )
    yield Block("table", columns=("No.", "Source", "SHA-256", "Address"), rows=rows)


def _item(item: Mapping[str, Any], numbers: Mapping[str, str], *, is_guideline: bool) -> Iterator[Block]:
    title = f"{item['title']} (BIAS {item['number']})" if is_guideline else item["title"]
    yield Block("heading", title, 3, anchor=item["anchor"])
    status = Status(item["status"])
    paragraphs = shown_paragraphs(item)
    for paragraph in paragraphs:
        yield Block("text", " ".join(sentence["text"] for sentence in paragraph))
    for exhibit in item["exhibits"]:
        yield from _exhibit(exhibit)
    if status is Status.OPEN and not item["prompt"]:
        yield Block("remark", "Not reported.")
    elif status in (Status.OPEN, Status.DRAFT) and item["prompt"]:
        yield Block("remark", f"For the authors: {item['prompt']}")
    keys = {key for paragraph in paragraphs for sentence in paragraph for key in sentence["origins"]}
    keys |= {key for exhibit in item["exhibits"] for key in exhibit["origins"]}
    if keys:
        listed = ", ".join(sorted((numbers[key] for key in keys), key=int))
        yield Block("digest", listed, items=("Sources",))


def _exhibit(exhibit: Mapping[str, Any]) -> Iterator[Block]:
    match exhibit["kind"]:
        case "heading":
            yield Block("heading", exhibit["text"], 4)
        case "table":
            yield Block("remark", _captioned(exhibit))
            yield _table(tuple(exhibit["columns"]), tuple(tuple(row) for row in exhibit.get("rows", ())))
        case "figure":
            yield Block("figure", _captioned(exhibit), name=exhibit["name"])
        case "list":
            yield Block("list", items=tuple(exhibit["items"]))
        case "code":
            yield Block("code", exhibit["text"])
        case _:
            yield Block("text", exhibit["text"])


def _captioned(exhibit: Mapping[str, Any]) -> str:
    return ". ".join(part for part in (exhibit.get("label", ""), exhibit.get("text", "")) if part)


def _table(columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> Block:
    """A table for a page; a wide one of a few rows is turned over, so that it fits."""
    if len(columns) <= MOST_COLUMNS or len(rows) > MOST_TURNED:
        return Block("table", columns=columns, rows=rows)
    turned = tuple((name, *(row[index] for row in rows)) for index, name in enumerate(columns) if index)
    return Block("table", columns=(columns[0], *(row[0] for row in rows)), rows=turned)


def _deviations(content: Content) -> Iterator[Block]:
    yield Block("heading", "Deviations from the registered design", 2, anchor="deviations")
    design = content["design"]
    if design is None or design["kind"] != "registration":
        yield Block("text", "The challenge runs without a registration, so that nothing could be compared.")
        return
    yield Block("text", f"Registered: {design['label']}, {design['address']}.")
    if not content["deviations"]:
        yield Block("text", "Nothing that was executed deviates from the registered version.")
        return
    rows = tuple(
        (
            entry["phase"],
            entry["what"],
            entry["reason"],
            (entry["since"] or "")[:10],
            ", ".join(entry["parameters"]),
            entry["registered_digest"][:16],
            entry["executed_digest"][:16],
        )
        for entry in content["deviations"]
    )
    columns = ("Phase", "What", "Reason", "Date", "Parameters", "Registered", "Executed")
    yield Block("table", columns=columns, rows=rows)


def _exposure(content: Content) -> Iterator[Block]:
    yield Block("heading", "Exposure to manipulation", 2, anchor="exposure")
    counts = content["exposure"]["summary"]
    yield Block(
        "text",
        f"Of {sum(counts.values())} known ways to manipulate a result, {were(counts['prevented'])} prevented, "
        f"{counts['detectable']} could only have been detected, and {were(counts['uncovered'])} not covered. Facts are "
        "stated; no one is accused.",
    )
    for finding in content["exposure"]["findings"]:
        yield Block("heading", f"{finding['identity']}: {finding['attack']}", 4)
        yield Block("text", f"{finding['cover'].capitalize()}. {finding['conclusion']}")
        lines = tuple(f"{evidence['text']} [{evidence['source']}]" for evidence in finding["evidence"])
        if lines:
            yield Block("list", items=lines)
    if execution := content["exposure"].get("execution"):
        yield Block("heading", "Stated by the organizers, not executed by the platform", 4)
        yield Block("text", f"Of what the design says about how the challenge runs: {execution['counts']}.")
        if execution["stated"]:
            yield Block("list", items=tuple(_stated(entry) for entry in execution["stated"]))


def _stated(entry: Mapping[str, str]) -> str:
    choice = f": {entry['choice']}" if entry["choice"] else ""
    refused = "" if entry["execution"] == "stated" else f" {entry['words'].capitalize()}."
    return f"{entry['label']}{choice}.{refused} {entry['note']}".rstrip()


def _checklist(content: Content) -> Iterator[Block]:
    yield Block("heading", "Checklist of the BIAS guideline", 2, anchor="checklist")
    score = content["score"]
    yield Block(
        "text",
        f"{score['covered']} of {score['items']} items are covered, {score['draft']} are drafts, {score['open']} are open.",
    )
    titles = {key: title for key, title, _ in CHAPTERS}
    rows = tuple(
        (item["number"], item["title"], Status(item["status"]).label, titles[chapter_of(item["number"])])
        for item in items_of(content)
    )
    yield Block("table", columns=("Item", "What", "Status", "Where"), rows=rows)
