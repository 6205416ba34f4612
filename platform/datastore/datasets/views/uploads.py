"""Resumable upload of files for participants, by the same protocol as submissions; for organizers."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges.models import Challenge
from challenges.queries import visible_challenge
from datastore.datasets.models import DatasetUpload, DatasetVersion
from datastore.datasets.services import hosting, offering
from datastore.uploads.services import uploads
from datastore.uploads.views.tus import begun, continued, number, options, read_metadata, tus
from web.bodies import takes_pieces


@require_http_methods(["POST", "OPTIONS"])
@tus
def create(request: SignedInRequest, slug: str, dataset: str, version: int) -> HttpResponse:
    """Begin to send a file for a draft."""
    if request.method == "OPTIONS":
        return options()
    challenge = _offering(request, slug)
    rows = DatasetVersion.objects.filter(dataset__challenge=challenge, dataset__slug=dataset)
    draft = rows.filter(number=version).select_related("dataset__challenge").first()
    if draft is None:
        raise Http404("There is no such version.")
    metadata = read_metadata(request.headers.get("Upload-Metadata", ""))
    upload = hosting.begin(
        user=request.user,
        version=draft,
        name=metadata.get("filename", ""),
        size=number(request.headers.get("Upload-Length"), "Upload-Length"),
    )
    return begun(upload, reverse("datasets:upload", args=[slug, upload.pk]))


@takes_pieces
@require_http_methods(["HEAD", "PATCH", "DELETE", "OPTIONS"])
@tus
def upload(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Ask how far a file is, go on with it, or cancel it: who began it, as long as they organize the challenge."""
    if request.method == "OPTIONS":
        return options()
    challenge = _offering(request, slug)
    rows = DatasetUpload.objects.filter(pk=pk, version__dataset__challenge=challenge, user=request.user)
    entry = rows.select_related("version__dataset", "user", "file").first()
    if entry is None:
        raise Http404("There is no such upload.")
    return continued(
        request,
        entry,
        go_on=uploads.append,
        finish=hosting.finish,
        cancel=offering.cancel_upload,
        arrived=lambda entry: _page(slug, entry),
    )


def _page(slug: str, entry: DatasetUpload) -> dict[str, str]:
    """Return the header with the address of the page that shows the file of a complete upload."""
    return {"Podium-Page": reverse("datasets:data", args=[slug])} if entry.is_whole else {}


def _offering(request: HttpRequest, slug: str) -> Challenge:
    challenge = visible_challenge(request.user, slug)
    if not request.user.has_perm("datasets.offer_data", challenge):
        raise Http404("Page not found.")
    return challenge
