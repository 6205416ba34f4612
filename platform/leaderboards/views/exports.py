"""The files of a ranking."""

import gzip
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.files.storage import storages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.utils.text import slugify
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers
from rules import test_rule

from challenges.queries import deviations
from challenges.queries.timetable import timetable_of
from datastore.test_sets.domain.case_access import HIDDEN_BUNDLE
from datastore.uploads.storage import load_json
from evaluation.analyses import catalogue
from evaluation.metadata import every_eval_ever, model_index
from leaderboards.domain.board_files import csv_rows
from leaderboards.models import RankingVersion
from leaderboards.queries import names, partial_tables, published
from leaderboards.queries.cards import result_facts
from leaderboards.queries.single_cases import kept_in, names_cases
from leaderboards.services import bundles, following, pooled_bundles
from leaderboards.views.place import FROZEN, SEALED, Place, find, may_view_figure
from web import spreadsheets
from web.spreadsheets import harmless

KEPT = (
    "It holds what running an algorithm took on single cases, from which a program could tell what hidden images show: it is open "
    "to the organizers, and to everybody where the phase shows its references."
)
private_copy = cache_control(private=True, max_age=3600)
"""A version never changes; but whether it may be seen depends on who asks, so only their own browser keeps it."""


fresh_copy = cache_control(private=True, no_cache=True)
"""Names, marks and deviations are as they are now, also in a ranking of long ago."""


