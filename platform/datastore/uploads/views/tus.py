"""Resumable upload by the tus protocol, version 1.0: creation, checksum, termination, expiration.

Each app loads the row and checks who may access it. The messages of the protocol are the same for all.
"""

import base64
import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Protocol, TypeVar

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.http import http_date

from datastore.uploads.models.incoming import Incoming
from datastore.uploads.services import refusals
from datastore.uploads.services.refusals import Checksum, UploadError
from datastore.uploads.storage import upload_limits

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
    refusals.TokenReusedError: 422,
}
View = Callable[..., HttpResponse]
Entry = TypeVar("Entry", bound=Incoming)
Takes_contra = TypeVar("Takes_contra", bound=Incoming, contravariant=True)


class Going(Protocol[Takes_contra]):
    """Action of an app on an upload; its return value is ignored."""

    def __call__(self, *, upload: Takes_contra) -> object: ...


class Appending(Protocol[Entry]):
    """Action that appends a piece and returns the updated row."""

    def __call__(
        self, *, upload: Entry, offset: int, read: Callable[[int], bytes], checksum: Checksum | None
    ) -> Entry: ...


def tus(view: View) -> View:
    """Apply the protocol around a view: version check, and errors as plain text that the page can show."""

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


def described(response: HttpResponse, entry: Incoming) -> HttpResponse:
    """Add how far an upload is."""
    response["Upload-Offset"] = str(entry.offset)
    response["Upload-Expires"] = http_date(entry.expires_at.timestamp())
    return response


def begun(entry: Incoming, address: str) -> HttpResponse:
    """Answer that an upload was made, and where its pieces go."""
    response = HttpResponse(status=201)
    response["Location"] = address
    return described(response, entry)


def continued(
    request: HttpRequest,
    entry: Entry,
    *,
    go_on: Appending[Entry],
    finish: Going[Entry],
    cancel: Going[Entry],
    arrived: Callable[[Entry], Mapping[str, str]],
) -> HttpResponse:
    """Answer HEAD, PATCH or DELETE on an upload that this person may continue.

    Parameters
    ----------
    request
        The request.
    entry
        The upload.
    go_on
        Appends a piece.
    finish
        Processes a complete upload for its purpose. It is called again if a worker died between the last
        piece and the end, and must then return the earlier result.
    cancel
        Deletes the upload.
    arrived
        Headers with the address of the page that shows the progress of the upload.

    Raises
    ------
    UploadError
        As `go_on` and `finish` raise; `GoneError` for an upload that has ended, `OffsetError` for a piece
        with another position.
    """
    if request.method == "DELETE":
        cancel(upload=entry)
        return HttpResponse(status=204)
    if request.method == "PATCH":
        if request.content_type != "application/offset+octet-stream":
            return problem("A piece is sent as application/offset+octet-stream.", 415)
        entry = _appended(request, entry, go_on, finish)
        response = HttpResponse(status=204)
    else:
        if entry.state not in (entry.State.RECEIVING, entry.State.COMPLETE):
            raise refusals.GoneError(entry.refusal or "This upload has ended. Begin a new one.")
        if entry.state == entry.State.RECEIVING and entry.is_whole:
            finish(upload=entry)
        response = HttpResponse()
        response["Upload-Length"] = str(entry.size)
        response["Cache-Control"] = "no-store"
    for name, value in arrived(entry).items():
        response[name] = value
    return described(response, entry)


def _appended(request: HttpRequest, entry: Entry, go_on: Appending[Entry], finish: Going[Entry]) -> Entry:
    """Add a piece; the last one is taken twice, since its answer may have been lost."""
    offset = number(request.headers.get("Upload-Offset"), "Upload-Offset")
    if entry.state == entry.State.COMPLETE:
        if offset != entry.offset:
            raise refusals.OffsetError(f"The upload stands at byte {entry.offset}, not {offset}.")
        return entry
    digest = checksum(request.headers.get("Upload-Checksum"))
    entry = go_on(upload=entry, offset=offset, read=request.read, checksum=digest)
    if entry.is_whole:
        finish(upload=entry)
    return entry


def _finished(response: HttpResponse) -> HttpResponse:
    response["Tus-Resumable"] = VERSION
    return response


def options(most: int | None = None) -> HttpResponse:
    """Return the supported protocol features and the largest accepted size in bytes.

    The default size is that of an archive.
    """
    response = HttpResponse(status=204)
    response["Tus-Version"] = VERSION
    response["Tus-Extension"] = EXTENSIONS
    response["Tus-Checksum-Algorithm"] = ",".join(ALGORITHMS)
    response["Tus-Max-Size"] = str(upload_limits().max_bytes if most is None else most)
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


def decoded(value: str) -> bytes:
    """Read base64 from a header, which may hold any bytes.

    Raises
    ------
    ValueError
        For what is none, characters outside ASCII included.
    """
    return base64.b64decode(value, validate=True)


def read_metadata(header: str) -> dict[str, str]:
    """Read `key base64,key base64`; values that are not readable are ignored."""
    pairs = (part.strip().partition(" ") for part in header.split(",") if part.strip())
    metadata = {}
    for key, _, value in pairs:
        try:
            text = decoded(value).decode()
        except ValueError:
            continue
        if "\0" in text:
            raise UploadError(f"The value of {key!a} in Upload-Metadata has a NUL character.")
        metadata[key] = text
    return metadata


def client_token(header: str | None) -> str:
    """Read the header ``Idempotency-Key``; empty if it was not sent.

    The key is a quoted string (draft-ietf-httpapi-idempotency-key-header) or the same without quotes.

    Raises
    ------
    UploadError
        For a key that is empty, longer than 255 characters, or not printable ASCII.

    Examples
    --------
    >>> client_token('"8e03978e"'), client_token("8e03978e"), client_token(None)
    ('8e03978e', '8e03978e', '')
    """
    if header is None:
        return ""
    text = header.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    if not 0 < len(text) <= 255 or not text.isascii() or not text.isprintable():
        raise UploadError("An Idempotency-Key has 1 to 255 printable ASCII characters.")
    return text


def content_digest(value: str) -> str:
    """Read a stated SHA-256 of a file as hexadecimal digits; empty if none was stated.

    Raises
    ------
    UploadError
        For anything else.

    Examples
    --------
    >>> content_digest("AB" * 32) == "ab" * 32, content_digest("")
    (True, '')
    """
    digest = value.strip().lower()
    if digest and not re.fullmatch("[0-9a-f]{64}", digest):
        raise UploadError("The SHA-256 of the file has 64 hexadecimal digits.")
    return digest


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
        return Checksum(algorithm, decoded(value))
    except ValueError:
        raise UploadError("The checksum is not readable.") from None
