"""Ranking at an address, the permission of the person to see it, and the common content of its pages."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse
from rules import test_rule

from accounts.models import User
from challenges.models import Challenge, Phase
from challenges.queries import phases_of, visible_challenge
from challenges.views import challenge_context
from evaluation.analyses.catalogue import Picture
from leaderboards.forms import FreezeForm
from leaderboards.models import Freeze, RankingRequest, RankingVersion, Standing
from leaderboards.queries import current, names, rankings
from leaderboards.queries.single_cases import for_reader

SEALED = "This ranking is sealed. Its page says until when."
WITHHELD = (
    "This version contains names of teams that may not be shown any more. The current ranking is on the leaderboard."
)
FROZEN = "The ranking is frozen until its phase closes; newer versions are not shown before."


@dataclass(frozen=True)
class Place:
    """A phase of a challenge that the person may see.

    Attributes
    ----------
    user
        The person.
    may_view
        Whether its ranking is open to them.
    ranking_request
        What is still to be computed.
    freeze
        How the public ranking is frozen before the end, if it is.
    frozen_at
        The person sees nothing newer than this moment; None if they see everything.
    sees_withheld
        Whether the person also sees versions with names that may not be shown any more.
    """

    user: User | AnonymousUser
    challenge: Challenge
    phases: list[Phase]
    phase: Phase
    key: str
    may_view: bool
    ranking_request: RankingRequest | None = None
    freeze: Freeze | None = None
    frozen_at: datetime | None = None
    sees_withheld: bool = False

    def standing(self) -> Standing | None:
        """The current ranking as the person may see it; None also where no result counts any more."""
        standing = current.current_standing(self.phase, until=self.frozen_at)
        if standing is None:
            return None
        standing.version.phase = self.phase
        if not (self.sees_withheld or names.is_open(standing.version)):
            return None
        standing.version = for_reader(self.user, names.shown(standing.version))
        return standing

    def version(self, number: int) -> RankingVersion:
        """Return a version of the ranking with the names that may be shown now; raises as `stored_version`."""
        return for_reader(self.user, names.shown(self.stored_version(number)))

    def stored_version(self, number: int) -> RankingVersion:
        """Return a version of the ranking as it is stored and digested.

        Raises
        ------
        PermissionDenied
            When the ranking is sealed, or frozen before that version. It is raised before the look-up, so the answer reveals
            nothing. Also for a version that contains names which must no longer be shown.
        Http404
            When the version does not exist.
        """
        if not self.may_view:
            raise PermissionDenied(SEALED)
        version = RankingVersion.objects.filter(phase=self.phase, number=number).select_related("analysis").first()
        # A frozen ranking does not even tell how many newer versions there are.
        if self.frozen_at is not None and (version is None or not current.was_current(version, self.frozen_at)):
            raise PermissionDenied(FROZEN)
        if version is None:
            raise Http404("There is no such version of this ranking.")
        version.phase = self.phase
        if not (self.sees_withheld or names.is_open(version)):
            raise PermissionDenied(WITHHELD)
        return version


def find(request: HttpRequest, slug: str, key: str | None) -> Place:
    """Find what the address names.

    Raises
    ------
    Http404
        For a challenge that the person may not see, or a phase that it does not have.
    """
    challenge = visible_challenge(request.user, slug)
    phases = phases_of(challenge)
    phase = rankings.phase_by_key(phases, key)
    freeze, request_row = rankings.state_of(phase)
    sees_all = freeze is None or not freeze.holds or request.user.has_perm("leaderboards.view_frozen", phase)
    return Place(
        user=request.user,
        challenge=challenge,
        phases=phases,
        phase=phase,
        key=rankings.key_of(phase, phases),
        may_view=request.user.has_perm("leaderboards.view_ranking", phase),
        ranking_request=request_row,
        freeze=freeze,
        frozen_at=None if sees_all or freeze is None else freeze.moment,
        sees_withheld=names.uses_pseudonyms(phase) and request.user.has_perm("leaderboards.view_withheld", phase),
    )


def may_view_figure(user: User | AnonymousUser, picture: Picture, phase: Phase) -> bool:
    """Return whether a person can see a figure.

    Figures of single cases require permission for single cases.
    Figures made of the references require permission for information that reveals the references.
    """
    if picture.shows_cases and not user.has_perm("leaderboards.view_cases", phase):
        return False
    return not picture.tells_references or test_rule("leaderboards.view_what_tells_references", user, phase)


def common_context(request: HttpRequest, leaderboard: Place) -> dict[str, Any]:
    """Return the common content of every page of a leaderboard."""
    return {
        **challenge_context(request, leaderboard.challenge),
        "active_tab": "leaderboards:first",
        "phase": leaderboard.phase,
        "key": leaderboard.key,
        "phases": [
            {
                "phase": phase,
                "url": reverse(
                    "leaderboards:current",
                    args=[leaderboard.challenge.slug, rankings.key_of(phase, leaderboard.phases)],
                ),
                "chosen": phase.pk == leaderboard.phase.pk,
            }
            for phase in leaderboard.phases
        ],
        "freeze": leaderboard.freeze,
        "frozen_at": leaderboard.frozen_at,
        "freeze_form": _freeze_form(request, leaderboard),
        "in_several_tasks": sum(phase.slug == leaderboard.phase.slug for phase in leaderboard.phases) > 1,
        "several_tasks": len({phase.task_id for phase in leaderboard.phases}) > 1,
    }


def _freeze_form(request: HttpRequest, leaderboard: Place) -> FreezeForm | None:
    """For organizers, as long as there is something to freeze."""
    if (
        leaderboard.phase.is_sealed
        or leaderboard.phase.is_closed
        or not request.user.has_perm("leaderboards.freeze", leaderboard.phase)
    ):
        return None
    return FreezeForm(initial={"hours": leaderboard.freeze.hours if leaderboard.freeze else None})


def state_of(leaderboard: Place) -> dict[str, Any]:
    """Return the pending computation of a ranking, and whether it failed."""
    request = leaderboard.ranking_request
    waits = request is not None and request.is_due and leaderboard.frozen_at is None
    return {
        "computing": waits,
        "progress": request.progress if request and waits else [],
        "failure": request.failure if request else "",
        "nothing_counts": current.is_withdrawn(request, leaderboard.frozen_at),
    }
