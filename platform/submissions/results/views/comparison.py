"""Scores of a team over time, and the comparison of two of its submissions."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from challenges.models import Team
from challenges.queries import key_of
from challenges.views.access import page_context, participating
from submissions.models import Run
from submissions.queries.releases import told_values
from submissions.results.queries.comparison import comparable, compare, history_figures, scores_over_time
from web.figures import figure_json
from web.spreadsheets import csv_file


@login_required
@require_safe
def history(request: HttpRequest, slug: str) -> HttpResponse:
    """Scores over time, as far as the phases show them, and the choice of two submissions to compare."""
    challenge, teams = participating(request, slug)
    scored_submissions = scores_over_time(request.user, teams)
    figures = [name for name, _ in history_figures(request.user, teams)]
    return render(
        request,
        "results/history.html",
        page_context(
            request,
            challenge,
            active_tab="submissions:own",
            own_teams=teams,
            figures=figures,
            comparable=comparable(scored_submissions, request.user),
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
    return figure_json(figures[number][1])


@login_required
@require_safe
def history_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The values behind the figures."""
    _, teams = participating(request, slug)
    # The shortest form that is the same number: what was rounded on purpose stays so.
    rows = (
        (
            submission.number,
            submission.phase.task.slug,
            submission.phase.slug,
            submission.created_at,
            value["metric"],
            value["region"],
            value["value"],
        )
        for submission, run in scores_over_time(request.user, teams)
        for value in told_values(submission, run)
    )
    return csv_file(
        f"{slug}-history.csv", ("submission", "task", "phase", "submitted", "metric", "region", "value"), rows
    )


@login_required
@require_safe
def two(request: HttpRequest, slug: str) -> HttpResponse:
    """Two submissions of one phase, case by case, where that phase shows cases."""
    challenge, teams = participating(request, slug)
    before, after = _two(request, teams)
    if before.submission.phase_id != after.submission.phase_id or before.test_set_id != after.test_set_id:
        messages.error(request, "Only submissions to one phase, scored on one version of its cases, can be compared.")
        return redirect("results:history", slug=slug)
    compared = compare(before, after, after.submission.phase.assessment, request.user)
    return render(
        request,
        "results/compare.html",
        page_context(
            request,
            challenge,
            active_tab="submissions:own",
            before=before.submission,
            after=after.submission,
            compared=compared,
            same=before.result_digest == after.result_digest,
        ),
    )


@login_required
@require_safe
def two_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The same for a spreadsheet."""
    _, teams = participating(request, slug)
    before, after = _two(request, teams)
    if before.submission.phase_id != after.submission.phase_id or before.test_set_id != after.test_set_id:
        raise Http404("These submissions cannot be compared.")
    rows = (
        (
            entry.column.metric,
            entry.column.region,
            pair.case,
            *(side.words if side.value is None else side.value for side in (pair.before, pair.after)),
            pair.change,
            pair.verdict,
        )
        for entry in compare(before, after, after.submission.phase.assessment, request.user)
        for pair in entry.pairs
    )
    name = f"{slug}-{key_of(after.submission.phase)}-{before.submission.number}-{after.submission.number}.csv"
    return csv_file(name, ("metric", "region", "case", "before", "after", "change", "verdict"), rows)


def _two(request: HttpRequest, teams: list[Team]) -> tuple[Run, Run]:
    return _run(request, teams, request.GET.get("before", "")), _run(request, teams, request.GET.get("after", ""))


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
