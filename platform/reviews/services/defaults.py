"""Defaults of a new call: review questions and mail texts, all editable per call."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reviews.models import Audience, Question

SCORE, JUDGEMENT = Question.Kind.SCORE, Question.Kind.JUDGEMENT

GENERAL: Final = (
    "Relevance of the goal",
    "The goal is specific and feasible",
    "Novelty against existing challenges",
    "Soundness of the data",
    "Soundness of the references",
    "Soundness of the assessment",
    "Fairness and security",
    "Feasibility of schedule and resources",
    "Completeness of the description",
)
QUESTIONS: Final[dict[str, tuple[str, ...]]] = {
    "mission": (
        "Is the objective one clear sentence?",
        "Insight or deployment challenge: does the design fit?",
        "Do challenge and target cohort differ, and is the gap named?",
        "Are data origin and algorithm target unambiguous, with counter-examples?",
        "Is every assessment aim covered by a metric, with priorities?",
    ),
    "organization": (
        "Do ethics, licence and label access hold for all centres?",
        "Are conflicts and funding stated?",
        "Is the organizer-participation rule fair?",
        "Can results, code and data be reused?",
    ),
    "participation": (
        "Can bad cases be left out?",
        "Is the number of submissions limited?",
        "Does pre-evaluation touch the final test set?",
        "Are extra data and pre-training ruled?",
        "Is the method-description duty enforceable?",
    ),
    "data": (
        "Is a case defined, and its grouping?",
        "Are numbers and split justified, and do groups not leak?",
        "Several centres and devices?",
        "Class balance against reality?",
    ),
    "annotation": (
        "Multiple annotators for test cases?",
        "Are expertise and instructions given?",
        "Is there a merge rule?",
        "Is the inter-rater size known?",
    ),
    "assessment": (
        "Do metrics reflect the aims, with parameters and values for empty cases?",
        "Any mutually dependent metrics?",
        "Is the ranking executable as written, including metrics, tasks, ties and missing cases?",
        "Is the justification more than “commonly used”?",
        "Is uncertainty analysed and hierarchy respected?",
        "Is a single winner needed?",
    ),
    "clinical": (
        "Is the question clinically relevant?",
        "Would a better result change care?",
        "Do metrics and tolerances reflect clinical need?",
        "Are cohort and reference standard realistic?",
    ),
}


def default_questions() -> list[Question]:
    """Unsaved questions of a new call."""
    questions = [
        Question(
            section=section,
            position=position,
            text=text,
            kind=JUDGEMENT,
            audience=Audience.CLINICAL if section == "clinical" else Audience.ALL,
        )
        for section, texts in QUESTIONS.items()
        for position, text in enumerate(texts, start=1)
    ]
    questions += [
        Question(section="general", position=position, text=text, kind=SCORE)
        for position, text in enumerate(GENERAL, start=1)
    ]
    return questions


@dataclass(frozen=True)
class DeliveredMail:
    """A default mail, and the placeholders in braces that it can use."""

    label: str
    subject: str
    body: str
    words: tuple[str, ...]


_LETTER = ("call", "design", "chair", "points", "revision_date", "registration_date", "link")
MAILS: Final[dict[str, DeliveredMail]] = {
    "invitation": DeliveredMail(
        "Invitation of a reviewer",
        "Will you review for {call}?",
        "{chair} invites you as {part} to {call}.\n\nReviews are due on {review_date}. Accept or refuse within {days} days:\n"
        "{link}\n\nYou need an account with this e-mail address. If you do not know what this is about, ignore this letter.",
        ("call", "chair", "part", "review_date", "days", "link"),
    ),
    "assigned": DeliveredMail(
        "A design was assigned to a reviewer",
        "{call}: “{design}” to review",
        "The design “{design}” in {call} was assigned to you as {part}. Your review is due on {review_date}: read the design "
        "and answer the questions on the page.\n\nIf you have a conflict of interest, say so there before you read on.",
        ("call", "design", "part", "review_date"),
    ),
    "reminder": DeliveredMail(
        "Reminder of a review",
        "{call}: your review of “{design}” is due on {review_date}",
        "Your review of “{design}” for {call} has not been sent yet; it is due on {review_date}, and the decision waits for "
        "it. What you wrote so far is kept: finish it on the page and send it.",
        ("call", "design", "review_date"),
    ),
    "filed": DeliveredMail(
        "A design was filed",
        "{call}: “{design}” is filed",
        "The design “{design}” has been filed in {call} as version {number}. Reviewers read it, and decisions follow after "
        "{review_date}; until then there is nothing to do for you.",
        ("call", "design", "number", "review_date"),
    ),
    "accept": DeliveredMail(
        "Letter: accepted",
        "“{design}” is accepted for {call}",
        "Dear organizers,\n\nwe are glad to accept “{design}” for {call}. Please register it until {registration_date}.\n\n"
        "{points}\n\n{chair}",
        _LETTER,
    ),
    "minor": DeliveredMail(
        "Letter: minor revision",
        "{call}: minor revision of “{design}”",
        "Dear organizers,\n\nthe reviewers ask for a minor revision of “{design}” until {revision_date}. "
        "Please address these points:\n\n{points}\n\n{chair}",
        _LETTER,
    ),
    "major": DeliveredMail(
        "Letter: major revision",
        "{call}: major revision of “{design}”",
        "Dear organizers,\n\nthe reviewers ask for a major revision of “{design}” until {revision_date}; it will be "
        "reviewed again. Please address these points:\n\n{points}\n\n{chair}",
        _LETTER,
    ),
    "reject": DeliveredMail(
        "Letter: rejected",
        "“{design}” is not accepted for {call}",
        "Dear organizers,\n\nwe are sorry that “{design}” cannot be accepted for {call}.\n\n{points}\n\n{chair}",
        _LETTER,
    ),
    "again": DeliveredMail(
        "A revision is to be reviewed",
        "{call}: the revision of “{design}” is there",
        "The organizers have revised “{design}” in {call}, and you review it once more until {review_date}. The page shows the changes and the answer to each point. Your earlier answers are kept in the form.",
        ("call", "design", "review_date"),
    ),
}
_PLACE = re.compile(r"\{([a-z_]+)\}")


def unknown_words(kind: str, text: str) -> list[str]:
    """Return the placeholders in braces that a mail of this kind cannot fill.

    >>> unknown_words("filed", "{design} of {author}")
    ['author']
    """
    return sorted(set(_PLACE.findall(text)) - set(MAILS[kind].words))


def fill(text: str, values: Mapping[str, Any]) -> str:
    """Fill the placeholders in braces; those without a value are kept.

    >>> fill("{call}: {other}", {"call": "Spring"})
    'Spring: {other}'
    """
    return _PLACE.sub(lambda match: str(values.get(match[1], match[0])), text)
