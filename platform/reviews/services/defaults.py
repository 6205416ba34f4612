"""Defaults of a new call: review questions and mail texts, all editable per call."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from reviews.models import Audience, Question

SCORE, JUDGEMENT = Question.Kind.SCORE, Question.Kind.JUDGEMENT

REQUIRED, OPTIONAL = True, False
GENERAL: Final = (
    ("Relevance of the goal", REQUIRED),
    ("Specificity and feasibility of the goal", OPTIONAL),
    ("Novelty compared with existing challenges", OPTIONAL),
    ("Soundness of the data", REQUIRED),
    ("Soundness of the reference annotations", OPTIONAL),
    ("Soundness of the assessment", REQUIRED),
    ("Fairness and security", REQUIRED),
    ("Feasibility of schedule and resources", OPTIONAL),
    ("Completeness of the description", OPTIONAL),
)
"""Questions with a score, a higher score being better."""
QUESTIONS: Final[dict[str, tuple[tuple[str, bool], ...]]] = {
    "mission": (
        ("Does one sentence state the objective clearly?", REQUIRED),
        ("Does the design fit the type of challenge: insight or deployment readiness?", OPTIONAL),
        ("Does the design state how the challenge cohort differs from the target cohort?", OPTIONAL),
        ("Are the origin of the data and the target of the algorithm unambiguous?", OPTIONAL),
        ("Does at least one metric measure each assessment aim?", REQUIRED),
    ),
    "organization": (
        ("Do the ethics approval and the licence apply to the data of all centres?", REQUIRED),
        ("Does the design state conflicts of interest and funding?", OPTIONAL),
        ("Is the rule for participation of the organizers fair?", OPTIONAL),
        ("Can others reuse the results, the code and the data?", OPTIONAL),
    ),
    "participation": (
        ("Do the rules prevent teams from omitting difficult cases?", OPTIONAL),
        ("Do the rules limit the number of submissions?", OPTIONAL),
        ("Is the final test set independent of all earlier phases?", REQUIRED),
        ("Do the rules state which additional data and pre-trained models are allowed?", OPTIONAL),
        ("Can the organizers enforce the method description?", OPTIONAL),
    ),
    "data": (
        ("Does the design define a case, and which cases belong together?", REQUIRED),
        ("Does the design justify the number of cases and the split, without leakage between groups?", REQUIRED),
        ("Do the data come from several centres and devices?", OPTIONAL),
        ("Does the class balance reflect clinical practice?", OPTIONAL),
    ),
    "annotation": (
        ("Did several annotators annotate each test case?", REQUIRED),
        ("Does the design state the experience and the instructions of the annotators?", OPTIONAL),
        ("Does a rule state how annotations are merged?", OPTIONAL),
        ("Does the design state the variability between annotators?", OPTIONAL),
    ),
    "assessment": (
        ("Do the metrics reflect the aims, and are their parameters and values for empty cases stated?", REQUIRED),
        ("Does each metric measure a property that no other metric measures?", OPTIONAL),
        ("Can the ranking be executed as written, including ties and missing cases?", REQUIRED),
        ("Are the metrics justified by more than common use?", OPTIONAL),
        ("Does the analysis state uncertainty, and does it respect patients and centres?", REQUIRED),
        ("Is the type of award, one winner or several, appropriate?", OPTIONAL),
    ),
    "clinical": (
        ("Is the question clinically relevant?", REQUIRED),
        ("Would better results change patient care?", REQUIRED),
        ("Do the metrics and tolerances reflect the clinical need?", REQUIRED),
        ("Are the cohort and the reference standard realistic?", REQUIRED),
    ),
}
"""Questions with a judgement, by section. “Yes” is always the better answer."""


def default_questions() -> list[Question]:
    """Return the unsaved questions of a new call."""
    questions = [
        Question(
            section=section,
            position=position,
            text=text,
            kind=JUDGEMENT,
            audience=Audience.CLINICAL if section == "clinical" else Audience.ALL,
            is_required=is_required,
        )
        for section, entries in QUESTIONS.items()
        for position, (text, is_required) in enumerate(entries, start=1)
    ]
    questions += [
        Question(section="general", position=position, text=text, kind=SCORE, is_required=is_required)
        for position, (text, is_required) in enumerate(GENERAL, start=1)
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
