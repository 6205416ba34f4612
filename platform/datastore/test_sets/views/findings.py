"""Findings about a test set before it is sealed: the list with pictures, and the answers of the owners."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from challenges.models import Challenge
from challenges.views.access import organizing, page_context
from datastore.test_sets import vault
from datastore.test_sets.models import TestSetArchive
from datastore.test_sets.queries import findings as queries
from datastore.test_sets.services import findings as services
from datastore.test_sets.services.replacing import TestSetError

PER_PAGE = 48


@login_required
@require_safe
@never_cache
def findings(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """List the findings about an archive, those of one check at a time where it is chosen."""
    challenge, archive = _archive(request, slug, pk)
    groups = queries.by_check(archive)
    chosen = next((group for group in groups if group.check_id == request.GET.get("check")), None)
    chosen = chosen or next((group for group in groups if group.open), None) or next(iter(groups), None)
    rows = archive.findings.select_related("answered_by").order_by("position")
    page = Paginator(rows.filter(check_id=chosen.check_id if chosen else ""), PER_PAGE).get_page(
        request.GET.get("page")
    )
    return render(
        request,
        "test_sets/findings.html",
        page_context(
            request,
            challenge,
            active_tab="challenges:organize",
            archive=archive,
            groups=groups,
            chosen=chosen,
            page=page,
            open=sum(group.open for group in groups),
            unlisted=max(0, (archive.reading or {}).get("findings", 0) - sum(group.total for group in groups)),
            shows_pictures=archive.user == request.user and archive.is_read,
        ),
    )


@login_required
@require_POST
def accept(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Accept one finding, or all open findings of a check."""
    _, archive = _archive(request, slug, pk)
    finding, check = request.POST.get("finding", ""), request.POST.get("check", "")[:30]
    if finding and not (finding.isdecimal() and len(finding) < 19):
        raise Http404("Finding not found.")
    try:
        number = services.accept(
            actor=request.user,
            archive=archive,
            answer=request.POST.get("answer", ""),
            finding=int(finding) if finding else None,
            check_id=check,
        )
    except TestSetError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Accepted {number} {'finding' if number == 1 else 'findings'}.")
    return redirect(
        f"{reverse('test_sets:archive_findings', args=[slug, archive.pk])}{f'?check={check}' if check else ''}"
    )


@login_required
@require_safe
def picture(request: HttpRequest, slug: str, pk: Any, finding: int) -> HttpResponse:
    """Return the picture of a case that is not sealed yet, only to the person who submitted the archive."""
    _, archive = _archive(request, slug, pk)
    entry = get_object_or_404(archive.findings, pk=finding)
    if archive.user != request.user or not archive.is_read or not entry.picture:
        raise Http404("Picture not found.")
    response = HttpResponse(vault.read_bytes(entry.picture), content_type="image/png")
    response["Cache-Control"] = "no-store"
    return response


def _archive(request: HttpRequest, slug: str, pk: Any) -> tuple[Challenge, TestSetArchive]:
    challenge = organizing(request, slug)
    if not request.user.has_perm("test_sets.seal_test_set", challenge):
        raise PermissionDenied("Owners of the challenge seal and replace test sets.")
    rows = TestSetArchive.objects.filter(phase__task__challenge=challenge).select_related("user", "phase", "test_set")
    return challenge, get_object_or_404(rows, pk=pk)
