"""Content of a report as plain records that are stored as JSON.

A report consists of chapters of items. Each sentence has its origins.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from itertools import count
from typing import Any, Final, Self

from evaluation.documents import Block

SCHEMA: Final = 1


class Fill(StrEnum):
    """Extent to which the platform can fill an item (challenge_design.md, table d.2)."""

    FULL = "full"
    DRAFT = "partial"
    AUTHORS = "none"


class Status(StrEnum):
    """Status of an item in a report."""

    COVERED = "covered"
    DECLARED = "declared"
    EDITED = "edited"
    DRAFT = "draft"
    OPEN = "open"

    @property
    def label(self) -> str:
        """Readable name of the status."""
        return _LABELS[self]

    @property
    def counts(self) -> bool:
        """True if the item is covered.

        A covered item is filled, declared absent with a reason, or written by the authors.
        """
        return self in (Status.COVERED, Status.DECLARED, Status.EDITED)


_LABELS: Final = {
    Status.COVERED: "filled",
    Status.DECLARED: "stated as absent",
    Status.EDITED: "written by the authors",
    Status.DRAFT: "draft, to be finished by the authors",
    Status.OPEN: "open",
}


@dataclass(frozen=True)
class Origin:
    """Origin of a sentence.

    Attributes
    ----------
    kind
        ``parameter``, ``ranking``, ``results``, ``audit``, ``platform``, ``assessment`` or ``authors``.
    words
        Description for the reader.
    digest, address
        Digest that proves the origin, and address at which it can be read.
    """

    kind: str
    words: str
    digest: str = ""
    address: str = ""


@dataclass(frozen=True)
class Sentence:
    """A text with the keys of its origins."""

    text: str
    origins: tuple[str, ...]


Paragraph = tuple[Sentence, ...]


@dataclass(frozen=True)
class Exhibit(Block):
    """A block below the text of an item, with the keys of its origins.

    Attributes
    ----------
    topic
        What it shows, by which the paper finds it: a parameter of the design, or a word of ours.
    """

    origins: tuple[str, ...] = ()
    topic: str = ""


@dataclass(frozen=True)
class Edit:
    """Text that the authors wrote instead of the generated text.

    `source_changed` is true if the generated text has changed since.
    """

    text: str
    author: str
    date: str
    based_on: str
    source_changed: bool


@dataclass
class Item:
    """A part of a report that is read, edited and counted on its own: one of the 79 items of the guideline."""

    number: str
    title: str
    fill: Fill
    parameters: tuple[str, ...]
    text: list[Paragraph] = field(default_factory=list)
    exhibits: list[Exhibit] = field(default_factory=list)
    prompt: str = ""
    declared: bool = False
    edit: Edit | None = None

    @property
    def anchor(self) -> str:
        """Its place in every format."""
        return f"item-{self.number}"

    def named(self, name: Callable[[str], str]) -> Self:
        """Return this item with `name` applied to its sentences, tables, captions and lists."""
        self.text = [
            tuple(replace(sentence, text=name(sentence.text)) for sentence in paragraph) for paragraph in self.text
        ]
        self.exhibits = [
            replace(
                exhibit,
                text=name(exhibit.text),
                items=tuple(map(name, exhibit.items)),
                rows=tuple(tuple(map(name, row)) for row in exhibit.rows),
            )
            for exhibit in self.exhibits
        ]
        return self

    @property
    def generated(self) -> str:
        """The generated text, paragraph by paragraph, as an editor shows it."""
        return "\n\n".join(" ".join(sentence.text for sentence in paragraph) for paragraph in self.text)

    @property
    def status(self) -> Status:
        """Status of the item."""
        if self.edit is not None:
            return Status.EDITED if self.edit.text.strip() else Status.OPEN
        if not self.text and not self.exhibits:
            return Status.DRAFT if self.prompt and self.fill is Fill.DRAFT else Status.OPEN
        if self.fill is not Fill.FULL:
            return Status.DRAFT
        return Status.DECLARED if self.declared else Status.COVERED


@dataclass
class Chapter:
    """A part of the report."""

    key: str
    title: str
    items: list[Item]


class Ledger:
    """The origins of a report, each kept once under a short key."""

    def __init__(self) -> None:
        self.origins: dict[str, Origin] = {}
        self._keys: dict[Origin, str] = {}

    def key(self, origin: Origin) -> str:
        """The key of an origin."""
        if origin not in self._keys:
            key = f"o{len(self._keys) + 1}"
            self._keys[origin] = key
            self.origins[key] = origin
        return self._keys[origin]

    def say(self, text: str, *origins: Origin) -> Sentence:
        """A sentence with its origins; one without any is an error, so that none can be forgotten."""
        if not origins:
            raise ValueError(f"a sentence without an origin: {text}")
        return Sentence(text, tuple(self.key(origin) for origin in origins))

    def paragraph(self, texts: Iterable[str], *origins: Origin) -> Paragraph:
        """Sentences of the same origins."""
        return tuple(self.say(text, *origins) for text in texts if text)

    def keys(self, *origins: Origin) -> tuple[str, ...]:
        """The keys of several origins."""
        return tuple(self.key(origin) for origin in origins)


def plain(chapters: Iterable[Chapter], ledger: Ledger, **more: Any) -> dict[str, Any]:
    """The content as JSON values; figures and tables are numbered in the order of the report."""
    numbers = {"figure": count(1), "table": count(1)}
    return {
        "schema": SCHEMA,
        **more,
        "origins": {key: asdict(origin) for key, origin in ledger.origins.items()},
        "chapters": [
            {"key": chapter.key, "title": chapter.title, "items": [item_json(item, numbers) for item in chapter.items]}
            for chapter in chapters
        ],
    }


def item_json(item: Item, numbers: Mapping[str, Iterator[int]]) -> dict[str, Any]:
    """An item as JSON values; `numbers` are those of the next figure and table."""
    return {
        "number": item.number,
        "title": item.title,
        "anchor": item.anchor,
        "fill": str(item.fill),
        "status": str(item.status),
        "parameters": list(item.parameters),
        "prompt": item.prompt,
        "text": [[asdict(sentence) for sentence in paragraph] for paragraph in item.text],
        "generated": item.generated,
        "exhibits": [_exhibit_json(exhibit, numbers) for exhibit in item.exhibits],
        "edit": asdict(item.edit) if item.edit else None,
    }


def _exhibit_json(exhibit: Exhibit, numbers: Mapping[str, Iterator[int]]) -> dict[str, Any]:
    label = f"{exhibit.kind.capitalize()} {next(numbers[exhibit.kind])}" if exhibit.kind in numbers else ""
    return _without_blanks({**asdict(exhibit), "label": label})


def shown_paragraphs(item: Mapping[str, Any]) -> list[list[Mapping[str, Any]]]:
    """The paragraphs that a reader sees: those of the authors where they wrote some."""
    if item["edit"] is None:
        return list(item["text"])
    parts = [part.strip() for part in item["edit"]["text"].split("\n\n")]
    return [[{"text": part, "origins": ["authors"]}] for part in parts if part]


def items_of(content: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """All items in the order of the report."""
    return [item for chapter in content["chapters"] for item in chapter["items"]]


def _without_blanks(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value not in ("", (), 0, None)}
