"""Decision on an archive that was read: seal it or discard it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from challenges.views.access import organizing
from datastore.test_sets import vault
from datastore.test_sets.models import TestSetArchive
from datastore.test_sets.services import received_archives
from datastore.test_sets.services.replacing import TestSetError


@login_required
@require_POST
def seal(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Have an archive sealed as it was read."""
    archive = _archive(request, slug, pk)
    try:
        received_archives.confirm(archive=archive, actor=request.user)
    except TestSetError as error:
        messages.error(request, str(error))
    return _back(slug, archive)


@login_required
@require_POST
def discard(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Delete an archive that is not what was meant."""
    archive = _archive(request, slug, pk)
    try:
        received_archives.discard(archive=archive, actor=request.user)
    except TestSetError as error:
        messages.error(request, str(error))
    return _back(slug, archive)


@login_required
@require_safe
def preview(request: HttpRequest, slug: str, pk: Any, number: int) -> HttpResponse:
    """Return the picture of a case that is not sealed yet, only to the person who submitted the archive.

    That person has the case already.
    """
    archive = _archive(request, slug, pk)
    previews = (archive.reading or {}).get("previews", [])
    if archive.user != request.user or not archive.is_read or number >= len(previews):
        raise Http404("There is no such picture.")
    response = HttpResponse(vault.read_bytes(previews[number]["file"]), content_type="image/png")
    response["Cache-Control"] = "no-store"
    return response


def _archive(request: HttpRequest, slug: str, pk: Any) -> TestSetArchive:
    challenge = organizing(request, slug)
    if not request.user.has_perm("test_sets.seal_test_set", challenge):
        raise PermissionDenied("Owners of the challenge seal and replace test sets.")
    rows = TestSetArchive.objects.filter(phase__task__challenge=challenge).select_related("user", "phase")
    return get_object_or_404(rows, pk=pk)


def _back(slug: str, archive: TestSetArchive) -> HttpResponse:
    return redirect(f"{reverse('test_sets:test_sets', args=[slug])}?phase={archive.phase_id}#sending")
