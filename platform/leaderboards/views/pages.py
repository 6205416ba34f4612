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
from challenges.models import Team
from challenges.queries.timetable import timetable_of
from datastore.datasets.queries.publishing import withdrawn_cases
from datastore.test_sets.domain.case_access import HIDDEN_IMAGES
from evaluation import boards
from evaluation.analyses import catalogue
from evaluation.boards.differences import verdicts_in
from evaluation.boards.groups import group_tables
from evaluation.boards.questions import main_order, questions
from evaluation.claims.beforehand import limits
from evaluation.claims.costs import KEPT
from evaluation.ranking import describe
from evaluation.ranking.counted import AS_MEASURED
from executions.queries.repeats import Repeated, repeated_runs
from leaderboards.forms import FreezeForm
from leaderboards.models import RankingVersion, Standing
from leaderboards.queries import names, object_parts, partial_tables, published, rankings
from leaderboards.queries.single_cases import WithheldCases, kept_in
from leaderboards.queries.suspects import suits
from leaderboards.services import computing
from leaderboards.services import rankings as services
from leaderboards.views import states
from leaderboards.views.place import Place, common_context, find, may_view_figure, state_of
from submissions.models import Submission
from submissions.queries import Rescoring, rescoring_of
from submissions.queries.submissions import number_under_way

EVERYTHING = "all"
MOST_FIGURES = 8
"""Maximum number of figures of one kind on a page."""
MOST_PICTURES = 3
"""Pictures of the hardest cases on a page."""


@require_safe
def first(request: HttpRequest, slug: str) -> HttpResponse:
    """The leaderboard of the phase that matters now; with `?phase=` the way to the address of another one."""
    leaderboard = find(request, slug, request.GET.get("phase"))
    if "phase" in request.GET:
        return redirect("leaderboards:current", slug=slug, key=leaderboard.key)
    return _current(request, leaderboard)


