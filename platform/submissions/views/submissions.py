"""A submission from arrival to result, for its team and for the organizers."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges import queries as challenge_queries
from challenges.models import Challenge
from challenges.queries import key_of
from challenges.views.access import page_context, participating
from datastore.datasets.queries.publishing import withdrawn_cases
from datastore.test_sets.domain.case_access import HIDDEN_IMAGES
from datastore.test_sets.queries.grids import length_unit
from evaluation.boards import case_lines
from evaluation.claims.costs import KEPT
from evaluation.claims.legend import AGGREGATED, Counts
from evaluation.claims.missing_cases import rule_of_methods
from executions.scoring.domain import results
from executions.scoring.domain.report import Report
from submissions import hooks
from submissions.models import Submission
from submissions.queries import told_frame, told_notes
from submissions.queries.counting import Counting, counting, standing_submissions
from submissions.queries.expected import expected_words
from submissions.queries.own_list import listed
from submissions.queries.pictures import drawable
from submissions.queries.progress import progress
from submissions.queries.progressing import changes, earlier_runs
from submissions.queries.releases import told_values
from submissions.queries.results import kept_costs
from submissions.queries.submissions import counted_run, labelled, of_teams, visible_submission
from submissions.rules import access_to_submission
from submissions.services import algorithms, choosing, states
from web.spreadsheets import csv_file

View = "submissions.view_submission"
# Of so many of the worst cases, the page of a submission shows a picture.
PREVIEWS = 3
WORST_METRICS = 2
PER_PAGE = 50
OWN_COLUMNS = ("submission", "task", "phase", "team", "archive", "received", "state", "late", "counts", "reason")


def _load(request: HttpRequest, slug: str, pk: Any, *, perm: str = View) -> tuple[Challenge, Submission]:
    challenge = challenge_queries.visible_challenge(request.user, slug)
    return challenge, visible_submission(request.user, challenge, pk, perm=perm)


@login_required
@require_safe
def own(request: HttpRequest, slug: str) -> HttpResponse:
    """All submissions of the visitor's teams."""
    challenge, teams = participating(request, slug)
    page = Paginator(of_teams(teams).select_related("release"), PER_PAGE).get_page(request.GET.get("page"))
    standing = standing_submissions(teams)
    context = page_context(request, challenge, page=page, own_teams=teams, standing=standing)
    labelled(page.object_list, challenge_queries.phases_of(challenge))
    context["rows"] = listed(request.user, list(page.object_list), teams, standing)
    return render(request, "submissions/own.html", context)


@login_required
@require_safe
def own_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The same list for a spreadsheet; no score is in it, those are under “Scores over time”."""
    _, teams = participating(request, slug)
    standing = standing_submissions(teams)
    rows = (
        (
            row.number,
            row.phase.task.slug,
            row.phase.slug,
            row.team.name,
            row.archive_name,
            row.created_at,
            row.state,
            row.is_late,
            row.pk in standing,
            row.reason,
        )
        for row in of_teams(teams)
    )
    return csv_file(f"{slug}-submissions.csv", OWN_COLUMNS, rows)


@login_required
@require_safe
def detail(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Everything about one submission."""
    challenge, submission = _load(request, slug, pk)
    content = _content(request, submission)
    content["same_file"] = content["may_decide"] and request.GET.get("same-file") == "1"
    tab = "submissions:own" if content["may_decide"] else "results:organize"
    return render(request, "submissions/detail.html", page_context(request, challenge, active_tab=tab, **content))


