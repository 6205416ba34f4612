"""Acts on the ranking of a phase: compute it again, freeze what the public sees."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.urls import reverse
from rest_framework.response import Response

from accounts.requests import SignedInApiRequest
from api.acts.base import Act, checked, described, done, form_data, plain_request, shape_of
from leaderboards.forms import FreezeForm
from leaderboards.models import Standing
from leaderboards.services import rankings
from leaderboards.views.place import Place, find

TAG = "rankings"


def _place(request: Any, slug: str, key: str, permission: str, refusal: str) -> Place:
    place_found = find(plain_request(request), slug, key)
    if not request.user.has_perm(permission, place_found.phase):
        raise PermissionDenied(refusal)
    return place_found


def _page(slug: str, leaderboard: Place) -> str:
    return reverse("leaderboards:current", args=[slug, leaderboard.key])


class RankingRequestView(Act):
    """Requests for a new ranking."""

    @described("request_ranking", "Compute the ranking again", tag=TAG)
    def post(self, request: SignedInApiRequest, slug: str, key: str) -> Response:
        """Compute the ranking of a phase again, for example after a failure."""
        refusal = "Only organizers ask for a ranking."
        leaderboard = _place(request, slug, key, "leaderboards.request_ranking", refusal)
        rankings.request_ranking(leaderboard.phase.pk, cause=Standing.Cause.REQUEST)
        return done("The ranking is computed again.", _page(slug, leaderboard))


_FREEZE = shape_of("FreezeRanking", FreezeForm)


class FreezeView(Act):
    """Freezes of the public ranking."""

    @described("freeze_ranking", "Freeze the public ranking", tag=TAG, request=_FREEZE, example={"hours": 48})
    def post(self, request: SignedInApiRequest, slug: str, key: str) -> Response:
        """Freeze the public ranking some hours before the phase closes; without `hours` the freeze ends."""
        leaderboard = _place(request, slug, key, "leaderboards.freeze", "Only organizers freeze a ranking.")
        hours = checked(FreezeForm(form_data(request.data)))["hours"]
        rankings.freeze_board(actor=request.user, phase=leaderboard.phase, hours=hours)
        frozen = f"The public ranking is frozen {hours} hours before the end."
        return done(frozen if hours else "The public ranking is not frozen.", _page(slug, leaderboard))
