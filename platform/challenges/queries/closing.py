"""Consequences of closing a phase: ranked teams, what becomes public and when, and whether it is a deviation."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils import timezone

from challenges.hooks import Entrant, entrants
from challenges.models import Phase
from challenges.queries.projections import projection_of
from evaluation.canonical import sha256
from web.wording import moment_words


@dataclass(frozen=True)
class Consequences:
    """Consequences of closing a phase now.

    Attributes
    ----------
    sentences
        What becomes public, and when.
    deviation
        What of it deviates from the registered dates; empty where nothing does.
    """

    sentences: tuple[str, ...]
    deviation: str = ""


def entrants_of(phase: Phase) -> list[Entrant]:
    """Return the teams of a phase as all apps know them."""
    return [entrant for provider in entrants for entrant in provider(phase)]


def state_of(rows: Sequence[Entrant]) -> str:
    """Return a digest of who would be ranked, by which a later list is compared."""
    return sha256([[row.team, row.outcome, row.code, list(row.submissions)] for row in rows])[:16]


def consequences_of(phase: Phase, rows: Sequence[Entrant]) -> Consequences:
    """Return what becomes public when a phase closes now, and what deviates from the registration."""
    ranked = sum(row.outcome == "ranked" for row in rows)
    pending = sum(row.outcome == "pending" for row in rows)
    when = "as soon as it is computed"
    if phase.reveals_at is not None and phase.reveals_at > timezone.now():
        when = f"on {moment_words(phase.reveals_at)}"
    # At sites the teams are not known before the close.
    of_teams = f" of {ranked} team{'' if ranked == 1 else 's'}" if rows else ""
    sentences = ["No further submission is accepted. This cannot be undone."]
    if pending:
        sentences.append(
            f"{pending} submission{' is' if pending == 1 else 's are'} still being processed, and can be ranked afterwards."
        )
    if phase.leaderboard == Phase.Leaderboard.SEALED:
        sentences.append(f"The sealed ranking{of_teams} becomes public {when}.")
    else:
        sentences.append(f"The final ranking{of_teams} replaces the public ranking {when}.")
    named = {
        Phase.Announcement.ALL: "Every ranked team is named.",
        Phase.Announcement.TOP: f"Teams on the first {phase.announced_ranks} ranks are named, others appear under a pseudonym.",
        Phase.Announcement.AGREED: "Teams that agree in their method description are named, others appear under a pseudonym.",
        Phase.Announcement.NOT_REFUSED: "Teams are named unless their method description states otherwise.",
    }
    sentences.append(named[Phase.Announcement(phase.announcement)])
    if phase.publishes_methods:
        sentences.append("Method descriptions become public with the results, where the team agrees.")
    if phase.reveals_cases:
        sentences.append("Teams see pictures of their predictions next to the references.")
    sentences.append("Participants are notified.")
    return Consequences(tuple(sentences), _deviation(phase))


def _deviation(phase: Phase) -> str:
    if projection_of(phase.challenge) is None:
        return ""
    if phase.stays_open:
        return (
            "The registered design states that this phase stays open. Closing it is marked permanently as a deviation."
        )
    return (
        f"The registered deadline is {moment_words(phase.ends_at)}. Closing before it is marked permanently as a deviation. "
        "At the registered deadline the phase closes automatically."
    )
