"""Reasons why a leaderboard has no ranking, and the time of the first ranking."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, always
from evaluation.wording import counted
from leaderboards.domain.states.catalogue import state
from web.wording import moment_words


@dataclass(frozen=True)
class Empty:
    """Leaderboard without a ranking, visible to the person.

    Attributes
    ----------
    opens, ends
        Text about the opening of a phase that has not opened yet, and the closing time of the phase.
    is_frozen
        Whether the person sees its state before the end, when there was no ranking.
    is_computing
        Whether a ranking is due.
    nothing_counts
        Whether a ranking was requested, and no submission counts in it.
    under_way
        Submissions that are neither scored nor refused yet.
    runs
        Whether algorithms are submitted.
    """

    opens: str = ""
    ends: datetime | None = None
    is_closed: bool = False
    is_frozen: bool = False
    is_computing: bool = False
    nothing_counts: bool = False
    under_way: int = 0
    runs: bool = False


def _on_their_way(of: Empty) -> str:
    steps = "run, checked and scored" if of.runs else "checked and scored"
    verb = "is" if of.under_way == 1 else "are"
    return f"{counted(of.under_way, 'submission')} to this phase {verb} being {steps}. The ranking appears with the first score."


EMPTY: Final[Act[Empty]] = state(
    "empty",
    [
        Paragraph(
            "computing",
            "A ranking is due.",
            lambda of: of.is_computing,
            lambda _: "The ranking is being computed",
            "The ranking is being computed",
        ),
        Paragraph(
            "frozen",
            "It is frozen at a moment when there was no ranking.",
            lambda of: of.is_frozen,
            lambda _: "There was no ranking when it was frozen",
            "There was no ranking when it was frozen",
        ),
        Paragraph(
            "nothing_counts",
            "No submission counts.",
            lambda of: of.nothing_counts,
            lambda _: "No team is ranked",
            "No team is ranked",
        ),
        Paragraph(
            "under_way",
            "Submissions are on their way.",
            lambda of: of.under_way > 0,
            lambda _: "The first submissions are on their way",
            "The first submissions are on their way",
        ),
        Paragraph(
            "closed",
            "The phase is closed, and nothing is on its way.",
            lambda of: of.is_closed,
            lambda _: "No team was scored",
            "No team was scored",
        ),
        always("nobody", lambda _: "No team has been scored yet", "No team has been scored yet"),
    ],
    [
        Paragraph(
            "soon",
            "A ranking is due.",
            lambda of: of.is_computing,
            lambda _: "It appears here as soon as it is computed.",
            "It appears here as soon as it is computed.",
        ),
        Paragraph(
            "since",
            "It is frozen at a moment when there was no ranking.",
            lambda of: not of.is_computing and of.is_frozen,
            lambda of: f"Newer results become public when the phase closes, on {moment_words(of.ends)}.",
            "Newer results become public when the phase closes, on 21 January 2027, 23:59 UTC.",
        ),
        Paragraph(
            "none_counts",
            "No submission counts.",
            lambda of: not of.is_computing and not of.is_frozen and of.nothing_counts,
            lambda _: (
                "No submission counts: none was scored, or all that were are left out by the rules of the phase. Those are "
                "submissions that came late or were withdrawn, and those of teams that are disqualified, take part without a rank, "
                "or lack the description of their method."
            ),
            "No submission counts: none was scored, or all that were are left out by the rules of the phase.",
        ),
        Paragraph(
            "on_their_way",
            "Submissions are on their way.",
            lambda of: _waits(of) and of.under_way > 0,
            _on_their_way,
            "2 submissions to this phase are being checked and scored. The ranking appears with the first score.",
        ),
        Paragraph(
            "opens",
            "The phase has not opened.",
            lambda of: _waits(of) and not of.under_way and of.opens and not of.is_closed,
            lambda of: f"The phase opens {of.opens}. The ranking appears with the first scored submission.",
            "The phase opens on 1 January 2027, 12:00 UTC. The ranking appears with the first scored submission.",
        ),
        Paragraph(
            "ended",
            "The phase is closed, and nothing is on its way.",
            lambda of: _waits(of) and not of.under_way and of.is_closed,
            lambda of: f"The phase closed on {moment_words(of.ends)} without a scored submission.",
            "The phase closed on 21 January 2027, 23:59 UTC without a scored submission.",
        ),
        Paragraph(
            "open",
            "The phase is open, and nothing is on its way.",
            lambda of: _waits(of) and not of.under_way and not of.opens and not of.is_closed,
            lambda _: "The ranking appears with the first scored submission.",
            "The ranking appears with the first scored submission.",
        ),
    ],
)


def _waits(of: Empty) -> bool:
    return not (of.is_computing or of.is_frozen or of.nothing_counts)
