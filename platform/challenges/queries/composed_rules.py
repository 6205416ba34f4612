"""The rules of a challenge, composed from its phases and from the registered design where there is one.

The table on the page of the challenge and the text that participants accept are two forms of the same rules.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from challenges.models import Phase
from challenges.queries.timetable import limits_of
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.document import Entry, State, Values
from evaluation.designs.document.words import value_words
from web.templatetags.text import plain

REGISTERED: Final = (
    ("submission_method", "How do teams submit?"),
    ("interaction_level_policy", "How much user interaction is allowed?"),
    ("training_data_policy", "Can we use other training data?"),
    ("organizer_participation_policy", "Can members of the organizers’ institutes take part?"),
    ("method_description_requirement", "What must we describe about our method?"),
    ("participant_code_availability", "Must we publish our code?"),
    ("award_policy", "What are the awards?"),
    ("results_announcement_policy", "Which results become public?"),
    ("publication_policy", "Who is an author of the joint publication?"),
    ("independent_publication_policy", "Can we publish our own results?"),
    ("embargo_period", "How long is the embargo on own publications?"),
    ("data_license", "Which licence do the data have?"),
)


@dataclass(frozen=True)
class PhaseRules:
    """Rules of one phase."""

    label: str
    limits: str
    counts: str
    incomplete_allowed: bool
    overlap_questions: int | None = None
    entrants: str = ""


@dataclass(frozen=True)
class Rule:
    """A question, its answer, and what the organizers add."""

    question: str
    answer: str
    note: str = ""

    @property
    def text(self) -> str:
        """The rule as one paragraph of whole sentences."""
        parts = (self.question, as_sentences(self.answer), as_sentences(self.note))
        return " ".join(part for part in parts if part)


def rules_of_phase(phase: Any, label: str, names: Mapping[str, str] | None = None) -> PhaseRules:
    """Return the rules of a phase, or of the plan of one.

    Parameters
    ----------
    names
        Names of the phases of the task, by slug.
    """
    # Phases of earlier migrations do not have the field.
    overlap = getattr(phase, "overlap_questions_per_team", None)
    entrants = entrants_text(phase, names or {}) if getattr(phase, "entrants_from", "") else ""
    return PhaseRules(
        label, limits_of(phase), str(Phase.Counts(phase.counts).label), phase.incomplete_allowed, overlap, entrants
    )


def entrants_text(phase: Any, names: Mapping[str, str]) -> str:
    """Return which teams of an earlier phase can submit to a phase, as a noun phrase.

    Parameters
    ----------
    names
        Names of the phases of the task, by slug.
    """
    source = names.get(phase.entrants_from, phase.entrants_from)
    if phase.entrants_best is None:
        return f"the ranked teams of {source}"
    best = f"the {phase.entrants_best} best teams" if phase.entrants_best > 1 else "the best team"
    if phase.entrants_rule == Phase.Entrants.RANK_SET:
        reached = f"one of the ranks 1 to {phase.entrants_best}" if phase.entrants_best > 1 else "rank 1"
        return f"{best} of {source}, and every team whose rank set includes {reached}"
    return f"{best} of {source}, and teams of equal rank"


def composed_rules(phases: Sequence[PhaseRules], values: Values | None) -> list[Rule]:
    """Return the rules that follow from phases and from the public values of a design."""
    return [*_of_phases(phases), *(_registered(values) if values is not None else ())]


def rules_text(rules: Iterable[Rule]) -> str:
    """Return the rules as participants accept them: one paragraph per rule, without markup."""
    return "\n\n".join(rule.text for rule in rules)


def as_sentences(text: str) -> str:
    """Return a text as whole sentences: plain, with a capital letter at the beginning and one mark at the end.

    Examples
    --------
    >>> as_sentences("see **the** rules"), as_sentences("two teams ; see below .."), as_sentences("Is it? Yes")
    ('See the rules.', 'Two teams; see below.', 'Is it? Yes.')
    """
    text = " ".join(_TAG.sub("", plain(text)).replace("*", "").replace("`", "").split())
    text = re.sub(r"\s+([.,;:!?])", r"\1", text.replace("...", "…"))
    text = re.sub(r"([.,;:!?…])[.,;:!?]+", r"\1", text).rstrip(" ,;:")
    if not text:
        return ""
    closed = text.rstrip("\"'”’)]")[-1:] in (".", "!", "?", "…")
    return f"{text[:1].upper()}{text[1:]}{'' if closed else '.'}"


_TAG: Final = re.compile(r"</?[a-z][a-z0-9]*\s*/?>", re.IGNORECASE)


def _of_phases(phases: Sequence[PhaseRules]) -> list[Rule]:
    if not phases:
        return []
    limits = [(phase.label, phase.limits) for phase in phases]
    counts = [(phase.label, phase.counts) for phase in phases]
    gaps = [(phase.label, "yes" if phase.incomplete_allowed else "no") for phase in phases]
    overlap = [
        (phase.label, "no" if phase.overlap_questions is None else f"yes, {phase.overlap_questions} per team")
        for phase in phases
    ]
    public = "The organizers and the exposure report show the answers."
    question = "Can teams ask how many training images match test images?"
    may_ask = any(phase.overlap_questions is not None for phase in phases)
    asking = [Rule(question, _joined(overlap), public)] if may_ask else []
    penalty = "The ranking states how it counts missing cases."
    entrants = [(phase.label, phase.entrants or "all teams") for phase in phases]
    gate = [Rule("Which teams can submit?", _joined(entrants))] if any(phase.entrants for phase in phases) else []
    return [
        *gate,
        Rule("How often can a team submit?", _joined(limits)),
        Rule("Which submission counts?", _joined(counts)),
        Rule("Can cases be missing?", _joined(gaps), penalty if any(p.incomplete_allowed for p in phases) else ""),
        *asking,
    ]


def _joined(answers: Sequence[tuple[str, str]]) -> str:
    """Return one answer where all phases have the same, else one sentence per phase."""
    if len({answer for _, answer in answers}) == 1:
        words = answers[0][1]
        return f"{words[:1].upper()}{words[1:]}"
    return " ".join(f"{label}: {answer}." for label, answer in answers)


def _registered(values: Values) -> list[Rule]:
    rules = []
    for identity, question in REGISTERED:
        entry = values.entry(identity)
        if entry.state is State.NONE_DECLARED:
            rules.append(Rule(question, "None", entry.details or ""))
        elif entry.state is State.PROVIDED and (words := _answer(shipped()[identity], entry)):
            rules.append(Rule(question, words, entry.details or ""))
    return rules


def _answer(parameter: Parameter, entry: Entry) -> str:
    """Return the value as text; several choices in one list."""
    if isinstance(entry.value, list) and parameter.type == "multi-enum":
        words = [value_words(parameter, [item], public=True) for item in entry.value]
        return ", ".join([*words[:1], *(_lowered(word) for word in words[1:])])
    return value_words(parameter, entry.value, public=True)


def _lowered(words: str) -> str:
    """Return text with a lower-case first letter, except for abbreviations."""
    return words if words[1:2].isupper() else f"{words[:1].lower()}{words[1:]}"
