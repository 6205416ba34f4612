"""Records of a ranking: all former rankings, and the rankings under both assessments after a deviation."""

from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.files.storage import storages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboards.models import Standing
from leaderboards.queries import names, rankings
from leaderboards.services import both_assessments, following
from leaderboards.views.exports import csv_file
from leaderboards.views.pages import sealed_page
from leaderboards.views.place import FROZEN, common_context, find
from web.spreadsheets import harmless


@require_safe
def history(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Show all current and former rankings."""
    leaderboard = find(request, slug, key)
    if not leaderboard.may_view:
        return sealed_page(request, leaderboard)
    standings = names.shown_history(rankings.history(leaderboard.phase, until=leaderboard.frozen_at))
    if request.GET.get("format") == "csv":
        return csv_file(f"{slug}-{leaderboard.key}-history.csv", _history_rows(standings))
    context = {
        **common_context(request, leaderboard),
        "standings": standings,
        "nothing_counts": leaderboard.standing() is None,
        "has_figure": len(standings) > 1
        and leaderboard.frozen_at is None
        and storages["private"].exists(following.history_name(leaderboard.phase)),
    }
    return render(request, "leaderboards/history.html", context)


@require_safe
def ranked_both_ways(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """After a deviation: the ranking under the registered and under the changed assessment, side by side."""
    leaderboard = find(request, slug, key)
    if not leaderboard.may_view:
        return sealed_page(request, leaderboard)
    if leaderboard.frozen_at is not None:
        raise PermissionDenied(FROZEN)
    comparison = both_assessments.comparison(leaderboard.phase)
    if comparison is None:
        raise Http404("This ranking does not deviate from its registration.")
    if request.GET.get("format") == "csv":
        return csv_file(f"{slug}-{leaderboard.key}-both-ways.csv", comparison.rows())
    return render(
        request, "leaderboards/both_ways.html", {**common_context(request, leaderboard), "comparison": comparison}
    )


def _history_rows(standings: list[Standing]) -> Iterator[list[Any]]:
    yield [
        "version",
        "stood_from",
        "because",
        "new",
        "new_result",
        "no_longer_counted",
        "assessment_changed",
        "teams",
        "digest",
    ]
    for standing in standings:
        changes = standing.changes
        named = [harmless("; ".join(changes.get(key, ()))) for key in ("added", "changed", "removed")]
        yield [
            standing.version.number,
            standing.since.date().isoformat(),
            standing.get_cause_display(),
            *named,
            changes.get("assessment", False),
            changes.get("teams"),
            standing.version.digest,
        ]
