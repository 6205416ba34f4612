"""Resumable upload of a scoring image, by the same protocol as algorithms; for organizers."""

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges.views.access import organizing, phase_by_id
from datastore.uploads.services import refusals
from datastore.uploads.views.tus import begun, number, options, read_metadata, tus
from executions.models import AlgorithmUpload
from executions.models.archives import Kind
from executions.services import arriving
from executions.views.uploads import answered
from web.bodies import takes_pieces


@require_http_methods(["POST", "OPTIONS"])
@tus
def create(request: SignedInRequest, slug: str, phase: int) -> HttpResponse:
    """Begin to send a scoring image."""
    if request.method == "OPTIONS":
        return options()
    challenge = organizing(request, slug)
    phase_row = phase_by_id(challenge, phase)
    if not request.user.has_perm("judging.bring_scorers", challenge):
        raise refusals.NotAllowedError("You do not bring scoring images here.")
    metadata = read_metadata(request.headers.get("Upload-Metadata", ""))
    upload = arriving.begin(
        user=request.user,
        phase=phase_row,
        team=None,
        kind=Kind.SCORER,
        file_name=metadata.get("filename", ""),
        size=number(request.headers.get("Upload-Length"), "Upload-Length"),
    )
    return begun(upload, reverse("judging:upload", args=[slug, upload.pk]))


@takes_pieces
@require_http_methods(["HEAD", "PATCH", "DELETE", "OPTIONS"])
@tus
def upload(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Ask how far an upload is, go on with it, or cancel it: who began it, as long as they run the challenge."""
    if request.method == "OPTIONS":
        return options()
    challenge = organizing(request, slug)
    rows = AlgorithmUpload.objects.filter(pk=pk, phase__task__challenge=challenge, user=request.user, kind=Kind.SCORER)
    entry = rows.select_related("phase__task", "team").first()
    if entry is None or not request.user.has_perm("judging.bring_scorers", challenge):
        raise Http404("There is no such upload.")
    return answered(request, entry, page=f"{reverse('judging:scorers', args=[slug])}?phase={entry.phase_id}")
