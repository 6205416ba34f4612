"""From the content of a report to the blocks of a paper: every item of the guideline once, in the order of a reader."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, Final

from evaluation.documents import Block, Sentence
from reports.domain.content import Status, items_of, shown_paragraphs
from reports.domain.paper import plan
from reports.domain.paper.sources import Sources
from reports.domain.phrases import table_words
from reports.exposure.domain.words import were

Content = Mapping[str, Any]
ABSTRACT: Final = ("Background", "Methods", "Results", "Conclusions")
_ENDS: Final = ".!?…"
_SHORT: Final = {Status.DRAFT: "draft", Status.EDITED: "by the authors", Status.DECLARED: "declared absent"}


def paper_blocks(content: Content) -> list[Block]:
    """The paper, and behind it the checklist with the sources of every item."""
    return list(_Paper(content).blocks())


class _Paper:
    """Composition of the paper from the items of a report.

    Each sentence appears once, with the numbers of all items that contain it.
    """

    def __init__(self, content: Content) -> None:
        self.content = content
        self.items: dict[str, Mapping[str, Any]] = {item["number"]: item for item in items_of(content)}
        self.sources = Sources(content)
        self._section = ""
        self._where: dict[str, tuple[str, str]] = {}
        self._said: dict[tuple[str, str], tuple[int, int]] = {}
        self._blocks: list[Block] = []
        self._counts = {"figure": count(1), "table": count(1)}

    def blocks(self) -> list[Block]:
        """Return all blocks of the paper.

        The checklist comes last, because it shows the section of each item.
        """
        self._front()
        self._heading("Introduction")
        for numbers in plan.INTRODUCTION:
            self._paragraph(numbers)
        self._heading("Methods")
        for title, paragraphs in plan.METHODS:
            self._heading(title, 3, within="Methods")
            for numbers in paragraphs:
                self._paragraph(numbers)
        self._heading("Results")
        self._results()
        self._heading("Discussion")
        for numbers in plan.DISCUSSION:
            self._paragraph(numbers)
        self._heading("Limitations")
        self._paragraph(plan.LIMITATIONS)
        self._deviations()
        self._exposure()
        self._heading("Conclusion")
        self._paragraph(plan.CONCLUSION)
        self._appendix()
        return self._blocks

    # Front

    def _front(self) -> None:
        content = self.content
        self._section = "Title"
        self._blocks.append(Block("heading", content["title"], 1, anchor=self._place("1")))
        if content.get("byline"):
            self._blocks.append(Block("text", content["byline"]))
        self._blocks.append(Block("remark", made_from(content)))
        if left := self._left_to_write():
            self._blocks.append(Block("mark", left))
        self._heading("Abstract")
        self._abstract()
        self._paragraph(("3",), lead="Keywords")

    def _left_to_write(self) -> str:
        """Return a text that lists the items that are drafts and the items without content."""
        drafts = [item["number"] for item in self.items.values() if Status(item["status"]) is Status.DRAFT]
        blank = [item["number"] for item in self.items.values() if Status(item["status"]) is Status.OPEN]
        sentences = [f"Drafts, to be finished by the authors: {', '.join(drafts)}."] if drafts else []
        sentences += [f"Nothing is there yet for: {', '.join(blank)}."] if blank else []
        return (
            " ".join([*sentences, "Numbers are those of the BIAS guideline, and stand beside each sentence."])
            if sentences
            else ""
        )

    def _abstract(self) -> None:
        """Add item 2 by the parts of the abstract.

        A paragraph that starts with the name of a part appears under that name.
        """
        for paragraph in self._paragraphs("2"):
            lead, _, rest = paragraph[0][0].partition(": ")
            if lead in ABSTRACT:
                self._prose([(rest, "2"), *paragraph[1:]], lead=lead, repeats=True)
            else:
                self._prose(paragraph, repeats=True)
        self._mark("2")

    # Paragraphs

    def _heading(self, title: str, level: int = 2, *, within: str = "") -> None:
        self._section = f"{within}: {title}" if within else title
        self._blocks.append(Block("heading", title, level))

    def _paragraph(self, numbers: Sequence[str], *, lead: str = "") -> None:
        """One paragraph of several items, then the tables that they keep, then what is left to write."""
        sentences: list[tuple[str, str]] = []
        tables: list[Mapping[str, Any]] = []
        paragraphs: list[list[tuple[str, str]]] = []
        for number in numbers:
            parts = self._paragraphs(number)
            length = sum(len(text) for part in parts for text, _ in part)
            if len(numbers) == 1 and length > plan.JOINED:
                paragraphs += parts
            else:
                sentences += [sentence for part in parts for sentence in part]
            for exhibit in self._kept(number):
                if self._is_told(exhibit):
                    rows = exhibit.get("rows", ())
                    words = table_words(exhibit["text"], exhibit["columns"], rows, topic=exhibit["topic"])
                    sentences.append((words, number))
                else:
                    tables.append({**exhibit, "item": number})
        for part in [*paragraphs, sentences]:
            self._prose(part, lead=lead)
        for table in tables:
            self._exhibit(table)
        for number in numbers:
            self._mark(number)

    def _paragraphs(self, number: str) -> list[list[tuple[str, str]]]:
        """The sentences of an item, each with the number."""
        return [
            [(sentence["text"], number) for sentence in paragraph if sentence["text"].strip()]
            for paragraph in shown_paragraphs(self.items[number])
            if paragraph
        ]

    def _kept(self, number: str) -> list[Mapping[str, Any]]:
        return [
            exhibit
            for exhibit in self.items[number]["exhibits"]
            if exhibit["kind"] == "table" and exhibit.get("topic") and exhibit["topic"] not in plan.LEFT_OUT
        ]

    def _is_told(self, exhibit: Mapping[str, Any]) -> bool:
        return exhibit["topic"] not in plan.AS_TABLES and len(exhibit.get("rows", ())) <= plan.MOST_ROWS

    def _prose(
        self,
        sentences: Iterable[tuple[str, str]],
        *,
        lead: str = "",
        references: Mapping[int, str] | None = None,
        repeats: bool = False,
        about: str = "",
    ) -> None:
        """Add a paragraph.

        A sentence that already appears elsewhere is not repeated. The number of the item is added there.

        Parameters
        ----------
        references
            Anchors of the exhibits that a sentence points to, by the position of the sentence.
        repeats
            Whether to repeat earlier sentences, as an abstract does.
        about
            Subject of the sentences, for example one of two tasks. Equal sentences about different subjects are
            different statements.
        """
        rows: list[Sentence] = []
        before = ""
        for position, (words, number) in enumerate(sentences):
            text = " ".join(words.split())
            if not text:
                continue
            if not repeats and (about, text) in self._said:
                self._also((about, text), number, rows)
                continue
            end = text[-1] if text[-1] in _ENDS else ""
            anchor = self._place(number)
            if not repeats:
                self._said[about, text] = (len(self._blocks), len(rows))
                self._said.setdefault(("", text), self._said[about, text])
            rows.append(
                Sentence(
                    words=text[: len(text) - len(end)],
                    end=end,
                    notes="" if number == before else f"row-{number} {number}",
                    references=(references or {}).get(position, ""),
                    anchors=anchor,
                )
            )
            before = number
        if rows:
            self._blocks.append(Block("prose", lead, rows=tuple(rows)))

    def _also(self, sentence_key: tuple[str, str], number: str, current: list[Sentence]) -> None:
        """Add the number of another item to an existing sentence.

        The sentence can be in the current paragraph.
        """
        block, row = self._said[sentence_key]
        is_current = block == len(self._blocks)
        rows = current if is_current else [Sentence(*values) for values in self._blocks[block].rows]
        sentence, note = rows[row], f"row-{number} {number}"
        if note in sentence.notes.splitlines():
            return
        anchor = self._place(number, section=self._where_of(sentence))
        rows[row] = sentence._replace(
            notes=f"{sentence.notes}\n{note}".strip(), anchors=f"{sentence.anchors} {anchor}".strip()
        )
        if not is_current:
            self._blocks[block] = replace(self._blocks[block], rows=tuple(rows))

    def _where_of(self, sentence: Sentence) -> str:
        for anchor in sentence.anchors.split():
            for section_anchor, section in self._where.values():
                if section_anchor == anchor:
                    return section
        return self._section

    def _place(self, number: str, *, section: str = "") -> str:
        """Return the anchor of an item at its first occurrence; empty at later ones."""
        if number in self._where:
            return ""
        self._where[number] = (f"item-{number}", section or self._section)
        return f"item-{number}"

    def _mark(self, number: str) -> None:
        """Add a mark for the text that the authors must still write."""
        item = self.items[number]
        if Status(item["status"]) in (Status.OPEN, Status.DRAFT) and item["prompt"]:
            self._blocks.append(
                Block("mark", f"To be written by the authors ({number}): {item['prompt']}", anchor=self._place(number))
            )

    # Results

    def _results(self) -> None:
        several = len(self.content["results"]) > 1
        for result in self.content["results"]:
            if several:
                self._heading(result["phase"], 3, within="Results")
            self._result(result)
        if not self.content["results"]:
            self._prose([("This report tells no ranking.", "35a")])
        for number in sorted(plan.RESULTS):
            self._written(number)
        self._paragraph(("36",))
        self._heading("Participation", 3, within="Results")
        self._paragraph(plan.TEAMS)

    def _result(self, result: Mapping[str, Any]) -> None:
        """The parts of one ranking: a paragraph, then the exhibits that it points to."""
        for part in result["parts"]:
            anchors = [f"{exhibit['kind']}-{result['key']}-{exhibit['topic']}" for exhibit in part["exhibits"]]
            sentences = [(sentence["text"], sentence["item"]) for sentence in part["sentences"]]
            unedited = [(text, number) for text, number in sentences if self.items[number]["edit"] is None]
            references: dict[int, str] = {}
            for anchor, exhibit in zip(anchors, part["exhibits"], strict=True):
                position = min(exhibit.get("beside", 0), max(len(unedited) - 1, 0))
                references[position] = f"{references.get(position, '')} {anchor}".strip()
            self._prose(unedited, references=references, about=result["key"])
            for anchor, exhibit in zip(anchors, part["exhibits"], strict=True):
                self._exhibit({**exhibit, "item": exhibit["item"]}, anchor)

    def _written(self, number: str) -> None:
        """Add the text that the authors wrote instead of sentences about the results."""
        if self.items[number]["edit"] is not None:
            for paragraph in self._paragraphs(number):
                self._prose(paragraph)

    def _exhibit(self, exhibit: Mapping[str, Any], anchor: str = "") -> None:
        kind = exhibit["kind"]
        label = f"{kind.capitalize()} {next(self._counts[kind])}"
        anchor = anchor or f"{kind}-{label.rpartition(' ')[2]}"
        number = self._place(exhibit["item"]) if exhibit.get("item") else ""
        if number:
            # A table alone can be what an item says.
            self._blocks.append(
                Block(
                    "prose",
                    rows=(
                        Sentence(
                            f"{exhibit['text'].rstrip('.')}",
                            ".",
                            f"row-{exhibit['item']} {exhibit['item']}",
                            anchor,
                            number,
                        ),
                    ),
                )
            )
        rows = tuple(tuple(map(str, row)) for row in exhibit.get("rows", ()))
        more = ""
        if exhibit["topic"] in plan.SHORTENED and len(rows) > plan.MOST_ROWS:
            more = (
                f". Shown are the first {plan.MOST_ROWS} of {len(rows)} rows; the pages of the report have all of them."
            )
            rows = rows[: plan.MOST_ROWS]
        self._blocks.append(
            Block(
                kind,
                f"{exhibit['text']}{more}",
                columns=tuple(exhibit.get("columns", ())),
                rows=rows,
                name=exhibit.get("name", ""),
                anchor=anchor,
                label=label,
            )
        )

    # Behind the discussion

    def _deviations(self) -> None:
        """Add the deviations of the execution from the registered design."""
        design = self.content["design"]
        if design is None or design["kind"] != "registration":
            words = "The challenge runs without a registration, so that nothing could be compared."
            self._blocks.append(Block("text", words))
        elif not self.content["deviations"]:
            self._blocks.append(Block("text", "Nothing that was executed deviates from the registered design."))
        else:
            self._heading("Deviations from the registered design", 3, within="Limitations")
            rows = tuple(
                (entry["phase"], entry["what"], entry["reason"], (entry["since"] or "")[:10])
                for entry in self.content["deviations"]
            )
            self._blocks.append(Block("table", columns=("Phase", "What", "Reason", "Date"), rows=rows))

    def _exposure(self) -> None:
        challenge, counts = self.content["challenge"], self.content["exposure"]["summary"]
        words = (
            f"Of {sum(counts.values())} known ways to manipulate a result, {were(counts['prevented'])} prevented, "
            f"{counts['detectable']} could only have been detected, and {were(counts['uncovered'])} not covered; the exposure "
            f"report has the facts for each: {challenge.get('site', '')}/challenges/{challenge['slug']}/report/exposure/."
        )
        self._blocks.append(Block("text", words))

    def _appendix(self) -> None:
        score = self.content["score"]
        self._heading("Appendix A: Checklist of the BIAS guideline")
        words = (
            f"{score['covered']} of {score['items']} items are covered; drafts: {score['draft']}; open: {score['open']}. "
            "Sources are named in Appendix B; behind the name of a design stand its parameters."
        )
        self._blocks.append(Block("text", words))
        rows, names = [], []
        for item in self.items.values():
            anchor, section = self._where.get(item["number"], ("", ""))
            status = Status(item["status"])
            keys = {
                key for paragraph in shown_paragraphs(item) for sentence in paragraph for key in sentence["origins"]
            }
            keys |= {key for exhibit in item["exhibits"] for key in exhibit.get("origins", ())}
            rows.append(
                (
                    f"row-{item['number']}",
                    item["number"],
                    item["title"],
                    _SHORT.get(status, status.label),
                    self.sources.named(keys) or "–",
                    anchor,
                )
            )
            names.append(section)
        columns = ("Item", "What", "Status", "Sources", "Where")
        self._blocks.append(Block("checklist", columns=columns, rows=tuple(rows), items=tuple(names)))
        self._heading("Appendix B: Sources")
        words = (
            "Of digests (SHA-256) the first 16 digits stand here; the pages of the report show all of them, and each sentence with its "
            "source."
        )
        self._blocks.append(Block("text", words))
        self._blocks.append(
            Block("table", columns=("Name", "Source", "SHA-256", "Address"), rows=tuple(self.sources.rows))
        )


def made_from(content: Content) -> str:
    """Return a sentence that lists the sources of the report."""
    parts = [f"Podium {content['software']}"]
    if design := content["design"]:
        parts.append(f"{design['label']} (SHA-256 {design['digest'][:16]}…)")
    several = len({ranking.get("task") for ranking in content["rankings"]}) > 1
    parts += [
        f"ranking {ranking['number']} of {', '.join([ranking['task']] * several + [ranking['phase']])} "
        f"(SHA-256 {ranking['digest'][:16]}…)"
        for ranking in content["rankings"]
    ]
    return f"Made from {'; '.join(parts)}."
