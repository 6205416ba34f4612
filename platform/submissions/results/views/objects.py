"""Detection, classification and outlines of a submission as files."""

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from challenges import queries as challenge_queries
from challenges.queries import key_of
from executions.scoring.services import disentangling
from submissions.queries.submissions import counted_run, visible_submission
from submissions.results.domain.object_parts import csv_of
from web.spreadsheets import csv_file


@login_required
@require_safe
def objects_csv(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """Return every value as CSV: pooled, by group of images and by image.

    With `?table=confusion`, the file contains every cell of the matrices. Counts of single cases reveal as much
    as their results. The same permission is therefore required.
    """
    challenge = challenge_queries.visible_challenge(request.user, slug)
    submission = visible_submission(request.user, challenge, pk, perm="submissions.view_case_scores")
    run = counted_run(submission)
    if run is None or not run.disentangled_file:
        raise Http404("Nothing is rated apart here.")
    matrix = request.GET.get("table") == "confusion"
    head, rows = csv_of(disentangling.read(run.disentangled_file), name=submission.team.name, matrix=matrix)
    kind = "confusion" if matrix else "objects"
    return csv_file(
        f"{slug}-{key_of(submission.phase)}-{submission.team.slug}-{submission.number}-{kind}.csv", head, rows
    )
