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
        True if two judgements contradict each other, or two scores are at least `APART` apart.
    """

    section: str
    question: str
    answers: tuple[ComparedAnswer, ...]
    differs: bool


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
        ComparedQuestion(
            section,
            question,
            tuple(
                ComparedAnswer(name, _short(found[index]), found[index]["words"])
                if index in found
                else ComparedAnswer(name)
                for index, name in enumerate(names)
            ),
            _differ(list(found.values())),
        )
        for (section, question), found in questions.items()
    ]
    return sorted(rows, key=lambda row: not row.differs)


def _short(answer: Mapping[str, Any]) -> str:
    return str(answer["score"]) if answer["score"] is not None else str(answer["judgement"])


def _differ(answers: Sequence[Mapping[str, Any]]) -> bool:
    judgements = {answer["judgement"] for answer in answers} - set(_UNDECIDED)
    scores = [answer["score"] for answer in answers if answer["score"] is not None]
    return len(judgements) > 1 or (len(scores) > 1 and max(scores) - min(scores) >= APART)
