"""From a registration to a challenge: what would come to life, the one act, and the gate."""

import rules
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.requests import SignedInRequest
from challenges import queries, services
from challenges.domain.problems import NotLaunchableError, Problem
from challenges.forms.launching import LaunchForm
from challenges.models import Projection
from challenges.queries.access import visibility_words
from challenges.queries.planning import plan
from registry.queries import current_version, registration_or_404


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def launch(request: SignedInRequest, identifier: str) -> HttpResponse:
    """Show what the registration describes, and bring it to life."""
    registration = registration_or_404(identifier, request.user)
    if not rules.test_rule("challenges.launch_registration", request.user, registration):
        raise PermissionDenied("Those who may change the design launch its challenge.")
    launched = Projection.objects.select_related("challenge").filter(registration=registration).first()
    if launched is not None:
        messages.info(request, "This registration has been launched already.")
        return redirect("challenges:organize", slug=launched.challenge.slug)
    version = current_version(registration)
    form = LaunchForm(request.POST or None, initial={"slug": registration.slug})
    if request.method == "POST" and form.is_valid():
        try:
            challenge = services.launch(actor=request.user, registration=registration, **form.cleaned_data)
        except ValidationError as error:
            form.add_error(None, error.messages)
        else:
            messages.success(request, f"{challenge.title} is launched. {visibility_words(challenge)}")
            return redirect("challenges:access" if challenge.is_closed else "challenges:organize", slug=challenge.slug)
    planned = None
    problems: tuple[Problem, ...] = ()
    try:
        planned = plan(queries.registered_document(version))
    except NotLaunchableError as error:
        problems = error.problems
    return render(
        request,
        "challenges/launch.html",
        {
            "registration": registration,
            "version": version,
            "form": form,
            "planned": planned,
            "problems": problems,
            "gate": services.gate_problems(version),
        },
    )


@login_required
@require_POST
def open_submissions(request: SignedInRequest, slug: str) -> HttpResponse:
    """Ask the launch gate again."""
    challenge = queries.visible_challenge(request.user, slug)
    if not request.user.has_perm("challenges.organize_challenge", challenge):
        raise PermissionDenied("Only organizers open submissions.")
    if queries.projection_of(challenge) is None:
        raise PermissionDenied("This challenge was not launched from a registration.")
    try:
        services.open_submissions(actor=request.user, challenge=challenge)
    except ValidationError as error:
        for message in error.messages:
            messages.error(request, message)
    else:
        challenge.refresh_from_db()
        messages.success(request, visibility_words(challenge))
    return redirect("challenges:organize", slug=slug)
