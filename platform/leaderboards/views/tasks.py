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
from leaderboards.views.place import Place, common_context, find
from web.figures import figure_json


@require_safe
def tasks(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The rankings of the same phase in all tasks that the person may see, side by side."""
    leaderboard, task_overview = _overview(request, slug, key)
    overall = over_tasks(_alike(leaderboard), user=request.user)
    if request.GET.get("format") == "json":
        documents = [
            {"digest": view.stored.digest, "document": view.stored.document}
            for view in overall
            if view.rows and view.stored
        ]
        return JsonResponse({"challenge": slug, "phase": leaderboard.phase.slug, "rankings": documents})
    if request.GET.get("format") == "csv":
        return csv_file(f"{slug}-{leaderboard.key}-tasks.csv", task_overview.rows())
    figures = [
        {
            "src": reverse("leaderboards:tasks_figure", args=[slug, leaderboard.key, name]),
            "title": title,
            "reading": reading,
        }
        for name, (title, reading) in overview.FIGURES.items()
        if task_overview.can_draw(name)
    ]
    context: dict[str, Any] = {
        **common_context(request, leaderboard),
        "overview": task_overview,
        "overall": overall,
        "plots": figures,
    }
    return render(request, "leaderboards/tasks.html", context)


@require_safe
@cache_control(private=True, no_cache=True)
def tasks_figure(request: HttpRequest, slug: str, key: str, name: str) -> HttpResponse:
    """A figure over the tasks as Plotly JSON."""
    _, task_overview = _overview(request, slug, key)
    if not task_overview.can_draw(name):
        raise Http404("There is no such figure.")
    return figure_json(task_overview.draw(name))


def _overview(request: HttpRequest, slug: str, key: str) -> tuple[Place, overview.Overview]:
    leaderboard = find(request, slug, key)
    alike = _alike(leaderboard)
    if len({phase.task_id for phase in alike}) < 2:
        raise Http404("This challenge has one task.")
    return leaderboard, overview.of_phases(alike, user=request.user)


def _alike(leaderboard: Place) -> list[Phase]:
    """The phases of the same short name, one in each task."""
    return [phase for phase in leaderboard.phases if phase.slug == leaderboard.phase.slug]
