"""The pages of a challenge."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from challenges import hooks, queries, services
from challenges.models import Challenge, Phase
from challenges.services.launching import gate_problems
from evaluation.canonical import canonical_json
from evaluation.ranking import describe


def challenge_context(request: HttpRequest, challenge: Challenge) -> dict:
    """What `challenges/base.html` needs on every page of a challenge."""
    return {
        "challenge": challenge,
        "tabs": hooks.tabs_for(request.user, challenge),
        "team": queries.team_of(request.user, challenge),
        "organizer_pages": hooks.organizer_pages_for(request.user, challenge),
        "organizes": request.user.has_perm("challenges.organize_challenge", challenge),
    }


@require_safe
def challenge_list(request: HttpRequest) -> HttpResponse:
    return render(request, "challenges/list.html", {"challenges": queries.public_challenges()})


@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = queries.visible_challenge(request.user, slug)
    phases = [
        {"phase": phase, "facts": hooks.facts_of(phase), "assessment": phase.assessment}
        for phase in queries.phases_of(challenge)
    ]
    schemes = []
    for entry in phases:
        digest = entry["phase"].assessment_digest
        known = next((scheme for scheme in schemes if scheme["digest"] == digest), None)
        if known is None:
            known = {"digest": digest, "short": digest[:12], "sentences": describe(entry["assessment"]), "phases": []}
            schemes.append(known)
        known["phases"].append(entry["phase"])
    return render(
        request,
        "challenges/detail.html",
        {
            **challenge_context(request, challenge),
            "phases": phases,
            "schemes": schemes,
            "registered": queries.registered_facts(challenge, [entry["phase"] for entry in phases]),
            "may_join": request.user.has_perm("challenges.join_challenge", challenge),
        },
    )


@require_safe
def assessment(request: HttpRequest, slug: str, phase: int) -> HttpResponse:
    """The assessment document of a phase, exactly as it is executed."""
    challenge = queries.visible_challenge(request.user, slug)
    entry = get_object_or_404(Phase, pk=phase, task__challenge=challenge)
    response = HttpResponse(canonical_json(entry.assessment.document), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{slug}-{entry.slug}-assessment.json"'
    return response


@login_required
@require_safe
def organize(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = queries.visible_challenge(request.user, slug)
    if not request.user.has_perm("challenges.organize_challenge", challenge):
        raise PermissionDenied("This page is for the organizers of the challenge.")
    phases = [{"phase": phase, "facts": hooks.facts_of(phase)} for phase in queries.phases_of(challenge)]
    teams = challenge.teams.prefetch_related("members__user")
    projection = queries.projection_of(challenge)
    return render(
        request,
        "challenges/organize.html",
        {
            **challenge_context(request, challenge),
            "phases": phases,
            "may_close": request.user.has_perm("challenges.close_phase", challenge),
            "teams": teams,
            "projection": projection,
            "gate": gate_problems(projection.version) if projection and projection.opened_at is None else (),
            "differences": queries.projection_differences(challenge) if projection else [],
        },
    )


@login_required
@require_POST
def close_phase(request: HttpRequest, slug: str, phase: int) -> HttpResponse:
    challenge = queries.visible_challenge(request.user, slug)
    if not request.user.has_perm("challenges.close_phase", challenge):
        raise PermissionDenied("Only owners of the challenge close a phase.")
    entry = get_object_or_404(Phase, pk=phase, task__challenge=challenge)
    if request.POST.get("confirm") != entry.slug:
        messages.error(
            request, f"To close the phase, type its short name {entry.slug} into the field beside the button."
        )
    elif entry.is_closed:
        messages.info(request, f"{entry.name} has already been closed.")
    else:
        services.close_phase(actor=request.user, phase=entry)
        entry.refresh_from_db()
        until = "" if entry.is_revealed else f" from {entry.revealed_from:%-d %B %Y, %H:%M} UTC on"
        messages.success(request, f"{entry.name} is closed; its ranking is public{until}.")
    return redirect(reverse("challenges:organize", args=[slug]))
