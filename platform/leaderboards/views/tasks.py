"""Over all tasks of a challenge: who is good everywhere, and which tasks rank alike."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboards.queries import overview
from leaderboards.views.exports import csv_file
from leaderboards.views.pages import common_context
from leaderboards.views.place import Place, find
from web.figures import figure_json


@require_safe
def tasks(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The rankings of the same phase in all tasks that the person may see, side by side."""
    place, found = _overview(request, slug, key)
    if request.GET.get("format") == "csv":
        return csv_file(f"{slug}-{place.key}-tasks.csv", found.rows())
    figures = [
        {
            "src": reverse("leaderboards:tasks_figure", args=[slug, place.key, name]),
            "title": title,
            "reading": reading,
        }
        for name, (title, reading) in overview.FIGURES.items()
        if found.can_draw(name)
    ]
    context: dict[str, Any] = {**common_context(request, place), "overview": found, "plots": figures}
    return render(request, "leaderboards/tasks.html", context)


@require_safe
@cache_control(private=True, no_cache=True)
def tasks_figure(request: HttpRequest, slug: str, key: str, name: str) -> HttpResponse:
    """A figure over the tasks as Plotly JSON."""
    _, found = _overview(request, slug, key)
    if not found.can_draw(name):
        raise Http404("There is no such figure.")
    return figure_json(found.draw(name))


def _overview(request: HttpRequest, slug: str, key: str) -> tuple[Place, overview.Overview]:
    place = find(request, slug, key)
    alike = [phase for phase in place.phases if phase.slug == place.phase.slug]
    if len({phase.task_id for phase in alike}) < 2:
        raise Http404("This challenge has one task.")
    return place, overview.of_phases(alike, user=request.user)