@require_safe
@private_copy
@vary_on_headers("Cookie", "Accept-Encoding")
def ranking_document(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The ranking document of contract section 6, whose digest is published; as it was digested, with pseudonyms.

    A document that names single cases is published when the results of cases are.
    """
    leaderboard = find(request, slug, key)
    version = leaderboard.stored_version(number)
    if not request.user.has_perm("leaderboards.view_cases", leaderboard.phase) and names_cases(
        load_json(version.document_name)
    ):
        raise PermissionDenied(
            f"This document names single cases; it is published on {timetable_of(leaderboard.phase).publishing_words}."
        )
    response = stored_json(request, version.document_name)
    response["Content-Disposition"] = _attachment(leaderboard, version, "ranking.json")
    return response


@require_safe
@fresh_copy
@vary_on_headers("Cookie", "Accept-Encoding")
def figure(request: HttpRequest, slug: str, key: str, number: int, name: str) -> HttpResponse:
    """A figure of one order (`?by=`) as Plotly JSON."""
    leaderboard = find(request, slug, key)
    version = leaderboard.version(number)
    picture = catalogue.BY_NAME.get(name)
    if picture is None:
        raise Http404("There is no such figure.")
    # Before it is looked for: whether it could be drawn tells something of the cases too.
    if not may_view_figure(request.user, picture, leaderboard.phase):
        if picture.shows_cases and not request.user.has_perm("leaderboards.view_cases", leaderboard.phase):
            raise PermissionDenied(
                f"This figure shows single cases; it is published on {timetable_of(leaderboard.phase).publishing_words}."
            )
        raise PermissionDenied("This figure tells the references, which the phase does not show.")
    by = request.GET.get("by", version.table["orders"][0]["key"])
    if picture.shows_cases and by in kept_in(request.user, version).orders:
        raise PermissionDenied(KEPT)
    stored = version.analysis.figures.get(name, {}).get(by)
    if stored is None:
        raise Http404("There is no such figure.")
    return named_json(request, stored, version.shown_names)


@require_safe
@cache_control(private=True, no_cache=True)
@vary_on_headers("Cookie", "Accept-Encoding")
def history_figure(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The ranks of the teams over time as Plotly JSON."""
    leaderboard = find(request, slug, key)
    if not leaderboard.may_view:
        raise PermissionDenied(SEALED)
    if leaderboard.frozen_at is not None:
        raise PermissionDenied(FROZEN)
    try:
        return named_json(request, following.history_name(leaderboard.phase), names.shown_names(leaderboard.phase))
    except FileNotFoundError:
        raise Http404("There is no ranking yet.") from None


@require_safe
@fresh_copy
@vary_on_headers("Cookie")
def table_csv(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The table of the page, all metrics and regions side by side; `?group=`, `?annotator=` or `?level=` chooses another one."""
    leaderboard = find(request, slug, key)
    version = leaderboard.version(number)
    part = asked_part(request, leaderboard, version)
    deviation_titles = [entry.title for entry in deviations(leaderboard.phase, executed=version.assessment_digest)]
    rows = csv_rows(
        part.table if part else version.table,
        methods=published.described(version),
        deviations=deviation_titles,
        note=part.note if part else "",
    )
    return _csv(leaderboard, version, "table.csv" if part is None else f"{part.kind}-{slugify(part.key)}.csv", rows)


@require_safe
@fresh_copy
@vary_on_headers("Cookie")
def evaluations_json(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The values of every team with their intervals and rank sets, as records of Every Eval Ever."""
    leaderboard = find(request, slug, key)
    version = leaderboard.version(number)
    records = every_eval_ever(result_facts(version, key=leaderboard.key))
    response = JsonResponse(list(records.values()), safe=False, json_dumps_params={"ensure_ascii": False})
    response["Content-Disposition"] = _attachment(leaderboard, version, "evaluations.json")
    return response


@require_safe
@fresh_copy
@vary_on_headers("Cookie")
def model_index_json(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The values of every team with their intervals and rank sets, as metadata of model cards by team."""
    leaderboard = find(request, slug, key)
    version = leaderboard.version(number)
    cards = model_index(result_facts(version, key=leaderboard.key))
    response = JsonResponse(cards, json_dumps_params={"ensure_ascii": False})
    response["Content-Disposition"] = _attachment(leaderboard, version, "model-index.json")
    return response


@require_safe
@fresh_copy
@vary_on_headers("Cookie")
def table_json(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """Return the table as JSON for programs, with every mark and deviation that the page shows."""
    leaderboard = find(request, slug, key)
    version = leaderboard.version(number)
    standing = leaderboard.standing()
    document = published.document(
        version,
        key=leaderboard.key,
        stands=standing is not None and standing.version_id == version.pk,
        part=asked_part(request, leaderboard, version),
    )
    response = JsonResponse(document, json_dumps_params={"ensure_ascii": False})
    response["Content-Disposition"] = _attachment(leaderboard, version, "table.json")
    return response


@require_safe
@fresh_copy
@vary_on_headers("Cookie")
def hardest_csv(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """The hardest cases of every metric and region."""
    leaderboard = find(request, slug, key)
    version = leaderboard.version(number)
    _check_cases(request, leaderboard)
    labels = {order["key"]: order["label"] for order in version.table["orders"]}
    rows: list[list[Any]] = [["order", "case", "median", "best", "best_team", "worst", "worst_team"]]
    for order, cases in kept_in(request.user, version).told(version.analysis.findings.get("hardest", {})).items():
        for case in cases:
            (best, best_team), (worst, worst_team) = case["best"], case["worst"]
            names = [harmless(best_team), harmless(worst_team)]
            rows.append([labels[order], harmless(case["case"]), case["median"], best, names[0], worst, names[1]])
    return _csv(leaderboard, version, "hardest-cases.csv", rows)


def asked_part(request: HttpRequest, leaderboard: Place, version: RankingVersion) -> partial_tables.Group | None:
    """Return the requested group of cases, annotator or level of interaction.

    Raises
    ------
    PermissionDenied
        For a group of cases while single cases are not visible; raised before the look-up.
    Http404
        When the group, annotator or level does not exist.
    """
    for kind, name in partial_tables.PARAMETERS.items():
        asked = request.GET.get(name)
        if asked:
            if kind == partial_tables.SUBGROUPS:
                _check_cases(request, leaderboard)
            part = partial_tables.chosen(kind, asked, version)
            if kind == partial_tables.SUBGROUPS:
                part = kept_in(request.user, version).told_group(part)
            if part is None:
                raise Http404(f"There is no such {name}.")
            return part
    return None


def _check_cases(request: HttpRequest, leaderboard: Place) -> None:
    if not request.user.has_perm("leaderboards.view_cases", leaderboard.phase):
        raise PermissionDenied(f"Results by case are published on {timetable_of(leaderboard.phase).publishing_words}.")


def _csv(leaderboard: Place, version: RankingVersion, name: str, rows: Iterable[list[Any]]) -> HttpResponse:
    return csv_file(_name(leaderboard, version, name), rows)


def csv_file(name: str, rows: Iterable[list[Any]]) -> HttpResponse:
    """Answer with rows as a file of that name."""
    head, *rest = rows
    return spreadsheets.csv_file(name, head, rest)


@require_safe
@fresh_copy
@vary_on_headers("Cookie")
def results_csv(request: HttpRequest, slug: str, key: str, number: int) -> StreamingHttpResponse:
    """The results table that was ranked (contract section 4), team after team; without costs of single cases that are kept."""
    leaderboard = find(request, slug, key)
    version = leaderboard.version(number)
    _check_cases(request, leaderboard)
    if version.is_over_sites:
        raise Http404("The results of cases stay at the sites.")
    withheld_metrics = kept_in(request.user, version).metrics
    response = StreamingHttpResponse(_results(version, withheld_metrics), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = _attachment(leaderboard, version, "results.csv")
    return response


def _results(version: RankingVersion, withheld_metrics: Collection[str]) -> Iterator[str]:
    for index, team in enumerate(bundles.team_results(version)):
        visible_rows = team.table[~team.table["metric"].isin(list(withheld_metrics))]
        yield visible_rows.to_csv(index=False, header=index == 0, float_format="%.17g", lineterminator="\n")


@require_safe
@fresh_copy
@vary_on_headers("Cookie")
def bundle(request: HttpRequest, slug: str, key: str, number: int) -> StreamingHttpResponse:
    """Everything that the ranking was computed from, for `python -m evaluation verify`."""
    leaderboard = find(request, slug, key)
    version = leaderboard.stored_version(number)
    _check_cases(request, leaderboard)
    if kept_in(request.user, version):
        raise PermissionDenied(KEPT)
    if not test_rule("leaderboards.view_evidence", request.user, leaderboard.phase):
        raise PermissionDenied(HIDDEN_BUNDLE)
    if not test_rule("leaderboards.view_bundle", request.user, leaderboard.phase):
        raise PermissionDenied(
            "The values of this ranking are made of the classes of all cases, and this phase keeps its references hidden: "
            "only its organizers have the bundle."
        )
    if version.is_over_sites:
        content: Iterable[bytes] = [pooled_bundles.bundle(version)]
    else:
        content = bundles.chunks(version, key=leaderboard.key)
    response = StreamingHttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = _attachment(leaderboard, version, "bundle.zip")
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


def named_json(request: HttpRequest, name: str, shown_names: Mapping[str, str]) -> HttpResponse:
    """Answer with a stored figure in which pseudonyms are replaced by the names that may be shown now."""
    if not shown_names:
        return stored_json(request, name)
    return JsonResponse(names.substitute(load_json(name), shown_names, is_markup=True))


def _attachment(leaderboard: Place, version: RankingVersion, name: str) -> str:
    return f'attachment; filename="{_name(leaderboard, version, name)}"'


def _name(leaderboard: Place, version: RankingVersion, name: str) -> str:
    return f"{leaderboard.challenge.slug}-{leaderboard.key}-v{version.number}-{name}"
