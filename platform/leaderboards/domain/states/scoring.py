"""Replacement of a test set: progress of scoring again, and the excluded teams."""

from dataclasses import dataclass
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, always
from evaluation.wording import counted
from leaderboards.domain.states.catalogue import state


@dataclass(frozen=True)
class Repeated:
    """Progress of scoring again after a test set was replaced: see `submissions.queries.results.Rescoring`."""

    standing: int
    wanted: int
    done: int
    total: int
    failed: int = 0
    organizes: bool = False


REPEATED: Final[Act[Repeated]] = state(
    "repeated",
    [
        always(
            "title",
            lambda of: (
                f"The test set was replaced: {of.done} of {counted(of.total, 'submission')} {'is' if of.done == 1 else 'are'} re-scored "
                f"against version {of.wanted}"
            ),
            "The test set was replaced: 3 of 5 submissions are re-scored against version 2",
        )
    ],
    [
        Paragraph(
            "until",
            "Not every submission has failed.",
            lambda of: of.failed < of.total,
            lambda of: (
                f"Until each is scored or has failed, rankings are of version {of.standing} of the test set; the two are never mixed."
            ),
            "Until each is scored or has failed, rankings are of version 1 of the test set; the two are never mixed.",
        ),
        Paragraph(
            "stays",
            "Every submission has failed.",
            lambda of: of.failed >= of.total,
            lambda of: (
                f"Until one is scored, rankings are of version {of.standing} of the test set; the two are never mixed."
            ),
            "Until one is scored, rankings are of version 1 of the test set; the two are never mixed.",
        ),
        Paragraph(
            "failed",
            "Some failed, and the person organizes.",
            lambda of: of.organizes and of.failed > 0,
            lambda of: f"{of.failed} could not be scored.",
            "1 could not be scored.",
        ),
    ],
)


@dataclass(frozen=True)
class LeftOut:
    """Teams that are not in a ranking, since scoring them against a version of the test set failed."""

    teams: int
    version: int


LEFT_OUT: Final[Act[LeftOut]] = state(
    "left_out",
    [
        always(
            "title",
            lambda of: (
                f"{counted(of.teams, 'team')} {'is' if of.teams == 1 else 'are'} not in this ranking: scoring against version "
                f"{of.version} of the test set failed"
            ),
            "1 team is not in this ranking: scoring against version 2 of the test set failed",
        )
    ],
    [],
)
