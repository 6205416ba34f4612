"""The pages of a leaderboard."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from csp.decorators import csp_replace
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_POST, require_safe
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.models import Phase
from challenges.views import challenge_context
from evaluation.analyses import catalogue
from evaluation.claims.beforehand import limits
from evaluation.claims.costs import KEPT
from evaluation.ranking import describe
from evaluation.ranking.counted import AS_MEASURED
from executions.queries.repeats import Repeated, repeated_runs
from leaderboards.domain import tables
from leaderboards.domain.group_tables import group_tables
from leaderboards.domain.questions import main_order, questions
from leaderboards.forms import FreezeForm
from leaderboards.models import RankingVersion, Standing
from leaderboards.queries import object_parts, partial_tables, published, rankings
from leaderboards.queries.single_cases import Kept, kept_in
from leaderboards.services import computing
from leaderboards.services import rankings as services
from leaderboards.views import states
from leaderboards.views.place import Place, find, may_view_figure
from submissions.queries import Rescoring, rescoring_of
from submissions.queries.submissions import number_under_way
from web.wording import moment_words

EVERYTHING = "all"
MOST_FIGURES = 8
"""So many figures of one kind stand on a page."""


@require_safe
def first(request: HttpRequest, slug: str) -> HttpResponse:
    """The leaderboard of the phase that matters now; with `?phase=` the way to the address of another one."""
    place = find(request, slug, request.GET.get("phase"))
    if "phase" in request.GET:
        return redirect("leaderboards:current", slug=slug, key=place.key)
    return _current(request, place)


@require_safe
def current(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The ranking of a phase as it stands."""
    return _current(request, find(request, slug, key))


@require_safe
def version(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """One version of the ranking, whether it still stands or not."""
    place = find(request, slug, key)
    if not place.may_view:
        return sealed_page(request, place)
    shown = place.version(number)
    standing = place.standing()
    return _ranking(request, place, shown, standing)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]
