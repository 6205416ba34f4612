"""Rankings over HTTP: what the page of a leaderboard shows the same person, marks and deviations included."""

from typing import Any

from django.http import Http404
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.rankings.serializers import RankingSerializer
from challenges.queries import phases_of, visible_challenge
from leaderboards.queries import published, rankings
from leaderboards.views.exports import asked_part
from leaderboards.views.place import find


class RankedPhaseSerializer(serializers.Serializer):
    """A phase, and whether its ranking is open to the one who asks."""

    key = serializers.CharField(help_text="names the phase in addresses")
    task = serializers.CharField()
    phase = serializers.CharField()
    name = serializers.CharField()
    is_visible = serializers.BooleanField()
    ranking = serializers.CharField(help_text="address of the ranking that stands")


class RankingsView(APIView):
    """The phases of a challenge that are ranked."""

    @extend_schema(tags=["rankings"], responses=RankedPhaseSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the phases with a leaderboard, and whether the current user may read each."""
        phases = phases_of(visible_challenge(request.user, slug))
        rows = []
        for phase in phases:
            key = rankings.key_of(phase, phases)
            rows.append(
                {
                    "key": key,
                    "task": phase.task.slug,
                    "phase": phase.slug,
                    "name": phase.name,
                    "is_visible": request.user.has_perm("leaderboards.view_ranking", phase),
                    "ranking": reverse("api:ranking", args=[slug, key]),
                }
            )
        return Response(RankedPhaseSerializer(rows, many=True).data)


class RankingView(APIView):
    """The ranking of a phase as the current user may see it."""

    @extend_schema(
        tags=["rankings"],
        responses=RankingSerializer,
        parameters=[
            OpenApiParameter("version", OpenApiTypes.INT, description="an earlier version"),
            OpenApiParameter("group", OpenApiTypes.STR, description="a group of cases, once single cases may be seen"),
            OpenApiParameter("annotator", OpenApiTypes.STR, description="the references of one annotator"),
            OpenApiParameter("level", OpenApiTypes.STR, description="methods of one level of interaction alone"),
        ],
    )
    def get(self, request: Request, slug: str, key: str) -> Response:
        """Return the ranks of a phase with their evidence.

        The response contains ranks with rank sets, letters and failures, scores, marks, and the verdict. It
        also lists the deviations of the ranking from its registration. A sealed ranking is refused. A frozen
        ranking is shown in its frozen state.
        """
        leaderboard = find(request, slug, key)
        standing = leaderboard.standing() if leaderboard.may_view else None
        asked = request.query_params.get("version", "")
        if asked or standing is None:
            if asked and not (asked.isdecimal() and len(asked) < 9):
                raise Http404("There is no such version of this ranking.")
            # Refuses in the same words as the page does.
            version = leaderboard.version(int(asked or 0))
        else:
            version = standing.version
            version.phase = leaderboard.phase
        stands = standing is not None and standing.version_id == version.pk
        document: dict[str, Any] = published.document(
            version, key=leaderboard.key, stands=stands, part=asked_part(request, leaderboard, version)
        )
        return Response(document)
