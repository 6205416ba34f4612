"""Pictures of single cases: slices with outlines, drawn by a worker and fetched when they are there."""

from typing import Any

import pandas as pd
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.requests import SignedInRequest
from challenges import queries as challenge_queries
from challenges.models import Challenge, Phase
from challenges.views.access import organizing, page_context
from core.work.services import send
from datastore.test_sets import vault
from datastore.test_sets.domain.case_access import CONSENT_WITHDRAWN, HIDDEN_IMAGES, CaseAccess
from datastore.test_sets.models import TestCase
from datastore.test_sets.queries.grids import length_unit
from datastore.test_sets.services.reference_access import note_seen
from datastore.uploads.storage import private
from evaluation.boards import case_lines
from evaluation.figures.case_sheets import AXES, WITH
from evaluation.problems import kind_of
from submissions.models import Run, Submission
from submissions.queries import counted_runs, told_frame, told_notes
from submissions.queries.pictures import can_be_drawn, has_something_to_show
from submissions.queries.submissions import counted_run, visible_submission
from submissions.results.queries.pictures import picture_name, plan_of, sheet_name
from submissions.rules import access_to_submission, is_own

# A picture that was asked for is not asked for again within this time.
_ASKED_SECONDS = 20
_PNG = b"\x89PNG"
TEAMS_PER_PAGE = 25
# So many further teams stand beside the chosen one on the page of a case.
MOST_BESIDE = 3


@login_required
@require_safe
def own_case(request: SignedInRequest, slug: str, pk: Any, case: str) -> HttpResponse:
    """One case of a submission: picture and values."""
    challenge, submission, run, test_case = _load(request, slug, pk, case)
    frame, notes = case_lines.of_cases(told_frame(run, request.user)), told_notes(run, request.user)
    columns = case_lines.columns(submission.phase.assessment, frame, length_unit=length_unit(submission.phase))
    line = case_lines.line_of(case, frame, columns, notes)
    ordered = case_lines.lines(frame, columns, notes) if columns else []
    allowed = access_to_submission(request.user, submission, case=case)
    return render(
        request,
        "results/case.html",
        page_context(
            request,
            challenge,
            active_tab="submissions:own" if is_own(request.user, submission) else "results:organize",
            submission=submission,
            case=test_case,
            values=list(zip(columns, line.cells, strict=True)),
            note=line.note,
            shown=_shown(request, allowed, run, test_case),
            why_no_picture=_why_no_picture(request, submission, allowed),
            ordered=ordered,
            listed=[entry.case for entry in ordered] or _names(test_case),
            main=columns[0] if columns else None,
            neighbours=_around([entry.case for entry in ordered] or _names(test_case), case),
        ),
    )


@login_required
@require_safe
def picture(request: SignedInRequest, slug: str, pk: Any, case: str) -> HttpResponse:
    """The part of the page with picture and answers, or with the word that they are being prepared."""
    _, _, run, test_case, allowed = _pictured(request, slug, pk, case)
    small = "small" in request.GET
    case_context = _shown(request, allowed, run, test_case, small=small, group=request.GET.get("group", ""))
    if case_context is None or (small and not case_context["is_picture"]):
        raise Http404("There is no picture of this case.")
    return render(request, "results/picture.html" if small else "results/shown.html", {"shown": case_context})


@login_required
@require_safe
def picture_png(request: SignedInRequest, slug: str, pk: Any, case: str) -> HttpResponse:
    """The picture itself: with the reference only for whom the phase reveals it."""
    _, _, run, test_case, allowed = _pictured(request, slug, pk, case)
    with_reference = allowed.references
    name = picture_name(run, case, with_reference=with_reference)
    if not private().exists(name):
        raise Http404("This picture has not been drawn yet.")
    if with_reference:
        note_seen(actor=request.user, case=test_case)
    response = HttpResponse(vault.read_bytes(name), content_type="image/png")
    response["Cache-Control"] = "private, max-age=300"
    return response


@login_required
@require_safe
def viewer_plan(request: HttpRequest, slug: str, pk: Any, case: str) -> HttpResponse:
    """Return the content of the viewer for a case: sheets, overlaid layers and start position."""
    _, submission, run, _, allowed = _pictured(request, slug, pk, case)
    plan = plan_of(run, case, with_reference=allowed.references)
    if plan is None:
        raise Http404("This case has not been drawn yet.")
    address = [submission.challenge.slug, submission.pk, case]
    return JsonResponse(
        {
            "case": case,
            "team": submission.team.name,
            "differs": any(layer["shown_to"] == WITH for layer in plan["layers"]),
            "layers": plan["layers"],
            "strips": [
                strip
                | {
                    "sheets": {
                        layer["name"]: reverse("results:case_sheet", args=[*address, layer["name"], strip["axis"]])
                        for layer in plan["layers"]
                    }
                }
                for strip in plan["strips"]
            ],
        }
    )


