"""Resumable upload of predictions, by the tus protocol; for those who take part."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.views.access import participating, phase_by_id, team_in
from datastore.uploads.models import Upload
from datastore.uploads.services import refusals, uploads
from datastore.uploads.views.tus import begun, continued, number, options, read_metadata, tus
from submissions.models import Submission
from submissions.services import submitting
from web.bodies import takes_pieces


@require_http_methods(["POST", "OPTIONS"])
@tus
def create(request: SignedInRequest, slug: str) -> HttpResponse:
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
    return begun(upload, reverse("submissions:upload", args=[slug, upload.pk]))


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
    return continued(
        request,
        entry,
        go_on=uploads.append,
        finish=submitting.finish,
        cancel=uploads.cancel,
        arrived=lambda entry: _submission(slug, entry),
    )


def _submission(slug: str, entry: Upload) -> dict[str, str]:
    """Return a header with the address of the submission that a complete upload became."""
    submission_id = Submission.objects.filter(upload=entry).values_list("pk", flat=True).first()
    return (
        {}
        if submission_id is None
        else {"Podium-Submission": reverse("submissions:detail", args=[slug, submission_id])}
    )
