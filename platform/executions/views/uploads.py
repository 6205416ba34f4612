"""Resumable upload of images and weights, by the same protocol as predictions; for those who take part."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from challenges.views.access import participating, phase_by_id, team_in
from executions.models import AlgorithmUpload
from executions.models.archives import Kind
from executions.services import arriving
from uploads.services import refusals
from uploads.views.tus import checksum, described, number, options, problem, read_metadata, tus
from web.bodies import takes_pieces


@require_http_methods(["POST", "OPTIONS"])
@tus
def create(request: HttpRequest, slug: str, phase: int) -> HttpResponse:
    """Begin to send an image, or weights."""
    if request.method == "OPTIONS":
        return options()
    challenge, teams = participating(request, slug)
    metadata = read_metadata(request.headers.get("Upload-Metadata", ""))
    found = phase_by_id(challenge, phase)
    team = team_in(teams, found)
    if team is None:
        raise refusals.NotAllowedError("You do not take part in this task.")
    upload = arriving.begin(
        user=request.user,
        phase=found,
        team=team,
        kind=metadata.get("kind") or Kind.IMAGE,
        file_name=metadata.get("filename", ""),
        size=number(request.headers.get("Upload-Length"), "Upload-Length"),
    )
    response = HttpResponse(status=201)
    response["Location"] = reverse("executions:upload", args=[slug, upload.pk])
    return described(response, upload)


@takes_pieces
@require_http_methods(["HEAD", "PATCH", "DELETE", "OPTIONS"])
@tus
def upload(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """Ask how far an upload is, go on with it, or cancel it: who began it, as long as they take part."""
    if request.method == "OPTIONS":
        return options()
    challenge, teams = participating(request, slug)
    rows = AlgorithmUpload.objects.filter(pk=pk, phase__task__challenge=challenge, user=request.user, team__in=teams)
    entry = rows.select_related("phase__task", "team").first()
    if entry is None:
        raise Http404("There is no such upload.")
    return answered(request, entry, page=f"{reverse('submissions:submit', args=[slug])}?phase={entry.phase_id}")


def answered(request: HttpRequest, entry: AlgorithmUpload, *, page: str) -> HttpResponse:
    """Go on with an upload of somebody who may; `page` shows what becomes of it."""
    if request.method == "DELETE":
        arriving.cancel(upload=entry)
        return HttpResponse(status=204)
    if request.method == "PATCH":
        return _patch(request, entry, page)
    if entry.state not in (AlgorithmUpload.State.RECEIVING, AlgorithmUpload.State.COMPLETE):
        raise refusals.GoneError(entry.refusal or "This upload has ended. Begin a new one.")
    if entry.state == AlgorithmUpload.State.RECEIVING and entry.is_whole:
        arriving.finish(upload=entry)
    response = described(HttpResponse(), entry)
    response["Upload-Length"] = str(entry.size)
    response["Cache-Control"] = "no-store"
    return _placed(response, entry, page)


def _patch(request: HttpRequest, entry: AlgorithmUpload, page: str) -> HttpResponse:
    if request.content_type != "application/offset+octet-stream":
        return problem("A piece is sent as application/offset+octet-stream.", 415)
    offset = number(request.headers.get("Upload-Offset"), "Upload-Offset")
    if entry.state != AlgorithmUpload.State.COMPLETE:
        entry = arriving.go_on(
            upload=entry, offset=offset, read=request.read, checksum=checksum(request.headers.get("Upload-Checksum"))
        )
        if entry.is_whole:
            arriving.finish(upload=entry)
    elif offset != entry.offset:
        raise refusals.OffsetError(f"The upload stands at byte {entry.offset}, not {offset}.")
    return _placed(described(HttpResponse(status=204), entry), entry, page)


def _placed(response: HttpResponse, entry: AlgorithmUpload, page: str) -> HttpResponse:
    """Tell where to see what becomes of a whole archive."""
    if entry.is_whole:
        response["Podium-Page"] = page
    return response
