"""HTTP in, HTTP out."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins, viewsets
from rest_framework.permissions import IsAuthenticated
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.serializers import ChallengeDetailSerializer, ChallengeSerializer, MeSerializer
from challenges.models import Challenge
from challenges.queries import public_challenges


@extend_schema(tags=["challenges"])
class ChallengeViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Public challenges, their phases and the assessment documents that these are run by."""

    queryset = Challenge.objects.none()
    lookup_field = "slug"
    filterset_fields = ["slug"]

    def get_queryset(self) -> QuerySet[Challenge]:
        return public_challenges().order_by("slug")

    def get_serializer_class(self) -> type[ChallengeSerializer]:
        return ChallengeSerializer if self.action == "list" else ChallengeDetailSerializer


class MeView(APIView):
    """The current user."""

    # Whatever a token was made for, it may say whose it is.
    permission_classes = [IsAuthenticated]

    @extend_schema(tags=["people"], responses=MeSerializer)
    def get(self, request: SignedInApiRequest) -> Response:
        """Return the owner of this token or session, and the scopes and expiry of the token."""
        token = request.auth if isinstance(request.auth, AccessToken) else None
        return Response(
            MeSerializer(
                {
                    "username": request.user.get_username(),
                    "name": request.user.display_name,
                    "scopes": token.scopes if token else None,
                    "expires_at": token.expires_at if token else None,
                }
            ).data
        )
