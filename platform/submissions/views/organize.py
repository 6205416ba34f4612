"""What organizers see and do: all submissions, failures with their reason, results, and another run."""

from typing import Any

import pandas as pd
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from challenges.queries import phases_of
from submissions import results
from submissions.models import Submission
from submissions.queries import counted_runs, first_cases, results_frame
from submissions.queries.submissions import of_challenge, visible_submission
from submissions.services import states
from submissions.storage import private
from submissions.views.access import organizing, page_context, phase_by_id

PER_PAGE = 50


@login_required
@require_safe
def submissions(request: HttpRequest, slug: str) -> HttpResponse:
    """All submissions to the challenge, by phase and state."""
    challenge = organizing(request, slug)
    rows = of_challenge(challenge)
    if phase := request.GET.get("phase"):
        rows = rows.filter(phase=phase_by_id(challenge, phase))
    if (state := request.GET.get("state")) in Submission.State:
        rows = rows.filter(state=state)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "submissions/organize.html",
        page_context(
            request,
            challenge,
            page=page,
            phases=phases_of(challenge),
            first_cases=first_cases(challenge),
            chosen_phase=phase or "",
            states=Submission.State.choices,
            chosen_state=state or "",
        ),
    )


@login_required
@require_POST
def repeat(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """Score a submission once more."""
    challenge = organizing(request, slug)
    submission = visible_submission(request.user, challenge, pk, perm="submissions.organize_submission")
    try:
        states.repeat(submission=submission, actor=request.user)
    except ValidationError as error:
        messages.warning(request, error.message)
    else:
        messages.success(request, "The submission is being worked on once more; its present result stands until then.")
    return redirect(submission)


@login_required
@require_safe
def results_csv(request: HttpRequest, slug: str, phase: int) -> HttpResponse:
    """The results of all teams that count in a phase as one table."""
    challenge = organizing(request, slug)
    entry = phase_by_id(challenge, phase)
    frames = [results_frame(run) for run in counted_runs(entry)]
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(results.COLUMNS))
    response = HttpResponse(results.to_csv(table), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{entry.slug}-results.csv"'
    return response


@login_required
@require_safe
def archive(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """The archive as the team sent it."""
    challenge = organizing(request, slug)
    submission = visible_submission(request.user, challenge, pk, perm="submissions.organize_submission")
    name = f"{submission.team.slug}-{submission.number}-{submission.archive_name}"
    return FileResponse(private().open(submission.archive_file), as_attachment=True, filename=name)
