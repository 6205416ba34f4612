"""Pages for organizers: submissions, failures with their reason, results, decoys and new runs."""

from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.models import Challenge, Phase
from challenges.queries import key_of, phases_of
from challenges.views.access import organizing, page_context, phase_by_id
from datastore.test_sets.models import TestCase, TestSet
from datastore.test_sets.queries import first_cases
from datastore.uploads.storage import open_stored
from executions.scoring.domain import results
from submissions.models import Submission
from submissions.queries import counted_runs, told_frame
from submissions.queries.submissions import labelled, of_challenge, visible_submission
from submissions.results.queries.decoys import decoy_columns, decoy_rows
from submissions.results.services.exporting import SUBMISSION_COLUMNS, submission_rows
from submissions.services import states
from web.spreadsheets import csv_file

PER_PAGE = 50


@login_required
@require_safe
def submissions(request: HttpRequest, slug: str) -> HttpResponse:
    """All submissions to the challenge, by phase and state."""
    challenge = organizing(request, slug)
    phases = phases_of(challenge)
    page = Paginator(_filtered(request, challenge, phases), PER_PAGE).get_page(request.GET.get("page"))
    labelled(page.object_list, phases)
    return render(
        request,
        "results/organize.html",
        page_context(
            request,
            challenge,
            page=page,
            phases=phases,
            downloads=_downloads(phases, first_cases(challenge)),
            chosen_phase=request.GET.get("phase", ""),
            states=Submission.State.choices,
            chosen_state=request.GET.get("state", ""),
            words=request.GET.get("q", ""),
        ),
    )


def _filtered(request: HttpRequest, challenge: Challenge, phases: list[Phase]) -> QuerySet[Submission]:
    """Return the submissions that match the filters of the page."""
    rows = of_challenge(challenge)
    if wanted := request.GET.get("phase"):
        chosen_phase = next((phase for phase in phases if str(phase.pk) == wanted), None)
        if chosen_phase is None:
            raise Http404("There is no such phase.")
        rows = rows.filter(phase=chosen_phase)
    if (state := request.GET.get("state")) in Submission.State:
        rows = rows.filter(state=state)
    if words := request.GET.get("q", "").strip()[:100]:
        rows = rows.filter(Q(team__name__icontains=words) | Q(user__username__iexact=words))
    return rows


def _downloads(phases: list[Phase], cases: list[TestCase]) -> list[tuple[Phase, TestCase | None]]:
    """Each phase with its first case, for the links to results and pictures."""
    first = {case.test_set.phase_id: case for case in cases}
    return [(phase, first.get(phase.pk)) for phase in phases]


@login_required
@require_safe
def submissions_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The submissions that the filters leave, as a table."""
    challenge = organizing(request, slug)
    rows = _filtered(request, challenge, phases_of(challenge)).prefetch_related(None)
    return csv_file(f"{slug}-submissions.csv", SUBMISSION_COLUMNS, submission_rows(rows))


@login_required
@require_POST
def repeat(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Score a submission once more."""
    challenge = organizing(request, slug)
    submission = visible_submission(request.user, challenge, pk, perm="submissions.organize_submission")
    try:
        states.repeat(submission=submission, actor=request.user)
    except ValidationError as error:
        messages.warning(request, error.message)
    else:
        messages.success(request, "The submission is being scored again. Its current result applies until then.")
    return redirect(submission)


@login_required
@require_safe
def results_csv(request: HttpRequest, slug: str, phase: int) -> HttpResponseBase:
    """The results of all teams that count in a phase as one table."""
    challenge = organizing(request, slug)
    entry = phase_by_id(challenge, phase)
    response = StreamingHttpResponse(_results(entry, request.user), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{key_of(entry)}-results.csv"'
    return response


def _results(phase: Phase, user: Any) -> Iterator[str]:
    """The table team by team: no more than one team's results are in memory."""
    yield ",".join(results.COLUMNS) + "\n"
    for run in counted_runs(phase):
        yield told_frame(run, user)[list(results.COLUMNS)].to_csv(
            index=False, header=False, float_format="%.17g", lineterminator="\n"
        )


@login_required
@require_safe
def archive(request: HttpRequest, slug: str, pk: Any) -> HttpResponseBase:
    """The archive as the team sent it."""
    challenge = organizing(request, slug)
    submission = visible_submission(request.user, challenge, pk, perm="submissions.organize_submission")
    if not test_rule("submissions.have_predictions", request.user, submission):
        raise Http404("These predictions are visible only to the organizers of the challenge.")
    name = f"{submission.team.slug}-{submission.number}-{submission.archive_name}"
    return FileResponse(open_stored(submission.archive_file), as_attachment=True, filename=name)


@login_required
@require_safe
def decoys_csv(request: HttpRequest, slug: str, phase: int, version: int) -> HttpResponse:
    """Return the predictions submitted for each decoy of a version, as CSV."""
    challenge = organizing(request, slug)
    entry = phase_by_id(challenge, phase)
    sealed = TestSet.objects.filter(phase=entry, sealed_at__isnull=False)
    rows = decoy_rows(get_object_or_404(sealed, version=version))
    return csv_file(f"{slug}-{key_of(entry)}-decoys-{version}.csv", decoy_columns(entry), rows)
