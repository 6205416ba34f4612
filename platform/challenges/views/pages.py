"""The pages of a challenge."""

from typing import Any

import rules
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from challenges import hooks, queries
from challenges.models import Challenge, Phase
from challenges.queries import people
from challenges.queries.checklist import checklist_of
from challenges.services.launching import gate_problems
from evaluation.canonical import canonical_json
from evaluation.problems import kind_of
from evaluation.ranking import describe


def challenge_context(request: HttpRequest, challenge: Challenge) -> dict:
    """Return the context that `challenges/base.html` needs on every page of a challenge."""
    return {
        "challenge": challenge,
        "tabs": hooks.tabs_for(request.user, challenge),
        "team": queries.team_of(request.user, challenge),
        "organizer_pages": hooks.organizer_pages_for(request.user, challenge),
        "organizes": request.user.has_perm("challenges.organize_challenge", challenge),
    }


@require_safe
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = queries.visible_challenge(request.user, slug)
    all_phases = queries.phases_of(challenge)
    facts = hooks.facts_of(all_phases)
    phases = [{"phase": phase, "facts": facts[phase.pk], "assessment": phase.assessment} for phase in all_phases]
    schemes: dict[str, dict[str, Any]] = {}
    for phase in all_phases:
        digest = phase.assessment_digest
        if digest not in schemes:
            sentences = describe(phase.assessment)
            schemes[digest] = {"digest": digest, "short": digest[:12], "sentences": sentences, "phases": []}
        schemes[digest]["phases"].append(phase)
    return render(
        request,
        "challenges/detail.html",
        {
            **challenge_context(request, challenge),
            "phases": phases,
            "event": queries.event_of(challenge, all_phases),
            "handed_in": next((phase.handed_in for phase in all_phases if phase.is_open), "predictions"),
            "schemes": list(schemes.values()),
            "rules": queries.rules_of(challenge, all_phases),
            "kit_phases": [phase for phase in all_phases if kind_of(phase.assessment).is_scored],
            "execution": queries.registered_execution(challenge),
            "registered": queries.registered_facts(challenge, all_phases),
            "checklist": checklist_of(challenge, all_phases)
            if request.user.has_perm("challenges.organize_challenge", challenge)
            else [],
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
    all_phases = queries.phases_of(challenge)
    facts = hooks.facts_of(all_phases)
    phases = [{"phase": phase, "facts": facts[phase.pk]} for phase in all_phases]
    projection = queries.projection_of(challenge)
    return render(
        request,
        "challenges/organize.html",
        {
            **challenge_context(request, challenge),
            "phases": phases,
            "may_move": projection is not None
            and rules.test_rule("changes.request", request.user, projection.registration),
            "may_close": request.user.has_perm("challenges.close_phase", challenge),
            "checklist": checklist_of(challenge, all_phases),
            "figures": [*_people_figures(challenge), *hooks.figures_of(challenge)],
            "projection": projection,
            "gate": gate_problems(projection.version) if projection and projection.opened_at is None else (),
            "differences": queries.projection_differences(challenge) if projection else [],
        },
    )


def _people_figures(challenge: Challenge) -> list[hooks.Figure]:
    page = reverse("challenges:people", args=[challenge.slug])
    counts = people.counts_of(challenge)
    return [
        hooks.Figure("Participants", f"{counts.participants:,}", f"{page}#teams"),
        hooks.Figure("Teams", f"{counts.teams:,}", f"{page}#teams"),
        hooks.Figure("Requests to decide", f"{counts.requests:,}", f"{page}#requests", counts.requests > 0),
        hooks.Figure("Open concerns", f"{counts.concerns:,}", f"{page}#concerns", counts.concerns > 0),
    ]
