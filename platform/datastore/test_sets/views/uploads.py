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
from datastore.test_sets.domain import merging
from datastore.test_sets.models import TestSetUpload
from datastore.test_sets.services import arrivals
from datastore.uploads.services import refusals
from datastore.uploads.views.tus import begun, continued, number, options, read_metadata, tus
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
    return begun(upload, reverse("test_sets:test_set_upload", args=[slug, upload.pk]))


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
    return continued(
        request,
        entry,
        go_on=arrivals.go_on,
        finish=_finish,
        cancel=arrivals.cancel,
        arrived=lambda entry: _page(slug, entry),
    )


def _finish(*, upload: TestSetUpload) -> None:
    """Pass on a complete archive; if another one is being checked, the sweep passes it on later."""
    with contextlib.suppress(refusals.BusyError):
        arrivals.finish(upload=upload)


def _page(slug: str, entry: TestSetUpload) -> dict[str, str]:
    """Return a header with the page that shows the progress of a complete archive."""
    if not entry.is_whole:
        return {}
    return {"Podium-Page": f"{reverse('test_sets:test_sets', args=[slug])}?phase={entry.phase_id}#sending"}


def _sealing(request: HttpRequest, slug: str) -> Challenge:
    challenge = organizing(request, slug)
    if not request.user.has_perm("test_sets.seal_test_set", challenge):
        raise PermissionDenied("Owners of the challenge seal and replace test sets.")
    return challenge
