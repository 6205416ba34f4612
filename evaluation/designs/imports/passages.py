"""Division of a structured description into passages: what the organizers wrote under each item of the form."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from evaluation.designs.imports.description import CHALLENGE, HEADINGS, SECTIONS, TASK, Heading, Item
from evaluation.designs.imports.lines import Line, letter_places, letters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TASK: Final = re.compile(r"^TASK\s*(?:\d{1,2})?\s*[:.–—-]\s*(?P<name>\S.*)$")
_LETTERED: Final = re.compile(r"^\(?(?P<letter>[a-f])\s?[).:]\s*")
_NUMBERED: Final = re.compile(r"^\d{1,2}\s?[a-f]?[.):]?\s+(?=\S)")
_BULLET: Final = re.compile(r"^(?:[•●▪◦‣·–—*]|[-o](?=\s)|\(?\d{1,2}[.)]|\(?[a-z][.)])\s*")
_LONGEST_PROMPT: Final = 1_500
_TITLE_LINES: Final = 4
# Share of the lines that are shorter than a full line, and the share of a full line that leaves no room for a word.
_WIDE: Final = 0.95
_FULL: Final = 0.85
_EXAMPLES: Final = letters("Examples")
_LONGEST_HEADING: Final = 90
# Headings that are ordinary words need their place in the order, or the mark of a heading.
_FEWEST_LETTERS: Final = 4


@dataclass
class Passage:
    """Text below one item of the form.

    Attributes
    ----------
    heading
        Heading of the form, as the document's title of the passage.
    task
        Index of the task from 0; None for the challenge.
    item
        The item; None for text that belongs to no item.
    """

    heading: str
    task: int | None
    item: Item | None
    lines: list[Line] = field(default_factory=list)

    @property
    def page(self) -> int | None:
        """Page on which the text begins."""
        return self.lines[0].page if self.lines else None


@dataclass(frozen=True)
class Division:
    """A divided document.

    Attributes
    ----------
    tasks
        Names of the tasks with their pages.
    prompts
        Number of instructions of the form that the document contains.
    """

    passages: tuple[Passage, ...]
    tasks: tuple[tuple[str, int | None], ...]
    prompts: int
    headings: int


def divide(lines: Sequence[Line]) -> Division:
    """Divide a document into passages."""
    return _Divider(list(_by_cells(lines))).divide()


def _by_cells(lines: Iterable[Line]) -> Iterable[Line]:
    """Yield the cells of a row one by one where a cell is a heading or an instruction of the form."""
    known_names = _names()
    starts = tuple(_starts())
    for line in lines:
        reduced = [letters(cell) for cell in line.cells]
        if any(cell in known_names or cell.startswith(starts) or cell[1:].startswith(starts) for cell in reduced):
            for cell in line.cells:
                for text in cell.split("\n"):
                    if text.strip():
                        yield Line(text.strip(), line.page, is_heading=letters(text) in known_names, is_paragraph=True)
        else:
            yield line


class _Divider:
    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.stream = ""
        self.offsets: list[int] = []
        self.places: list[list[int]] = []
        pieces: list[str] = []
        total = 0
        for line in lines:
            matches_found, places = letter_places(line.text)
            self.offsets.append(total)
            self.places.append(places)
            pieces.append(matches_found)
            total += len(matches_found)
        self.stream = "".join(pieces)
        self.passages: list[Passage] = []
        self.tasks: list[tuple[str, int | None]] = []
        self.order = -1
        self.part = CHALLENGE
        self.prompts = 0
        self.headings = 0
        self.current = Passage("", None, None)
        self.heading: Heading | None = None
        self.has_prompt = False

    def divide(self) -> Division:
        at, rest = 0, 0
        while at < len(self.lines):
            taken = 0 if rest else self._task(at) or self._title(at)
            if taken:
                at += taken
                continue
            prompted = self._prompt(at, rest)
            if prompted is not None:
                at, rest = prompted
                continue
            self._add(at, rest)
            at, rest = at + 1, 0
        self._close()
        return Division(tuple(self.passages), tuple(self.tasks), self.prompts, self.headings)

    def _add(self, at: int, rest: int) -> None:
        line = self.lines[at]
        text = line.text[rest:].strip() if rest else line.text
        heading = self.heading
        match = _LETTERED.match(text)
        if heading is not None and match and not self.has_prompt and len(heading.items) > 1:
            letter = self.current.item.letter if self.current.item is not None and self.current.lines else ""
            wanted = chr(ord(letter) + 1) if letter else "a"
            item = next((item for item in heading.items if item.letter == match["letter"] == wanted), None)
            if item is not None:
                self._open(heading, item)
                text = text[match.end() :]
        if text:
            self.current.lines.append(replace(line, text=text) if text != line.text else line)

    def _task(self, at: int) -> int:
        """Return the number of lines of a task's title that begins here; 0 for none."""
        line = self.lines[at]
        match = _TASK.match(line.text)
        if not match:
            return 0
        summary = letters("SUMMARY")
        following = range(at + 1, min(at + 1 + _TITLE_LINES, len(self.lines)))
        end = next((location for location in following if letters(self.lines[location].text) == summary), None)
        if end is None and not line.is_heading:
            return 0
        name = " ".join([match["name"], *(self.lines[location].text for location in range(at + 1, end or at + 1))])
        self._begin_task(name, line.page)
        return (end or at + 1) - at

    def _begin_task(self, name: str, page: int | None) -> None:
        self._close()
        self.tasks.append((name, page))
        self.part, self.order, self.heading = TASK, -1, None

    def _title(self, at: int) -> int:
        """Return 1 for a line that is a heading of the form and opens its passage, else 0."""
        line = self.lines[at]
        if len(line.text) > _LONGEST_HEADING and ":" not in line.text[:_LONGEST_HEADING]:
            return 0
        plain = _NUMBERED.sub("", line.text)
        reduced = letters(plain)
        section = next((part for part, names in _sections().items() if reduced in names), None)
        if section is not None and (plain.isupper() or line.is_heading):
            self._close()
            if section == TASK and self.part == CHALLENGE:
                self._begin_task("", None)
            if section == CHALLENGE:
                self.part, self.order = CHALLENGE, -1 if not self.tasks else self.order
                self.current = Passage("", None, None)
            self.headings += 1
            return 1
        before, colon, after = plain.partition(":")
        for text, answer in ((plain, ""), (before, after.strip())) if colon else ((plain, ""),):
            matches_found = self._known(letters(text), is_marked=line.is_heading)
            if matches_found is not None:
                heading, item = matches_found
                self._open(heading, item)
                if answer:
                    self.current.lines.append(replace(line, text=answer))
                return 1
        return 0

    def _known(self, reduced: str, *, is_marked: bool) -> tuple[Heading, Item] | None:
        if len(reduced) < _FEWEST_LETTERS:
            return None
        for index, item in _names().get(reduced, ()):
            heading = HEADINGS[index]
            is_next = index > self.order or (heading is self.heading and item is not self.current.item)
            if heading.part == self.part and (is_next or (is_marked and index != self.order)):
                return heading, item or heading.items[0]
        # A document of one task may have no title above its task.
        if self.part == CHALLENGE and not self.tasks and is_marked:
            for index, item in _names().get(reduced, ()):
                if HEADINGS[index].part == TASK:
                    self._begin_task("", None)
                    return HEADINGS[index], item or HEADINGS[index].items[0]
        return None

    def _open(self, heading: Heading, item: Item) -> None:
        self._close()
        if heading is not self.heading:
            self.has_prompt = False
        self.heading = heading
        self.order = HEADINGS.index(heading)
        self.headings += 1
        task = len(self.tasks) - 1 if heading.part == TASK else None
        self.current = Passage(heading.names[0], task, item)

    def _close(self) -> None:
        if self.current.lines:
            self.passages.append(self.current)
        self.current = Passage(self.current.heading, self.current.task, None)

    def _prompt(self, at: int, rest: int) -> tuple[int, int] | None:
        """Return the place after the instruction that begins here; None if none begins here."""
        if rest:
            return None
        start = self.offsets[at]
        starts = [start, *([start + 1] if _LETTERED.match(self.lines[at].text) else [])]
        heading = self.heading
        if heading is not None:
            for note in heading.notes:
                end = self._end(starts, note)
                if end is not None:
                    self.has_prompt = True
                    return self._after(end)
        matches_found = self._item_at(starts)
        if matches_found is None:
            return None
        heading, item, end = matches_found
        if item is not self.current.item or self.current.lines or heading is not self.heading:
            self._open(heading, item)
        self.has_prompt = True
        self.prompts += 1
        return self._after(self._rest(item, end))

    def _item_at(self, starts: list[int]) -> tuple[Heading, Item, int] | None:
        indexes = [self.order] if self.heading is not None else []
        indexes += [index for index in range(len(HEADINGS)) if index > self.order]
        for index in indexes:
            heading = HEADINGS[index]
            if heading.part != self.part:
                continue
            for item in heading.items:
                if not item.prompts:
                    continue
                # The first instruction of a later heading may have lost its heading, if it is unmistakable.
                end = self._end(starts, item.prompts[0])
                if end is not None and (heading is self.heading or len(heading.items) > 1):
                    return heading, item, end
        return None

    def _rest(self, item: Item, end: int) -> int:
        for prompt in item.prompts[1:]:
            matches_found = self._end([end], prompt)
            if matches_found is not None:
                end = matches_found
            elif letters(prompt) == _EXAMPLES:
                break
        return end

    def _end(self, starts: list[int], prompt: str) -> int | None:
        """Return the end of an instruction in the stream of letters if it begins at one of the places."""
        ends: list[int] = []
        for edition in prompt.split(" || "):
            first, _, last = edition.partition(" … ")
            head, tail = letters(first), letters(last)
            for start in starts:
                if not self.stream.startswith(head, start):
                    continue
                end = self.stream.find(tail, start + len(head), start + _LONGEST_PROMPT)
                if end >= 0:
                    ends.append(end + len(tail))
        # The last words of another edition may occur in the answer.
        return min(ends, default=None)

    def _after(self, end: int) -> tuple[int, int]:
        """Return the line and the position in it that follow a place in the stream."""
        at = bisect_right(self.offsets, end - 1) - 1
        # Lines without letters share the offset of the line after them.
        while not self.places[at]:
            at -= 1
        location = self.places[at][end - 1 - self.offsets[at]] + 1
        text = self.lines[at].text
        rest = re.match(r"[\s).:;,\]”\"'’>…]*", text[location:])
        location += rest.end() if rest else 0
        return (at + 1, 0) if location >= len(text) else (at, location)


