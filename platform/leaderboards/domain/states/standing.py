"""Ranking status of a team, on the page of its submission."""

from dataclasses import dataclass
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, always
from leaderboards.domain.states.catalogue import state


@dataclass(frozen=True)
class Stands:
    """Ranking status of a team, on the page of one of its submissions.

    Attributes
    ----------
    team
        Its name; empty if the readers are its members.
    rank, teams
        Its rank, and the number of ranked teams.
    could_be
        Range of its possible true ranks, as text; empty if it is unknown.
    is_this
        Whether the submission is the counting submission.
    """

    rank: str
    teams: int
    team: str = ""
    could_be: str = ""
    is_this: bool = True


def _rank_of(of: Stands, you: str) -> str:
    behind = f" ({of.could_be})" if of.could_be else ""
    return (
        f"{of.team} ranks {of.rank} of {of.teams}{behind}" if of.team else f"{you} rank {of.rank} of {of.teams}{behind}"
    )


STANDS: Final[Act[Stands]] = state(
    "stands",
    [
        Paragraph(
            "by_this",
            "The submission is the one that counts.",
            lambda of: of.is_this,
            lambda of: _rank_of(of, "You"),
            "You rank 3 of 12 (could be 2–4)",
        ),
        always(
            "by_another",
            lambda of: f"By another submission, {_rank_of(of, 'you')}",
            "By another submission, you rank 3 of 12 (could be 2–4)",
        ),
    ],
    [],
)
