"""The files of a ranking."""

import csv
import gzip
from collections.abc import Iterator

from django.core.exceptions import PermissionDenied
from django.core.files.storage import storages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from leaderboards import bundles, computing, pictures, tables
from leaderboards.models import RankingVersion
from leaderboards.views.place import FROZEN, SEALED, Place, find

private_copy = cache_control(private=True, max_age=3600)
"""A version never changes; but whether it may be seen depends on who asks, so only their own browser keeps it."""


@require_safe
@private_copy
@vary_on_headers("Cookie", "Accept-Encoding")
def ranking_document(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The ranking document of contract section 6, whose digest is published."""
    place = find(request, slug, key)
    version = place.version(number)
    response = stored_json(request, version.document_name)
    response["Content-Disposition"] = _attachment(place, version, "ranking.json")
    return response


@require_safe
@private_copy
@vary_on_headers("Cookie", "Accept-Encoding")
def figure(request: HttpRequest, slug: str, key: str, number: int, name: str) -> HttpResponse:
    """A figure of one order (`?by=`) as Plotly JSON."""
    place = find(request, slug, key)
    version = place.version(number)
    picture = pictures.BY_NAME.get(name)
    if picture is None:
        raise Http404("There is no such figure.")
    # Before it is looked for: whether it could be drawn tells something of the cases too.
    if picture.shows_cases and not request.user.has_perm("leaderboards.view_cases", place.phase):
        raise PermissionDenied("This figure shows single cases and opens when the phase closes.")
    stored = version.analysis.figures.get(name, {}).get(request.GET.get("by", version.table["orders"][0]["key"]))
    if stored is None:
        raise Http404("There is no such figure.")
    return stored_json(request, stored)


@require_safe
@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie", "Accept-Encoding")
def history_figure(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The ranks of the teams over time as Plotly JSON."""
    place = find(request, slug, key)
    if not place.may_view:
        raise PermissionDenied(SEALED)
    if place.frozen_at is not None:
        raise PermissionDenied(FROZEN)
    try:
        return stored_json(request, computing.history_name(place.phase))
    except FileNotFoundError:
        raise Http404("There is no ranking yet.") from None


@require_safe
@private_copy
@vary_on_headers("Cookie")
def table_csv(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The table of the page, all metrics and regions side by side."""
    place = find(request, slug, key)
    version = place.version(number)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = _attachment(place, version, "table.csv")
    csv.writer(response).writerows(tables.csv_rows(version.table))
    return response


@require_safe
@private_copy
@vary_on_headers("Cookie")
def results_csv(request: HttpRequest, slug: str, key: str, number: int) -> StreamingHttpResponse:
    """The results table that was ranked (contract section 4), team after team."""
    place = find(request, slug, key)
    version = place.version(number)
    if not request.user.has_perm("leaderboards.view_cases", place.phase):
        raise PermissionDenied("The results of single cases open when the phase closes.")
    response = StreamingHttpResponse(_results(version), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = _attachment(place, version, "results.csv")
    return response


def _results(version: RankingVersion) -> Iterator[str]:
    for index, team in enumerate(bundles.team_results(version)):
        yield team.table.to_csv(index=False, header=index == 0, float_format="%.17g", lineterminator="\n")


@require_safe
@private_copy
@vary_on_headers("Cookie")
def bundle(request: HttpRequest, slug: str, key: str, number: int) -> StreamingHttpResponse:
    """Everything that the ranking was computed from, for `python -m evaluation verify`."""
    place = find(request, slug, key)
    version = place.version(number)
    if not request.user.has_perm("leaderboards.view_cases", place.phase):
        raise PermissionDenied("The results of single cases open when the phase closes.")
    if not request.user.has_perm("leaderboards.view_bundle", place.phase):
        raise PermissionDenied(
            "The values of this ranking are made of the classes of all cases, and this phase keeps its references hidden: "
            "only its organizers have the bundle."
        )
    response = StreamingHttpResponse(bundles.chunks(version, key=place.key), content_type="application/zip")
    response["Content-Disposition"] = _attachment(place, version, "bundle.zip")
    return response


def stored_json(request: HttpRequest, name: str) -> HttpResponse:
    """Answer with a stored, compressed JSON document, unpacked only for those who need it so."""
    with storages["private"].open(name) as file:
        packed = file.read()
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response = HttpResponse(packed, content_type="application/json")
        response["Content-Encoding"] = "gzip"
        return response
    return HttpResponse(gzip.decompress(packed), content_type="application/json")


def _attachment(place: Place, version: RankingVersion, name: str) -> str:
    stem = f"{place.challenge.slug}-{place.key}-v{version.number}"
    return f'attachment; filename="{stem}-{name}"'
