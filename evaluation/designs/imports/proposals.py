"""Proposals for the fields of a design, each with its page and the original words of the document."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from evaluation.designs.document import Document, Entry, State
from evaluation.designs.imports.lines import letters
from evaluation.designs.imports.passages import layout_of, words_of
from evaluation.designs.imports.values import Found, find, is_no_answer

if TYPE_CHECKING:
    from evaluation.designs.catalogue import Catalogue, Parameter
    from evaluation.designs.imports.lines import Pages
    from evaluation.designs.imports.passages import Division

STRUCTURED: Final = "structured_description"
EXPORT: Final = "export"
GRAND_CHALLENGE: Final = "grand_challenge"
_FEWEST_ITEMS: Final = 5
_KNOWN_SOURCES: Final = {
    STRUCTURED: "structured description of a challenge design",
    EXPORT: "design exported from Podium",
    GRAND_CHALLENGE: "file of Grand Challenge",
}


@dataclass(frozen=True)
class Proposal:
    """A proposed value of a field.

    Attributes
    ----------
    parameter
        Id in the catalogue.
    task
        Index of the task from 0; None for the challenge.
    page
        Page on which the words begin; None if the document does not name its pages.
    words
        The words of the document.
    entry
        The proposed content; blank if the organizers must choose.
    question
        What the organizers must decide; empty for a value that the document states exactly.
    suggestions
        Options that the words mention.
    others
        Different words in other tasks of the document, each with its place.
    """

    parameter: str
    task: int | None
    page: int | None
    words: str
    entry: Entry
    question: str = ""
    suggestions: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """True if the document states the value and nothing is asked."""
        return not self.question and self.entry.state is not State.BLANK

    def as_json(self) -> dict[str, Any]:
        """Return the proposal as JSON values."""
        entry = self.entry
        return {
            "parameter": self.parameter,
            "task": self.task,
            "page": self.page,
            "words": self.words,
            "value": entry.value,
            "details": entry.details,
            **entry.as_state(),
            "question": self.question,
            "suggestions": list(self.suggestions),
            "others": list(self.others),
        }


@dataclass(frozen=True)
class Unplaced:
    """A passage that belongs to no field."""

    heading: str
    page: int | None
    words: str


@dataclass(frozen=True)
class DesignProposals:
    """All proposals of a document.

    Attributes
    ----------
    source
        `STRUCTURED`, `EXPORT` or `GRAND_CHALLENGE`.
    tasks
        Names of the tasks; empty for a task without a name.
    unplaced
        Passages that belong to no field.
    notes
        Sentences about what was not read.
    """

    file: str
    source: str
    pages: int
    tasks: tuple[str, ...]
    proposals: tuple[Proposal, ...]
    unplaced: tuple[Unplaced, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def source_words(self) -> str:
        """Kind of the document, for people."""
        return _KNOWN_SOURCES[self.source]

    def document(self) -> Document:
        """Return the design with every exact proposal accepted."""
        tasks: dict[str, dict[str, Entry]] = {f"task-{index}": {} for index in range(1, max(1, len(self.tasks)) + 1)}
        challenge: dict[str, Entry] = {}
        for proposal in self.proposals:
            if proposal.is_exact:
                entries = challenge if proposal.task is None else tasks[f"task-{proposal.task + 1}"]
                entries[proposal.parameter] = proposal.entry
        return Document(challenge, tasks)

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "file": self.file,
            "source": self.source,
            "pages": self.pages,
            "tasks": list(self.tasks),
            "proposals": [proposal.as_json() for proposal in self.proposals],
            "unplaced": [{"heading": item.heading, "page": item.page, "words": item.words} for item in self.unplaced],
            "notes": list(self.notes),
        }


def is_structured(division: Division) -> bool:
    """Return whether a divided document is a structured description."""
    return len({id(passage.item) for passage in division.passages if passage.item is not None}) >= _FEWEST_ITEMS


def propose(pages: Pages, division: Division, *, catalogue: Catalogue) -> DesignProposals:
    """Return the proposals of a structured description."""
    collected = _Collected(catalogue)
    layout = layout_of(pages.lines)
    unplaced: list[Unplaced] = []
    for index, (name, page) in enumerate(division.tasks):
        if name:
            collected.add(Proposal("task_name", index, page, name, Entry(value=name[:500], state=State.PROVIDED)))
    for passage in division.passages:
        words = words_of(passage.lines, layout).strip()
        if is_no_answer(words):
            continue
        found_any = False
        for role in passage.item.roles if passage.item is not None else ():
            parameter = catalogue[role.parameter]
            matches_found = find(parameter, role.rule, words)
            if matches_found is None:
                continue
            found_any = True
            collected.add(_proposal(parameter, passage.task, passage.page, words, matches_found))
        if not found_any and passage.heading:
            unplaced.append(Unplaced(passage.heading, passage.page, words))
    return DesignProposals(
        file=pages.file,
        source=STRUCTURED,
        pages=pages.pages,
        tasks=tuple(name for name, _ in division.tasks),
        proposals=collected.ordered(),
        unplaced=tuple(unplaced),
        notes=pages.notes,
    )


def _proposal(parameter: Parameter, task: int | None, page: int | None, words: str, matches_found: Found) -> Proposal:
    if matches_found.state is not State.PROVIDED:
        entry = Entry(state=matches_found.state, reason=matches_found.reason)
    elif matches_found.value is None:
        entry = Entry(details=matches_found.details)
    else:
        entry = Entry(value=matches_found.value, details=matches_found.details, state=State.PROVIDED)
    location = task if parameter.is_task else None
    return Proposal(parameter.id, location, page, words, entry, matches_found.question, matches_found.suggestions)


@dataclass
class _Collected:
    """Proposals by field; a second passage about a field is joined or compared."""

    catalogue: Catalogue
    proposals: dict[tuple[int | None, str], Proposal] = field(default_factory=dict)

    def add(self, proposal: Proposal) -> None:
        key = (proposal.task, proposal.parameter)
        first = self.proposals.get(key)
        if first is None:
            self.proposals[key] = proposal
        elif proposal.parameter == "references_and_comments":
            words = f"{first.words}\n\n{proposal.words}"
            self.proposals[key] = replace(first, words=words, entry=replace(first.entry, value=words))
        elif letters(first.words) != letters(proposal.words) and proposal.parameter != "challenge_keywords":
            location = f"page {proposal.page}" if proposal.page else "a later task"
            question = first.question or "The tasks of the document differ. This field is stated once for all tasks."
            self.proposals[key] = replace(
                first, question=question, others=(*first.others, f"{location}: {proposal.words}"[:2_000])
            )

    def ordered(self) -> tuple[Proposal, ...]:
        """Return the proposals in the order of the form: the challenge first, then task by task."""
        order = {identity: location for location, identity in enumerate(self.catalogue.parameters)}
        return tuple(
            sorted(
                self.proposals.values(),
                key=lambda item: (-1 if item.task is None else item.task, order[item.parameter]),
            )
        )
