"""Messages about submissions and phases: facts in, subject and text out.

The first sentence states the event, its challenge and its phase.
The following sentences state the meaning and the next step.
The subject names the challenge, which helps readers of a full inbox.
No function here looks anything up: the caller decides which information the reader is allowed to see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from accounts.notifications.domain.acts import Act, Letter, Paragraph, act, always, ended
from web.wording import moment_words

__all__ = ["Letter"]
MOST_REASONS: Final = 3


@dataclass(frozen=True)
class Where:
    """A phase as messages name it."""

    challenge: str
    phase: str


# Submissions


@dataclass(frozen=True)
class Stands:
    """Ranking status of a team, as text that its members can also see on the pages."""

    rank: str
    could_be: str
    teams: int

    def __str__(self) -> str:
        behind = f" ({self.could_be})" if self.could_be else ""
        return f"{self.rank} of {self.teams}{behind}"


@dataclass(frozen=True)
class OfSubmission:
    """A submission, what became of it, and what its team may see."""

    where: Where
    team: str
    number: int
    reason: str = ""
    reasons: Sequence[str] = field(default_factory=tuple)
    more: int = 0
    shows_ranking: bool = False
    again: bool = False
    occasion: str = ""
    task: str = ""
    stands: Stands | None = None
    facts: Sequence[str] = field(default_factory=tuple)
    link: str = ""

    @property
    def name(self) -> str:
        """Name of the submission in subjects."""
        return f"submission {self.number} of {self.team}"

    @property
    def place(self) -> str:
        """Name of the submission in texts, with its phase and challenge."""
        return f"Submission {self.number} of {self.team} to {self.where.phase} of {self.where.challenge}"

    @property
    def failing(self) -> str:
        """Text about the action that failed."""
        return "could not be scored again" if self.again else "could not be scored"


_LISTED: Final = Paragraph(
    "findings",
    "Something is wrong with single cases.",
    lambda of: bool(of.reasons or of.more),
    lambda of: _listed(of.reasons, of.more),
    "– case-7: the grid differs.",
)
SCORED: Final[Act[OfSubmission]] = act(
    "submission_scored",
    [
        Paragraph(
            "ranked_subject",
            "Its team may see how it ranks, and the ranking is there.",
            lambda of: of.stands is not None,
            lambda of: f"{of.where.challenge}: {of.name} is scored and ranks {of.stands.rank} of {of.stands.teams}",
            "Liver: submission 3 of unet is scored and ranks 1 of 12",
        ),
        always(
            "subject", lambda of: f"{of.where.challenge}: {of.name} is scored", "Liver: submission 3 of unet is scored"
        ),
    ],
    [
        Paragraph(
            "ranked",
            "Its team may see how it ranks, and the ranking is there.",
            lambda of: of.stands is not None,
            lambda of: f"{of.place} is scored: you rank {of.stands}.",
            "Submission 3 of unet to Final of Liver is scored: you rank 1 of 12 (could be 1–2).",
        ),
        Paragraph(
            "news",
            "No rank may be told, or there is none.",
            lambda of: of.stands is None,
            lambda of: f"{of.place} is scored.",
            "Submission 3 of unet to Final of Liver is scored.",
        ),
        Paragraph(
            "ranked_page",
            "The rank is told.",
            lambda of: of.stands is not None,
            lambda _: "See the submission page for your results and the distance to the leader.",
            "See the submission page for your results and the distance to the leader.",
        ),
        Paragraph(
            "page",
            "Its team may see the ranking before the phase closes, and no rank is told.",
            lambda of: of.stands is None and of.shows_ranking,
            lambda _: (
                "See the submission page for your results. If this is your counted submission, it also shows your rank."
            ),
            "See the submission page for your results. If this is your counted submission, it also shows your rank.",
        ),
        Paragraph(
            "sealed",
            "Its team may not see the ranking: no score is ever mailed, and no rank is promised.",
            lambda of: of.stands is None and not of.shows_ranking,
            lambda _: "See the submission page for your results. The ranking is sealed, so no team can see a rank yet.",
            "See the submission page for your results. The ranking is sealed, so no team can see a rank yet.",
        ),
    ],
)
REFUSED: Final[Act[OfSubmission]] = act(
    "submission_refused",
    [
        always(
            "subject",
            lambda of: f"{of.where.challenge}: {of.name} is refused",
            "Liver: submission 3 of unet is refused",
        )
    ],
    [
        always(
            "news",
            lambda of: f"{of.place} is refused: {ended(of.reason)}",
            "Submission 3 of unet to Final of Liver is refused: 2 cases cannot be read.",
        ),
        _LISTED,
        always(
            "next",
            lambda _: "Nothing was scored. Correct the files and upload them again.",
            "Nothing was scored. Correct the files and upload them again.",
        ),
    ],
)
HELD: Final[Act[OfSubmission]] = act(
    "submission_held",
    [
        always(
            "subject",
            lambda of: f"{of.where.challenge}: {of.name} waits for your decision",
            "Liver: submission 3 of unet waits for your decision",
        )
    ],
    [
        always(
            "news",
            lambda of: f"{of.place} is not scored yet: {ended(of.reason)}",
            "Submission 3 of unet to Final of Liver is not scored yet: 2 cases have no prediction.",
        ),
        _LISTED,
        always(
            "next",
            lambda _: "Open its page to decide: score it as it is, or withdraw it and upload corrected files.",
            "Open its page to decide: score it as it is, or withdraw it and upload corrected files.",
        ),
    ],
)
FAILED: Final[Act[OfSubmission]] = act(
    "submission_failed",
    [
        always(
            "subject",
            lambda of: f"{of.where.challenge}: {of.name} {of.failing}",
            "Liver: submission 3 of unet could not be scored",
        )
    ],
    [
        always(
            "news",
            lambda of: f"{of.place} {of.failing}.",
            "Submission 3 of unet to Final of Liver could not be scored.",
        ),
        Paragraph(
            "reason",
            "There is a reason that the team may know.",
            lambda of: bool(of.reason.strip()),
            lambda of: ended(of.reason),
            "The worker ran out of memory.",
        ),
    ],
)
UNSCORED: Final[Act[OfSubmission]] = act(
    "submission_unscored",
    [
        always(
            "subject",
            lambda of: f"{of.where.challenge}: a submission of {of.team} could not be scored",
            "Liver: a submission of unet could not be scored",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"{of.place} could not be scored: {ended(of.reason)} It won't be retried automatically. Open the Work page to see the log and retry."
            ),
            "Submission 3 of unet to Final of Liver could not be scored: out of memory. It won't be retried automatically. Open the Work page to see the log and retry.",
        )
    ],
)
UNDESCRIBED: Final[Act[OfSubmission]] = act(
    "method_missing",
    [
        always(
            "subject",
            lambda of: f"{of.where.challenge}: describe the method of {of.team}",
            "Liver: describe the method of unet",
        )
    ],
    [
        Paragraph(
            "before",
            "The phase is open.",
            lambda of: of.occasion != "closed",
            lambda of: _undescribed(of, "will leave"),
            "The final ranking of Final of Liver will leave the team unet out as long as no submission to Main has a complete method description. Describe it on the submission page. The form starts with your earlier description.",
        ),
        Paragraph(
            "after",
            "The phase is closed.",
            lambda of: of.occasion == "closed",
            lambda of: _undescribed(of, "leaves"),
            "The final ranking of Final of Liver leaves the team unet out as long as no submission to Main has a complete method description. Describe it on the submission page. The form starts with your earlier description.",
        ),
        Paragraph(
            "facts",
            "Needed answers are missing.",
            lambda of: bool(of.facts),
            lambda of: f"Missing answers: {'; '.join(of.facts)}.",
            "Missing answers: Method summary; Basic architecture.",
        ),
        Paragraph(
            "link",
            "The organizers accept a link instead.",
            lambda of: bool(of.facts and of.link),
            lambda of: f"{of.link[:1].upper()}{of.link[1:]} replaces them.",
            "A link to a paper or preprint replaces them.",
        ),
    ],
)


def _undescribed(of: OfSubmission, leaves: str) -> str:
    return (
        f"The final ranking of {of.where.phase} of {of.where.challenge} {leaves} the team {of.team} out as long as no submission "
        f"to {of.task} has a complete method description. Describe it on the submission page. The form starts with your earlier description."
    )


@dataclass(frozen=True)
class OfEntrant:
    """A team that would not be ranked if a phase closed now."""

    where: Where
    team: str
    reason: str
    ends: datetime | None = None


WOULD_BE_OUT: Final[Act[OfEntrant]] = act(
    "team_would_not_be_ranked",
    [
        always(
            "subject",
            lambda of: f"{of.where.challenge}: {of.team} is not ranked yet in {of.where.phase}",
            "Liver: Team A is not ranked yet in Final",
        )
    ],
    [
        always(
            "news",
            lambda of: (
                f"The organizers of {of.where.challenge} remind you: if {of.where.phase} closed now, the team {of.team} would not "
                "be in the final ranking."
            ),
            "The organizers of Liver remind you: if Final closed now, the team Team A would not be in the final ranking.",
        ),
        always(
            "reason",
            lambda of: f"Reason: {ended(of.reason)}",
            "Reason: No submission has a complete method description.",
        ),
        Paragraph(
            "until",
            "The phase has an end.",
            lambda of: of.ends is not None,
            lambda of: f"{of.where.phase} of {of.where.challenge} closes {moment_words(of.ends)}.",
            "Final of Liver closes 21 January 2027, 23:59 UTC.",
        ),
        always(
            "next",
            lambda _: "See the page of your submissions for what you can do.",
            "See the page of your submissions for what you can do.",
        ),
    ],
)


# Phases


@dataclass(frozen=True)
class OfPhase:
    """A phase, and when it ends or its ranking is shown."""

    where: Where
    ends: datetime | None = None
    reveals: datetime | None = None
    sentence: str = ""

    @property
    def place(self) -> str:
        """Name of the phase in texts."""
        return f"{self.where.phase} of {self.where.challenge}"


OPENED: Final[Act[OfPhase]] = act(
    "phase_opened",
    [always("subject", lambda of: f"{of.where.challenge}: {of.where.phase} is open", "Liver: Final is open")],
    [
        Paragraph(
            "until",
            "The phase has an end.",
            lambda of: of.ends is not None,
            lambda of: f"{of.place} is open. You can submit until {moment_words(of.ends)}.",
            "Final of Liver is open. You can submit until 21 January 2027, 23:59 UTC.",
        ),
        Paragraph(
            "stays",
            "It stays open.",
            lambda of: of.ends is None,
            lambda of: f"{of.place} is open. You can submit now. There is no deadline.",
            "Final of Liver is open. You can submit now. There is no deadline.",
        ),
        always(
            "next",
            lambda _: "The challenge pages explain what to submit and how.",
            "The challenge pages explain what to submit and how.",
        ),
    ],
)
CLOSING: Final[Act[OfPhase]] = act(
    "phase_closing",
    [
        always(
            "subject",
            lambda of: f"{of.where.challenge}: {of.where.phase} closes {moment_words(of.ends)}",
            "Liver: Final closes 21 January 2027, 23:59 UTC",
        )
    ],
    [
        always(
            "news",
            lambda of: f"{of.place} closes {moment_words(of.ends)}.",
            "Final of Liver closes 21 January 2027, 23:59 UTC.",
        ),
        always(
            "next",
            lambda _: (
                "Later submissions are not ranked. See the challenge pages for your submissions and remaining limit."
            ),
            "Later submissions are not ranked. See the challenge pages for your submissions and remaining limit.",
        ),
    ],
)
CLOSED: Final[Act[OfPhase]] = act(
    "phase_closed",
    [always("subject", lambda of: f"{of.where.challenge}: {of.where.phase} is closed", "Liver: Final is closed")],
    [
        always(
            "news",
            lambda of: f"{of.place} is closed. No further submissions are ranked.",
            "Final of Liver is closed. No further submissions are ranked.",
        ),
        Paragraph(
            "sealed",
            "The ranking is shown later.",
            lambda of: of.reveals is not None,
            lambda of: f"The ranking stays sealed until {moment_words(of.reveals)}.",
            "The ranking stays sealed until 21 January 2027, 23:59 UTC.",
        ),
        Paragraph(
            "final",
            "It is shown as soon as it is there.",
            lambda of: of.reveals is None,
            lambda _: "The final ranking is being computed.",
            "The final ranking is being computed.",
        ),
    ],
)
PUBLIC: Final[Act[OfPhase]] = act(
    "ranking_public",
    [
        always(
            "subject",
            lambda of: f"{of.where.challenge}: the final ranking of {of.where.phase} is public",
            "Liver: the final ranking of Final is public",
        )
    ],
    [
        always(
            "news",
            lambda of: f"The final ranking of {of.place} is public.",
            "The final ranking of Final of Liver is public.",
        ),
        # Said by the board, whose claims stand in `evaluation.claims`.
        Paragraph(
            "verdict", "The board has a headline.", lambda of: bool(of.sentence), lambda of: of.sentence, "unet leads."
        ),
        always(
            "next",
            lambda _: "The leaderboard shows the uncertainty of each rank and how sensitive the result is.",
            "The leaderboard shows the uncertainty of each rank and how sensitive the result is.",
        ),
    ],
)


def _listed(reasons: Sequence[str], more: int) -> str:
    """The first reasons, one a line, and how many there are besides."""
    lines = [f"– {ended(' '.join(reason.split()))}" for reason in reasons[:MOST_REASONS]]
    rest = more + len(reasons) - len(lines)
    if rest:
        lines.append(f"– and {rest} more")
    return "\n".join(lines)