@cache
def _sections() -> dict[str, frozenset[str]]:
    return {part: frozenset(map(letters, names)) for part, names in SECTIONS.items()}


@cache
def _names() -> dict[str, tuple[tuple[int, Item | None], ...]]:
    """Headings and items by their reduced names."""
    names: dict[str, list[tuple[int, Item | None]]] = {}
    for index, heading in enumerate(HEADINGS):
        for name in heading.names:
            names.setdefault(letters(name), []).append((index, None))
        for item in heading.items:
            for title in item.titles:
                names.setdefault(letters(title), []).append((index, item))
    return {name: tuple(places) for name, places in names.items()}


@cache
def _starts() -> frozenset[str]:
    starts: set[str] = set()
    for heading in HEADINGS:
        prompts = [*heading.notes, *(item.prompts[0] for item in heading.items if item.prompts)]
        starts.update(letters(edition.partition(" … ")[0]) for prompt in prompts for edition in prompt.split(" || "))
    return frozenset(start for start in starts if len(start) >= 2 * _FEWEST_LETTERS)


@dataclass(frozen=True)
class Layout:
    """Layout of a document, which decides where lines that end at the margin are joined.

    Attributes
    ----------
    width
        Characters of a full line.
    vocabulary
        Number of each word of the document, to decide whether a hyphen at the end of a line is part of a word.
    """

    width: int
    vocabulary: Counter[str]


