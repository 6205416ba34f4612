"""Files of forms, sent in pieces by programs before the form that names them: tus 1.0 as in the browser."""

from typing import Any, Literal

from django.http import HttpResponse
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.models import AccessToken
from api.authentication import WithinScope
from datastore.uploads.views import form_files, tus

_HEADER: Literal["header"] = "header"
_VERSION = OpenApiParameter("Tus-Resumable", str, _HEADER, required=True, enum=[tus.VERSION])


class MaySend(WithinScope):
    """Permission to send a table: as for submitting it as values of a phase or for an analysis."""

    scopes = frozenset({AccessToken.Scope.MEASURE, AccessToken.Scope.ANALYSE})

    def has_permission(self, request: Request, view: Any) -> bool:  # noqa: ARG002 (the framework's signature)
        if not (request.user and request.user.is_authenticated):
            return False
        return not isinstance(request.auth, AccessToken) or not self.scopes.isdisjoint(request.auth.scopes)


class _View(APIView):
    permission_classes = [MaySend]

    def hand_on(self, view: Any, request: Request, *args: Any) -> HttpResponse:
        """Let the view of the pages answer; the body has not been read by anybody."""
        plain = request._request  # noqa: SLF001 (the framework's way to the request that a plain view takes)
        plain.user = request.user
        return view(plain, *args)


class FormFilesView(_View):
    """Start of uploads of files for forms."""

    @extend_schema(
        tags=["files"],
        operation_id="begin_file",
        request=None,
        responses={201: None, (403, "text/plain"): OpenApiTypes.STR},
        parameters=[
            _VERSION,
            OpenApiParameter("Upload-Length", int, _HEADER, required=True, description="bytes"),
            OpenApiParameter("Upload-Metadata", str, _HEADER, description="`key base64` pairs: filename"),
            OpenApiParameter("Location", str, _HEADER, response=[201], description="address of the file"),
        ],
    )
    def post(self, request: Request) -> HttpResponse:
        """Begin to send a file in pieces (tus 1.0, creation). Its id, the end of its address, goes into the field `file_sent` of a form."""
        response = self.hand_on(form_files.create, request)
        if "Location" in response:
            response["Location"] = reverse("api:file", args=[response["Location"].rstrip("/").rpartition("/")[2]])
        return response

    @extend_schema(exclude=True)
    def options(self, request: Request) -> HttpResponse:  # type: ignore[override]  # tus answers with headers alone
        """Return the supported protocol."""
        return self.hand_on(form_files.create, request)


class FormFileView(_View):
    """A file in transfer, or complete and not yet submitted; `HEAD` returns its `Upload-Offset`."""

    @extend_schema(
        tags=["files"],
        operation_id="continue_file",
        request={"application/offset+octet-stream": OpenApiTypes.BINARY},
        responses={204: None, (409, "text/plain"): OpenApiTypes.STR},
        parameters=[
            _VERSION,
            OpenApiParameter("Upload-Offset", int, _HEADER, required=True),
            OpenApiParameter("Upload-Checksum", str, _HEADER, description="`sha256 base64` of the piece"),
            OpenApiParameter(form_files.WHOLE, str, _HEADER, response=[204], description="id of the file, when whole"),
        ],
    )
    def patch(self, request: Request, pk: Any) -> HttpResponse:
        """Add the next piece."""
        return self.hand_on(form_files.form_file, request, pk)

    def head(self, request: Request, pk: Any) -> HttpResponse:
        """Return the progress of the upload."""
        return self.hand_on(form_files.form_file, request, pk)

    @extend_schema(tags=["files"], operation_id="cancel_file", responses={204: None}, parameters=[_VERSION])
    def delete(self, request: Request, pk: Any) -> HttpResponse:
        """Throw it away."""
        return self.hand_on(form_files.form_file, request, pk)

    @extend_schema(exclude=True)
    def options(self, request: Request, pk: Any) -> HttpResponse:  # type: ignore[override]  # as above
        """Return the supported protocol."""
        return self.hand_on(form_files.form_file, request, pk)
