"""What everybody asks of a ranking, each answered with the sentences that are made from its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.ranking.explain import plural
from leaderboards.domain.tables import Board, HardCase
from leaderboards.domain.tables.words import percent

FEWEST_TEAMS = 2
MOST_NAMED = 6
MOST_CASES = 3


@dataclass(frozen=True)
class Question:
    """A question with its answer.

    Attributes
    ----------
    views
        Names of the tabs that show more of it.
    """

    title: str
    answers: tuple[str, ...]
    views: tuple[str, ...] = ()


def questions(
    board: Board,
    said: Sequence[str],
    compared: Sequence[str],
    *,
    hardest: tuple[str, Sequence[HardCase]] | None,
    published_on: str = "",
) -> list[Question]:
    """Put sentences under the questions that they answer.

    Parameters
    ----------
    said
        What the ranking says, the headline left out.
    compared
        What comparing it with other ways says.
    hardest
        Label of an order and its hardest cases; None where there are none, or nobody may see them yet.
    published_on
        When results by case are published, for a reader who may not see them yet; empty for one who may.
    """
    change = [sentence for sentence in said if _of_change(sentence)]
    failures = [sentence for sentence in said if " failed among " in sentence or _of_missing(sentence)]
    reach = [sentence for sentence in said if _of_reach(sentence)]
    sure = [
        sentence
        for sentence in said
        # Exact ties are told with the names of the teams, from the same numbers.
        if sentence not in {*change, *failures, *reach}
        and not (" share rank " in sentence and "same results" in sentence)
    ]
    return [
        Question("Is it sure?", (*_sure(board), *sure), ("stability", "pairs")),
        Question("Who is within reach of the first?", (*_reach(board), *reach), ("pairs",)),
        Question(
            "On which cases do all fail?", (*_hard(hardest, published_on=published_on), *failures), ("cases", "groups")
        ),
        Question("What would change it?", (*change, *compared), ("schemes", "metrics", "gaming")),
    ]


def _of_change(sentence: str) -> bool:
    return sentence.startswith(("Leaving out ", "Without ")) or sentence.endswith(
        (" had taken part.", " are nearly the same.")
    )


def _of_missing(sentence: str) -> bool:
    return sentence.startswith("Missing predictions: ")


def _of_reach(sentence: str) -> bool:
    return " shown to be worse than " in sentence or " equivalent to " in sentence


def _sure(board: Board) -> list[str]:
    """Whether the first place is certain, for somebody who has never heard of resampling."""
    front, order = board.front, board.order
    ranks = [rank for rank in order["rank"] if rank is not None]
    if board.teams < FEWEST_TEAMS or not front or not ranks or order["verdict"] is None:
        return []
    answers = [_ANSWERS[order["verdict"]]]
    share, again = order["share"][order["rank"].index(min(ranks))], order["first_again"]
    if again is not None and share is not None:
        units = plural(order["unit_of_draws"])
        answers.append(
            f"{front[0]} would come first again on as many fresh {units} in about {_five(again)} of 100; it comes first in "
            f"{percent(share)} of the resamples, which leaves out that these {units} are themselves one draw."
        )
    return answers


_ANSWERS = {
    "clear": "Yes, by the registered rule: a winner is named.",
    "leaning": "Not quite: one leads, but no winner is named.",
    "open": "No: it is open who is best.",
}


def _five(share: float) -> int:
    return int(5 * round(20 * share))


def _reach(board: Board) -> list[str]:
    front, order, said = board.front, board.order, []
    if order["sets"]["reason"] is None and board.teams > 1 and front:
        if len(front) == 1:
            said.append(f"Nobody but {front[0]}: no other rank set starts at 1.")
        else:
            said.append(f"{_named(front)}: their rank sets start at 1.")
        if any(order["letters"]):
            said.append("Teams that share a letter in the table are not shown to differ.")
    said += [
        f"{_named(group)} have identical results in every case: an exact tie, not merely a close race."
        for group in board.ties
    ]
    return said


def _hard(hardest: tuple[str, Sequence[HardCase]] | None, *, published_on: str) -> list[str]:
    if published_on:
        return [f"Results by case are published on {published_on}."]
    if hardest is None or not hardest[1]:
        return ["There are no values of single cases by this ranking."]
    label, cases = hardest
    named = [f"{case.case} ({case.median}; the best team {case.best})" for case in cases[:MOST_CASES]]
    return [f"By {label} the median of the teams is worst on {_joined(named)}."]


def _named(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMED:
        return _joined(names)
    return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} others"


def _joined(words: Sequence[str]) -> str:
    return "".join(words) if len(words) < 2 else f"{', '.join(words[:-1])} and {words[-1]}"


def main_order(table: Mapping[str, Any], found: Mapping[str, Any], key: str) -> str | None:
    """The order whose hardest cases answer for the one shown: its own, else the first that has any."""
    if key in found:
        return key
    return next((order["key"] for order in table["orders"] if order["key"] in found), None)
