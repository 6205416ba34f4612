"""Uploading by programs: the same tus 1.0 views as the submit page, at addresses of the interface."""

from typing import Any, Literal

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import AccessToken
from api.authentication import WithinScope
from datastore.uploads.views import tus
from submissions.queries.repeats import RULE
from submissions.views import uploads

_HEADER: Literal["header"] = "header"
IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    _HEADER,
    description=(
        "Key of 1 to 255 characters, such as a UUID. A repeated request with the same key returns the upload that the first "
        "one began. With another file it is refused (422)."
    ),
)
_REPEATED = OpenApiParameter(
    "Podium-Repeated",
    str,
    _HEADER,
    response=[200, 204],
    description="`true` if the same file was submitted before, so that no new submission was created",
)
_VERSION = OpenApiParameter("Tus-Resumable", str, _HEADER, required=True, enum=[tus.VERSION])


class MaySubmit(WithinScope):
    """Also asking how far an upload is belongs to submitting."""

    read_scope = AccessToken.Scope.SUBMIT


class _TusView(APIView):
    permission_classes = [IsAuthenticated, MaySubmit]
    write_scope = AccessToken.Scope.SUBMIT

    def hand_on(self, view: Any, request: Request, *args: Any) -> HttpResponse:
        """Let a view of the submit page answer; the body has not been read by anybody."""
        plain = request._request  # noqa: SLF001 (the framework's way to the request that a plain view takes)
        plain.user = request.user
        return view(plain, *args)


class UploadsView(_TusView):
    """Start of uploads."""

    @extend_schema(
        tags=["submissions"],
        operation_id="begin_upload",
        request=None,
        responses={200: None, 201: None, (403, "text/plain"): OpenApiTypes.STR, (422, "text/plain"): OpenApiTypes.STR},
        parameters=[
            _VERSION,
            OpenApiParameter("Upload-Length", int, _HEADER, required=True, description="bytes"),
            OpenApiParameter(
                "Upload-Metadata",
                str,
                _HEADER,
                required=True,
                description=(
                    "`key base64` pairs: filename, phase (id), accept_incomplete (true or false), sha256 (of the file, "
                    "hexadecimal), again (true: submit the same file again)"
                ),
            ),
            IDEMPOTENCY_KEY,
            OpenApiParameter("Location", str, _HEADER, response=[201], description="address of the upload"),
            OpenApiParameter(
                "Podium-Submission",
                str,
                _HEADER,
                response=[200],
                description="address of the submission of the same file",
            ),
            _REPEATED,
        ],
        description=f"Begin an upload (tus 1.0, creation). The `Location` of the response is its address. {RULE}",
    )
    def post(self, request: Request, slug: str) -> HttpResponse:
        """Begin an upload."""
        response = self.hand_on(uploads.create, request, slug)
        if "Location" in response:
            response["Location"] = reverse("api:upload", args=[slug, _last(response["Location"])])
        return _linked(response)

    @extend_schema(exclude=True)
    def options(self, request: Request, slug: str) -> HttpResponse:  # type: ignore[override]  # tus answers with headers alone
        """Return the supported protocol."""
        return self.hand_on(uploads.create, request, slug)


class UploadView(_TusView):
    """An upload under way. `HEAD` answers with its `Upload-Offset`."""

    @extend_schema(
        tags=["submissions"],
        operation_id="continue_upload",
        request={"application/offset+octet-stream": OpenApiTypes.BINARY},
        responses={204: None, (409, "text/plain"): OpenApiTypes.STR},
        parameters=[
            _VERSION,
            OpenApiParameter("Upload-Offset", int, _HEADER, required=True),
            OpenApiParameter("Upload-Checksum", str, _HEADER, description="`sha256 base64` of the piece"),
            OpenApiParameter(
                "Podium-Submission", str, _HEADER, response=[204], description="address of the submission, when whole"
            ),
            _REPEATED,
        ],
    )
    def patch(self, request: Request, slug: str, pk: Any) -> HttpResponse:
        """Add the next piece; the last one makes the submission."""
        return self._linked(request, slug, pk)

    def head(self, request: Request, slug: str, pk: Any) -> HttpResponse:
        """Return the progress of the upload."""
        return self._linked(request, slug, pk)

    @extend_schema(tags=["submissions"], operation_id="cancel_upload", responses={204: None}, parameters=[_VERSION])
    def delete(self, request: Request, slug: str, pk: Any) -> HttpResponse:
        """Cancel it."""
        return self._linked(request, slug, pk)

    @extend_schema(exclude=True)
    def options(self, request: Request, slug: str, pk: Any) -> HttpResponse:  # type: ignore[override]  # as above
        """Return the supported protocol."""
        return self._linked(request, slug, pk)

    def _linked(self, request: Request, slug: str, pk: Any) -> HttpResponse:
        return _linked(self.hand_on(uploads.upload, request, slug, pk))


def _linked(response: HttpResponse) -> HttpResponse:
    """Name the submission by its address in the interface."""
    if "Podium-Submission" in response:
        page = response["Podium-Submission"].partition("?")[0]
        response["Podium-Submission"] = reverse("api:submission-detail", args=[_last(page)])
    return response


def _last(address: str) -> str:
    return address.rstrip("/").rpartition("/")[2]
