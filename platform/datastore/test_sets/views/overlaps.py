"""Overlap of test images: the pairs side by side, and the answers of the owners."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts.requests import SignedInRequest
from challenges.views.access import organizing, page_context, phase_by_id
from datastore.test_sets import vault
from datastore.test_sets.models import OverlapCheck
from datastore.test_sets.rules import access_to_phase
from datastore.test_sets.services import overlap_requests as services
from datastore.test_sets.services.replacing import TestSetError

PER_PAGE = 20


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def overlaps(request: SignedInRequest, slug: str, phase: int, version: int) -> HttpResponse:
    """List the pairs of images that overlap; owners accept them, or request a new comparison."""
    challenge = organizing(request, slug)
    entry = phase_by_id(challenge, phase)
    check = _check(entry.pk, version)
    check.test_set.phase = entry
    may_decide = request.user.has_perm("test_sets.seal_test_set", challenge)
    if request.method == "POST":
        if not may_decide:
            raise PermissionDenied("Owners of the challenge answer overlaps.")
        pair = request.POST.get("pair", "")
        if pair and not (pair.isdecimal() and len(pair) < 19):
            raise Http404("Pair not found.")
        try:
            if request.POST.get("act") == "again":
                services.request(check.test_set)
                messages.success(request, "The images are compared again.")
            else:
                number = services.accept(
                    actor=request.user,
                    check=check,
                    answer=request.POST.get("answer", ""),
                    pair=int(pair) if pair else None,
                )
                messages.success(request, f"Accepted {number} {'overlap' if number == 1 else 'overlaps'}.")
        except TestSetError as error:
            messages.error(request, str(error))
        return redirect("test_sets:overlaps", slug=slug, phase=phase, version=version)
    page = Paginator(check.pairs.select_related("answered_by").order_by("pk"), PER_PAGE).get_page(
        request.GET.get("page")
    )
    return render(
        request,
        "test_sets/overlaps.html",
        page_context(
            request,
            challenge,
            active_tab="challenges:organize",
            phase=entry,
            check=check,
            page=page,
            open=check.pairs.filter(answered_at=None).count(),
            sources=sorted(check.compared.items()),
            may_decide=may_decide,
            shows_pictures=access_to_phase(request.user, entry).pictures,
        ),
    )


@login_required
@require_safe
def picture(request: HttpRequest, slug: str, phase: int, version: int, pair: int, side: int) -> HttpResponse:
    """Return one of the two pictures of a pair to those who may see the images of the test set."""
    entry = phase_by_id(organizing(request, slug), phase)
    row = get_object_or_404(_check(entry.pk, version).pairs, pk=pair)
    if not access_to_phase(request.user, entry).pictures or side >= len(row.pictures):
        raise Http404("Picture not found.")
    response = HttpResponse(vault.read_bytes(row.pictures[side]), content_type="image/png")
    response["Cache-Control"] = "private, max-age=300"
    return response


def _check(phase: int, version: int) -> OverlapCheck:
    rows = OverlapCheck.objects.select_related("test_set")
    return get_object_or_404(rows, test_set__phase=phase, test_set__version=version)
