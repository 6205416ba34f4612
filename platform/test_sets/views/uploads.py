"""Resumable upload of archives of references, by the same protocol as submissions; for owners of the challenge."""

import contextlib
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges.models import Challenge
from challenges.views.access import organizing, phase_by_id
from test_sets.domain import merging
from test_sets.models import TestSetUpload
from test_sets.services import arrivals
from uploads.services import refusals
from uploads.views.tus import checksum, described, number, options, problem, read_metadata, tus
from web.bodies import takes_pieces


@require_http_methods(["POST", "OPTIONS"])
@tus
def create(request: SignedInRequest, slug: str, phase: int) -> HttpResponse:
    """Begin to send an archive for a phase."""
    if request.method == "OPTIONS":
        return options()
    challenge = _sealing(request, slug)
    metadata = read_metadata(request.headers.get("Upload-Metadata", ""))
    upload = arrivals.begin(
        user=request.user,
        phase=phase_by_id(challenge, phase),
        file_name=metadata.get("filename", ""),
        size=number(request.headers.get("Upload-Length"), "Upload-Length"),
        reason=metadata.get("reason", "")[:1000],
        merge_rule=metadata["merge_rule"] if metadata.get("merge_rule") in merging.RULES else "",
    )
    response = HttpResponse(status=201)
    response["Location"] = reverse("test_sets:test_set_upload", args=[slug, upload.pk])
    return described(response, upload)


@takes_pieces
@require_http_methods(["HEAD", "PATCH", "DELETE", "OPTIONS"])
@tus
def upload(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Ask how far an archive is, go on with it, or cancel it: who began it, as long as they own the challenge."""
    if request.method == "OPTIONS":
        return options()
    challenge = _sealing(request, slug)
    rows = TestSetUpload.objects.filter(pk=pk, phase__task__challenge=challenge, user=request.user)
    entry = rows.select_related("phase").first()
    if entry is None:
        raise Http404("There is no such upload.")
    if request.method == "DELETE":
        arrivals.cancel(upload=entry)
        return HttpResponse(status=204)
    if request.method == "PATCH":
        return _patch(request, slug, entry)
    if entry.state not in (TestSetUpload.State.RECEIVING, TestSetUpload.State.COMPLETE):
        raise refusals.GoneError(entry.refusal or "This upload has ended. Begin a new one.")
    if entry.state == TestSetUpload.State.RECEIVING and entry.is_whole:
        _finish(entry)
    response = described(HttpResponse(), entry)
    response["Upload-Length"] = str(entry.size)
    response["Cache-Control"] = "no-store"
    return _placed(response, slug, entry)


def _patch(request: HttpRequest, slug: str, entry: TestSetUpload) -> HttpResponse:
    if request.content_type != "application/offset+octet-stream":
        return problem("A piece is sent as application/offset+octet-stream.", 415)
    offset = number(request.headers.get("Upload-Offset"), "Upload-Offset")
    if entry.state != TestSetUpload.State.COMPLETE:
        entry = arrivals.go_on(
            upload=entry, offset=offset, read=request.read, checksum=checksum(request.headers.get("Upload-Checksum"))
        )
        if entry.is_whole:
            _finish(entry)
    elif offset != entry.offset:
        raise refusals.OffsetError(f"The upload stands at byte {entry.offset}, not {offset}.")
    return _placed(described(HttpResponse(status=204), entry), slug, entry)


def _finish(entry: TestSetUpload) -> None:
    """Hand on a whole archive; while another one is being checked, it waits and is handed on by the sweep."""
    with contextlib.suppress(refusals.BusyError):
        arrivals.finish(upload=entry)


def _placed(response: HttpResponse, slug: str, entry: TestSetUpload) -> HttpResponse:
    """Tell where to see what becomes of a whole archive."""
    if entry.is_whole:
        response["Podium-Page"] = f"{reverse('test_sets:test_sets', args=[slug])}?phase={entry.phase_id}#sending"
    return response


def _sealing(request: HttpRequest, slug: str) -> Challenge:
    challenge = organizing(request, slug)
    if not request.user.has_perm("test_sets.seal_test_set", challenge):
        raise PermissionDenied("Owners of the challenge seal and replace test sets.")
    return challenge
