"""Answers of several reviews to the same questions, next to each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

APART: Final = 2
"""Scores that are at least this far apart differ."""
_UNDECIDED: Final = ("", "cannot judge")


@dataclass(frozen=True)
class ComparedAnswer:
    """Answer of one reviewer; all texts are empty if the reviewer was not asked."""

    who: str
    short: str = ""
    text: str = ""


@dataclass(frozen=True)
class ComparedQuestion:
    """One question with the answers of all reviewers, in their order.

    Attributes
    ----------
    differs
        True if two judgements are not equal, or two scores are at least `APART` apart.
    agrees
        True if at least two reviewers judged or scored, and they do not differ.
    """

    section: str
    question: str
    answers: tuple[ComparedAnswer, ...]
    differs: bool
    agrees: bool


def compared(reviews: Sequence[tuple[str, Sequence[Mapping[str, Any]]]]) -> list[ComparedQuestion]:
    """Return all questions of some reviews with their answers, those that differ first.

    Parameters
    ----------
    reviews
        Name of each reviewer, and the answers: ``section``, ``question``, ``score`` (None without one), ``judgement``
        (as a text, empty without one) and ``words``.

    Examples
    --------
    >>> answer = {"section": "Data", "question": "Is it enough?", "score": None, "words": ""}
    >>> (row,) = compared([("A", [{**answer, "judgement": "yes"}]), ("B", [{**answer, "judgement": "no"}])])
    >>> row.differs, [reply.who for reply in row.answers]
    (True, ['A', 'B'])
    """
    names = [name for name, _ in reviews]
    questions: dict[tuple[str, str], dict[int, Mapping[str, Any]]] = {}
    for index, (_, answers) in enumerate(reviews):
        for answer in answers:
            questions.setdefault((answer["section"], answer["question"]), {})[index] = answer
    rows = [
        _question(section, question, names, answers_by_reviewer)
        for (section, question), answers_by_reviewer in questions.items()
    ]
    return sorted(rows, key=lambda row: not row.differs)


def _question(
    section: str, question: str, names: Sequence[str], answers_by_reviewer: Mapping[int, Mapping[str, Any]]
) -> ComparedQuestion:
    answers = tuple(
        ComparedAnswer(name, _short(answers_by_reviewer[index]), answers_by_reviewer[index]["words"])
        if index in answers_by_reviewer
        else ComparedAnswer(name)
        for index, name in enumerate(names)
    )
    judgements = [text for answer in answers_by_reviewer.values() if (text := answer["judgement"]) not in _UNDECIDED]
    scores = [score for answer in answers_by_reviewer.values() if (score := answer["score"]) is not None]
    differs = len(set(judgements)) > 1 or (bool(scores) and max(scores) - min(scores) >= APART)
    return ComparedQuestion(section, question, answers, differs, not differs and max(len(judgements), len(scores)) > 1)


def _short(answer: Mapping[str, Any]) -> str:
    return str(answer["score"]) if answer["score"] is not None else str(answer["judgement"])
