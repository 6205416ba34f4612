"""Public pages of the sites of a challenge."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from challenges.queries import visible_challenge
from challenges.views.access import page_context
from federation.domain.registered import words_of
from federation.queries.federations import current_package, of_challenge
from federation.queries.standing import standings


@require_safe
def sites(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the sites, the status of each, and the rules that protect them, but never a result."""
    challenge = visible_challenge(request.user, slug)
    federations = of_challenge(challenge)
    if not federations:
        raise Http404("No phase of this challenge is evaluated at sites.")
    entries = [
        {
            "federation": federation,
            "phase": federation.phase,
            "rules": words_of(federation.rules),
            "package": current_package(federation),
            "standings": standings(federation),
        }
        for federation in federations
    ]
    return render(
        request,
        "federation/sites.html",
        page_context(request, challenge, active_tab="federation:sites", federations=entries),
    )
