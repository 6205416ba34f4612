"""Monitor for organizers: what looks unusual in the results of the teams, before anything is revealed."""

from collections.abc import Sequence

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from rules import test_rule

from challenges.models import Phase
from challenges.queries import phases_of
from challenges.views.access import organizing, page_context, phase_by_id
from submissions.results.queries.monitor import monitor_of


@login_required
@require_safe
@never_cache
def monitor(request: HttpRequest, slug: str) -> HttpResponse:
    """Show signals and values of the last scored submission of each team in a phase."""
    challenge = organizing(request, slug)
    if not test_rule("submissions.view_monitor", request.user, challenge):
        raise Http404("Page not found.")
    phases = phases_of(challenge)
    wanted = request.GET.get("phase")
    phase = phase_by_id(challenge, wanted) if wanted else _first(phases)
    results = monitor_of(phase) if phase is not None else None
    measures = results.measures if results is not None else []
    measure = next(
        (each for each in measures if each.key == request.GET.get("measure")), measures[0] if measures else None
    )
    key = (measure.metric, measure.region) if measure is not None else ("", "")
    return render(
        request,
        "results/monitor.html",
        page_context(
            request,
            challenge,
            active_tab="challenges:organize",
            phases=phases,
            phase=phase,
            monitor=results,
            measure=measure,
            rows=[(entry, entry.scores.get(key), entry.spread.get(key)) for entry in results.teams] if results else [],
        ),
    )


def _first(phases: Sequence[Phase]) -> Phase | None:
    """Return the phase that matters now: the last open one with hidden results, else the last open one, else the first."""
    opened = [phase for phase in phases if phase.is_open]
    blind = [phase for phase in opened if not phase.is_revealed and not phase.tells_exact_values]
    return next(iter([*blind[::-1], *opened[::-1], *phases]), None)
