"""Visibility of rankings and team names: sealed, frozen, partly named."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from accounts.notifications.domain.acts import Act, Paragraph, always
from evaluation.wording import counted
from leaderboards.domain.states.catalogue import state
from web.wording import moment_words


@dataclass(frozen=True)
class Sealed:
    """Ranking that only the organizers see.

    Attributes
    ----------
    until
        Time at which the ranking becomes public.
    later
        Whether that is a date of release after the phase has closed.
    own_scores
        Whether teams see their own scores before.
    submitted
        Number of teams that have submitted.
    """

    until: datetime
    later: bool = False
    own_scores: bool = False
    submitted: int = 0

    @property
    def opens(self) -> str:
        """Text about the time at which the ranking becomes public."""
        return f"{'results are released' if self.later else 'the phase closes'}, on {moment_words(self.until)}"


SEALED: Final[Act[Sealed]] = state(
    "sealed",
    [always("title", lambda _: "This ranking is sealed", "This ranking is sealed")],
    [
        always(
            "opens",
            lambda of: f"It opens when {of.opens}, for everybody at the same moment.",
            "It opens when the phase closes, on 21 January 2027, 23:59 UTC, for everybody at the same moment.",
        ),
        Paragraph(
            "nobody",
            "Teams do not see their own scores before.",
            lambda of: not of.own_scores,
            lambda _: "Until then only the organizers see scores and ranks. No team can tune a submission to them.",
            "Until then only the organizers see scores and ranks. No team can tune a submission to them.",
        ),
        Paragraph(
            "own",
            "Teams see their own scores before.",
            lambda of: of.own_scores,
            lambda _: "Until then a team sees only its own scores, and only the organizers see ranks.",
            "Until then a team sees only its own scores, and only the organizers see ranks.",
        ),
        Paragraph(
            "submitted",
            "A team has submitted.",
            lambda of: of.submitted > 0,
            lambda of: f"{counted(of.submitted, 'team')} {'has' if of.submitted == 1 else 'have'} submitted so far.",
            "3 teams have submitted so far.",
        ),
        Paragraph(
            "none",
            "No team has submitted.",
            lambda of: not of.submitted,
            lambda _: "No team has submitted yet.",
            "No team has submitted yet.",
        ),
    ],
)
SEALED_FOR_OTHERS: Final[Act[Sealed]] = state(
    "sealed_for_others",
    [
        always(
            "title",
            lambda _: "Sealed: you see this as an organizer",
            "Sealed: you see this as an organizer",
        )
    ],
    [
        always(
            "opens",
            lambda of: (
                "Teams and the public see only how many teams have submitted. The ranking opens to everybody when "
                f"{of.opens}."
            ),
            "Teams and the public see only how many teams have submitted. The ranking opens to everybody when the phase closes, on 21 January 2027, 23:59 UTC.",
        )
    ],
)


@dataclass(frozen=True)
class Frozen:
    """Public ranking that does not change until the end of its phase."""

    at: datetime
    ends: datetime
    sees_all: bool = False


FROZEN: Final[Act[Frozen]] = state(
    "frozen",
    [
        Paragraph(
            "for_others",
            "The person sees newer rankings.",
            lambda of: of.sees_all,
            lambda _: "Frozen for the public: you see the ranking as it is, as an organizer",
            "Frozen for the public: you see the ranking as it is, as an organizer",
        ),
        always(
            "title",
            lambda of: f"Frozen: this is the ranking as of {moment_words(of.at)}",
            "Frozen: this is the ranking as of 20 January 2027, 12:00 UTC",
        ),
    ],
    [
        Paragraph(
            "others",
            "The person sees newer rankings.",
            lambda of: of.sees_all,
            lambda of: (
                f"Teams and the public see the ranking as of {moment_words(of.at)}, until the phase closes on "
                f"{moment_words(of.ends)}."
            ),
            "Teams and the public see the ranking as of 20 January 2027, 12:00 UTC, until the phase closes on 21 January 2027, 23:59 UTC.",
        ),
        Paragraph(
            "newer",
            "The person does not see newer rankings.",
            lambda of: not of.sees_all,
            lambda of: (
                "Submissions are still accepted and scored. Newer rankings become public when the phase closes, on "
                f"{moment_words(of.ends)}."
            ),
            "Submissions are still accepted and scored. Newer rankings become public when the phase closes, on 21 January 2027, 23:59 UTC.",
        ),
    ],
)


@dataclass(frozen=True)
class Named:
    """Policy for naming teams in public, if not all are named.

    Attributes
    ----------
    policy
        Text of the registered policy.
    ranks
        Last rank that is named, if the policy is about the first ranks.
    waits
        Whether no team is named before the phase has closed.
    """

    policy: str
    ranks: int | None = None
    waits: bool = False


NAMED: Final[Act[Named]] = state(
    "named",
    [always("title", lambda _: "Not every team is named", "Not every team is named")],
    [
        always(
            "policy",
            lambda of: (
                f"By the registered design these are named in public: {of.policy}"
                + (f" up to rank {of.ranks}" if of.ranks else "")
                + (", once the phase has closed" if of.ranks and of.waits else "")
                + ". All others stand here, in the exports and in the bundle under a pseudonym."
            ),
            "By the registered design these are named in public: teams on the first ranks up to rank 3. All others stand here, in the exports and in the bundle under a pseudonym.",
        )
    ],
)
