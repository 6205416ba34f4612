"""HTTP in, HTTP out."""

from functools import cache
from typing import Any, NamedTuple

from django.db.models import QuerySet
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework import mixins, viewsets
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.serializers import ChallengeDetailSerializer, ChallengeSerializer, MeSerializer
from challenges.models import Challenge
from challenges.queries import public_challenges, readable_challenges


@extend_schema(tags=["challenges"])
class ChallengeViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Public challenges and closed ones that admit you, their phases and the assessment documents that these are run by."""

    queryset = Challenge.objects.none()
    lookup_field = "slug"
    filterset_fields = ["slug"]

    def get_queryset(self) -> QuerySet[Challenge]:
        user = self.request.user
        rows = readable_challenges(user) if user.is_authenticated else public_challenges()
        return rows.order_by("slug")

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


class Operation(NamedTuple):
    """An operation as the list of the documentation shows it."""

    method: str
    address: str
    text: str


@cache
def operations() -> dict[str, list[Operation]]:
    """Return all operations by group, in alphabetical order; they do not change while the process runs."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    groups: dict[str, list[Operation]] = {}
    for address, methods in schema["paths"].items():
        for method, content in methods.items():
            text = content.get("summary") or content.get("description", "").partition("\n")[0]
            for tag in content.get("tags", ["other"]):
                groups.setdefault(tag, []).append(Operation(method.upper(), address, text))
    return dict(sorted(groups.items()))


class DocumentationView(SpectacularSwaggerSplitView):
    """The documentation of the interface: an introduction, a list of operations, and forms to try them."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Return the page, or with the query `script` its script."""
        response = super().get(request, *args, **kwargs)
        if request.GET.get("script") is None:
            response.data |= {"groups": operations(), "origin": request.build_absolute_uri("/").rstrip("/")}
        return response
