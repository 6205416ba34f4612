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
from datastore.uploads.views.tus import (
    begun,
    client_token,
    content_digest,
    continued,
    number,
    options,
    read_metadata,
    tus,
)
from submissions.models import Submission
from submissions.queries.repeats import key_of_sha256, page_of_repeated, same_content, submission_of
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
    if not metadata.get("phase"):
        listed = reverse("api:challenge-detail", args=[slug])
        raise refusals.UploadError(f"Upload-Metadata names no phase. Add phase with an id that {listed} lists.")
    phase = phase_by_id(challenge, metadata.get("phase"))
    team = team_in(teams, phase)
    if team is None:
        raise refusals.NotAllowedError(submitting.elsewhere(phase))
    again, sha256 = metadata.get("again") == "true", content_digest(metadata.get("sha256", ""))
    earlier = same_content(user=request.user, phase=phase, team=team, key=key_of_sha256(sha256))
    if earlier is not None and not again:
        return HttpResponse(status=200, headers=_repeated(slug, earlier))
    upload = submitting.create_upload(
        user=request.user,
        phase=phase,
        team=team,
        file_name=metadata.get("filename", ""),
        size=number(request.headers.get("Upload-Length"), "Upload-Length"),
        accept_incomplete=metadata.get("accept_incomplete") == "true",
        again=again,
        sha256=sha256,
        client_token=client_token(request.headers.get("Idempotency-Key")),
    )
    response = begun(upload, reverse("submissions:upload", args=[slug, upload.pk]))
    if upload.state == Upload.State.COMPLETE:  # a repeated request, whose first answer was lost
        for name, value in _submission(slug, upload).items():
            response[name] = value
    return response


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
    """Return headers with the address of the submission that a complete upload became or repeats."""
    entry.refresh_from_db(fields=["repeats"])
    submission = submission_of(entry)
    if submission is None:
        return {}
    if entry.repeats is not None:
        return _repeated(slug, submission)
    return {"Podium-Submission": reverse("submissions:detail", args=[slug, submission.pk])}


def _repeated(slug: str, earlier: Submission) -> dict[str, str]:
    """Return headers with the address of the submission that has the same content."""
    return {"Podium-Submission": page_of_repeated(slug, earlier), "Podium-Repeated": "true"}
