"""Resumable upload of images and weights, by the same protocol as predictions; for those who take part."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges.views.access import participating, phase_by_id, team_in
from datastore.uploads.services import refusals
from datastore.uploads.views.tus import begun, continued, number, options, read_metadata, tus
from executions.models import AlgorithmUpload
from executions.models.archives import Kind
from executions.services import arriving
from web.bodies import takes_pieces


@require_http_methods(["POST", "OPTIONS"])
@tus
def create(request: SignedInRequest, slug: str, phase: int) -> HttpResponse:
    """Begin to send an image, or weights."""
    if request.method == "OPTIONS":
        return options()
    challenge, teams = participating(request, slug)
    metadata = read_metadata(request.headers.get("Upload-Metadata", ""))
    phase_row = phase_by_id(challenge, phase)
    team = team_in(teams, phase_row)
    if team is None:
        raise refusals.NotAllowedError("You do not take part in this task.")
    upload = arriving.begin(
        user=request.user,
        phase=phase_row,
        team=team,
        kind=metadata.get("kind") or Kind.IMAGE,
        file_name=metadata.get("filename", ""),
        size=number(request.headers.get("Upload-Length"), "Upload-Length"),
    )
    return begun(upload, reverse("executions:upload", args=[slug, upload.pk]))


@takes_pieces
@require_http_methods(["HEAD", "PATCH", "DELETE", "OPTIONS"])
@tus
def upload(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
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
    """Continue an upload of a person with permission; `page` shows the status of a complete archive."""
    return continued(
        request,
        entry,
        go_on=arriving.go_on,
        finish=arriving.finish,
        cancel=arriving.cancel,
        arrived=lambda entry: {"Podium-Page": page} if entry.is_whole else {},
    )
