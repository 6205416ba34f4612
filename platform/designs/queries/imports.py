"""Imports of documents: the proposals with their decisions, by section."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from designs.models import Design, DesignImport, DesignTask, FieldValue, ImportedField
from designs.queries import texts
from evaluation.designs.catalogue import Parameter, Section
from evaluation.designs.document import Entry, State
from evaluation.designs.document.words import entry_words
from evaluation.designs.imports.lines import letters


def entry_of_proposal(proposed: ImportedField) -> Entry:
    """Return the content that a proposal gives to its field; blank if a person must choose."""
    proposal = proposed.proposal
    return Entry(
        value=proposal.get("value"),
        details=proposal.get("details", ""),
        state=State(proposal["state"]),
        reason=proposal.get("reason", ""),
        until=proposal.get("until", ""),
    )


@dataclass(frozen=True)
class ProposalView:
    """A proposal on the page.

    Attributes
    ----------
    is_answered
        True if the field has content that did not come from this decision.
    """

    stored: ImportedField
    parameter: Parameter
    is_answered: bool

    @property
    def key(self) -> str:
        """Base of the ids of the field on the page."""
        return f"{self.parameter.id}-{self.stored.task.key}" if self.stored.task else self.parameter.id

    @property
    def task_key(self) -> str:
        """Key of the task; empty for the challenge."""
        return self.stored.task.key if self.stored.task else ""

    @cached_property
    def entry(self) -> Entry:
        """The proposed content."""
        return entry_of_proposal(self.stored)

    @property
    def value_words(self) -> str:
        """The proposed value as text; empty if a person must choose."""
        if self.entry.state is State.BLANK:
            return ""
        return entry_words(
            self.parameter, Entry(self.entry.value, "", self.entry.state, self.entry.reason), insider=True
        )

    @property
    def shows_words(self) -> bool:
        """True if the words of the document differ from the proposed value."""
        return letters(self.stored.words) != letters(self.value_words)

    @property
    def has_value(self) -> bool:
        """True if the proposal can be accepted."""
        return self.entry.state is not State.BLANK

    @property
    def is_decided(self) -> bool:
        """True if a person decided about the proposal, or answered the field in the form."""
        return bool(self.stored.decision) or self.is_answered

    @property
    def is_exact(self) -> bool:
        """True if the proposal can be accepted together with others."""
        return self.has_value and not self.stored.question and not self.is_decided

    @property
    def is_question(self) -> bool:
        """True if a person must decide more than whether the value is right."""
        return not self.is_decided and bool(self.stored.question or not self.has_value)

    @property
    def status(self) -> str:
        """Status of the proposal as one word or two."""
        if self.stored.decision:
            return str(self.stored.get_decision_display())
        if self.is_answered:
            return "answered in the form"
        return "question" if self.is_question else "to confirm"

    @property
    def suggestions(self) -> list[tuple[str, str]]:
        """Options that the words mention, each with its label; several as one choice where several are possible."""
        slugs = self.stored.proposal.get("suggestions", [])
        single = [(slug, self.parameter.label_of(slug)) for slug in slugs]
        if self.parameter.type == "multi-enum" and len(slugs) > 1:
            return [(",".join(slugs), " and ".join(label for _, label in single)), *single]
        return single

    @property
    def others(self) -> list[str]:
        """Different words in later tasks of the document."""
        return list(self.stored.proposal.get("others", []))


@dataclass(frozen=True)
class SectionView:
    """The proposals of a section, for the challenge or for a task."""

    section: Section
    task: DesignTask | None
    task_name: str
    proposals: list[ProposalView] = field(default_factory=list)

    @property
    def key(self) -> str:
        """Id of the section on the page."""
        return f"{self.section.key}-{self.task.key}" if self.task else self.section.key

    @property
    def decided(self) -> int:
        """Number of decided proposals."""
        return sum(proposal.is_decided for proposal in self.proposals)

    @property
    def exact(self) -> int:
        """Number of proposals that can be accepted together."""
        return sum(proposal.is_exact for proposal in self.proposals)

    @property
    def is_complete(self) -> bool:
        """True if every proposal is decided."""
        return self.decided == len(self.proposals)


def current_import(design: Design) -> DesignImport | None:
    """Return the newest import of a document into a design."""
    return design.imports.first()


def undecided_of(source: DesignImport) -> int:
    """Return the number of proposals that no person has decided."""
    return sum(len(view.proposals) - view.decided for view in sections_of(source))


def sections_of(source: DesignImport, only: Iterable[int] | None = None) -> list[SectionView]:
    """Return the proposals of an import by section: the challenge first, then task by task.

    Parameters
    ----------
    only
        Primary keys of the proposals to return; all if omitted.
    """
    stored = source.fields.select_related("task")
    if only is not None:
        stored = stored.filter(pk__in=list(only))
    answered = {
        (task, parameter)
        for task, parameter in FieldValue.objects.filter(design=source.design)
        .exclude(state=str(State.BLANK), details="")
        .values_list("task_id", "parameter")
    }
    names = {
        proposed.task_id: proposed.words
        for proposed in source.fields.filter(parameter="task_name", question="").only("task_id", "words")
    }
    catalogue = texts.catalogue()
    sections = {section.key: section for section in catalogue.sections}
    views: dict[tuple[int | None, str], SectionView] = {}
    for proposed in stored:
        if proposed.task is not None and proposed.task.removed_at is not None:
            continue
        parameter = catalogue[proposed.parameter]
        location = (proposed.task_id, parameter.section)
        if location not in views:
            number = proposed.task.position if proposed.task else 0
            name = names.get(proposed.task_id, "") or f"Task {number}" if proposed.task else ""
            views[location] = SectionView(sections[parameter.section], proposed.task, name)
        is_answered = not proposed.decision and (proposed.task_id, proposed.parameter) in answered
        views[location].proposals.append(ProposalView(proposed, parameter, is_answered))
    return list(views.values())
