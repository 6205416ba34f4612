"""Common questions about a ranking, answered with the sentences generated from its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.boards.page import Board
from evaluation.boards.words import HardCase
from evaluation.claims.answers import HARD, REACH, SURE, BoardFacts, Hard
from evaluation.wording import plural

MOST_CASES = 3


@dataclass(frozen=True)
class Question:
    """Question with its answer.

    Attributes
    ----------
    label
        The question in two or three words, for the button that opens the answer.
    views
        Names of the tabs that show more of it.
    """

    title: str
    label: str
    answers: tuple[str, ...]
    views: tuple[str, ...] = ()


def questions(
    board: Board,
    sentences: Sequence[str],
    compared: Sequence[str],
    *,
    hardest: tuple[str, Sequence[HardCase]] | None,
    published_on: str = "",
) -> list[Question]:
    """Group sentences under the questions that they answer.

    Parameters
    ----------
    sentences
        Sentences about the ranking, without the headline.
    compared
        Sentences that compare it with alternatives.
    hardest
        Label of an order and its hardest cases; None if there are none, or if they are not yet public.
    published_on
        Publication date of results by case, for a reader without access to them; empty for one with access.
    """
    facts = facts_of(board)
    change = [sentence for sentence in sentences if _of_change(sentence)]
    failures = [sentence for sentence in sentences if " failed among " in sentence or _of_missing(sentence)]
    reach = [sentence for sentence in sentences if _of_reach(sentence)]
    sure = [
        sentence
        for sentence in sentences
        # Exact ties are told with the names of the teams, from the same numbers.
        if sentence not in {*change, *failures, *reach}
        and not (" share rank " in sentence and "same results" in sentence)
    ]
    return [
        Question("Is it sure?", "Is it sure", (*SURE.all(facts), *sure), ("stability", "pairs")),
        Question("Who is within reach of the first?", "Who is tied", (*REACH.all(facts), *reach), ("pairs",)),
        Question(
            "On which cases do all fail?",
            "Hard cases",
            (*_hard(hardest, published_on=published_on), *failures),
            ("cases", "groups"),
        ),
        Question(
            "What would change it?", "What would change it", (*change, *compared), ("schemes", "metrics", "gaming")
        ),
    ]


def _of_change(sentence: str) -> bool:
    return sentence.startswith(("Leaving out ", "Without ", "With only ")) or sentence.endswith(
        (" had taken part.", " differ very little.")
    )


def _of_missing(sentence: str) -> bool:
    return sentence.startswith("Missing predictions: ")


def _of_reach(sentence: str) -> bool:
    return " shown to be worse than " in sentence or " equivalent to " in sentence


def facts_of(board: Board) -> BoardFacts:
    """Return the facts from which answers are generated."""
    order = board.order
    ranks = [rank for rank in order["rank"] if rank is not None]
    first = order["rank"].index(min(ranks)) if ranks else None
    return BoardFacts(
        teams=board.teams,
        front=board.front if ranks else (),
        first=ranks.count(min(ranks)) if ranks else 0,
        verdict=order["verdict"],
        stated=order["sets"]["reason"] is None,
        letters=any(order["letters"]),
        first_again=order["first_again"],
        share=None if first is None else order["share"][first],
        units=plural(order["unit_of_draws"]),
        ties=board.ties,
        interval=order["sets"]["level"],
    )


def _hard(hardest: tuple[str, Sequence[HardCase]] | None, *, published_on: str) -> list[str]:
    label, cases = hardest or ("", ())
    named = [(case.case, case.median, case.best) for case in cases[:MOST_CASES]]
    return [HARD.first(Hard(label, named, published_on))]


def main_order(table: Mapping[str, Any], hardest_cases: Mapping[str, Any], key: str) -> str | None:
    """The order whose hardest cases answer for the one shown: its own, else the first that has any."""
    if key in hardest_cases:
        return key
    return next((order["key"] for order in table["orders"] if order["key"] in hardest_cases), None)
