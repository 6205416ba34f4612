"""Algorithms by program: images and weights in resumable pieces, submission, runs, logs and cancellation."""

from typing import Any, Literal

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rules import test_rule

from accounts.models import AccessToken
from accounts.requests import SignedInApiRequest
from api.algorithms.serializers import (
    AlgorithmSerializer,
    ArchiveSerializer,
    LogSerializer,
    RunProgressSerializer,
    SubmittedSerializer,
)
from api.authentication import WithinScope
from challenges.models import Phase, Team
from challenges.queries import visible_challenge
from challenges.views.access import participating, phase_by_id, team_in
from datastore.uploads.services.refusals import UploadError
from datastore.uploads.views import tus
from executions.models import AlgorithmArchive, Batch, Execution
from executions.models.archives import Kind
from executions.queries import archives
from executions.services import executing, packing
from executions.views import uploads
from submissions.services import algorithms

_HEADER: Literal["header"] = "header"
_VERSION = OpenApiParameter("Tus-Resumable", str, _HEADER, required=True, enum=[tus.VERSION])
_MOST_RUNS = 100


class MaySubmitAlgorithms(WithinScope):
    """Also asking for the progress of an upload belongs to submitting."""

    read_scope = AccessToken.Scope.SUBMIT


class _RefusedError(exceptions.APIException):
    def __init__(self, error: UploadError) -> None:
        super().__init__(str(error))
        self.status_code = tus.STATUS.get(type(error), 400)


def _plain(request: Request) -> HttpRequest:
    """Return the request for a view of pages, with the person of the token."""
    plain = request._request  # noqa: SLF001 (the framework's way to the request that a plain view takes)
    plain.user = request.user
    return plain


class AlgorithmUploadsView(APIView):
    """Start of uploads of images and weights."""

    permission_classes = [IsAuthenticated, MaySubmitAlgorithms]
    write_scope = AccessToken.Scope.SUBMIT

    @extend_schema(
        tags=["algorithms"],
        operation_id="begin_algorithm_upload",
        request=None,
        responses={201: None, (403, "text/plain"): OpenApiTypes.STR},
        parameters=[
            _VERSION,
            OpenApiParameter("Upload-Length", int, _HEADER, required=True, description="bytes"),
            OpenApiParameter(
                "Upload-Metadata",
                str,
                _HEADER,
                required=True,
                description="`key base64` pairs: filename, kind (image or model)",
            ),
            OpenApiParameter("Location", str, _HEADER, response=[201], description="address of the upload"),
        ],
    )
    def post(self, request: Request, slug: str, phase: int) -> HttpResponse:
        """Begin an upload (tus 1.0, creation); the answer's `Location` is its address."""
        response = uploads.create(_plain(request), slug, phase)
        if "Location" in response:
            response["Location"] = reverse("api:algorithm-upload", args=[slug, _last(response["Location"])])
        return response


class AlgorithmUploadView(APIView):
    """An upload in progress. `HEAD` answers with its `Upload-Offset`."""

    permission_classes = [IsAuthenticated, MaySubmitAlgorithms]
    write_scope = AccessToken.Scope.SUBMIT

    @extend_schema(
        tags=["algorithms"],
        operation_id="continue_algorithm_upload",
        request={"application/offset+octet-stream": OpenApiTypes.BINARY},
        responses={204: None, (409, "text/plain"): OpenApiTypes.STR},
        parameters=[
            _VERSION,
            OpenApiParameter("Upload-Offset", int, _HEADER, required=True),
            OpenApiParameter("Upload-Checksum", str, _HEADER, description="`sha256 base64` of the piece"),
            OpenApiParameter(
                "Podium-Archive", str, _HEADER, response=[204], description="id of the archive, at the end"
            ),
        ],
    )
    def patch(self, request: Request, slug: str, pk: Any) -> HttpResponse:
        """Add the next piece; after the last one, the archive is checked."""
        return self._answered(request, slug, pk)

    def head(self, request: Request, slug: str, pk: Any) -> HttpResponse:
        """Return the progress of the upload."""
        return self._answered(request, slug, pk)

    @extend_schema(
        tags=["algorithms"], operation_id="cancel_algorithm_upload", responses={204: None}, parameters=[_VERSION]
    )
    def delete(self, request: Request, slug: str, pk: Any) -> HttpResponse:
        """Cancel it."""
        return self._answered(request, slug, pk)

    def _answered(self, request: Request, slug: str, pk: Any) -> HttpResponse:
        response = uploads.upload(_plain(request), slug, pk)
        if "Podium-Page" in response:
            archive = (
                AlgorithmArchive.objects.filter(upload=pk, user=request.user.pk).values_list("pk", flat=True).first()
            )
            del response["Podium-Page"]
            if archive is not None:
                response["Podium-Archive"] = str(archive)
        return response