@require_safe
def current(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Show the current ranking of a phase."""
    return _current(request, find(request, slug, key))


@require_safe
def version(request: HttpRequest, slug: str, key: str, number: int) -> HttpResponse:
    """Show one version of the ranking, current or former."""
    leaderboard = find(request, slug, key)
    if not leaderboard.may_view:
        return sealed_page(request, leaderboard)
    ranking_version = leaderboard.version(number)
    standing = leaderboard.standing()
    return _ranking(request, leaderboard, ranking_version, standing)


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]
def embed(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Show only the table, for a frame on another site.

    It shows the public view for every visitor, signed in or not, and offers no actions.
    """
    request.user = AnonymousUser()
    leaderboard = find(request, slug, key)
    standing = leaderboard.standing() if leaderboard.may_view else None
    context: dict[str, Any] = {
        "challenge": leaderboard.challenge,
        "phase": leaderboard.phase,
        "address": request.build_absolute_uri(reverse("leaderboards:current", args=[slug, leaderboard.key])),
        "styles": [
            f"css/{name}.css"
            for name in ("tokens", "base", "layout", "components", "wayfinding", "forms", "data", "leaderboard")
        ],
    }
    if standing is not None:
        ranking_version = standing.version
        board = _board(request, ranking_version, own_team=None)
        context |= {
            "version": ranking_version,
            "samples": ranking_version.bootstrap,
            "board": board,
            "sentences": boards.spoken(
                board.order, ranking_version.sentences[board.order["key"]], closed=leaderboard.phase.is_closed
            ),
        }
    return render(request, "leaderboards/embed.html", context)


@login_required
@require_POST
def request_again(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Organizers ask for a new ranking, after a failure."""
    leaderboard = find(request, slug, key)
    if not request.user.has_perm("leaderboards.request_ranking", leaderboard.phase):
        raise PermissionDenied("Only organizers ask for a ranking.")
    services.request_ranking(leaderboard.phase.pk, cause=Standing.Cause.REQUEST)
    messages.success(request, "The ranking is computed again.")
    return redirect("leaderboards:current", slug=slug, key=leaderboard.key)


@login_required
@require_POST
def freeze(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """Set the time at which the public ranking is frozen, by organizers."""
    leaderboard = find(request, slug, key)
    if not request.user.has_perm("leaderboards.freeze", leaderboard.phase):
        raise PermissionDenied("Only organizers freeze a ranking.")
    form = FreezeForm(request.POST)
    if form.is_valid():
        hours = form.cleaned_data["hours"]
        services.freeze_board(actor=request.user, phase=leaderboard.phase, hours=hours)
        message_text = (
            f"The public ranking is frozen {hours} hours before the end." if hours else "The public ranking moves on."
        )
        messages.success(request, message_text)
    else:
        messages.error(request, str(form.errors["hours"][0]))
    return redirect("leaderboards:current", slug=slug, key=leaderboard.key)


def _current(request: HttpRequest, leaderboard: Place) -> HttpResponse:
    if not leaderboard.may_view:
        return sealed_page(request, leaderboard)
    standing = leaderboard.standing()
    if standing is None:
        common, state = common_context(request, leaderboard), state_of(leaderboard)
        under_way = number_under_way(leaderboard.phase)
        content = {
            **common,
            **state,
            "under_way": under_way,
            "state": states.of_empty(
                leaderboard,
                computing=state["computing"],
                nothing_counts=state["nothing_counts"],
                under_way=under_way,
            ),
            "said": states.notices(leaderboard, None, organizes=common["organizes"], rescoring=None),
            "fewest": limits(leaderboard.phase.assessment),
        }
        return render(request, "leaderboards/empty.html", content)
    return _ranking(request, leaderboard, standing.version, standing, rescoring=rescoring_of(leaderboard.phase))


def sealed_page(request: HttpRequest, leaderboard: Place) -> HttpResponse:
    """Show the page of a sealed ranking, with the only information that is public."""
    context = {
        **common_context(request, leaderboard),
        "state": states.of_sealed(leaderboard.phase, submitted=rankings.teams_that_submitted(leaderboard.phase)),
        "fewest": limits(leaderboard.phase.assessment),
    }
    return render(request, "leaderboards/sealed.html", context)


def _ranking(
    request: HttpRequest,
    leaderboard: Place,
    ranking_version: RankingVersion,
    standing: Standing | None,
    *,
    rescoring: Rescoring | None = None,
) -> HttpResponse:
    common = common_context(request, leaderboard)
    may_view_cases = request.user.has_perm("leaderboards.view_cases", leaderboard.phase)
    open_to_all = [
        picture
        for picture in catalogue.pictures_of(computing.assessment_of(ranking_version))
        if may_view_figure(request.user, picture, leaderboard.phase)
    ]
    available = [picture for picture in open_to_all if picture.name in ranking_version.analysis.figures]
    # While figures are being made, every tab may still get some.
    promised = open_to_all if ranking_version.analysis.is_pending else available
    views = [tab for tab in catalogue.TABS if any(picture.tab == tab.name for picture in promised)]
    view = next((tab for tab in views if tab.name == request.GET.get("view")), None)
    # Table and all figures on one page: for paper.
    prints = request.GET.get("view") == EVERYTHING
    withheld = kept_in(request.user, ranking_version)
    # Figures are about the whole ranking.
    group = None if view else _part(request, ranking_version, withheld, may_view_cases=may_view_cases)
    own_team = names.name_in(ranking_version, common["team"])
    board = _board(request, ranking_version, own_team=own_team, table=group.table if group else None)
    here = available if prints else _chosen_figures(request, available, view)
    # A single kind of figure is compared over the metrics; of several kinds one each, or nobody finds the second one.
    most = MOST_FIGURES if sum(not picture.of_each_metric for picture in here) == 1 else 1
    # Where the order has no differences, those of its metrics come after the figure of the order itself.
    here = sorted(here, key=lambda picture: picture.of_each_metric and not board.differences)
    orders = {picture: _orders_drawn(ranking_version, picture, board, withheld) for picture in here}
    plots = [
        _plot(leaderboard, ranking_version, picture, order)
        for picture in here
        for order in orders[picture][: MOST_FIGURES if picture.of_each_metric else most]
    ]
    context = {
        **common,
        **state_of(leaderboard),
        "version": ranking_version,
        "standing": standing,
        "is_current": standing is not None and standing.version_id == ranking_version.pk,
        "board": board,
        "verdicts_of_differences": verdicts_in(board.differences),
        "views": views,
        "view": view,
        "prints": prints,
        "plots": plots,
        "more_plots": any(
            len(drawn_orders) > most for picture, drawn_orders in orders.items() if not picture.of_each_metric
        ),
        # Only the same figure of several metrics is compared side by side; others need the width.
        "side_by_side": len({plot["reading"] for plot in plots}) == 1 < len(plots),
        **_said(ranking_version, board, group, withheld, may_view_cases=may_view_cases, views=views),
        "looks": boards.looks(ranking_version.table["interval"])
        if leaderboard.phase.is_open and board.teams > 1
        else "",
        "tells_failures": "failures" in request.GET,
        "tells_range": "range" in request.GET,
        "group": group,
        "groups": withheld.told_groups(ranking_version.analysis.findings.get(partial_tables.SUBGROUPS, []))
        if may_view_cases
        else [],
        **_annotators(ranking_version),
        "baselines": ranking_version.analysis.findings.get("baselines", []) if group is None else [],
        "levels": ranking_version.analysis.findings.get(partial_tables.LEVELS, []),
        "samples": group.bootstrap if group else ranking_version.bootstrap,
        "part_query": urlencode({group.parameter: group.key}) if group else "",
        "rescoring": rescoring,
        "said": states.notices(leaderboard, ranking_version, organizes=common["organizes"], rescoring=rescoring),
        "images": states.of_images(ranking_version.inputs),
        "group_tables": group_tables(
            withheld.told_groups(ranking_version.analysis.findings.get(partial_tables.SUBGROUPS, [])),
            board.order["key"],
        )
        if view and view.name == "groups"
        else [],
        "hard_cases": _hard_cases(request, ranking_version, board, common["team"], withheld)
        if view and view.name == "cases"
        else [],
        "assessments": _assessments(leaderboard, ranking_version),
        "analysis": ranking_version.analysis,
        "scheme": describe(computing.assessment_of(ranking_version)),
        "may_view_cases": may_view_cases,
        "kept": KEPT.all(withheld.metrics),
        "repeated": _repeated(request, ranking_version) if view and view.name == "costs" else None,
        "pseudonyms": _pseudonyms(request, ranking_version),
        "rates_parts": object_parts.suits(leaderboard.phase),
        "views_suspects": suits(leaderboard.phase)
        and test_rule("leaderboards.view_suspects", request.user, leaderboard.phase),
        "embed_address": request.build_absolute_uri(
            reverse("leaderboards:embed", args=[leaderboard.challenge.slug, leaderboard.key])
        ),
    }
    return render(request, "leaderboards/ranking.html", context)


def _pseudonyms(request: HttpRequest, ranking_version: RankingVersion) -> list[tuple[str, str]]:
    """Return the teams behind the pseudonyms, for organizers; empty if every team is named."""
    if not names.uses_pseudonyms(ranking_version.phase):
        return []
    return (
        names.pseudonyms_in(ranking_version)
        if request.user.has_perm("leaderboards.request_ranking", ranking_version.phase)
        else []
    )


def _assessments(leaderboard: Place, ranking_version: RankingVersion) -> list[dict[str, Any]]:
    """The registered assessments that the phase was ranked by, where there are several."""
    # Only a challenge that runs from a registration can have had another registered assessment.
    registered = getattr(leaderboard.phase.challenge, "projection", None) is not None and leaderboard.frozen_at is None
    ranked = rankings.assessments_ranked(leaderboard.phase) if registered else []
    return [
        {
            "digest": digest,
            "url": reverse("leaderboards:version", args=[leaderboard.challenge.slug, leaderboard.key, number]),
            "chosen": digest == ranking_version.assessment_digest,
        }
        for digest, number in ranked
        if len(ranked) > 1
    ]


def _hard_cases(
    request: HttpRequest,
    ranking_version: RankingVersion,
    board: boards.Board,
    team: Team | None,
    withheld: WithheldCases,
) -> list[dict[str, Any]]:
    """Return the hardest cases of the metrics shown, with the submission that leads to them and whether its pictures are shown."""
    hardest_cases = withheld.told(ranking_version.analysis.findings.get("hardest", {}))
    keys = [board.order["key"]] if board.order["key"] in hardest_cases else [column.key for column in board.columns][:1]
    submissions = {entry["name"]: entry["submission"] for entry in ranking_version.inputs["teams"]}
    own_team = names.name_in(ranking_version, team)
    linked = own_team if own_team in submissions else None
    if linked is None and request.user.has_perm("leaderboards.request_ranking", ranking_version.phase):
        linked = board.rows[0].team if board.rows else None
    submission = Submission.objects.filter(pk=submissions[linked]).first() if linked in submissions else None
    if submission is not None:
        submission.phase = ranking_version.phase
    shows_pictures = submission is not None and test_rule("submissions.view_pictures", request.user, submission)
    withdrawn = withdrawn_cases(ranking_version.phase.challenge) if shows_pictures else frozenset()
    orders = {order["key"]: order for order in ranking_version.table["orders"]}
    return [
        {
            "label": orders[key]["label"],
            "as_measured": AS_MEASURED if ranking_version.phase.assessment.interaction_weights else "",
            "cases": [boards.hard_case(case, orders[key]["decimals"]) for case in hardest_cases[key]],
            "pictured": [case["case"] for case in hardest_cases[key] if case["case"] not in withdrawn][:MOST_PICTURES],
            "team": linked,
            "submission": submission.pk if submission is not None else None,
            "shows_pictures": shows_pictures,
            "why_no_picture": "" if submission is None or shows_pictures else HIDDEN_IMAGES,
        }
        for key in keys
        if key in hardest_cases
    ]


def _repeated(request: HttpRequest, ranking_version: RankingVersion) -> list[Repeated] | None:
    """Return the algorithms that were run again, for organizers, or None for other people."""
    if not test_rule("executions.view_agreement", request.user, ranking_version.phase):
        return None
    teams = {UUID(team["submission"]): team["name"] for team in ranking_version.inputs["teams"]}
    return repeated_runs(computing.assessment_of(ranking_version), teams)


def _annotators(ranking_version: RankingVersion) -> dict[str, Any]:
    """Return the selectable annotators, the deciding annotator, and the annotators without a ranking.

    An annotator decides if references are not merged. Annotators without a ranking come with the reason.
    """
    annotators = ranking_version.analysis.findings.get(partial_tables.ANNOTATORS, [])
    deciding = next((entry["label"] for entry in annotators if entry.get("decides")), "")
    return {
        "annotators": [entry for entry in annotators if entry["key"] and entry["label"] != deciding],
        "deciding_annotator": deciding,
        "unranked_annotators": [entry for entry in annotators if not entry["key"]],
    }


def _part(
    request: HttpRequest, ranking_version: RankingVersion, withheld: WithheldCases, *, may_view_cases: bool
) -> partial_tables.Group | None:
    """The group of cases, annotator or level of interaction that was chosen; nothing for what is not there or not yet open."""
    group = (
        withheld.told_group(
            partial_tables.chosen(partial_tables.SUBGROUPS, request.GET.get("group", ""), ranking_version)
        )
        if may_view_cases
        else None
    )
    kinds = (partial_tables.ANNOTATORS, partial_tables.LEVELS)
    parts = (
        partial_tables.chosen(kind, request.GET.get(partial_tables.PARAMETERS[kind], ""), ranking_version)
        for kind in kinds
    )
    return group or next((part for part in parts if part is not None), None)


def _said(
    ranking_version: RankingVersion,
    board: boards.Board,
    group: partial_tables.Group | None,
    withheld: WithheldCases,
    *,
    may_view_cases: bool,
    views: list[catalogue.Tab],
) -> dict[str, Any]:
    """Return the headline, and the answers to common questions, each with the tabs that show more details."""
    key = board.order["key"]
    sentences = boards.spoken(
        board.order, (group or ranking_version).sentences[key], closed=ranking_version.phase.is_closed
    )
    # What other ways would say, and which cases are hardest, is known of the whole ranking.
    compared = [] if group else ranking_version.analysis.sentences.get(key, [])
    hardest_cases = {} if group else withheld.told(ranking_version.analysis.findings.get("hardest", {}))
    hardest = None
    if may_view_cases and (order_key := main_order(ranking_version.table, hardest_cases, key)):
        order = next(order for order in ranking_version.table["orders"] if order["key"] == order_key)
        hardest = order["label"], [boards.hard_case(case, order["decimals"]) for case in hardest_cases[order_key]]
    asked = questions(
        board,
        sentences[1:],
        compared,
        hardest=hardest,
        published_on="" if may_view_cases else timetable_of(ranking_version.phase).publishing_words,
    )
    return {
        "headline": f"{group.scope}: {sentences[0]}" if group else sentences[0],
        "questions": [
            (question, [view for view in views if view.name in question.views])
            for question in asked
            if question.answers
        ],
    }


def _board(
    request: HttpRequest,
    ranking_version: RankingVersion,
    *,
    own_team: str | None,
    table: Mapping[str, Any] | None = None,
) -> boards.Board:
    asked = request.GET
    number = asked.get("page", "1")
    return boards.board(
        table or ranking_version.table,
        by=asked.get("by", ""),
        region=asked.get("region", ""),
        columns=asked.getlist("columns"),
        shows=asked.get("show", ""),
        sort=asked.get("sort", ""),
        search=asked.get("team", ""),
        page=int(number) if number.isdecimal() and len(number) < 6 else 1,
        own_team=own_team,
        methods=published.described(ranking_version),
    )


def _chosen_figures(
    request: HttpRequest, available: list[catalogue.Picture], view: catalogue.Tab | None
) -> list[catalogue.Picture]:
    """The figures of a tab; where it compares pairs, by the test that was chosen or, without any other, the only one."""
    here = [picture for picture in available if view and picture.tab == view.name]
    return [picture for picture in here if picture.test == request.GET.get("test", "")] or here


def _orders_drawn(
    ranking_version: RankingVersion, picture: catalogue.Picture, board: boards.Board, withheld: WithheldCases
) -> list[tuple[str, str]]:
    """The order that was chosen; where it has no such figure, or none that may be seen, each metric and region of the table."""
    drawn = ranking_version.analysis.figures[picture.name]
    if picture.shows_cases:
        drawn = withheld.told(drawn)
    if picture.alone:
        return [(next(iter(drawn)), "")]
    if board.order["key"] in drawn:
        return [(board.order["key"], board.order["label"])]
    labels = {choice.key: choice.label for choice in board.orders}
    columns = [column for column in board.columns if column.key in drawn]
    if picture.of_region:
        columns = list({column.region: column for column in reversed(columns)}.values())[::-1]
    return [(column.key, labels[column.key]) for column in columns]


def _plot(
    leaderboard: Place, ranking_version: RankingVersion, picture: catalogue.Picture, order: tuple[str, str]
) -> dict[str, str]:
    key, label = order
    address = reverse(
        "leaderboards:figure", args=[leaderboard.challenge.slug, leaderboard.key, ranking_version.number, picture.name]
    )
    return {
        "src": f"{address}?{urlencode({'by': key})}",
        "title": picture.title if picture.alone else f"{picture.title} {label}",
        "reading": picture.reading,
        "size": picture.size,
    }