@login_required
@require_safe
def sheet(request: SignedInRequest, slug: str, pk: Any, case: str, layer: str, axis: str) -> HttpResponse:
    """All slices of a layer along an axis: of those that the reader is shown alone, and noted where it is the reference."""
    _, _, run, test_case, allowed = _pictured(request, slug, pk, case)
    plan = plan_of(run, case, with_reference=allowed.references)
    layers = {entry["name"]: entry for entry in plan["layers"]} if plan is not None else {}
    if layer not in layers or axis not in AXES:
        raise Http404("There is no such picture.")
    is_secret = layers[layer]["shown_to"] == WITH
    name = sheet_name(run, case, layer, axis, is_secret=is_secret)
    if not private().exists(name):
        raise Http404("There is no such picture.")
    if is_secret:
        note_seen(actor=request.user, case=test_case)
    content = vault.read_bytes(name)
    response = HttpResponse(content, content_type="image/png" if content.startswith(_PNG) else "image/jpeg")
    response["Cache-Control"] = "private, max-age=300"
    return response


@login_required
@require_safe
def organized_case(request: SignedInRequest, slug: str, case: str) -> HttpResponse:
    """One case through all teams (organizers)."""
    challenge = organizing(request, slug)
    phase, test_case = _case_of(challenge, case, request.GET.get("phase"))
    runs = [run for run in counted_runs(phase) if run.test_set_id == test_case.test_set_id]
    for run in runs:
        run.submission.phase = phase
    page = Paginator(runs, TEAMS_PER_PAGE).get_page(request.GET.get("page"))
    page_runs = list(page.object_list)
    chosen = next((run for run in page_runs if str(run.submission_id) == request.GET.get("submission")), None)
    chosen = chosen or (page_runs[0] if page_runs else None)
    wanted = request.GET.getlist("beside")[:MOST_BESIDE]
    beside = [run for run in page_runs if str(run.submission_id) in wanted and run != chosen]
    # Viewers that stand beside each other show the same place.
    group = "case" if beside else ""
    # A result is a file: no more of them are read than a page shows.
    frames = {run.pk: case_lines.of_cases(told_frame(run, request.user)) for run in page_runs}
    columns = []
    if chosen:
        every = pd.concat(frames.values())
        columns = case_lines.columns(phase.assessment, every, length_unit=length_unit(phase))
    access = {
        run.pk: access_to_submission(request.user, run.submission, case=case)
        for run in (chosen, *beside)
        if run is not None
    }
    teams = []
    for run in page_runs:
        line = case_lines.line_of(case, frames[run.pk], columns, told_notes(run, request.user))
        teams.append({"run": run, "cells": line.cells, "note": line.note, "chosen": run == chosen})
    return render(
        request,
        "results/organized_case.html",
        page_context(
            request,
            challenge,
            active_tab="results:organize",
            phase=phase,
            case=test_case,
            columns=columns,
            teams=teams,
            page=page,
            chosen=chosen,
            beside=beside,
            most_beside=MOST_BESIDE,
            neighbours=_neighbours(test_case),
            shown=_shown(request, access[chosen.pk], chosen, test_case, group=group) if chosen else None,
            shown_beside=[_shown(request, access[run.pk], run, test_case, group=group) for run in beside],
            why_no_picture=_why_no_picture(request, chosen.submission, access[chosen.pk]) if chosen else "",
        ),
    )


def _have_drawn(run: Run, case: str) -> None:
    """Queue the drawing of a case, unless it was requested a moment ago."""
    if cache.add(f"picture:{run.pk}:{case}", 1, _ASKED_SECONDS):
        send("results.tasks.draw_case", [str(run.pk), case])


