"""What everybody asks of a ranking, each answered with the sentences that are made from its numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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
    tells_cases: bool,
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
    tells_cases
        Whether the reader may see single cases.
    """
    change = [sentence for sentence in said if sentence.startswith("Leaving out ")]
    missing = [sentence for sentence in said if sentence.startswith("Cases without a usable prediction")]
    sure = [
        sentence
        for sentence in said
        # Exact ties are told with the names of the teams, from the same numbers.
        if sentence not in change
        and sentence not in missing
        and not (" share rank " in sentence and "same results" in sentence)
    ]
    return [
        Question("Is it sure?", (*_sure(board), *sure), ("stability", "pairs")),
        Question("Who is tied?", tuple(_tied(board)), ("pairs",)),
        Question(
            "On which cases do all fail?", (*_hard(hardest, tells_cases=tells_cases), *missing), ("cases", "groups")
        ),
        Question("What would change it?", (*change, *compared), ("schemes", "metrics", "gaming")),
    ]


def _sure(board: Board) -> list[str]:
    """Whether the first place is certain, for somebody who has never heard of resampling."""
    front, shares = board.front, board.order["share"]
    ranks = [rank for rank in board.order["rank"] if rank is not None]
    if board.teams < FEWEST_TEAMS or not front or not ranks:
        return []
    share = shares[board.order["rank"].index(min(ranks))]
    if share is None:
        return ["Nobody knows: the cases were not drawn anew to see whether the order holds."]
    again = f"when the cases are drawn anew, {front[0]} comes first in {percent(share)} of the draws (“resamples”)"
    if board.order["winner"]["named"]:
        return [
            f"As far as these {board.cases} cases can tell, yes: {again}, and it is shown to be better than all others."
        ]
    if len(front) == 1:
        return [f"Not sure enough to name a winner: {again}."]
    others = "one other team" if len(front) == 2 else f"{len(front) - 1} other teams"
    return [f"No: {again}, but the first place is within reach of {others}."]


def _tied(board: Board) -> list[str]:
    front = board.front
    said = []
    if len(board.rows) and board.teams > 1 and front:
        if len(front) == 1:
            said.append(f"The first place is within reach of nobody but {front[0]}.")
        else:
            said.append(f"The first place is within reach of {_named(front)}.")
    said += [
        f"{_named(group)} have identical results in every case: an exact tie, not merely a close race."
        for group in board.ties
    ]
    if any(board.order["letters"]):
        said.append("Teams that share a letter in the table are not shown to differ.")
    return said


def _hard(hardest: tuple[str, Sequence[HardCase]] | None, *, tells_cases: bool) -> list[str]:
    if not tells_cases:
        return ["Single cases open when the phase closes."]
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
