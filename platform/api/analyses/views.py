"""Analyses of finished challenges over HTTP, with the services, rules and messages of the pages."""

from typing import Any, cast

from django.core.exceptions import ValidationError as Refusal
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, mixins, status, viewsets
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rules import test_rule

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.analyses import serializers as shapes
from datastore.uploads.services import form_files
from leaderboards.workbench.domain import child
from leaderboards.workbench.forms import AnswersForm, BringForm
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.queries import readable_or_404, tables_of
from leaderboards.workbench.services import tables as services
from leaderboards.workbench.views import file as file_page
from leaderboards.workbench.views import hand_in, title_of

_NAME = OpenApiParameter("name", str, OpenApiParameter.PATH, enum=sorted(child.FILES))


class ConflictError(exceptions.APIException):
    """It does not wait for answers."""

    status_code = status.HTTP_409_CONFLICT
    default_code = "conflict"


@extend_schema(tags=["analyses"])
class AnalysisViewSet(mixins.ListModelMixin, viewsets.GenericViewSet):
    """Results tables of finished challenges that the person uploaded.

    Anyone who has the address of a shared table can read it.
    """

    queryset = BroughtTable.objects.none()
    write_scope = AccessToken.Scope.ANALYSE
    serializer_class = shapes.AnalysisSerializer
    lookup_field = "key"

    def get_queryset(self) -> QuerySet[BroughtTable]:
        if getattr(self, "swagger_fake_view", False):  # the schema is made without a person
            return BroughtTable.objects.none()
        if not self.request.user.is_authenticated:
            raise exceptions.NotAuthenticated
        return tables_of(self.request.user)

    @extend_schema(
        request={
            "multipart/form-data": shapes.NewAnalysisSerializer,
            "application/x-www-form-urlencoded": shapes.NewAnalysisSerializer,
        },
        responses={201: shapes.AnalysisDetailSerializer},
    )
    def create(self, request: SignedInApiRequest) -> Response:
        """Bring a table. It is read in the background; then it asks what its columns are and two questions a metric."""
        sent = cast("QueryDict", request.data)
        form = BringForm(sent, form_files.with_sent(request.FILES, sent, request.user))
        if not form.is_valid():
            raise exceptions.ValidationError(form.errors.get_json_data())
        file = form.cleaned_data["file"]
        try:
            table = services.bring_table(
                actor=request.user,
                title=title_of(form.cleaned_data["title"], file.name),
                file_name=file.name[:120],
                content=file.read(),
            )
        except Refusal as error:
            raise exceptions.ValidationError({"file": error.messages}) from error
        form_files.handed_in(sent, request.user)
        return self._shown(table, status=status.HTTP_201_CREATED)

    @extend_schema(responses=shapes.AnalysisDetailSerializer)
    def retrieve(self, request: Request, key: str) -> Response:
        """Return the progress, the open questions or the results of an analysis."""
        return self._shown(readable_or_404(request.user, key))

    @extend_schema(request=shapes.AnalysisChangeSerializer, responses=shapes.AnalysisDetailSerializer)
    def partial_update(self, request: SignedInApiRequest, key: str) -> Response:
        """Share it or no longer, keep it or no longer."""
        table = readable_or_404(request.user, key, changing=True)
        form = shapes.AnalysisChangeSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        if "is_shared" in form.validated_data:
            services.share(actor=request.user, table=table, is_shared=form.validated_data["is_shared"])
        if "is_kept" in form.validated_data:
            services.keep(actor=request.user, table=table, is_kept=form.validated_data["is_kept"])
        return self._shown(readable_or_404(request.user, key))

    @extend_schema(responses={204: None})
    def destroy(self, request: SignedInApiRequest, key: str) -> Response:
        """Delete it with everything that was made of it."""
        services.delete_table(actor=request.user, table=readable_or_404(request.user, key, changing=True))
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(
        request=shapes.AnalysisAnswersSerializer,
        responses={200: shapes.AnalysisDetailSerializer, 409: OpenApiTypes.OBJECT},
    )
    def answers(self, request: SignedInApiRequest, key: str) -> Response:
        """Set the roles of columns, the better direction of metrics, and the value for missing results.

        If a role differs from the recognised one, the table is read again and new questions follow. Otherwise
        it is analysed.
        """
        table = readable_or_404(request.user, key, changing=True)
        if table.state != BroughtTable.State.ASKING:
            raise ConflictError(f"It waits for no answers: it is {table.get_state_display()}.")
        answered = shapes.AnalysisAnswersSerializer(data=request.data, context={"reading": table.reading})
        answered.is_valid(raise_exception=True)
        form = AnswersForm.of_names(table.reading, **answered.validated_data)
        if not form.is_valid():
            raise exceptions.ValidationError(form.errors_by_name)
        try:
            hand_in(form, actor=request.user, table=table)
        except Refusal as error:
            raise ConflictError(error.messages[0]) from error
        return self._shown(readable_or_404(request.user, key))

    @extend_schema(parameters=[_NAME], responses={200: OpenApiTypes.BINARY}, operation_id="analysis_file")
    def file(self, request: Request, key: str, name: str) -> HttpResponse:
        """A file of a finished analysis: report, bundle, results, ranking, gaming check, assessment."""
        if name not in child.FILES:
            raise Http404("There is no such file.")
        plain: HttpRequest = request._request  # noqa: SLF001 (the framework's way to the request that a plain view takes)
        plain.user = request.user
        return file_page(plain, key, name)

    def get_parsers(self) -> list[Any]:
        """A table comes as a form with a file, all else as JSON."""
        if (getattr(self, "action_map", None) or {}).get("post") == "create":
            return [MultiPartParser(), FormParser()]
        return list(super().get_parsers())

    def _shown(self, table: BroughtTable, **more: Any) -> Response:
        context = {**self.get_serializer_context(), "is_owner": test_rule("workbench.change", self.request.user, table)}
        return Response(shapes.AnalysisDetailSerializer(table, context=context).data, **more)
