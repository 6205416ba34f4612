"""The review before a phase is closed."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges import hooks, queries, services
from challenges.models import Challenge, Phase
from challenges.queries.closing import consequences_of, entrants_of, state_of
from challenges.views.pages import challenge_context


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def close_phase(request: SignedInRequest, slug: str, phase: int) -> HttpResponse:
    """Show who would be ranked, what becomes public and what deviates; send reminders; close the phase."""
    challenge = queries.visible_challenge(request.user, slug)
    if not request.user.has_perm("challenges.close_phase", challenge):
        raise PermissionDenied("Only owners of the challenge close a phase.")
    entry = get_object_or_404(Phase.objects.select_related("task__challenge"), pk=phase, task__challenge=challenge)
    if entry.is_closed:
        messages.info(request, f"{queries.label_of(entry)} has already been closed.")
        return redirect("challenges:organize", slug=slug)
    entrants = entrants_of(entry)
    if request.method != "POST":
        return _review(request, challenge, entry, entrants)
    if request.POST.get("act") == "remind":
        return _remind(request, challenge, entry)
    if request.POST.get("seen", state_of(entrants)) != state_of(entrants):
        return _review(request, challenge, entry, entrants, error="The list changed while you read it. Check it again.")
    if request.POST.get("confirm") != entry.slug:
        return _review(request, challenge, entry, entrants, error=f"Type {entry.slug} to confirm.")
    services.close_phase(actor=request.user, phase=entry)
    entry.refresh_from_db()
    until = "" if entry.is_revealed else f" from {entry.revealed_from:%-d %B %Y, %H:%M} UTC on"
    messages.success(
        request, f"{queries.label_of(entry)} is closed. The final ranking is computed now, and is public{until}."
    )
    return redirect("challenges:organize", slug=slug)


def _remind(request: SignedInRequest, challenge: Challenge, phase: Phase) -> HttpResponse:
    chosen = {int(pk) for pk in request.POST.getlist("team") if pk.isdecimal()}
    number = sum(send(phase, chosen, request.user) for send in hooks.reminders)
    if not chosen:
        messages.error(request, "Choose the teams that get a reminder.")
    elif not number:
        messages.info(request, "These teams got a reminder today already.")
    else:
        messages.success(request, f"A reminder was sent to {number} team{'' if number == 1 else 's'}.")
    return redirect("challenges:close_phase", slug=challenge.slug, phase=phase.pk)


def _review(
    request: SignedInRequest, challenge: Challenge, phase: Phase, entrants: Sequence[hooks.Entrant], *, error: str = ""
) -> HttpResponse:
    groups: dict[str, list[hooks.Entrant]] = {"ranked": [], "pending": [], "not_ranked": []}
    for entrant in entrants:
        groups[entrant.outcome].append(entrant)
    context: dict[str, Any] = {
        **challenge_context(request, challenge),
        "active_tab": "challenges:organize",
        "phase": phase,
        "label": queries.label_of(phase),
        "groups": groups,
        "has_reminders": any(entrant.can_remind for entrant in groups["not_ranked"]),
        "consequences": consequences_of(phase, entrants),
        "timetable": queries.timetable_of(phase),
        "seen": state_of(entrants),
        "error": error,
    }
    return render(request, "challenges/close.html", context, status=422 if error else 200)
