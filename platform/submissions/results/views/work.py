"""Organizers' view of the work: the queue, what fails and why, and scoring many submissions again."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import SignedInRequest
from challenges.queries import phases_of
from challenges.views.access import organizing, page_context, phase_by_id
from core.work.queries import backlog_of
from submissions.models import Submission
from submissions.queries.methods import description_needed, lacking_facts
from submissions.queries.releases import PROBING_COLUMNS, probing_of, probing_rows
from submissions.queries.submissions import labelled
from submissions.results.queries import overview
from submissions.results.services import exporting
from submissions.services.repeating import repeat_all, repeated_words
from web.figures import figure_json
from web.spreadsheets import csv_file

FAILED_PER_PAGE = 10


@login_required
@require_safe
def work(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the state of the work."""
    challenge = organizing(request, slug)
    phases = phases_of(challenge)
    failed = Paginator(overview.failed(challenge), FAILED_PER_PAGE).get_page(request.GET.get("failed"))
    labelled(failed.object_list, phases)
    return render(
        request,
        "results/work.html",
        page_context(
            request,
            challenge,
            active_tab="challenges:organize",
            work=overview.work_of(challenge),
            backlog=backlog_of(challenge),
            moving=labelled(overview.moving(challenge), phases),
            failed=failed,
            days=overview.by_day(phases),
            phases=phases,
            probing=Paginator(probing_of(phases), overview.SHOWN).get_page(request.GET.get("probing")),
            undescribed=[(phase, lacking_facts(phase)) for phase in phases if description_needed(phase)],
        ),
    )


@login_required
@require_safe
def days_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Submissions by day, as a figure."""
    return figure_json(overview.figure_by_day(phases_of(organizing(request, slug))))


@login_required
@require_safe
def days_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Submissions by day, as a table."""
    challenge = organizing(request, slug)
    return csv_file(
        f"{slug}-submissions-by-day.csv", ["day", "phase", "submissions"], overview.by_day(phases_of(challenge))
    )


@login_required
@require_safe
def probing_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the changes of the scores of teams from submission to submission, as CSV."""
    return csv_file(
        f"{slug}-probing.csv", PROBING_COLUMNS, probing_rows(probing_of(phases_of(organizing(request, slug))))
    )


@login_required
@require_safe
def failed_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the failed submissions with their reasons, as CSV."""
    rows = overview.failed(organizing(request, slug)).defer("report", "log").prefetch_related(None)
    heads = ("id", "task", "phase", "team", "number", "state", "reason", "since")
    lines = (
        (row.pk, row.phase.task.slug, row.phase.slug, row.team.name, row.number, row.state, row.reason, row.state_since)
        for row in rows
    )
    return csv_file(f"{slug}-failed.csv", heads, lines)


@login_required
@require_POST
def repeat_many(request: SignedInRequest, slug: str) -> HttpResponse:
    """Score again: what failed, everything of a phase that is scored, or what was chosen in the list."""
    challenge = organizing(request, slug)
    which = request.POST.get("which")
    if which == "failed":
        rows = overview.failed(challenge)
    elif which == "phase":
        phase = phase_by_id(challenge, request.POST.get("phase"))
        rows = Submission.objects.filter(phase=phase, state=Submission.State.SCORED).order_by("created_at")
    elif which == "chosen":
        rows = overview.chosen(challenge, request.POST.getlist("submission"))
        if not rows:
            messages.error(request, "No submission was chosen. Mark submissions in the list that can be scored again.")
            return redirect("results:organize", slug=slug)
    else:
        raise Http404("Say what is to be repeated.")
    taken, left = repeat_all(actor=request.user, submissions=rows)
    messages.success(request, repeated_words(taken, left))
    return redirect("results:work", slug=slug)


@login_required
@require_safe
def export(request: SignedInRequest, slug: str) -> StreamingHttpResponse:
    """Return an archive of all data of a challenge that organizers can have.

    References and predictions are excluded. The archive is sent while it is written, so its size is not limited by
    memory. The log records the export.
    """
    challenge = organizing(request, slug)
    exporting.note_exported(actor=request.user, challenge=challenge)
    response = StreamingHttpResponse(exporting.archive(challenge, request.user), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="{slug}-export.zip"'
    return response
