"""Over all tasks of a challenge: who is good everywhere, and which tasks rank alike."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from challenges.models import Phase
from leaderboards.queries import overview
from leaderboards.queries.over_tasks import over_tasks
from leaderboards.views.exports import csv_file
from leaderboards.views.pages import common_context
from leaderboards.views.place import Place, find
from web.figures import figure_json


@require_safe
def tasks(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The rankings of the same phase in all tasks that the person may see, side by side."""
    place, found = _overview(request, slug, key)
    overall = over_tasks(_alike(place), user=request.user)
    if request.GET.get("format") == "json":
        documents = [
            {"digest": view.stored.digest, "document": view.stored.document}
            for view in overall
            if view.rows and view.stored
        ]
        return JsonResponse({"challenge": slug, "phase": place.phase.slug, "rankings": documents})
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
    context: dict[str, Any] = {
        **common_context(request, place),
        "overview": found,
        "overall": overall,
        "plots": figures,
    }
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
    alike = _alike(place)
    if len({phase.task_id for phase in alike}) < 2:
        raise Http404("This challenge has one task.")
    return place, overview.of_phases(alike, user=request.user)


def _alike(place: Place) -> list[Phase]:
    """The phases of the same short name, one in each task."""
    return [phase for phase in place.phases if phase.slug == place.phase.slug]
