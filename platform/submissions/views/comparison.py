"""A team's own scores over time, and two of its submissions beside each other."""

import csv
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from challenges.models import Team
from submissions.models import Run
from submissions.queries.comparison import compare, history_figures, scores_over_time
from submissions.queries.releases import told_values
from submissions.views.access import page_context, participating


@login_required
@require_safe
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """Scores over time, as far as the phases show them, and the choice of two submissions to compare."""
    challenge, teams = participating(request, slug)
    shown = scores_over_time(request.user, teams)
    figures = [name for name, _ in history_figures(request.user, teams)]
    comparable = [
        submission for submission, _ in shown if request.user.has_perm("submissions.view_case_scores", submission)
    ]
    return render(
        request,
        "submissions/history.html",
        page_context(
            request, challenge, active_tab="submissions:own", shown=shown, figures=figures, comparable=comparable
        ),
    )


@login_required
@require_safe
def history_json(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One figure of the page above."""
    _, teams = participating(request, slug)
    figures = history_figures(request.user, teams)
    if number >= len(figures):
        raise Http404("There is no such figure.")
    return JsonResponse(figures[number][1])


@login_required
@require_safe
def history_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The values behind the figures."""
    _, teams = participating(request, slug)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-history.csv"'
    writer = csv.writer(response)
    writer.writerow(["submission", "phase", "submitted", "metric", "region", "value"])
    for submission, run in scores_over_time(request.user, teams):
        for value in told_values(submission, run):
            number = "" if value["value"] is None else f"{value['value']:.17g}"
            writer.writerow(
                [
                    submission.number,
                    submission.phase.slug,
                    submission.created_at.isoformat(),
                    value["metric"],
                    value["region"],
                    number,
                ]
            )
    return response


@login_required
@require_safe
def two(request: HttpRequest, slug: str) -> HttpResponse:
    """Two submissions of one phase, case by case, where that phase shows cases."""
    challenge, teams = participating(request, slug)
    before, after = (_run(request, teams, request.GET.get(name, "")) for name in ("before", "after"))
    if before.submission.phase_id != after.submission.phase_id or before.test_set_id != after.test_set_id:
        messages.error(request, "Only submissions to one phase, scored on one version of its cases, can be compared.")
        return redirect("submissions:history", slug=slug)
    found = compare(before, after, after.submission.phase.assessment)
    return render(
        request,
        "submissions/compare.html",
        page_context(
            request,
            challenge,
            active_tab="submissions:own",
            before=before.submission,
            after=after.submission,
            compared=found,
            same=before.result_digest == after.result_digest,
        ),
    )


def _run(request: HttpRequest, teams: list[Team], pk: str) -> Run:
    try:
        wanted = UUID(pk)
    except ValueError:
        raise Http404("There is no such submission.") from None
    rows: Any = Run.objects.filter(counts=True, submission=wanted, submission__team__in=teams)
    run = rows.select_related("submission__phase__task__challenge", "submission__team").first()
    if run is None or not request.user.has_perm("submissions.view_case_scores", run.submission):
        raise Http404("There is no such submission.")
    return run