@extend_schema(tags=["algorithms"])
class AlgorithmsView(APIView):
    """Images and weights of the own team, and their submission."""

    permission_classes = [IsAuthenticated, WithinScope]
    write_scope = AccessToken.Scope.SUBMIT

    @extend_schema(operation_id="algorithms", responses=ArchiveSerializer(many=True))
    def get(self, request: Request, slug: str, phase: int) -> Response:
        """List the images and weights of the team that can be used in the phase, newest first."""
        team, phase_row = self._taking_part(request, slug, phase)
        return Response(ArchiveSerializer(archives.kept(team, phase_row), many=True).data)

    @extend_schema(operation_id="submit_algorithm", request=AlgorithmSerializer, responses={201: SubmittedSerializer})
    def post(self, request: SignedInApiRequest, slug: str, phase: int) -> Response:
        """Submit an image, with or without weights. Its check may still be in progress."""
        team, phase_row = self._taking_part(request, slug, phase)
        form = AlgorithmSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        owned = {archive.pk: archive for archive in archives.kept(team, phase_row)}
        image = _usable(owned, form.validated_data["image"], Kind.IMAGE)
        weights = form.validated_data["weights"]
        model = None if weights is None else _usable(owned, weights, Kind.MODEL)
        try:
            submission = algorithms.hand_in(user=request.user, phase=phase_row, team=team, image=image, model=model)
        except UploadError as error:
            raise _RefusedError(error) from error
        run = Execution.objects.filter(subject=submission.pk).latest("created_at")
        content = {"submission": submission.pk, "number": submission.number, "run": run.pk}
        return Response(SubmittedSerializer(content).data, status=201)

    def _taking_part(self, request: Request, slug: str, phase: int) -> tuple[Team, Phase]:
        challenge, teams = participating(_plain(request), slug)
        phase_row = phase_by_id(challenge, phase)
        team = team_in(teams, phase_row)
        if team is None:
            raise exceptions.PermissionDenied("You do not take part in this task.")
        return team, phase_row


def _usable(owned: dict[Any, AlgorithmArchive], pk: Any, kind: str) -> AlgorithmArchive:
    archive = owned.get(pk)
    if archive is None or archive.kind != kind or archive.state not in AlgorithmArchive.USABLE:
        words = "image" if kind == Kind.IMAGE else "weights"
        raise exceptions.ValidationError({words: [f"{pk} is not a usable file of this kind of your team."]})
    return archive


class _RunsView(APIView):
    permission_classes = [IsAuthenticated, WithinScope]
    write_scope = AccessToken.Scope.SUBMIT

    def own(self) -> QuerySet[Execution]:
        """Return the runs of the person's teams."""
        rows = Execution.objects.filter(team__members__user=self.request.user.pk)
        return rows.select_related("phase__task__challenge", "team", "image", "model", "test_set").distinct()

    def load(self, pk: Any) -> Execution:
        """Return a run of the person's teams."""
        execution = self.own().filter(pk=pk).first()
        if execution is None:
            raise exceptions.NotFound("Run not found among the runs of your teams.")
        return execution


@extend_schema(tags=["algorithms"])
class AlgorithmRunsView(_RunsView):
    """Runs of the own teams."""

    @extend_schema(
        operation_id="runs",
        responses=RunProgressSerializer(many=True),
        parameters=[OpenApiParameter("challenge", str, description="short name of a challenge")],
    )
    def get(self, request: Request) -> Response:
        """List the last 100 runs, newest first, each with its place in the queue."""
        rows = self.own().order_by("-created_at")
        if slug := request.query_params.get("challenge"):
            rows = rows.filter(phase__task__challenge=visible_challenge(request.user, slug))
        return Response(RunProgressSerializer(rows[:_MOST_RUNS], many=True).data)


@extend_schema(tags=["algorithms"])
class AlgorithmRunView(_RunsView):
    """One run."""

    @extend_schema(operation_id="run", responses=RunProgressSerializer)
    def get(self, request: Request, pk: Any) -> Response:  # noqa: ARG002 (the framework's signature)
        """Return its place in the queue or its progress, and why it waits."""
        return Response(RunProgressSerializer(self.load(pk)).data)


@extend_schema(tags=["algorithms"])
class CancelRunView(_RunsView):
    """Cancellation."""

    @extend_schema(operation_id="cancel_run", request=None, responses=RunProgressSerializer)
    def post(self, request: SignedInApiRequest, pk: Any) -> Response:
        """Cancel a run that has not ended. What it used of the compute time counts."""
        execution = self.load(pk)
        try:
            executing.cancel(execution=execution, actor=request.user)
        except ValidationError as error:
            raise exceptions.ValidationError({"run": [error.message]}) from error
        return Response(RunProgressSerializer(self.load(pk)).data)


@extend_schema(tags=["algorithms"])
class RunLogsView(_RunsView):
    """Logs."""

    @extend_schema(operation_id="run_logs", responses=LogSerializer(many=True))
    def get(self, request: Request, pk: Any) -> Response:
        """Return what the algorithm printed: on public cases, and what organizers released."""
        execution = self.load(pk)
        batches = Batch.objects.filter(execution=execution, state=Batch.State.DONE).select_related("release")
        reads_all = test_rule("executions.view_logs", request.user, execution)
        logs = [
            {"batch": batch.index, "text": packing.read_log(batch) if reads_all else batch.release.text}
            for batch in batches.order_by("index")
            if reads_all or hasattr(batch, "release")
        ]
        return Response(LogSerializer(logs, many=True).data)


def _last(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]