def layout_of(lines: Sequence[Line]) -> Layout:
    """Measure the layout of a document."""
    lengths = sorted(len(line.text) for line in lines) or [0]
    words = Counter(word for line in lines for word in re.findall(r"\w+(?:-\w+)*", line.text.casefold()))
    return Layout(lengths[int(_WIDE * (len(lengths) - 1))], words)


def words_of(lines: Sequence[Line], layout: Layout) -> str:
    """Return the text of lines; lines that end at the margin are joined to paragraphs."""
    if not lines:
        return ""
    text = lines[0].text
    for before, line in pairwise(lines):
        room = layout.width * _FULL - len(before.text)
        if before.is_paragraph or line.is_paragraph or _BULLET.match(line.text) or len(line.text.split()[0]) < room:
            text += "\n" + line.text
        elif text.endswith(("-", "\u00ad")):
            text = _joined(text, line.text, layout.vocabulary)
        else:
            text += " " + line.text
    return text.replace("\u00ad", "")


def _joined(text: str, following: str, vocabulary: Counter[str]) -> str:
    head = re.search(r"(\w+)[-\u00ad]$", text)
    tail = re.match(r"\w+", following)
    if head is None or tail is None:
        return text + following
    whole, hyphenated = head[1] + tail[0], f"{head[1]}-{tail[0]}"
    is_soft = text.endswith("\u00ad") or vocabulary[whole.casefold()] > vocabulary[hyphenated.casefold()]
    return (text[:-1] if is_soft else text) + following
