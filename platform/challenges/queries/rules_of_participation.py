"""The rules of a challenge as questions with short answers: from its phases, and from the registered design where there is one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from challenges.models import Challenge, Phase
from challenges.queries.projections import projection_of
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import State
from evaluation.designs.document.words import value_words
from registry.domain.public_documents import parsed

REGISTERED: Final = (
    ("interaction_level_policy", "How far may people intervene?"),
    ("training_data_policy", "May we use further training data?"),
    ("organizer_participation_policy", "May members of the organizers’ institutes take part?"),
    ("participant_code_availability", "Do we have to give our code?"),
    ("award_policy", "What can be won?"),
    ("results_announcement_policy", "Which results become public?"),
    ("independent_publication_policy", "May we publish on our own?"),
    ("embargo_period", "When?"),
    ("data_license", "Under which licence are the data?"),
)


@dataclass(frozen=True)
class Rule:
    """A question, its answer, and what the organizers add."""

    question: str
    answer: str
    note: str = ""


def rules_of(challenge: Challenge, phases: Sequence[Phase]) -> list[Rule]:
    """What people who want to take part ask; nothing of what is neither registered nor set."""
    return [*_of_phases(phases), *_registered(challenge)]


def _of_phases(phases: Sequence[Phase]) -> list[Rule]:
    if not phases:
        return []
    several = len(phases) > 1
    limits = [(phase.label, _limit(phase)) for phase in phases]
    counts = [(phase.label, f"{phase.get_counts_display()}") for phase in phases]
    gaps = [
        (phase.label, "yes, and the ranking says what it counts for" if phase.incomplete_allowed else "no")
        for phase in phases
    ]
    return [
        Rule("How often may a team submit?", _joined(limits, several=several)),
        Rule("Which submission counts?", _joined(counts, several=several)),
        Rule("May cases be missing?", _joined(gaps, several=several)),
    ]


def _limit(phase: Phase) -> str:
    parts = [
        f"{phase.submissions_per_day} a day" if phase.submissions_per_day else "",
        f"{phase.submissions_in_total} in total" if phase.submissions_in_total else "",
    ]
    return ", ".join(filter(None, parts)) or "as often as it likes"


def _joined(answers: Sequence[tuple[str, str]], *, several: bool) -> str:
    """One answer where all phases have the same, else each with its phase."""
    if not several or len({answer for _, answer in answers}) == 1:
        words = answers[0][1]
        return f"{words[:1].upper()}{words[1:]}"
    return "; ".join(f"{label}: {answer}" for label, answer in answers)


def _registered(challenge: Challenge) -> list[Rule]:
    projection = projection_of(challenge)
    if projection is None:
        return []
    entries = parsed(projection.version.document).challenge
    rules = []
    for identity, question in REGISTERED:
        entry = entries.get(identity)
        if entry is None or entry.state is State.BLANK:
            continue
        if entry.state is State.NONE_DECLARED:
            rules.append(Rule(question, "None", entry.details or ""))
        elif entry.state is State.PROVIDED:
            words = value_words(shipped()[identity], entry.value, public=True)
            rules.append(Rule(question, words, entry.details or ""))
    return rules
