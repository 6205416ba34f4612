"""The report of a team."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges.queries import phases_of, team_of, visible_challenge
from leaderboards.queries.rankings import key_of, phase_by_key
from reports.queries import reports
from reports.queries.outdated import outdated_rankings
from reports.services import reports as services
from reports.views.reading import context_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def team(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Ask for the report of one's own team, or see the last one; organizers name any team with `?team=`."""
    challenge = visible_challenge(request.user, slug)
    phases = phases_of(challenge)
    phase = phase_by_key(phases, key)
    context = context_of(request, challenge)
    chosen_team = team_of(request.user, challenge)
    wanted = request.POST.get("team") or request.GET.get("team")
    if wanted and context["may_write"]:
        chosen_team = challenge.teams.filter(slug=wanted).first()
        if chosen_team is None:
            raise Http404("There is no such team.")
    if chosen_team is None and not context["may_write"]:
        raise PermissionDenied("This page is for the teams of the challenge.")
    if request.method == "POST":
        if chosen_team is None:
            raise Http404("Choose a team.")
        try:
            report = services.request_team_report(actor=request.user, phase=phase, of=chosen_team)
        except ValidationError as error:
            messages.error(request, error.messages[0])
            return redirect(request.get_full_path())
        return redirect("reports:report", slug=slug, number=report.number)
    last = reports.last_of_team(challenge, chosen_team.pk, phase.pk) if chosen_team else None
    context |= {
        "phase": phase,
        "key": key_of(phase, phases),
        "own": chosen_team,
        "last": last,
        "is_outdated": last is not None and bool(outdated_rankings(last)),
        "teams": list(challenge.teams.all()) if context["may_write"] else [],
    }
    return render(request, "reports/team.html", context)
