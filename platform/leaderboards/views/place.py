"""Which ranking an address means, and whether the person who asks may see it."""

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from rules import test_rule

from accounts.models import User
from challenges.models import Challenge, Phase
from challenges.queries import phases_of, visible_challenge
from evaluation.analyses.catalogue import Picture
from leaderboards.models import Freeze, RankingRequest, RankingVersion, Standing
from leaderboards.queries import rankings

SEALED = "This ranking is sealed. Its page says until when."
FROZEN = "The ranking is frozen until its phase closes; newer versions are not shown before."


@dataclass(frozen=True)
class Place:
    """A phase of a challenge that the person may see.

    Attributes
    ----------
    may_view
        Whether its ranking is open to them.
    ranking_request
        What is still to be computed.
    freeze
        How the public ranking is frozen before the end, if it is.
    frozen_at
        The person sees nothing newer than this moment; None if they see everything.
    """

    challenge: Challenge
    phases: list[Phase]
    phase: Phase
    key: str
    may_view: bool
    ranking_request: RankingRequest | None = None
    freeze: Freeze | None = None
    frozen_at: datetime | None = None

    def standing(self) -> Standing | None:
        """The ranking that stands for the person who asks; None also where no result counts any more."""
        request = self.ranking_request
        if request is not None and request.nothing_counts and self.frozen_at is None:
            return None
        return rankings.current_standing(self.phase, until=self.frozen_at)

    def version(self, number: int) -> RankingVersion:
        """Return a version of the ranking.

        Raises
        ------
        PermissionDenied
            When the ranking is sealed, or frozen before that version; said before it is looked up, so that nothing is learnt from the answer.
        Http404
            When there is no such version.
        """
        if not self.may_view:
            raise PermissionDenied(SEALED)
        version = RankingVersion.objects.filter(phase=self.phase, number=number).select_related("analysis").first()
        # A frozen ranking does not even tell how many newer versions there are.
        if self.frozen_at is not None and (version is None or not rankings.stood_by(version, self.frozen_at)):
            raise PermissionDenied(FROZEN)
        if version is None:
            raise Http404("There is no such version of this ranking.")
        version.phase = self.phase
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
        challenge=challenge,
        phases=phases,
        phase=phase,
        key=rankings.key_of(phase, phases),
        may_view=request.user.has_perm("leaderboards.view_ranking", phase),
        ranking_request=request_row,
        freeze=freeze,
        frozen_at=None if sees_all or freeze is None else freeze.moment,
    )


def may_view_figure(user: User | AnonymousUser, picture: Picture, phase: Phase) -> bool:
    """Whether a figure is open to a person: those of single cases with these, those made of the references with what tells them."""
    if picture.shows_cases and not user.has_perm("leaderboards.view_cases", phase):
        return False
    return not picture.tells_references or test_rule("leaderboards.view_what_tells_references", user, phase)
