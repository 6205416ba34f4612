"""Resumable upload of files for participants, by the same protocol as submissions; for organizers."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges.models import Challenge
from challenges.queries import visible_challenge
from datasets.models import DatasetUpload, DatasetVersion
from datasets.services import hosting, offering
from uploads.services import refusals, uploads
from uploads.views.tus import checksum, described, number, options, problem, read_metadata, tus
from web.bodies import takes_pieces

State = DatasetUpload.State


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
    response = HttpResponse(status=201)
    response["Location"] = reverse("datasets:upload", args=[slug, upload.pk])
    return described(response, upload)


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
    if request.method == "DELETE":
        offering.cancel_upload(upload=entry)
        return HttpResponse(status=204)
    if request.method == "PATCH":
        return _patch(request, slug, entry)
    if entry.state not in (State.RECEIVING, State.COMPLETE):
        raise refusals.GoneError(entry.refusal or "This upload has ended. Begin a new one.")
    if entry.state == State.RECEIVING and entry.is_whole:
        hosting.finish(upload=entry)
    response = described(HttpResponse(), entry)
    response["Upload-Length"] = str(entry.size)
    response["Cache-Control"] = "no-store"
    return _placed(response, slug, entry)


def _patch(request: HttpRequest, slug: str, entry: DatasetUpload) -> HttpResponse:
    if request.content_type != "application/offset+octet-stream":
        return problem("A piece is sent as application/offset+octet-stream.", 415)
    offset = number(request.headers.get("Upload-Offset"), "Upload-Offset")
    if entry.state != State.COMPLETE:
        digest = checksum(request.headers.get("Upload-Checksum"))
        entry = uploads.append(upload=entry, offset=offset, read=request.read, checksum=digest)
        if entry.is_whole:
            hosting.finish(upload=entry)
    elif offset != entry.offset:
        raise refusals.OffsetError(f"The upload stands at byte {entry.offset}, not {offset}.")
    return _placed(described(HttpResponse(status=204), entry), slug, entry)


def _placed(response: HttpResponse, slug: str, entry: DatasetUpload) -> HttpResponse:
    """Tell where to see the file of a whole upload."""
    if entry.is_whole:
        response["Podium-Page"] = reverse("datasets:data", args=[slug])
    return response


def _offering(request: HttpRequest, slug: str) -> Challenge:
    challenge = visible_challenge(request.user, slug)
    if not request.user.has_perm("datasets.offer_data", challenge):
        raise Http404("There is no such page.")
    return challenge
