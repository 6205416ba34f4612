"""Resumable upload by the tus protocol, version 1.0: creation, checksum, termination, expiration."""

import base64
import binascii
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import http_date
from django.views.decorators.http import require_http_methods
from rules import test_rule

from submissions.limits import upload_limits
from submissions.models import Submission, Upload
from submissions.models.incoming import Incoming
from submissions.services import refusals, uploads
from submissions.services.refusals import Checksum, UploadError
from submissions.views.access import participating, phase_by_id, team_in
from web.bodies import takes_pieces

VERSION = "1.0.0"
EXTENSIONS = "creation,checksum,termination,expiration"
ALGORITHMS = ("sha256", "sha1")
STATUS = {
    refusals.PhaseNotOpenError: 403,
    refusals.NotAllowedError: 403,
    refusals.QuotaExceededError: 403,
    refusals.TooLargeError: 413,
    refusals.NoRoomError: 503,
    refusals.AwayError: 503,
    refusals.OffsetError: 409,
    refusals.BusyError: 423,
    refusals.ChecksumError: 460,
    refusals.GoneError: 410,
}
View = Callable[..., HttpResponse]


def tus(view: View) -> View:
    """Speak the protocol around a view: version check, errors as plain text that the page can show."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "OPTIONS" and request.headers.get("Tus-Resumable") != VERSION:
            return _finished(HttpResponse("This server speaks tus 1.0.0.", status=412, content_type="text/plain"))
        if not request.user.is_authenticated:
            return _finished(problem("Your session has ended. Sign in again; what has arrived is kept.", 403))
        try:
            response = view(request, *args, **kwargs)
        except UploadError as error:
            response = problem(str(error), STATUS.get(type(error), 400))
            if response.status_code == 503:
                response["Retry-After"] = "60"
        except PermissionDenied as error:
            response = problem(str(error), 403)
        return _finished(response)

    return wrapped


@require_http_methods(["POST", "OPTIONS"])
@tus
def create(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin an upload."""
    if request.method == "OPTIONS":
        return options()
    challenge, teams = participating(request, slug)
    metadata = read_metadata(request.headers.get("Upload-Metadata", ""))
    phase = phase_by_id(challenge, metadata.get("phase"))
    team = team_in(teams, phase)
    if team is None:
        raise refusals.NotAllowedError(uploads.elsewhere(phase))
    upload = uploads.create_upload(
        user=request.user,
        phase=phase,
        team=team,
        file_name=metadata.get("filename", ""),
        size=number(request.headers.get("Upload-Length"), "Upload-Length"),
        accept_incomplete=metadata.get("accept_incomplete") == "true",
    )
    response = HttpResponse(status=201)
    response["Location"] = reverse("submissions:upload", args=[slug, upload.pk])
    return described(response, upload)


@takes_pieces
@require_http_methods(["HEAD", "PATCH", "DELETE", "OPTIONS"])
@tus
def upload(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """Ask how far an upload is, go on with it, or cancel it."""
    if request.method == "OPTIONS":
        return options()
    challenge, _ = participating(request, slug)
    rows = Upload.objects.filter(pk=pk, phase__task__challenge=challenge, multipart=None)
    entry = rows.select_related("phase__task").first()
    if entry is None or not test_rule("submissions.continue_upload", request.user, entry):
        raise Http404("There is no such upload.")
    if request.method == "DELETE":
        uploads.cancel(upload=entry)
        return HttpResponse(status=204)
    if request.method == "PATCH":
        return _patch(request, slug, entry)
    if entry.state not in (Upload.State.RECEIVING, Upload.State.COMPLETE):
        raise refusals.GoneError(entry.refusal or "This upload has ended. Begin a new one.")
    if entry.state == Upload.State.RECEIVING and entry.is_whole:
        uploads.finish(upload=entry)
    response = described(HttpResponse(), entry)
    response["Upload-Length"] = str(entry.size)
    response["Cache-Control"] = "no-store"
    return _linked(response, slug, entry)


def _patch(request: HttpRequest, slug: str, entry: Upload) -> HttpResponse:
    if request.content_type != "application/offset+octet-stream":
        return problem("A piece is sent as application/offset+octet-stream.", 415)
    offset = number(request.headers.get("Upload-Offset"), "Upload-Offset")
    if entry.state != Upload.State.COMPLETE:
        entry = uploads.append(
            upload=entry, offset=offset, read=request.read, checksum=checksum(request.headers.get("Upload-Checksum"))
        )
        if entry.is_whole:
            uploads.finish(upload=entry)
    elif offset != entry.offset:
        raise refusals.OffsetError(f"The upload stands at byte {entry.offset}, not {offset}.")
    return _linked(described(HttpResponse(status=204), entry), slug, entry)


def described(response: HttpResponse, entry: Incoming) -> HttpResponse:
    """Add how far an upload is."""
    response["Upload-Offset"] = str(entry.offset)
    response["Upload-Expires"] = http_date(entry.expires_at.timestamp())
    return response


def _linked(response: HttpResponse, slug: str, entry: Upload) -> HttpResponse:
    """Tell where the submission of a whole upload is to be seen."""
    submission = Submission.objects.filter(upload=entry).values_list("pk", flat=True).first()
    if submission is not None:
        response["Podium-Submission"] = reverse("submissions:detail", args=[slug, submission])
    return response


def _finished(response: HttpResponse) -> HttpResponse:
    response["Tus-Resumable"] = VERSION
    return response


def options() -> HttpResponse:
    """Say what is spoken here."""
    response = HttpResponse(status=204)
    response["Tus-Version"] = VERSION
    response["Tus-Extension"] = EXTENSIONS
    response["Tus-Checksum-Algorithm"] = ",".join(ALGORITHMS)
    response["Tus-Max-Size"] = str(upload_limits().max_bytes)
    return response


def problem(text: str, status: int) -> HttpResponse:
    """An answer that the page can show as it is."""
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")


def number(value: str | None, name: str) -> int:
    """Read a header that has to be a whole number.

    Raises
    ------
    UploadError
        When it is none.
    """
    if value is None or not value.isascii() or not value.isdigit() or len(value) > 18:
        raise UploadError(f"The header {name} has to be a whole number.")
    return int(value)


def read_metadata(header: str) -> dict[str, str]:
    """Read `key base64,key base64`; what is not readable is left out."""
    pairs = (part.strip().partition(" ") for part in header.split(",") if part.strip())
    found = {}
    for key, _, value in pairs:
        try:
            found[key] = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return found


def checksum(header: str | None) -> Checksum | None:
    """Read the header with the digest of a piece.

    Raises
    ------
    UploadError
        For an algorithm that is not taken, and for what is no digest.
    """
    if header is None:
        return None
    algorithm, _, value = header.partition(" ")
    if algorithm not in ALGORITHMS:
        raise UploadError(f"Checksums are taken as {' or '.join(ALGORITHMS)}.")
    try:
        return Checksum(algorithm, base64.b64decode(value, validate=True))
    except binascii.Error:
        raise UploadError("The checksum is not readable.") from None
