"""Of instance segmentations: what each ranked method is good at, detection, classification and outlines apart."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboards.queries import names, object_parts
from leaderboards.views.pages import sealed_page
from leaderboards.views.place import common_context, find
from web.spreadsheets import csv_file


@require_safe
def objects_apart(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The methods of a ranking side by side, and one of them in full; seen by those who see the ranking."""
    leaderboard = find(request, slug, key)
    if not leaderboard.may_view:
        return sealed_page(request, leaderboard)
    version = leaderboard.version(number)
    if not object_parts.suits(leaderboard.phase):
        raise Http404("This is shown of instance segmentations.")
    methods = object_parts.methods_of(version)
    if request.GET.get("format") == "csv":
        matrix = request.GET.get("table") == "confusion"
        head, rows = object_parts.csv_rows(methods, matrix=matrix)
        name = "confusion" if matrix else "objects"
        return csv_file(f"{slug}-{leaderboard.key}-v{version.number}-{name}.csv", head, rows)
    common = common_context(request, leaderboard)
    own_team = names.name_in(version, common["team"]) or ""
    context: dict[str, Any] = {
        **common,
        "version": version,
        "own": own_team,
        "methods": methods,
        "shown": object_parts.chosen(methods, request.GET.get("team") or own_team),
        "columns": object_parts.COLUMNS,
    }
    return render(request, "leaderboards/objects.html", context)
