"""An execution as its team and the organizers may see it; what is downloaded of it; stopping it, and deleting an image."""

import json
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges import queries as challenge_queries
from challenges.models import Challenge
from challenges.views.access import page_context, phase_by_id
from datastore.uploads.storage import open_stored
from evaluation.running.registered import Registered
from executions.domain.agreement import agreement_sentences
from executions.domain.outcomes import WORDS, missing_words
from executions.domain.plans import NotRunnableError, size_words
from executions.models import AlgorithmArchive, Execution
from executions.queries import progress
from executions.queries.interfaces import sockets_of
from executions.services import deleting, executing
from web.spreadsheets import csv_file

COLUMNS = ("case", "outcome", "wall_seconds", "cpu_seconds", "peak_memory_mib", "output_bytes", "log_bytes", "attempt")


def load(request: HttpRequest, slug: str, pk: Any) -> tuple[Challenge, Execution]:
    """The execution if the visitor may see it.

    Raises
    ------
    Http404
        Otherwise.
    """
    challenge = challenge_queries.visible_challenge(request.user, slug)
    rows = Execution.objects.filter(pk=pk, phase__task__challenge=challenge)
    execution_row = rows.select_related("phase__task__challenge", "team", "image", "model", "test_set").first()
    if execution_row is None or not request.user.has_perm("executions.view_execution", execution_row):
        raise Http404("There is no such run.")
    return challenge, execution_row


@login_required
@require_safe
def execution(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """Everything about one run that the visitor may see."""
    challenge, execution_row = load(request, slug, pk)
    shows_cases = test_rule("executions.view_cases", request.user, execution_row)
    batches = list(execution_row.batches.select_related("release").order_by("index"))
    own_logs = test_rule("executions.view_logs", request.user, execution_row)
    reads_hidden = test_rule("executions.read_hidden_logs", request.user, execution_row)
    counts = execution_row.counts or progress.counts(execution_row)
    outcomes = list(execution_row.outcomes.select_related("batch")) if shows_cases else []
    return render(
        request,
        "executions/execution.html",
        page_context(
            request,
            challenge,
            active_tab="submissions:own"
            if test_rule("executions.own", request.user, execution_row)
            else "results:organize",
            execution=execution_row,
            phase=execution_row.phase,
            standing=progress.of(execution_row),
            # Of hidden cases once all are done: a median of one case is that case.
            measured=progress.measured(execution_row) if shows_cases or execution_row.is_ended else None,
            counts=[(short, words, counts[name]) for name, (short, words) in WORDS.items() if counts.get(name)],
            missing=missing_words(counts) if execution_row.is_ended else "",
            limits=size_words(Registered.of(execution_row.plan)),
            outcomes=outcomes,
            shows_cases=shows_cases,
            lacks_memory=any(outcome.row.get("peak_memory_mib") is None for outcome in outcomes),
            no_memory=progress.NO_MEMORY,
            agreement=agreement_sentences(execution_row.agreement) if reads_hidden else [],
            batches=batches,
            own_logs=own_logs,
            reads_hidden=reads_hidden,
            released=[batch for batch in batches if hasattr(batch, "release")],
            is_own=test_rule("executions.own", request.user, execution_row),
            may_stop=execution_row.state in Execution.STOPPABLE
            and (test_rule("executions.own", request.user, execution_row) or reads_hidden),
        ),
    )


@login_required
@require_POST
def stop(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Stop a run, requested by its team or by an organizer, who must enter a reason."""
    challenge, execution_row = load(request, slug, pk)
    is_own = test_rule("executions.own", request.user, execution_row)
    organizes = test_rule("executions.read_hidden_logs", request.user, execution_row)
    if not is_own and not organizes:
        raise Http404("Page not found.")
    reason = request.POST.get("reason", "").strip()[:300]
    if not is_own and not reason:
        messages.error(request, "Say why it is stopped; the team is shown the reason.")
        return redirect("executions:execution", slug=challenge.slug, pk=execution_row.pk)
    try:
        words = "" if is_own else f"The organizers stopped it: {reason}"
        executing.cancel(execution=execution_row, actor=request.user, reason=words)
    except ValidationError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "The run is stopped. What it used of the compute time counts.")
    return redirect("executions:execution", slug=challenge.slug, pk=execution_row.pk)


@login_required
@require_safe
def predictions(request: HttpRequest, slug: str, pk: Any) -> HttpResponseBase:
    """The predictions of a run on cases that the visitor may know."""
    _, execution_row = load(request, slug, pk)
    if not execution_row.predictions_file or not test_rule("executions.view_cases", request.user, execution_row):
        raise Http404("Page not found.")
    return FileResponse(open_stored(execution_row.predictions_file), as_attachment=True, filename="predictions.zip")


@login_required
@require_safe
def runs_csv(request: HttpRequest, slug: str, pk: Any) -> HttpResponse:
    """The table of runs, for those who may see cases."""
    _, execution_row = load(request, slug, pk)
    if not test_rule("executions.view_cases", request.user, execution_row):
        raise Http404("Page not found.")
    columns = (*COLUMNS, "exit_code", "signal", "message")
    rows = (
        tuple({**outcome.row, "message": outcome.message}.get(name) for name in columns)
        for outcome in execution_row.outcomes.all()
    )
    return csv_file("runs.csv", columns, rows)


@require_safe
def interface(request: HttpRequest, slug: str, phase: int) -> HttpResponse:
    """Return the document that describes the inputs, outputs and limits of a container, without cases."""
    challenge = challenge_queries.visible_challenge(request.user, slug)
    phase_row = phase_by_id(challenge, phase)
    if not phase_row.algorithms:
        raise Http404("Page not found.")
    try:
        document = interface_of(phase_row)
    except NotRunnableError:
        raise Http404("Page not found.") from None
    content = json.dumps(document, indent=1) + "\n"
    response = HttpResponse(content, content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="interface.json"'
    return response


def interface_of(phase: Any) -> dict[str, Any]:
    """The interface document of a phase.

    Raises
    ------
    NotRunnableError
        Where its cases have no images of one format.
    """
    return sockets_of(phase).document(Registered.of(phase.algorithms))


@login_required
@require_POST
def delete(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Delete an image or weights that no run needs."""
    challenge = challenge_queries.visible_challenge(request.user, slug)
    archive = AlgorithmArchive.objects.filter(pk=pk, phase__task__challenge=challenge).select_related("team").first()
    if archive is None or not test_rule("executions.own", request.user, archive):
        raise Http404("There is no such file.")
    try:
        deleting.delete_archive(archive=archive, actor=request.user)
    except ValidationError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"{archive.file_name} is deleted.")
    return redirect(f"{reverse('submissions:submit', args=[slug])}?phase={archive.phase_id}")
