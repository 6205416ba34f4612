"""Ranking over sites, with the values at each site."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluation import boards
from evaluation.boards.over_sites import absent_sites, changed_places, graded, included, joined_sites, over_sites
from leaderboards.models import RankingVersion
from leaderboards.queries import names, rankings
from leaderboards.services import computing
from leaderboards.views.pages import sealed_page
from leaderboards.views.place import Place, common_context, find


@require_safe
def over_sites_now(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Show the current ranking over sites."""
    leaderboard = find(request, slug, key)
    if not leaderboard.may_view:
        return sealed_page(request, leaderboard)
    standing = leaderboard.standing()
    if standing is None:
        raise Http404("There is no ranking yet.")
    return _page(request, leaderboard, standing.version)


@require_safe
def over_sites_of_version(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """Of one version."""
    leaderboard = find(request, slug, key)
    return _page(request, leaderboard, leaderboard.version(number))


def _page(request: HttpRequest, leaderboard: Place, version: RankingVersion) -> HttpResponse:
    if not version.is_over_sites:
        raise Http404("This ranking is not made over sites.")
    version.phase = leaderboard.phase
    document = names.read(version, version.document_name)
    order = version.table["orders"][0]
    context: dict[str, Any] = {
        "version": version,
        "said": boards.spoken(order, version.sentences[order["key"]], closed=leaderboard.phase.is_closed),
        "rankings": over_sites(document, computing.assessment_of(version)),
        "absent": absent_sites(document),
        "joined": joined_sites(document),
        "graded": graded(document),
        "notes": document["pooled"]["notes"],
        "draws_sites": document["resampling"]["unit"] not in ("case", "patient"),
        "resampling": document["resampling"],
        "other": _with_other_sites(version, document),
    }
    return render(request, "leaderboards/sites.html", common_context(request, leaderboard) | context)


def _with_other_sites(version: RankingVersion, document: dict[str, Any]) -> dict[str, Any] | None:
    """The last ranking over another set of sites, with the places of both."""
    own_sites = included(document)
    for row in rankings.versions_before(version):
        row.phase = version.phase
        if not row.is_over_sites or not names.is_open(row):
            continue
        theirs = {entry["site"] for entry in row.inputs["sites"] if entry["state"] == "included"}
        if theirs != own_sites:
            return {
                "version": row,
                "gone": sorted(theirs - own_sites),
                "come": sorted(own_sites - theirs),
                "rows": changed_places(row.table, version.table),
            }
    return None