@login_required
@require_safe
def status(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """The part of the page that changes, for the page to fetch while something is going on."""
    challenge, submission = _load(request, slug, pk)
    content = _content(request, submission)
    # Screen readers hear of a new state, not of every poll.
    content["announce"] = request.GET.get("said") != content["progress"].title
    return render(request, "submissions/detail_live.html", {"challenge": challenge, **content})


def _content(request: SignedInRequest, submission: Submission) -> dict[str, Any]:
    user = request.user
    state = progress(submission)
    run = counted_run(submission)
    allowed = access_to_submission(user, submission)
    content: dict[str, Any] = {
        "submission": submission,
        "phase": submission.phase,
        "progress": state,
        "report": Report.of(submission.report),
        "run": run,
        "counting": counting(submission, for_team=submission.team.members.filter(user=user).exists())
        if submission.state == Submission.State.SCORED
        else Counting(False, ""),
        "may_choose": choosing.may_be_chosen(submission)
        and test_rule("submissions.decide_submission", user, submission),
        "methods": choosing.methods_to_choose(submission),
        "methods_rule": rule_of_methods(submission.phase.methods_per_team),
        "may_take_back": choosing.may_be_taken_back(submission)
        and test_rule("submissions.decide_submission", user, submission),
        "may_decide": test_rule("submissions.decide_submission", user, submission),
        "may_organize": user.has_perm("submissions.organize_submission", submission),
        "shows_scores": run is not None and user.has_perm("submissions.view_scores", submission),
        "shows_validation": allowed.notes,
        "has_predictions": allowed.files,
        "execution": algorithms.execution_of(submission.pk) if submission.is_algorithm else None,
        "shows_cases": run is not None and allowed.values,
    }
    content["placed"] = hooks.place_of(user, submission, request.GET.get("against", "")) if run is not None else None
    content["is_own"] = content["may_decide"]
    unit = length_unit(submission.phase) if run is not None and (content["shows_scores"] or allowed.values) else ""
    if run is not None and content["shows_scores"]:
        exact = content["may_organize"] or submission.phase.is_revealed
        values = run.summary["values"] if exact else told_values(submission, run)
        content["summary"] = run.summary
        # A doubt describes references.
        shows_doubts = allowed.references and submission.phase.is_dry_run
        content["doubts"] = run.summary.get("doubts", []) if shows_doubts else []
        content["aggregated"] = AGGREGATED.first(Counts(run.summary["cases"], run.summary["missing_cases"]))
        content["earlier"] = earlier_runs(submission)
        higher = {metric.name: metric.higher_is_better for metric in submission.phase.assessment.metrics}
        content["summary_lines"] = [
            line | {"changes": change}
            for line, change in zip(
                case_lines.summary_lines(submission.phase.assessment, {"values": values}, length_unit=unit),
                changes(values, content["earlier"], higher=higher, exact=exact),
                strict=True,
            )
        ]
        content["feedback"] = "" if exact else submission.phase.feedback
    if run is not None and content["shows_cases"]:
        assessment = submission.phase.assessment
        frame, notes = case_lines.of_cases(told_frame(run, user)), told_notes(run, user)
        content["kept"] = KEPT.all(kept_costs(run, user))
        content["columns"] = case_lines.columns(assessment, frame, length_unit=unit)
        content["lines"] = case_lines.lines(frame, content["columns"], notes)
        # Organizers open a case for its picture: theirs shows the reference, and each look is logged.
        content["why_no_picture"] = "" if allowed.pictures else HIDDEN_IMAGES
        if content["may_decide"] and content["columns"] and allowed.pictures:
            worst = [line.case for line in content["lines"] if not line.note]
            hidden = withdrawn_cases(submission.challenge)
            content["previews"] = [case for case in drawable(run, worst[:PREVIEWS]) if case not in hidden]
        content["worst"] = _worst(content, content["placed"])
    if content["report"].troubled:
        content["expected"] = expected_words(submission, [finding.case for finding in content["report"].troubled])
    if content["may_organize"]:
        content["runs"] = submission.runs.select_related("triggered_by", "test_set").order_by("-number")
    return content


def _worst(content: dict[str, Any], placed: hooks.Placed | None) -> list[dict[str, Any]]:
    """Return the cases with the worst mean rank, and their values in the first metrics.

    The field's median is added if it is known. A case is excluded if a case outside the list is equally bad.
    If all cases are equal, none is among the worst.
    """
    medians = placed.medians if placed is not None else {}
    ranks = [line.mean_rank for line in content["lines"]]
    ends = [index for index in range(1, len(ranks)) if ranks[index] != ranks[index - 1] and index <= PREVIEWS]
    return [
        {
            "case": line.case,
            "note": line.note,
            "values": [
                (column, cell, medians.get(f"{column.metric}/{column.region or ''}", {}).get(line.case, ""))
                for column, cell in zip(content["columns"][:WORST_METRICS], line.cells, strict=False)
            ],
        }
        for line in content["lines"][: max(ends, default=0)]
    ]


@login_required
@require_POST
def decide(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Score a submission with gaps as it is, take it back, or choose it for the ranking."""
    challenge, submission = _load(request, slug, pk)
    if not test_rule("submissions.decide_submission", request.user, submission):
        raise Http404("Page not found.")
    if request.POST.get("decision") == "score":
        try:
            states.score_as_it_is(submission=submission, actor=request.user)
        except ValidationError as error:
            messages.error(request, error.message)
    elif request.POST.get("decision") == "choose":
        try:
            method = request.POST.get("method", "")
            chosen = int(method) if method.isascii() and method.isdigit() else None
            choosing.choose(submission=submission, actor=request.user, method=chosen)
        except ValidationError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, f"Submission {submission.number} counts for your team now.")
    elif request.POST.get("decision") == "take_back":
        try:
            choosing.take_back(submission=submission, actor=request.user)
        except ValidationError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, f"Submission {submission.number} is none of your team's methods any more.")
    elif request.POST.get("decision") == "withdraw":
        try:
            states.withdraw(submission=submission, actor=request.user)
        except ValidationError as error:
            messages.error(request, error.message)
        else:
            messages.success(request, "The submission is withdrawn. You can upload a corrected archive.")
            return redirect("submissions:submit", slug=challenge.slug)
    return redirect(submission)


@login_required
@require_safe
def results_csv(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """The results of a submission as the contract's table."""
    _, submission = _load(request, slug, pk, perm="submissions.view_case_scores")
    run = counted_run(submission)
    if run is None:
        raise Http404("This submission has no result.")
    response = HttpResponse(results.to_csv(told_frame(run, request.user)), content_type="text/csv; charset=utf-8")
    name = f"{slug}-{key_of(submission.phase)}-{submission.team.slug}-{submission.number}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    if not kept_costs(run, request.user):  # it is of the whole table
        response["Podium-Digest"] = run.result_digest
    return response
