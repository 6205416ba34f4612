"""Organizers' view of the work: the queue, what fails and why, and scoring many submissions again."""

import csv
import json
import tempfile
import zipfile

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from audit.models import Entry
from challenges.models import Challenge
from challenges.queries import phases_of
from challenges.queries.people import participant_rows
from submissions import results
from submissions.models import Submission
from submissions.queries import overview, results_frame
from submissions.queries.methods import description_needed, undescribed
from submissions.queries.releases import probing_of
from submissions.queries.results import counted_runs
from submissions.services.repeating import repeat_all
from submissions.spreadsheets import csv_text
from submissions.views.access import organizing, page_context, phase_by_id

# A larger part of an export is kept on disk and not in memory.
SPOOLED_BYTES = 8 * 1024 * 1024


@login_required
@require_safe
def work(request: HttpRequest, slug: str) -> HttpResponse:
    """How the work stands."""
    challenge = organizing(request, slug)
    phases = phases_of(challenge)
    return render(
        request,
        "submissions/work.html",
        page_context(
            request,
            challenge,
            active_tab="challenges:organize",
            work=overview.work_of(challenge),
            moving=overview.moving(challenge),
            failed=overview.failed(challenge)[: overview.SHOWN],
            days=overview.by_day(challenge),
            phases=phases,
            probing=probing_of(challenge)[: overview.SHOWN],
            undescribed=[(phase, undescribed(phase)) for phase in phases if description_needed(phase)],
        ),
    )


@login_required
@require_safe
def days_json(request: HttpRequest, slug: str) -> HttpResponse:
    """Submissions by day, as a figure."""
    return JsonResponse(overview.figure_by_day(organizing(request, slug)))


@login_required
@require_safe
def days_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """Submissions by day, as a table."""
    challenge = organizing(request, slug)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-submissions-by-day.csv"'
    writer = csv.writer(response)
    writer.writerow(["day", "phase", "submissions"])
    writer.writerows((day.isoformat(), phase, number) for day, phase, number in overview.by_day(challenge))
    return response


@login_required
@require_safe
def probing_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """How scores of teams moved from submission to submission, as a table."""
    rows = probing_of(organizing(request, slug))
    head = ("phase", "team", "scored", "steps_within_noise", "steps_beyond_noise", "stands_out")
    lines = [(row.phase, row.team, row.scored, row.creeping, row.leaps, row.stands_out) for row in rows]
    response = HttpResponse(csv_text(head, lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-probing.csv"'
    return response


@login_required
@require_POST
def repeat_many(request: HttpRequest, slug: str) -> HttpResponse:
    """Score again: what failed, or everything of a phase that is scored."""
    challenge = organizing(request, slug)
    which = request.POST.get("which")
    if which == "failed":
        rows = overview.failed(challenge)
    elif which == "phase":
        phase = phase_by_id(challenge, request.POST.get("phase"))
        rows = Submission.objects.filter(phase=phase, state=Submission.State.SCORED).order_by("created_at")
    else:
        raise Http404("Say what is to be repeated.")
    taken, left = repeat_all(actor=request.user, submissions=rows)
    more = f" {left} are being worked on already." if left else ""
    messages.success(
        request, f"{taken} submissions are scored once more; their present results stand until then.{more}"
    )
    return redirect("submissions:work", slug=slug)


@login_required
@require_safe
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything that organizers may have of a challenge, in one archive; without references and predictions."""
    challenge = organizing(request, slug)
    spool = tempfile.SpooledTemporaryFile(max_size=SPOOLED_BYTES)  # noqa: SIM115 (closed by the response)
    with zipfile.ZipFile(spool, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _parts(challenge):
            archive.writestr(name, text)
    spool.seek(0)
    return FileResponse(spool, as_attachment=True, filename=f"{slug}-export.zip", content_type="application/zip")


def _parts(challenge: Challenge):
    yield (
        "participants.csv",
        csv_text(
            [
                "user",
                "name",
                "email",
                "affiliation",
                "orcid",
                "team",
                "role",
                "standing",
                "state",
                "terms",
                "accepted_at",
            ],
            participant_rows(challenge),
        ),
    )
    teams = challenge.teams.values_list("name", "slug", "created_at", "standing", "standing_reason")
    yield "teams.csv", csv_text(["name", "slug", "created_at", "standing", "reason"], teams)
    rows = Submission.objects.filter(phase__task__challenge=challenge).order_by("created_at")
    columns = (
        "id",
        "phase__slug",
        "team__name",
        "number",
        "state",
        "reason",
        "is_late",
        "created_at",
        "archive_sha256",
    )
    yield "submissions.csv", csv_text([name.replace("__", "_") for name in columns], rows.values_list(*columns))
    for phase in phases_of(challenge):
        for run in counted_runs(phase):
            name = f"results/{phase.task.slug}-{phase.slug}/{run.submission.team.slug}.csv"
            yield name, results.to_csv(results_frame(run))
        yield f"assessments/{phase.task.slug}-{phase.slug}.json", json.dumps(phase.assessment_document, indent=1)
    announcements = challenge.announcements.values_list("published_at", "title", "text", "author__username")
    yield "announcements.csv", csv_text(["published_at", "title", "text", "author"], announcements)
    posts = challenge.threads.values_list(
        "title", "posts__created_at", "posts__author__username", "posts__text", "posts__hidden_at"
    )
    yield "discussion.csv", csv_text(["thread", "written_at", "author", "text", "hidden_at"], posts)
    acts = Entry.objects.filter(scope=challenge.slug).values_list(
        "sequence", "time", "actor__username", "act", "subject_type", "subject_id", "facts", "digest"
    )
    yield (
        "log.csv",
        csv_text(
            ["sequence", "time", "actor", "act", "subject", "id", "facts", "digest"],
            ((*row[:6], json.dumps(row[6], sort_keys=True), row[7]) for row in acts),
        ),
    )
