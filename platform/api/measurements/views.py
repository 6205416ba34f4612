"""Import of values measured outside over HTTP, with the services, rules and messages of the pages."""

from collections.abc import Callable
from typing import Any, ClassVar, cast

from django.core.exceptions import ValidationError as Refusal
from django.http import QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, status, viewsets
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.authentication import WithinScope
from api.measurements import serializers as shapes
from challenges.models import Challenge, Phase
from challenges.views.access import phase_by_id
from datastore.uploads.services import form_files
from submissions.measurements.forms import CaseListForm, ValuesForm
from submissions.measurements.models import Measurement
from submissions.measurements.queries import table_or_404, tables_of, teams_of
from submissions.measurements.services import tables as services
from submissions.measurements.views import bringing


class ConflictError(exceptions.APIException):
    """It waits for no decision."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


@extend_schema(tags=["measurements"])
class MeasurementViewSet(viewsets.GenericViewSet):
    """Values measured outside, for owners and managers of a challenge: bring, look at the preview, seal or discard."""

    queryset = Measurement.objects.none()
    serializer_class = shapes.MeasurementSerializer
    permission_classes = [IsAuthenticated, WithinScope]
    write_scope = AccessToken.Scope.MEASURE
    pagination_class = None
    filter_backends: ClassVar[list[Any]] = []  # type: ignore[misc]  # as the framework documents it

    @extend_schema(responses=shapes.MeasurementSerializer(many=True))
    def brought(self, request: Request, slug: str, phase: int) -> Response:  # noqa: ARG002 (the framework's signature)
        """List the tables that were imported into a phase, the newest first."""
        rows = tables_of(self._phase(slug, phase)).defer(None)
        return Response(self.get_serializer(rows, many=True).data)

    @extend_schema(
        request={
            "multipart/form-data": shapes.NewMeasurementSerializer,
            "application/x-www-form-urlencoded": shapes.NewMeasurementSerializer,
        },
        responses={201: shapes.MeasurementSerializer},
    )
    def create(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """Bring a table. It is read in the background; nothing counts before it is sealed."""
        entry = self._phase(slug, phase)
        is_list = _form_of(request).get("kind") == Measurement.Kind.CASES
        files = form_files.with_sent(request.FILES, _form_of(request), request.user)
        form = (CaseListForm if is_list else ValuesForm)(entry, self._filled(request, entry), files)
        if not form.is_valid():
            raise exceptions.ValidationError(form.errors.get_json_data())
        file = form.cleaned_data["file"]
        try:
            table = services.bring_table(
                actor=request.user, phase=entry, file_name=file.name, content=file.read(), **form.wanted
            )
        except Refusal as error:
            raise exceptions.ValidationError({"file": error.messages}) from error
        form_files.handed_in(_form_of(request), request.user)
        return Response(self.get_serializer(table).data, status=status.HTTP_201_CREATED)

    def retrieve(self, request: Request, slug: str, pk: int) -> Response:  # noqa: ARG002 (the framework's signature)
        """Return the progress of a table, its problems, and the content that sealing it stores."""
        return self._shown(slug, pk)

    @extend_schema(
        request=shapes.MeasurementColumnsSerializer,
        responses={200: shapes.MeasurementSerializer, 409: OpenApiTypes.OBJECT},
    )
    def columns(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Set the roles of columns and read the table again."""
        table = table_or_404(self._challenge(slug), pk)
        form = shapes.MeasurementColumnsSerializer(data=request.data, context={"reading": table.reading})
        form.is_valid(raise_exception=True)
        current_roles = {column["name"]: column["role"] for column in table.reading.get("columns", [])}
        roles = {**current_roles, **form.validated_data["roles"]}
        self._try(lambda: services.confirm_columns(actor=request.user, table=table, roles=roles))
        return self._shown(slug, pk)

    @extend_schema(request=None, responses={200: shapes.MeasurementSerializer, 409: OpenApiTypes.OBJECT})
    def seal(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Have what the preview shows stored and ranked."""
        table = table_or_404(self._challenge(slug), pk)
        self._try(lambda: services.seal(actor=request.user, table=table))
        return self._shown(slug, pk)

    @extend_schema(request=None, responses={200: shapes.MeasurementSerializer, 409: OpenApiTypes.OBJECT})
    def discard(self, request: SignedInApiRequest, slug: str, pk: int) -> Response:
        """Let it go."""
        table = table_or_404(self._challenge(slug), pk)
        self._try(lambda: services.discard(actor=request.user, table=table))
        return self._shown(slug, pk)

    def get_parsers(self) -> list[Any]:
        """A table comes as a form with a file, all else as JSON."""
        if (getattr(self, "action_map", None) or {}).get("post") == "create":
            return [MultiPartParser(), FormParser()]
        return list(super().get_parsers())

    def _challenge(self, slug: str) -> Challenge:
        return bringing(self.request, slug)

    def _phase(self, slug: str, phase: int) -> Phase:
        return phase_by_id(self._challenge(slug), phase)

    def _filled(self, request: Request, phase: Phase) -> QueryDict:
        """Return the form data with the number of the team that they name."""
        filled = _form_of(request).copy()
        if name := filled.get("team"):
            team = teams_of(phase).filter(name__iexact=name).first()
            if team is None:
                raise exceptions.ValidationError({"team": [f"There is no team {name!r} in the task of this phase."]})
            filled["team"] = str(team.pk)
        return filled

    def _shown(self, slug: str, pk: int) -> Response:
        return Response(self.get_serializer(table_or_404(self._challenge(slug), pk)).data)

    def _try(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Refusal as error:
            raise ConflictError(error.messages[0]) from error


def _form_of(request: Request) -> QueryDict:
    """Return the data of a form; the parser of such an address accepts nothing else."""
    return cast("QueryDict", request.data)
