"""A report for templates: runs of sentences of the same origin with their mark, and addresses of the figures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.designs.differences import word_runs
from evaluation.documents import Block, Sentence
from evaluation.documents.blocks import labels_of
from evaluation.documents.figures import file_of
from reports.domain.content import Status, shown_paragraphs

Content = Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """Sentences of the same origins, and the mark that shows these."""

    text: str
    key: str
    origins: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class ExhibitView:
    """Fields of an exhibit that a template needs."""

    kind: str
    label: str
    text: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    items: tuple[str, ...]
    source: str
    name: str
    key: str
    origins: tuple[Mapping[str, str], ...]


@dataclass(frozen=True)
class ItemView:
    """An item as it is read."""

    number: str
    title: str
    anchor: str
    status: Status
    prompt: str
    edit: Mapping[str, Any] | None
    paragraphs: tuple[tuple[Run, ...], ...]
    exhibits: tuple[ExhibitView, ...]


@dataclass(frozen=True)
class ChapterView:
    """A chapter as it is read."""

    key: str
    title: str
    items: tuple[ItemView, ...]
    address: str = ""


@dataclass(frozen=True)
class SentenceView:
    """A sentence of a paper as a template shows it.

    It contains the anchors and texts of its notes, and those of the exhibits it points to.
    """

    words: str
    end: str
    notes: tuple[tuple[str, str], ...]
    references: tuple[tuple[str, str], ...]
    anchors: tuple[str, ...]


@dataclass(frozen=True)
class BlockView:
    """A block of a paper as a template shows it."""

    block: Block
    sentences: tuple[SentenceView, ...] = ()
    source: str = ""
    rows: tuple[tuple[str, tuple[str, ...], str, str], ...] = ()


def paper_views(blocks: Sequence[Block], source: Callable[[str], str]) -> list[BlockView]:
    """The blocks of a paper for a template; rows of a checklist with their anchor, cells, target and its name."""
    labels = labels_of(blocks)
    return [
        BlockView(
            block=block,
            sentences=tuple(_sentence_view(Sentence(*row), labels) for row in block.rows if block.kind == "prose"),
            source=source(file_of(block.name)) if block.name else "",
            rows=tuple((row[0], row[1:-1], row[-1], name) for row, name in zip(block.rows, block.items, strict=True))
            if block.kind == "checklist"
            else (),
        )
        for block in blocks
    ]


def _sentence_view(sentence: Sentence, labels: Mapping[str, str]) -> SentenceView:
    return SentenceView(
        words=sentence.words,
        end=sentence.end,
        notes=tuple(sentence.noted),
        references=tuple((anchor, labels[anchor]) for anchor in sentence.references.split()),
        anchors=tuple(sentence.anchors.split()),
    )


def chapters_of(
    content: Content, source: Callable[[str], str], *, only: str = "", address: Callable[[str], str] | None = None
) -> list[ChapterView]:
    """Chapters for a template.

    Parameters
    ----------
    source
        Address of a figure by the name of its file.
    only
        Key of the one chapter to show; all of them by default.
    address
        Address of a chapter by its key, where chapters are pages of their own.
    """
    return [
        ChapterView(
            key=chapter["key"],
            title=chapter["title"],
            items=tuple(_item(item, content, source) for item in chapter["items"]),
            address=address(chapter["key"]) if address else "",
        )
        for chapter in content["chapters"]
        if only in ("", chapter["key"])
    ]


def _item(item: Mapping[str, Any], content: Content, source: Callable[[str], str]) -> ItemView:
    counter = iter(range(1, 1_000_000))

    def key() -> str:
        return f"{item['anchor']}-{next(counter)}"

    return ItemView(
        number=item["number"],
        title=item["title"],
        anchor=item["anchor"],
        status=Status(item["status"]),
        prompt=item["prompt"],
        edit=item["edit"],
        paragraphs=tuple(_runs(paragraph, content, key) for paragraph in shown_paragraphs(item)),
        exhibits=tuple(_exhibit(exhibit, content, source, key) for exhibit in item["exhibits"]),
    )


def _runs(paragraph: list[Mapping[str, Any]], content: Content, key: Callable[[], str]) -> tuple[Run, ...]:
    runs: list[tuple[tuple[str, ...], list[str]]] = []
    for sentence in paragraph:
        origins = tuple(sentence["origins"])
        if runs and runs[-1][0] == origins:
            runs[-1][1].append(sentence["text"])
        else:
            runs.append((origins, [sentence["text"]]))
    return tuple(
        Run(" ".join(texts), key(), tuple(content["origins"][origin] for origin in origins)) for origins, texts in runs
    )


def _exhibit(
    exhibit: Mapping[str, Any], content: Content, source: Callable[[str], str], key: Callable[[], str]
) -> ExhibitView:
    name = exhibit.get("name", "")
    return ExhibitView(
        kind=exhibit["kind"],
        label=exhibit.get("label", ""),
        text=exhibit.get("text", ""),
        columns=tuple(exhibit.get("columns", ())),
        rows=tuple(tuple(row) for row in exhibit.get("rows", ())),
        items=tuple(exhibit.get("items", ())),
        source=source(file_of(name)) if name else "",
        name=name,
        key=key(),
        origins=tuple(content["origins"][origin] for origin in exhibit["origins"]),
    )


def changes_since(edit: Mapping[str, Any], generated: str) -> list[Any]:
    """Return the changes of the generated text since the authors wrote theirs, word by word."""
    return list(word_runs(edit["based_on"], generated))
