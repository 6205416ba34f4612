"""The runner interface, version 1: report, claim, inputs, signs of life, outputs, measurements, end and release.

Each request carries the token of a runner, except for inputs, whose addresses are signed. All requests can be repeated.
"""

from typing import Any, Literal
from uuid import UUID

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from api.runners.serializers import (
    BeatAnswerSerializer,
    BeatSerializer,
    ClaimSerializer,
    EndedSerializer,
    FinishSerializer,
    LeasedRunSerializer,
    ReceivedSerializer,
    ReleaseSerializer,
    RunnerSerializer,
    RunnerStateSerializer,
)
from api.throttling import AddressThrottle
from datastore.datasets.domain.ranges import RangeNotSatisfiableError, requested_part
from executions.runners.models import Runner, RunnerRun
from executions.runners.services import claiming, inputs, issuing, reporting, returning
from executions.runners.services.refusals import RunnerError

POLL_SECONDS = 2.0
_HEADER: Literal["header"] = "header"


class RunnerAuthentication(BaseAuthentication):
    """Authentication by the token of a runner, which acts for no account."""

    def authenticate(self, request: Request) -> tuple[Any, Runner]:
        parts = get_authorization_header(request).split()
        secret = parts[1].decode("latin-1") if len(parts) == 2 and parts[0].lower() == b"bearer" else ""
        runner = issuing.use(secret)
        if runner is None:
            raise exceptions.AuthenticationFailed(
                "This token of a runner is not valid: it is unknown, has expired or was revoked. Issue a new one on the page Runners."
            )
        return None, runner

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002 (the framework's signature)
        return "Bearer"


class RunnerScheme(OpenApiAuthenticationExtension):
    """Description of the tokens of runners in the schema."""

    target_class = RunnerAuthentication
    name = "runner_token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002 (the library's signature)
        return {"type": "http", "scheme": "bearer"}


class IsRunner(BasePermission):
    """Permission for runners only."""

    def has_permission(self, request: Request, view: Any) -> bool:  # noqa: ARG002 (the framework's signature)
        return isinstance(request.auth, Runner)


class RunnerRate(SimpleRateThrottle):
    """Limit of requests of a runner; 20 runs at the same time and one claim per second stay below it."""

    scope = "runner"
    rate = "1200/min"

    def get_cache_key(self, request: Request, view: Any) -> str:  # noqa: ARG002 (the framework's signature)
        """Count by runner."""
        return f"throttle-runner-{request.auth.pk}"


class UnknownRunnerRate(AddressThrottle):
    """Limit of requests of an address before its token is known to be valid."""

    scope = "runner-address"
    rate = "6000/min"


class InputRate(AddressThrottle):
    """Limit of requests for inputs of an address."""

    scope = "runner-input"
    rate = "6000/min"


class _RefusedError(exceptions.APIException):
    def __init__(self, error: RunnerError) -> None:
        super().__init__(str(error))
        self.status_code, self.problem_code = error.status, error.code


class _RunnerView(APIView):
    authentication_classes = [RunnerAuthentication]
    permission_classes = [IsRunner]
    throttle_classes = [RunnerRate]

    def handle_exception(self, exc: Exception) -> Response:
        """Answer refusals of the services as problem documents."""
        return super().handle_exception(_RefusedError(exc) if isinstance(exc, RunnerError) else exc)

    def perform_authentication(self, request: Request) -> None:
        """Limit the requests of an address before its token is looked up."""
        rate = UnknownRunnerRate()
        if not rate.allow_request(request, self):
            self.throttled(request, rate.wait() or 1.0)
        super().perform_authentication(request)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        """Keep answers out of caches."""
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response

    @property
    def runner(self) -> Runner:
        """The runner whose token the request carries."""
        runner = self.request.auth
        assert isinstance(runner, Runner)
        return runner

    def valid(self, serializer: type[serializers.Serializer]) -> dict[str, Any]:
        """Return the validated body."""
        form = serializer(data=self.request.data)
        form.is_valid(raise_exception=True)
        return form.validated_data

    def ended(self, pk: UUID, states: tuple[str, ...]) -> Response | None:
        """Answer a repeated end of a run, whose first answer may have been lost."""
        run = RunnerRun.objects.filter(pk=pk, runner=self.runner, state__in=states).first()
        return None if run is None else Response(EndedSerializer({"state": run.state}).data)


@extend_schema(tags=["runners"])
class ReportView(_RunnerView):
    """State of the runner."""

    @extend_schema(operation_id="runner_report", request=RunnerStateSerializer, responses=RunnerSerializer)
    def put(self, request: Request) -> Response:
        """Report version, guarantees and hardware; answers whether the runner gets work."""
        form = RunnerStateSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        runner = reporting.report(self.runner, form.as_report())
        content = {
            "name": runner.name,
            "scope": runner.challenge.slug if runner.challenge else "installation",
            "is_ready": not runner.problem,
            "problem": runner.problem,
            "concurrency": runner.concurrency,
            "expires_at": runner.expires_at,
            "poll_seconds": POLL_SECONDS,
            "piece_bytes": returning.piece_bytes(),
        }
        return Response(RunnerSerializer(content).data)


@extend_schema(tags=["runners"])
class RunsView(_RunnerView):
    """Claims."""

    @extend_schema(
        operation_id="runner_claim", request=ClaimSerializer, responses={201: LeasedRunSerializer, 204: None}
    )
    def post(self, request: Request) -> Response:  # noqa: ARG002 (the framework's signature)
        """Claim the run whose turn it is; 204 if there is none."""
        run = claiming.claim(self.runner, self.valid(ClaimSerializer)["key"])
        return Response(status=204) if run is None else Response(_described(run), status=201)


@extend_schema(tags=["runners"])
class RunView(_RunnerView):
    """A leased run."""

    @extend_schema(operation_id="runner_run", responses=LeasedRunSerializer)
    def get(self, request: Request, pk: UUID) -> Response:  # noqa: ARG002 (the framework's signature)
        """Return the order and the inputs again, with new addresses."""
        return Response(_described(claiming.living(self.runner, pk)))


@extend_schema(tags=["runners"])
class BeatView(_RunnerView):
    """Signs of life."""

    @extend_schema(operation_id="runner_heartbeat", request=BeatSerializer, responses=BeatAnswerSerializer)
    def post(self, request: Request, pk: UUID) -> Response:  # noqa: ARG002 (the framework's signature)
        """Renew the lease; 409 if the run was cancelled or given to another machine."""
        step = self.valid(BeatSerializer)["step"]
        seconds = returning.beat(claiming.living(self.runner, pk), step)
        return Response(BeatAnswerSerializer({"next_seconds": seconds}).data)


@extend_schema(tags=["runners"])
class OutputsView(_RunnerView):
    """Outputs of a run: one stream, in the order of the manifest."""

    @extend_schema(operation_id="runner_outputs_state", responses=ReceivedSerializer)
    def get(self, request: Request, pk: UUID) -> Response:  # noqa: ARG002 (the framework's signature)
        """Return how much has arrived."""
        return Response(ReceivedSerializer({"received": claiming.living(self.runner, pk).received}).data)

    @extend_schema(
        operation_id="runner_outputs",
        request={"application/offset+octet-stream": OpenApiTypes.BINARY},
        responses=ReceivedSerializer,
        parameters=[
            OpenApiParameter("Upload-Offset", int, _HEADER, required=True),
            OpenApiParameter("Content-SHA256", str, _HEADER, required=True, description="of the piece, hexadecimal"),
        ],
    )
    def patch(self, request: Request, pk: UUID) -> Response:
        """Append a piece."""
        run = claiming.living(self.runner, pk)
        header = request.headers.get("Upload-Offset", "")
        if not header.isascii() or not header.isdigit() or len(header) > 18:
            raise RunnerError("offset", "The header Upload-Offset must be a number of bytes.", status=400)
        most = returning.piece_bytes()
        piece = request._request.read(most + 1)  # noqa: SLF001 (a parser would take the bytes for a form)
        if len(piece) > most:
            raise RunnerError("too_large", f"A piece has {most:,} bytes at most.", status=413)
        received = returning.append(run, int(header), piece, request.headers.get("Content-SHA256", ""))
        return Response(ReceivedSerializer({"received": received}).data)


@extend_schema(tags=["runners"])
class MeasurementsView(_RunnerView):
    """Measurements of a run."""

    @extend_schema(operation_id="runner_measurements", request=OpenApiTypes.OBJECT, responses={204: None})
    def put(self, request: Request, pk: UUID) -> Response:
        """Store what was measured and printed, or the fault of the machine."""
        run = claiming.living(self.runner, pk)
        if not isinstance(request.data, dict):
            raise RunnerError("measurements", "The measurements must be an object.", status=422)
        returning.measure(run, request.data)
        return Response(status=204)


@extend_schema(tags=["runners"])
class FinishView(_RunnerView):
    """End of a run."""

    @extend_schema(operation_id="runner_finish", request=FinishSerializer, responses=EndedSerializer)
    def post(self, request: Request, pk: UUID) -> Response:  # noqa: ARG002 (the framework's signature)
        """Return the run; its outputs are read afterwards."""
        manifest = self.valid(FinishSerializer)["manifest"]
        states = RunnerRun.State
        earlier = self.ended(pk, (states.RETURNED, states.DONE, states.FAULTY))
        if earlier is not None:
            return earlier
        returning.finish(claiming.living(self.runner, pk), manifest)
        return Response(EndedSerializer({"state": states.RETURNED}).data)


@extend_schema(tags=["runners"])
class ReleaseView(_RunnerView):
    """Release of a run."""

    @extend_schema(operation_id="runner_release", request=ReleaseSerializer, responses=EndedSerializer)
    def post(self, request: Request, pk: UUID) -> Response:  # noqa: ARG002 (the framework's signature)
        """Give a run back that was not executed."""
        reason = self.valid(ReleaseSerializer)["reason"]
        earlier = self.ended(pk, (RunnerRun.State.RELEASED,))
        if earlier is not None:
            return earlier
        returning.release(claiming.living(self.runner, pk), reason)
        return Response(EndedSerializer({"state": RunnerRun.State.RELEASED}).data)


@extend_schema(tags=["runners"])
class InputView(APIView):
    """Files of leased runs."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]
    throttle_classes = [InputRate]

    @extend_schema(operation_id="runner_input", responses={200: OpenApiTypes.BINARY, 206: OpenApiTypes.BINARY})
    def get(self, request: Request, token: str) -> HttpResponseBase:
        """Send a file of a run whose lease is valid; takes `Range`."""
        try:
            entry = inputs.redeem(token)
        except RunnerError as error:
            raise _RefusedError(error) from error
        try:
            part = requested_part(request.headers.get("Range"), entry.size)
        except RangeNotSatisfiableError:
            return HttpResponse(status=416, headers={"Content-Range": f"bytes */{entry.size}"})
        response = StreamingHttpResponse(
            inputs.content(entry, part), status=200 if part.is_whole else 206, content_type="application/octet-stream"
        )
        response["Content-Length"] = str(part.length)
        response["Accept-Ranges"] = "bytes"
        response["Cache-Control"] = "no-store"
        if not part.is_whole:
            response["Content-Range"] = part.header
        return response


def _described(run: RunnerRun) -> Any:
    content = inputs.described(run)
    files = [*content["image"]["parts"], *content["cases"], *([content["weights"]] if content["weights"] else [])]
    for entry in files:
        entry["address"] = reverse("api:runner-input", args=[entry.pop("token")])
    return LeasedRunSerializer(content).data
