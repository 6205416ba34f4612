"""Messages of sites, and the files that they request; without sign-in, since every body is a signed envelope."""

import json
from collections.abc import Iterator
from typing import Any, Final

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from api.errors import TooMuchError
from api.throttling import AddressThrottle
from datastore.datasets.domain.ranges import RangeNotSatisfiableError, requested_part
from datastore.uploads.storage import open_stored
from evaluation.federation import Refusal
from evaluation.federation.envelope import MOST_BYTES
from federation.models import Federation
from federation.queries.federations import current_package
from federation.queries.images import file_of
from federation.queries.standing import standings
from federation.services import messages
from web.errors import problem

STATUS: Final = {
    "malformed": 400,
    "unknown_key": 403,
    "bad_signature": 403,
    "unconfirmed": 403,
    "invitation": 403,
    "not_canonical": 422,
    "invalid": 422,
    "clock": 422,
    "foreign_image": 422,
    "predictions_not_allowed": 422,
    "implausible": 422,
    "test": 422,
    "terms": 422,
    "no_package": 404,
}
"""HTTP status of each refusal; 409 for a refusal because something else was expected."""
_BLOCK: Final = 1 << 20


class StateSerializer(serializers.Serializer):
    """A site and its state."""

    site = serializers.CharField(source="site.name")
    state = serializers.CharField()
    since = serializers.DateTimeField()
    units = serializers.IntegerField(source="seal.units", default=None)
    counts = serializers.BooleanField()


class FederationSerializer(serializers.Serializer):
    """The sites of a phase."""

    federation = serializers.CharField(source="federation.identifier")
    challenge = serializers.CharField()
    phase = serializers.CharField()
    package = serializers.CharField(help_text="SHA-256 of what sites evaluate now")
    rules = serializers.JSONField()
    sites = StateSerializer(many=True)


class SitesRate(AddressThrottle):
    """Limit of messages and questions of sites; a site needs fewer than ten per hour."""

    scope = "sites"
    rate = "600/hour"


class _Signed(APIView):
    """Reads an envelope of anybody."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]
    throttle_classes = [SitesRate]

    def envelope(self, request: Request) -> bytes:
        """Return the body, no further than a message may be long."""
        body = request._request.read(MOST_BYTES + 1)  # noqa: SLF001 (the parser would change the signed bytes)
        if len(body) > MOST_BYTES:
            raise TooMuchError
        return bytes(body)


class FederationView(APIView):
    """States of the sites of a phase."""

    @extend_schema(tags=["sites"], operation_id="federation", responses=FederationSerializer)
    def get(self, request: Request, federation: str) -> Response:
        """List the sites and their states; never a result."""
        federation_row = _federation(federation)
        if not request.user.has_perm("federation.view_sites", federation_row):
            return Response(problem(request.path, 404, detail="There are no such sites."), status=404)
        package = current_package(federation_row)
        content = {
            "federation": federation_row,
            "challenge": federation_row.phase.challenge.slug,
            "phase": federation_row.phase.slug,
            "package": package.digest if package else "",
            "rules": federation_row.rules,
            "sites": standings(federation_row),
        }
        return Response(FederationSerializer(content).data)


class MessagesView(_Signed):
    """Messages of sites."""

    @extend_schema(
        tags=["sites"],
        operation_id="site_message",
        request=OpenApiTypes.OBJECT,
        responses={201: OpenApiTypes.OBJECT, 200: OpenApiTypes.OBJECT},
    )
    def post(self, request: Request, federation: str) -> HttpResponseBase:
        """Take a signed message; answers with a signed receipt, 200 where the same message had come before."""
        federation_row = _federation(federation)
        try:
            answer = messages.receive(self.envelope(request), federation=federation_row)
        except Refusal as refusal:
            return _refused(request, refusal)
        return HttpResponse(answer.receipt, status=200 if answer.replay else 201, content_type="application/json")


class FilesView(_Signed):
    """Files that a site requests with a signed message."""

    @extend_schema(
        tags=["sites"],
        operation_id="site_file",
        request=OpenApiTypes.OBJECT,
        responses={200: OpenApiTypes.BINARY, 206: OpenApiTypes.BINARY},
    )
    def post(self, request: Request, federation: str) -> HttpResponseBase:
        """Answer with the signed package, or with a file of it; takes `Range`."""
        federation_row = _federation(federation)
        try:
            _, wanted = messages.read_request(self.envelope(request), federation=federation_row)
            package = messages.package_envelope(federation_row)
        except Refusal as refusal:
            return _refused(request, refusal)
        if wanted == "package":
            return HttpResponse(package, content_type="application/json")
        stored = file_of(federation_row, wanted)
        if stored is None:
            return _refused(request, Refusal("no_package", "the current package has no such file: fetch it again"))
        return _file(request, *stored)


def _file(request: Request, name: str, size: int) -> HttpResponseBase:
    try:
        part = requested_part(request.headers.get("Range"), size)
    except RangeNotSatisfiableError:
        response = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{size}"
        return response
    start = part.start

    def blocks() -> Iterator[bytes]:
        left = part.length
        with open_stored(name) as source:
            skipped = 0
            while skipped < start:
                skipped += len(source.read(min(_BLOCK, start - skipped)))
            while left and (block := source.read(min(_BLOCK, left))):
                left -= len(block)
                yield block

    streamed = StreamingHttpResponse(
        blocks(), status=200 if part.is_whole else 206, content_type="application/octet-stream"
    )
    streamed["Content-Length"] = str(part.length)
    if not part.is_whole:
        streamed["Content-Range"] = part.header
    return streamed


def _federation(identifier: str) -> Federation:
    rows = Federation.objects.select_related("phase__task__challenge")
    return get_object_or_404(rows, identifier=identifier)


def _refused(request: Request, refusal: Refusal) -> HttpResponse:
    status = STATUS.get(refusal.code, 409)
    content = problem(request.path, status, detail=f"{refusal}.") | {"code": refusal.code}
    return HttpResponse(json.dumps(content), status=status, content_type="application/problem+json")