def _load(request: HttpRequest, slug: str, pk: Any, case: str) -> tuple[Challenge, Submission, Run, TestCase]:
    challenge = challenge_queries.visible_challenge(request.user, slug)
    submission = visible_submission(request.user, challenge, pk, perm="submissions.view_case_scores")
    run = counted_run(submission)
    test_case = (
        TestCase.objects.select_related("test_set__phase__task__challenge")
        .filter(test_set=run.test_set_id, name=case, is_decoy=False)
        .first()
        if run
        else None
    )
    if run is None or test_case is None:
        raise Http404("There is no such case.")
    return challenge, submission, run, test_case


def _pictured(
    request: HttpRequest, slug: str, pk: Any, case: str
) -> tuple[Challenge, Submission, Run, TestCase, CaseAccess]:
    """Load a case whose pictures the reader may see.

    Raises
    ------
    Http404
        For all others, whether there are pictures or not.
    """
    challenge, submission, run, test_case = _load(request, slug, pk, case)
    allowed = access_to_submission(request.user, submission, case=case)
    if not allowed.pictures:
        raise Http404("This case has no picture.")
    return challenge, submission, run, test_case, allowed


def _why_no_picture(request: HttpRequest, submission: Submission, allowed: CaseAccess) -> str:
    """Explain why the page of a case has no picture; empty where it may have one."""
    if allowed.pictures:
        return ""
    is_hidden = not access_to_submission(request.user, submission).pictures
    return HIDDEN_IMAGES if is_hidden else CONSENT_WITHDRAWN


def _case_of(challenge: Challenge, case: str, phase: str | None) -> tuple[Phase, TestCase]:
    rows = TestCase.objects.filter(name=case, test_set__is_active=True, test_set__phase__task__challenge=challenge)
    if phase and phase.isdigit():
        rows = rows.filter(test_set__phase=int(phase))
    test_case = rows.select_related("test_set__phase__task__challenge").order_by("test_set__phase__position").first()
    if test_case is None:
        raise Http404("There is no such case.")
    phases_by_pk = {entry.pk: entry for entry in challenge_queries.phases_of(challenge)}
    return phases_by_pk[test_case.test_set.phase_id], test_case


def _neighbours(case: TestCase) -> dict[str, str | None]:
    """Those before and after it, decoys as well: organizers look at all."""
    return _around(list(case.test_set.cases.order_by("position").values_list("name", flat=True)), case.name)


def _names(case: TestCase) -> list[str]:
    """The cases of its test set that are scored, in their order."""
    return list(case.test_set.cases.filter(is_decoy=False).order_by("position").values_list("name", flat=True))


def _around(cases: list[str], case: str) -> dict[str, str | None]:
    """The cases before and after one in a list."""
    index = cases.index(case) if case in cases else -1
    return {
        "previous": cases[index - 1] if index > 0 else None,
        "next": cases[index + 1] if 0 <= index < len(cases) - 1 else None,
    }


def _shown(
    request: SignedInRequest, allowed: CaseAccess, run: Run, case: TestCase, *, small: bool = False, group: str = ""
) -> dict[str, Any] | None:
    """Return what there is of a case, and request it where it is not drawn; None where there is none, or none for the reader.

    Parameters
    ----------
    allowed
        What of the case the reader may see.
    small
        As a preview among others, which leads to the page of its case.
    group
        Name for viewers that show the same place.
    """
    submission = run.submission
    problem = kind_of(submission.phase.assessment)
    if not allowed.pictures or not has_something_to_show(problem, case):
        return None
    with_reference = allowed.references
    plan = plan_of(run, case.name, with_reference=with_reference)
    if plan is None:
        _have_drawn(run, case.name)
    elif (answers := plan["answers"]) is not None and answers["has_reference"] and not small:
        note_seen(actor=request.user, case=case)
    args = [submission.challenge.slug, submission.pk, case.name]
    asked = "?small=1" if small else f"?group={group}" if group else ""
    return {
        "case": case.name,
        "team": submission.team.name,
        "drawn": plan is not None,
        "is_picture": can_be_drawn(problem, case),
        "has_picture": plan is not None and plan.get("picture", False),
        "has_slices": bool(plan and plan["strips"]),
        "answers": plan["answers"] if plan else None,
        "with_reference": with_reference,
        "outlines": [name for name in problem.pictures.outlines if with_reference or name != "reference"],
        "words": problem.pictures.description.format(case=case.name),
        "caption": problem.pictures.caption_of(with_reference=with_reference),
        "address": reverse("results:case_picture_png", args=args),
        "again": reverse("results:case_picture", args=args) + asked,
        "viewer": reverse("results:case_viewer", args=args),
        "group": group,
        "page": reverse("results:case", args=args),
    }
