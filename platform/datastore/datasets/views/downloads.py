"""Getting a file: an address for it, and its bytes, whole or from where a broken download stopped."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from challenges.queries import visible_challenge
from datastore.datasets.domain.ranges import RangeNotSatisfiableError, requested_part
from datastore.datasets.models import DatasetFile
from datastore.datasets.services import downloading


@require_POST
def get_file(request: HttpRequest, slug: str, file: int) -> HttpResponse:
    """Create a download address of a file and redirect the browser to it.

    The view accepts only POST requests, because a link that is merely followed must not create an address.
    """
    challenge = visible_challenge(request.user, slug)
    rows = DatasetFile.objects.filter(version__dataset__challenge=challenge)
    rows = rows.select_related("version__dataset__challenge")
    entry = get_object_or_404(rows, pk=file)
    return HttpResponseRedirect(downloading.hand_out_address(user=request.user, file=entry).url)


@require_safe
@never_cache
def download(request: HttpRequest, slug: str, token: str) -> HttpResponseBase:
    """Send the file for which an address was created.

    The address works without a session, which allows programs to resume a download.
    """
    try:
        entry = downloading.redeem(token)
    except PermissionDenied as error:
        return HttpResponse(f"{error}\n", status=403, content_type="text/plain; charset=utf-8")
    if entry.file.version.dataset.challenge.slug != slug:
        return HttpResponse("This address is not valid.\n", status=403, content_type="text/plain; charset=utf-8")
    if (elsewhere := downloading.address_in_store(entry)) is not None:
        downloading.note_sent(entry)
        return HttpResponseRedirect(elsewhere)
    etag = f'"{entry.file.sha256}"'
    resumes = request.headers.get("If-Range") in (None, etag)
    try:
        part = requested_part(request.headers.get("Range") if resumes else None, entry.file.size)
    except RangeNotSatisfiableError:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{entry.file.size}"})
    sends = request.method == "GET"
    response = StreamingHttpResponse(
        downloading.sent(entry, part) if sends else (),
        status=200 if part.is_whole else 206,
        content_type="application/octet-stream",
    )
    response["Content-Length"] = str(part.length)
    response["Content-Disposition"] = f'attachment; filename="{entry.file.name}"'
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = etag
    response["Repr-Digest"] = downloading.digest_header(entry.file)
    if not part.is_whole:
        response["Content-Range"] = part.header
    return response
