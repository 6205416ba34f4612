"""Reports about cases: public numbers, own reports, and for organizers all reports with their answers."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.models import Challenge, Phase
from challenges.queries import phases_of, visible_challenge
from challenges.queries.projections import projection_of
from challenges.views.access import page_context
from datastore.test_sets.forms import CaseReportForm
from datastore.test_sets.models import CaseReport
from datastore.test_sets.queries import case_reports as queries
from datastore.test_sets.queries.decoys import remember_decoys
from datastore.test_sets.rules import takes_reports
from datastore.test_sets.services import case_reports as services


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def reports(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the reports that the person may read, and the form for permitted people."""
    challenge = visible_challenge(request.user, slug)
    may_report = test_rule("test_sets.report_case", request.user, challenge)
    phases = _reported(request, challenge) if may_report else []
    form = (
        CaseReportForm(request.POST or None, phases=phases, initial=_asked(request)) if may_report and phases else None
    )
    if request.method == "POST":
        if form is None or not request.user.is_authenticated:
            raise PermissionDenied("Participants, reviewers and organizers of the challenge report cases.")
        if form.is_valid():
            try:
                services.report_case(user=request.user, **form.cleaned_data)
            except ValidationError as error:
                form.add_error(None, error.messages)
            else:
                messages.success(request, "Your report was sent to the organizers. Their answer will appear here.")
                return redirect("test_sets:case_reports", slug=slug)
    answers = request.user.has_perm("test_sets.answer_case_report", challenge)
    return render(
        request,
        "test_sets/case_reports.html",
        page_context(
            request,
            challenge,
            form=form,
            counts=queries.public_counts(challenge),
            reports=list(queries.reports_for(request.user, challenge)[:200]),
            answers=answers,
            hides_cases=may_report and not phases,
            is_registered=answers and projection_of(challenge) is not None,
        ),
        status=422 if form is not None and form.errors else 200,
    )


def _reported(request: HttpRequest, challenge: Challenge) -> list[Phase]:
    """Return the phases whose cases the visitor may report."""
    phases = phases_of(challenge)
    remember_decoys(phases)
    return [phase for phase in phases if takes_reports(request.user, phase)]


def _asked(request: HttpRequest) -> dict[str, Any]:
    """Phase and case as a link names them."""
    return {key: request.GET[key][:150] for key in ("phase", "case") if key in request.GET}


@login_required
@require_POST
def answer(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Confirm or dismiss a report."""
    report = _report(request, slug, pk)
    try:
        services.answer_report(
            actor=request.user,
            report=report,
            state=request.POST.get("state", ""),
            answer=request.POST.get("answer", ""),
        )
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"The report about {report.case} is answered.")
    return redirect("test_sets:case_reports", slug=slug)


@login_required
@require_POST
def exclude(request: SignedInRequest, slug: str, pk: int) -> HttpResponse:
    """Add a confirmed case to the working design, and redirect to the page to request the change."""
    report = _report(request, slug, pk)
    try:
        address = services.propose_exclusion(actor=request.user, report=report)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("test_sets:case_reports", slug=slug)
    messages.info(
        request,
        f"{report.case} stands in the working design as a case that does not count. Nothing changes before this change "
        "request is decided; then the ranking is there with and without the case.",
    )
    return redirect(address)


def _report(request: HttpRequest, slug: str, pk: int) -> CaseReport:
    challenge = visible_challenge(request.user, slug)
    if not request.user.has_perm("test_sets.answer_case_report", challenge):
        raise Http404("Page not found.")
    rows = CaseReport.objects.select_related("phase__task__challenge", "user")
    return get_object_or_404(rows, pk=pk, phase__task__challenge=challenge)