def embed(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """The table alone, for a frame on another site: as everybody sees it, whoever is signed in, and without any act."""
    request.user = AnonymousUser()
    place = find(request, slug, key)
    standing = place.standing() if place.may_view else None
    context: dict[str, Any] = {
        "challenge": place.challenge,
        "phase": place.phase,
        "address": request.build_absolute_uri(reverse("leaderboards:current", args=[slug, place.key])),
        "styles": [
            f"css/{name}.css"
            for name in ("tokens", "base", "layout", "components", "wayfinding", "forms", "data", "leaderboard")
        ],
    }
    if standing is not None:
        shown = standing.version
        shown.phase = place.phase
        board = _board(request, shown, own=None)
        context |= {
            "version": shown,
            "samples": shown.bootstrap,
            "board": board,
            "sentences": tables.spoken(board.order, shown.sentences[board.order["key"]], closed=place.phase.is_closed),
        }
    return render(request, "leaderboards/embed.html", context)


@login_required
@require_POST
def request_again(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Organizers ask for a new ranking, after a failure."""
    place = find(request, slug, key)
    if not request.user.has_perm("leaderboards.request_ranking", place.phase):
        raise PermissionDenied("Only organizers ask for a ranking.")
    services.request_ranking(place.phase.pk, cause=Standing.Cause.REQUEST)
    messages.success(request, "The ranking is computed again.")
    return redirect("leaderboards:current", slug=slug, key=place.key)


@login_required
@require_POST
def freeze(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Organizers say when the public ranking stops moving."""
    place = find(request, slug, key)
    if not request.user.has_perm("leaderboards.freeze", place.phase):
        raise PermissionDenied("Only organizers freeze a ranking.")
    form = FreezeForm(request.POST)
    if form.is_valid():
        hours = form.cleaned_data["hours"]
        services.freeze_board(actor=request.user, phase=place.phase, hours=hours)
        said = (
            f"The public ranking is frozen {hours} hours before the end." if hours else "The public ranking moves on."
        )
        messages.success(request, said)
    else:
        messages.error(request, str(form.errors["hours"][0]))
    return redirect("leaderboards:current", slug=slug, key=place.key)


def _current(request: HttpRequest, place: Place) -> HttpResponse:
    if not place.may_view:
        return sealed_page(request, place)
    standing = place.standing()
    if standing is None:
        common, state = common_context(request, place), _state(place)
        under_way = number_under_way(place.phase)
        content = {
            **common,
            **state,
            "under_way": under_way,
            "state": states.of_empty(
                place,
                computing=state["computing"],
                nothing_counts=state["nothing_counts"],
                under_way=under_way,
            ),
            "said": states.notices(place, None, organizes=common["organizes"], rescoring=None),
            "fewest": limits(place.phase.assessment),
        }
        return render(request, "leaderboards/empty.html", content)
    standing.version.phase = place.phase
    return _ranking(request, place, standing.version, standing, rescoring=rescoring_of(place.phase))


def sealed_page(request: HttpRequest, place: Place) -> HttpResponse:
    """All that is said of a sealed ranking."""
    context = {
        **common_context(request, place),
        "state": states.of_sealed(place.phase, submitted=rankings.teams_that_submitted(place.phase)),
        "fewest": limits(place.phase.assessment),
    }
    return render(request, "leaderboards/sealed.html", context)


def _ranking(
    request: HttpRequest,
    place: Place,
    shown: RankingVersion,
    standing: Standing | None,
    *,
    rescoring: Rescoring | None = None,
) -> HttpResponse:
    common = common_context(request, place)
    may_view_cases = request.user.has_perm("leaderboards.view_cases", place.phase)
    open_to_all = [
        picture
        for picture in catalogue.pictures_of(computing.assessment_of(shown))
        if may_view_figure(request.user, picture, place.phase)
    ]
    available = [picture for picture in open_to_all if picture.name in shown.analysis.figures]
    # While figures are being made, every tab may still get some.
    promised = available if shown.analysis.is_finished else open_to_all
    views = [tab for tab in catalogue.TABS if any(picture.tab == tab.name for picture in promised)]
    view = next((tab for tab in views if tab.name == request.GET.get("view")), None)
    # Table and all figures on one page: for paper.
    prints = request.GET.get("view") == EVERYTHING
    kept = kept_in(request.user, shown)
    # Figures are about the whole ranking.
    group = None if view else _part(request, shown, kept, may_view_cases=may_view_cases)
    own = rankings.name_in(shown, common["team"])
    board = _board(request, shown, own=own, table=group.table if group else None)
    here = available if prints else _chosen_figures(request, available, view)
    # A single kind of figure is compared over the metrics; of several kinds one each, or nobody finds the second one.
    most = MOST_FIGURES if len(here) == 1 else 1
    orders = {picture: _orders_drawn(shown, picture, board, kept) for picture in here}
    plots = [_plot(place, shown, picture, order) for picture in here for order in orders[picture][:most]]
    context = {
        **common,
        **_state(place),
        "version": shown,
        "standing": standing,
        "is_current": standing is not None and standing.version_id == shown.pk,
        "board": board,
        "views": views,
        "view": view,
        "prints": prints,
        "plots": plots,
        "more_plots": any(len(found) > most for found in orders.values()),
        # Only the same figure of several metrics is compared side by side; others need the width.
        "side_by_side": len({plot["reading"] for plot in plots}) == 1 < len(plots),
        **_said(shown, board, group, kept, may_view_cases=may_view_cases, views=views),
        "looks": tables.looks(shown.table["interval"]) if place.phase.is_open and board.teams > 1 else "",
        "tells_failures": "failures" in request.GET,
        "tells_range": "range" in request.GET,
        "group": group,
        "groups": kept.told_groups(shown.analysis.findings.get(partial_tables.SUBGROUPS, [])) if may_view_cases else [],
        **_annotators(shown),
        "levels": shown.analysis.findings.get(partial_tables.LEVELS, []),
        "samples": group.bootstrap if group else shown.bootstrap,
        "part_query": urlencode({group.parameter: group.key}) if group else "",
        "rescoring": rescoring,
        "said": states.notices(place, shown, organizes=common["organizes"], rescoring=rescoring),
        "images": states.of_images(shown.inputs),
        "group_tables": group_tables(
            kept.told_groups(shown.analysis.findings.get(partial_tables.SUBGROUPS, [])), board.order["key"]
        )
        if view and view.name == "groups"
        else [],
        "hard_cases": _hard_cases(request, shown, board, own, kept) if view and view.name == "cases" else [],
        "assessments": _assessments(place, shown),
        "analysis": shown.analysis,
        "scheme": describe(computing.assessment_of(shown)),
        "may_view_cases": may_view_cases,
        "kept": KEPT.all(kept.metrics),
        "repeated": _repeated(request, shown) if view and view.name == "costs" else None,
        "pseudonyms": _pseudonyms(request, shown),
        "rates_parts": object_parts.suits(place.phase),
        "embed_address": request.build_absolute_uri(
            reverse("leaderboards:embed", args=[place.challenge.slug, place.key])
        ),
    }
    return render(request, "leaderboards/ranking.html", context)


def _pseudonyms(request: HttpRequest, shown: RankingVersion) -> list[tuple[str, str]]:
    """Which pseudonym is whose, for the organizers; nothing where every team is named."""
    if shown.phase.announcement == Phase.Announcement.ALL:
        return []
    return rankings.pseudonyms_in(shown) if request.user.has_perm("leaderboards.request_ranking", shown.phase) else []


def _assessments(place: Place, shown: RankingVersion) -> list[dict[str, Any]]:
    """The registered assessments that the phase was ranked by, where there are several."""
    # Only a challenge that runs from a registration can have had another registered assessment.
    registered = getattr(place.phase.challenge, "projection", None) is not None and place.frozen_at is None
    ranked = rankings.assessments_ranked(place.phase) if registered else []
    return [
        {
            "digest": digest,
            "url": reverse("leaderboards:version", args=[place.challenge.slug, place.key, number]),
            "chosen": digest == shown.assessment_digest,
        }
        for digest, number in ranked
        if len(ranked) > 1
    ]


def _hard_cases(
    request: HttpRequest, shown: RankingVersion, board: tables.Board, own: str | None, kept: Kept
) -> list[dict[str, Any]]:
    """The hardest cases of the metrics shown, each with the submission whose picture the person may see."""
    found = kept.told(shown.analysis.findings.get("hardest", {}))
    keys = [board.order["key"]] if board.order["key"] in found else [column.key for column in board.columns][:1]
    submissions = {team["name"]: team["submission"] for team in shown.inputs["teams"]}
    pictured = own if own in submissions else None
    if pictured is None and request.user.has_perm("leaderboards.request_ranking", shown.phase):
        pictured = board.rows[0].team if board.rows else None
    orders = {order["key"]: order for order in shown.table["orders"]}
    return [
        {
            "label": orders[key]["label"],
            "as_measured": AS_MEASURED if shown.phase.assessment.interaction_weights else "",
            "cases": [tables.hard_case(case, orders[key]["decimals"]) for case in found[key]],
            "team": pictured,
            "submission": submissions.get(pictured) if pictured else None,
        }
        for key in keys
        if key in found
    ]


def _repeated(request: HttpRequest, shown: RankingVersion) -> list[Repeated] | None:
    """Algorithms that were run again, for organizers; None for everybody else."""
    if not test_rule("executions.view_agreement", request.user, shown.phase):
        return None
    teams = {UUID(team["submission"]): team["name"] for team in shown.inputs["teams"]}
    return repeated_runs(computing.assessment_of(shown), teams)


def _annotators(shown: RankingVersion) -> dict[str, Any]:
    """Whose references can be chosen, whose decide where nothing is merged, and who has no ranking and why."""
    found = shown.analysis.findings.get(partial_tables.ANNOTATORS, [])
    deciding = next((entry["label"] for entry in found if entry.get("decides")), "")
    return {
        "annotators": [entry for entry in found if entry["key"] and entry["label"] != deciding],
        "deciding_annotator": deciding,
        "unranked_annotators": [entry for entry in found if not entry["key"]],
    }


def _part(
    request: HttpRequest, shown: RankingVersion, kept: Kept, *, may_view_cases: bool
) -> partial_tables.Group | None:
    """The group of cases, annotator or level of interaction that was chosen; nothing for what is not there or not yet open."""
    group = (
        kept.told_group(partial_tables.chosen(partial_tables.SUBGROUPS, request.GET.get("group", ""), shown))
        if may_view_cases
        else None
    )
    kinds = (partial_tables.ANNOTATORS, partial_tables.LEVELS)
    found = (partial_tables.chosen(kind, request.GET.get(partial_tables.PARAMETERS[kind], ""), shown) for kind in kinds)
    return group or next((part for part in found if part is not None), None)


def _said(
    shown: RankingVersion,
    board: tables.Board,
    group: partial_tables.Group | None,
    kept: Kept,
    *,
    may_view_cases: bool,
    views: list[catalogue.Tab],
) -> dict[str, Any]:
    """The headline, and the answers to what everybody asks, each with the tabs that show more of it."""
    key = board.order["key"]
    said = tables.spoken(board.order, (group or shown).sentences[key], closed=shown.phase.is_closed)
    # What other ways would say, and which cases are hardest, is known of the whole ranking.
    compared = [] if group else shown.analysis.sentences.get(key, [])
    found = {} if group else kept.told(shown.analysis.findings.get("hardest", {}))
    hardest = None
    if may_view_cases and (order_key := main_order(shown.table, found, key)):
        order = next(order for order in shown.table["orders"] if order["key"] == order_key)
        hardest = order["label"], [tables.hard_case(case, order["decimals"]) for case in found[order_key]]
    asked = questions(
        board,
        said[1:],
        compared,
        hardest=hardest,
        published_on="" if may_view_cases else moment_words(shown.phase.revealed_from),
    )
    return {
        "headline": f"{group.scope}: {said[0]}" if group else said[0],
        "questions": [
            (question, [view for view in views if view.name in question.views])
            for question in asked
            if question.answers
        ],
    }


def _board(
    request: HttpRequest,
    shown: RankingVersion,
    *,
    own: str | None,
    table: Mapping[str, Any] | None = None,
) -> tables.Board:
    asked = request.GET
    number = asked.get("page", "1")
    return tables.board(
        table or shown.table,
        by=asked.get("by", ""),
        region=asked.get("region", ""),
        columns=asked.getlist("columns"),
        shows=asked.get("show", ""),
        sort=asked.get("sort", ""),
        search=asked.get("team", ""),
        page=int(number) if number.isdecimal() and len(number) < 6 else 1,
        own=own,
        methods=published.described(shown),
    )


def _chosen_figures(
    request: HttpRequest, available: list[catalogue.Picture], view: catalogue.Tab | None
) -> list[catalogue.Picture]:
    """The figures of a tab; where it compares pairs, by the test that was chosen or, without any other, the only one."""
    here = [picture for picture in available if view and picture.tab == view.name]
    return [picture for picture in here if picture.test == request.GET.get("test", "")] or here


def _orders_drawn(
    shown: RankingVersion, picture: catalogue.Picture, board: tables.Board, kept: Kept
) -> list[tuple[str, str]]:
    """The order that was chosen; where it has no such figure, or none that may be seen, each metric and region of the table."""
    drawn = shown.analysis.figures[picture.name]
    if picture.shows_cases:
        drawn = kept.told(drawn)
    if picture.alone:
        return [(next(iter(drawn)), "")]
    if board.order["key"] in drawn:
        return [(board.order["key"], board.order["label"])]
    labels = {choice.key: choice.label for choice in board.orders}
    columns = [column for column in board.columns if column.key in drawn]
    if picture.of_region:
        columns = list({column.region: column for column in reversed(columns)}.values())[::-1]
    return [(column.key, labels[column.key]) for column in columns]


def _plot(place: Place, shown: RankingVersion, picture: catalogue.Picture, order: tuple[str, str]) -> dict[str, str]:
    key, label = order
    address = reverse("leaderboards:figure", args=[place.challenge.slug, place.key, shown.number, picture.name])
    return {
        "src": f"{address}?{urlencode({'by': key})}",
        "title": picture.title if picture.alone else f"{picture.title} {label}",
        "reading": picture.reading,
        "size": picture.size,
    }


def common_context(request: HttpRequest, place: Place) -> dict[str, Any]:
    """What every page of a leaderboard shows around its content."""
    return {
        **challenge_context(request, place.challenge),
        "active_tab": "leaderboards:first",
        "phase": place.phase,
        "key": place.key,
        "phases": [
            {
                "phase": phase,
                "url": reverse(
                    "leaderboards:current", args=[place.challenge.slug, rankings.key_of(phase, place.phases)]
                ),
                "chosen": phase.pk == place.phase.pk,
            }
            for phase in place.phases
        ],
        "freeze": place.freeze,
        "frozen_at": place.frozen_at,
        "freeze_form": _freeze_form(request, place),
        "in_several_tasks": sum(phase.slug == place.phase.slug for phase in place.phases) > 1,
        "several_tasks": len({phase.task_id for phase in place.phases}) > 1,
    }


def _freeze_form(request: HttpRequest, place: Place) -> FreezeForm | None:
    """For organizers, as long as there is something to freeze."""
    if place.phase.is_sealed or place.phase.is_closed or not request.user.has_perm("leaderboards.freeze", place.phase):
        return None
    return FreezeForm(initial={"hours": place.freeze.hours if place.freeze else None})


def _state(place: Place) -> dict[str, Any]:
    request = place.ranking_request
    waits = request is not None and request.is_due and place.frozen_at is None
    return {
        "computing": waits,
        "progress": request.progress if request and waits else [],
        "failure": request.failure if request else "",
        "nothing_counts": request is not None and request.nothing_counts and place.frozen_at is None,
    }
