"""Resumable upload of predictions, by the tus protocol; for those who take part."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from rules import test_rule

from challenges.views.access import participating, phase_by_id, team_in
from submissions.models import Submission
from submissions.services import submitting
from uploads.models import Upload
from uploads.services import refusals, uploads
from uploads.views.tus import checksum, described, number, options, problem, read_metadata, tus
from web.bodies import takes_pieces


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
        raise refusals.NotAllowedError(submitting.elsewhere(phase))
    upload = submitting.create_upload(
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
        submitting.finish(upload=entry)
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
            submitting.finish(upload=entry)
    elif offset != entry.offset:
        raise refusals.OffsetError(f"The upload stands at byte {entry.offset}, not {offset}.")
    return _linked(described(HttpResponse(status=204), entry), slug, entry)


def _linked(response: HttpResponse, slug: str, entry: Upload) -> HttpResponse:
    """Tell where the submission of a whole upload is to be seen."""
    submission = Submission.objects.filter(upload=entry).values_list("pk", flat=True).first()
    if submission is not None:
        response["Podium-Submission"] = reverse("submissions:detail", args=[slug, submission])
    return response
