"""Suspect references: the list for organizers, and the blinded reading of single cases."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe
from rules import test_rule

from accounts.people.forms import PersonField
from accounts.requests import SignedInRequest
from datastore.datasets.queries.publishing import withdrawn_cases
from datastore.test_sets import vault
from datastore.test_sets.models import TestCase
from datastore.test_sets.services.reference_access import note_seen
from leaderboards.models import SuspectCase, SuspectReading, SuspectSearch
from leaderboards.queries import suspects as queries
from leaderboards.services import suspect_readings as services
from leaderboards.views.place import Place, common_context, find

_PNG = b"\x89PNG"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def suspects(request: SignedInRequest, slug: str, key: str) -> HttpResponse:
    """List the suspect references for organizers; invited readers are sent to the next case that they have not read."""
    board = find(request, slug, key)
    search = _readable(request, board)
    if not test_rule("leaderboards.view_suspects", request.user, board.phase):
        if request.method == "POST":
            raise Http404("Page not found.")
        return _invited(request, board, search)
    if request.method == "POST":
        return _act(request, board, search)
    answers = queries.answers_by_case(search) if search is not None else {}
    rows = [(row, answers.get(row.case)) for row in search.suspects.all()] if search is not None else []
    return render(
        request,
        "leaderboards/suspects.html",
        {
            **common_context(request, board),
            "search": search,
            "rows": rows,
            "listed": sum(row.listed for row, _ in rows),
            "examined": len([row for row, given in rows if given is not None]),
            "readers": queries.readers_of(board.phase),
            "to_read": _next(search, request.user),
            "kind_suits": True,
        },
    )


def _invited(request: SignedInRequest, board: Place, search: SuspectSearch | None) -> HttpResponse:
    case = _next(search, request.user)
    if case is not None:
        return redirect("leaderboards:suspect", slug=board.challenge.slug, key=board.key, case=case)
    return render(request, "leaderboards/suspects_read.html", common_context(request, board))


def _act(request: SignedInRequest, board: Place, search: SuspectSearch | None) -> HttpResponse:
    act, here = request.POST.get("act", ""), redirect("leaderboards:suspects", slug=board.challenge.slug, key=board.key)
    try:
        match act:
            case "invite":
                person = PersonField().clean(request.POST.get("person", ""))
                reader = services.invite_reader(actor=request.user, phase=board.phase, person=person)
                messages.success(
                    request, f"{reader.user} can read the suspect references now. Send the address of this page."
                )
            case "remove":
                number = request.POST.get("reader", "")
                services.remove_reader(
                    actor=request.user,
                    phase=board.phase,
                    reader=int(number) if number.isdecimal() and len(number) < 19 else 0,
                )
                messages.success(request, "The reader is removed.")
            case "report" if search is not None:
                report = services.report(actor=request.user, search=search, case=request.POST.get("case", ""))
                messages.success(request, f"{report.case} is reported and confirmed. Request its exclusion here.")
                return redirect(f"{reverse('test_sets:case_reports', args=[board.challenge.slug])}#report-{report.pk}")
            case _:
                raise Http404("Act not found.")
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    return here


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def suspect(request: SignedInRequest, slug: str, key: str, case: str) -> HttpResponse:
    """Show one reference with the consensus of the algorithms, without names of teams and scores, and take the answer."""
    board, search, row, test_case = _case(request, slug, key, case)
    if request.method == "POST":
        try:
            services.answer(
                reader=request.user,
                search=search,
                case=case,
                choice=request.POST.get("answer", ""),
                note=request.POST.get("note", ""),
            )
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
            return redirect("leaderboards:suspect", slug=slug, key=board.key, case=case)
        following = _next(search, request.user)
        messages.success(request, "Your answer is stored.")
        if following is None:
            return redirect("leaderboards:suspects", slug=slug, key=board.key)
        return redirect("leaderboards:suspect", slug=slug, key=board.key, case=following)
    own_reading = SuspectReading.objects.filter(test_set=search.test_set_id, case=case, reader=request.user).first()
    plan = queries.views_of(row.folder)
    if plan is not None:
        note_seen(actor=request.user, case=test_case)
    return render(
        request,
        "leaderboards/suspect.html",
        {
            **common_context(request, board),
            "case": case,
            "plan": plan,
            "slices": plan is not None and bool(plan["strips"]),
            "choices": SuspectReading.Answer.choices,
            "own": own_reading,
            "left": len(queries.to_read(search, request.user)),
            "total": search.suspects.count(),
            "organizes_suspects": test_rule("leaderboards.view_suspects", request.user, board.phase),
        },
    )


@login_required
@require_safe
def suspect_plan(request: SignedInRequest, slug: str, key: str, case: str) -> HttpResponse:
    """Return the content of the viewer for a suspect reference."""
    board, _, row, _ = _case(request, slug, key, case)
    plan = queries.views_of(row.folder)
    if plan is None:
        raise Http404("This case has no views.")
    names = [layer["name"] for layer in plan["layers"]]
    address = [slug, board.key, case]
    strips = [
        strip
        | {
            "sheets": {
                name: reverse("leaderboards:suspect_view", args=[*address, f"{name}-{strip['axis']}"]) for name in names
            }
        }
        for strip in plan["strips"]
    ]
    return JsonResponse({"case": case, "team": "", "differs": True, "layers": plan["layers"], "strips": strips})


@login_required
@require_safe
def suspect_view(request: SignedInRequest, slug: str, key: str, case: str, view: str) -> HttpResponse:
    """Return a sheet of slices, or the picture without a viewer; each look at a reference is noted."""
    _, _, row, test_case = _case(request, slug, key, case)
    plan = queries.views_of(row.folder)
    if plan is None:
        raise Http404("This case has no views.")
    layers = [layer["name"] for layer in plan["layers"]]
    sheets = {f"{name}-{strip['axis']}" for name in layers for strip in plan["strips"]}
    if view == "picture":
        view = "picture.png"
    elif view not in sheets:
        raise Http404("View not found.")
    if view == "picture.png" or view.startswith("reference-"):
        note_seen(actor=request.user, case=test_case)
    content = vault.read_bytes(queries.view_name(row.folder, view))
    response = HttpResponse(content, content_type="image/png" if content.startswith(_PNG) else "image/jpeg")
    response["Cache-Control"] = "private, max-age=300"
    return response


def _readable(request: HttpRequest, board: Place) -> SuspectSearch | None:
    """Return the last search of a phase.

    Raises
    ------
    Http404
        For people who may not read suspect references, whether there are some or not.
    """
    if not test_rule("leaderboards.read_suspects", request.user, board.phase):
        raise Http404("Page not found.")
    return queries.search_of(board.phase)


def _case(request: HttpRequest, slug: str, key: str, case: str) -> tuple[Place, SuspectSearch, SuspectCase, TestCase]:
    board = find(request, slug, key)
    search = _readable(request, board)
    row = search.suspects.filter(case=case).first() if search is not None else None
    rows = TestCase.objects.select_related("test_set__phase__task__challenge")
    test_case = rows.filter(test_set=search.test_set_id, name=case).first() if search is not None else None
    if search is None or row is None or test_case is None:
        raise Http404("Page not found.")
    # Of a case whose consent was withdrawn, organizers alone see anything.
    organizes = test_rule("leaderboards.view_suspects", request.user, board.phase)
    if not organizes and case in withdrawn_cases(board.challenge):
        raise Http404("Page not found.")
    return board, search, row, test_case


def _next(search: SuspectSearch | None, user: Any) -> str | None:
    left = queries.to_read(search, user) if search is not None else []
    return left[0].case if left else None
