"""Pages of runners: those of the installation for operators, and those of a challenge for its organizers."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.models import Challenge
from challenges.views.access import organizing, page_context
from executions.runners.forms import RunnerForm
from executions.runners.models import Runner
from executions.runners.queries import shown_hosts, shown_runners, waiting_words
from executions.runners.services import issuing


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def installation(request: SignedInRequest) -> HttpResponse:
    """Show all runners and machines; the token of a new runner is in this answer and nowhere else."""
    if not test_rule("runners.operate", request.user):
        raise Http404("Page not found.")
    form, secret = _created(request, None)
    context = {
        "form": form,
        "secret": secret,
        "runners": shown_runners(None),
        "hosts": shown_hosts(),
        "waiting": waiting_words(None),
        "address": settings.PODIUM_ADDRESS,
        "shows_scope": True,
    }
    return render(request, "runners/installation.html", context)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_variables("secret")
def challenge_runners(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the runners that serve a challenge, and add one of its own."""
    challenge = organizing(request, slug)
    may_add = test_rule("runners.add_to_challenge", request.user, challenge)
    if request.method == "POST" and not may_add:
        raise Http404("Page not found.")
    form, secret = _created(request, challenge)
    return render(
        request,
        "runners/challenge.html",
        page_context(
            request,
            challenge,
            active_tab="challenges:organize",
            active_page="runners:challenge",
            form=form if may_add else None,
            secret=secret,
            runners=shown_runners(challenge),
            waiting=waiting_words(challenge),
            address=settings.PODIUM_ADDRESS,
        ),
    )


def _created(request: SignedInRequest, challenge: Challenge | None) -> tuple[RunnerForm, str]:
    """Create the runner of a posted form; returns the form for the page and the token, empty without one."""
    form = RunnerForm(request.POST or None)
    if request.method != "POST" or not form.is_valid():
        return form, ""
    try:
        _, secret = issuing.issue(actor=request.user, challenge=challenge, **form.values())
    except ValidationError as error:
        form.add_error(None, error)
        return form, ""
    return RunnerForm(), secret


def _managed(request: HttpRequest, pk: Any) -> Runner:
    runner = Runner.objects.select_related("challenge").filter(pk=pk).first()
    if runner is None or not test_rule("runners.manage", request.user, runner):
        raise Http404("Runner not found.")
    return runner


def _back(request: HttpRequest, runner: Runner) -> HttpResponse:
    if runner.challenge is not None and not test_rule("runners.operate", request.user):
        return redirect("runners:challenge", slug=runner.challenge.slug)
    return redirect(reverse("runners:installation"))


@login_required
@require_POST
def revoke(request: SignedInRequest, pk: Any) -> HttpResponse:
    """Revoke the token of a runner."""
    runner = _managed(request, pk)
    issuing.revoke(runner=runner, actor=request.user)
    messages.success(request, f"The token of {runner.name} is revoked. Its runs are given to other machines.")
    return _back(request, runner)


@login_required
@require_POST
def accept(request: SignedInRequest, pk: Any) -> HttpResponse:
    """Accept the changed hardware of a runner."""
    runner = _managed(request, pk)
    issuing.accept_hardware(runner=runner, actor=request.user)
    messages.success(request, f"The hardware that {runner.name} reports next is accepted.")
    return _back(request, runner)
