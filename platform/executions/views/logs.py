"""Logs of programs: shown to their team for public cases, otherwise to organizers after a recorded click."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.views.access import page_context
from executions.models import Batch, Execution
from executions.services import packing, releasing
from executions.views.pages import load


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def log(request: SignedInRequest, slug: str, pk: Any, index: int) -> HttpResponse:
    """The log of one start of a container.

    Of hidden cases, GET asks an organizer whether to read it; POST shows it and leaves an entry in the audit log.
    """
    challenge, execution = load(request, slug, pk)
    batch = _batch(execution, index)
    text, released = None, getattr(batch, "release", None)
    reads_hidden = test_rule("executions.read_hidden_logs", request.user, execution)
    if test_rule("executions.view_logs", request.user, execution) or (reads_hidden and execution.is_on_public_cases):
        text = packing.read_log(batch)
    elif reads_hidden:
        if request.method == "POST":
            text = releasing.read(batch=batch, actor=request.user)
    elif released is not None:
        text = released.text
    else:
        raise Http404("Page not found.")
    return render(
        request,
        "executions/log.html",
        page_context(
            request,
            challenge,
            execution=execution,
            batch=batch,
            text=text,
            released=released,
            may_release=reads_hidden and not execution.is_on_public_cases and text is not None and released is None,
            is_hidden=not execution.is_on_public_cases,
        ),
    )


@login_required
@require_POST
def release(request: SignedInRequest, slug: str, pk: Any, index: int) -> HttpResponse:
    """Give the team a log, as the organizer has left it."""
    challenge, execution = load(request, slug, pk)
    if not test_rule("executions.read_hidden_logs", request.user, execution) or execution.is_on_public_cases:
        raise Http404("Page not found.")
    batch = _batch(execution, index)
    try:
        releasing.release(batch=batch, actor=request.user, text=request.POST.get("text", ""))
    except ValidationError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "The team can read this log now.")
    return redirect("executions:execution", slug=challenge.slug, pk=execution.pk)


def _batch(execution: Execution, index: int) -> Batch:
    batch = Batch.objects.select_related("release", "execution__team", "execution__phase__task__challenge")
    finished_batch = batch.filter(execution=execution, index=index, state=Batch.State.DONE).first()
    if finished_batch is None:
        raise Http404("There is no such log.")
    return finished_batch
