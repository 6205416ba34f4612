"""The first page of the report of a team: what one would pin on the wall."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from evaluation.documents import Block, Sentence
from reports.domain.content import items_of

Content = Mapping[str, Any]
FIELD: Final = ("Metric and region", "Own score", "Own rank", "Rank set", "Field, median", "Best")
MOST_ROWS: Final = 8
MOST_WORST: Final = 3


def wall(content: Content) -> Iterator[Block]:
    """Yield the summary page of a team: rank, field, scores and worst cases, then a page break."""
    items = {item["number"]: item for item in items_of(content)}
    standing, strengths = items.get("standing"), items.get("strengths")
    first = standing or items["submission"]
    sentences = [sentence["text"] for paragraph in first["text"] for sentence in paragraph]
    yield Block("heading", content["title"], 1)
    if sentences:
        yield Block("lead", " ".join(sentences[:2]))
    if figure := _exhibit(standing, "forest"):
        yield Block("figure", figure["text"], name=figure["name"])
    rest = [*sentences[2:], *_texts(strengths)[1:]]
    if rest:
        yield Block("prose", rows=tuple(Sentence(text) for text in rest))
    if table := _exhibit(standing, "field"):
        places = [table["columns"].index(name) for name in FIELD]
        rows = tuple(tuple(row[index] for index in places) for row in table["rows"][:MOST_ROWS])
        yield Block("table", "Own scores against the field", columns=FIELD, rows=rows)
    elif table := _exhibit(items["submission"], "scores"):
        rows = tuple(map(tuple, table["rows"][:MOST_ROWS]))
        yield Block("table", table["text"], columns=tuple(table["columns"]), rows=rows)
    if worst := _exhibit(items.get("cases"), "worst"):
        rows = tuple(map(tuple, worst["rows"][:MOST_WORST]))
        yield Block("table", worst["text"], columns=tuple(worst["columns"]), rows=rows)
    yield Block("break")


def _texts(item: Mapping[str, Any] | None) -> list[str]:
    return [sentence["text"] for paragraph in item["text"] for sentence in paragraph] if item else []


def _exhibit(item: Mapping[str, Any] | None, topic: str) -> Mapping[str, Any] | None:
    """The first exhibit of an item about a topic."""
    exhibits = item["exhibits"] if item else ()
    return next((exhibit for exhibit in exhibits if exhibit.get("topic") == topic), None)
