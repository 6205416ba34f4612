"""Pictures of single cases: slices with outlines, drawn by a worker and fetched when they are there."""

import json
from typing import Any

import pandas as pd
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges import queries as challenge_queries
from challenges.models import Challenge, Phase
from challenges.views.access import organizing, page_context
from evaluation.figures.case_sheets import AXES, LAYERS
from results.queries.pictures import is_drawn, picture_name, plan_name, sheet_name
from submissions.domain import tables
from submissions.models import Run, Submission
from submissions.queries import counted_runs, told_frame
from submissions.queries.pictures import can_be_drawn
from submissions.queries.submissions import counted_run, visible_submission
from submissions.rules import is_own
from test_sets import vault
from test_sets.models import TestCase
from test_sets.services.reference_access import note_seen
from uploads.storage import private
from work.services import send

# A picture that was asked for is not asked for again within this time.
_ASKED_SECONDS = 20
TEAMS_PER_PAGE = 25
# So many further teams stand beside the chosen one on the page of a case.
MOST_BESIDE = 3


@login_required
@require_safe
def own_case(request: HttpRequest, slug: str, pk: Any, case: str) -> HttpResponse:
    """One case of a submission: picture and values."""
    challenge, submission, run, test_case = _load(request, slug, pk, case)
    frame = tables.of_cases(told_frame(run, request.user))
    columns = tables.columns(submission.phase.assessment, frame)
    line = tables.line_of(case, frame, columns, run.case_notes)
    ordered = tables.lines(frame, columns, run.case_notes) if columns else []
    return render(
        request,
        "results/case.html",
        page_context(
            request,
            challenge,
            active_tab="submissions:own" if is_own(request.user, submission) else "submissions:organize",
            submission=submission,
            case=test_case,
            values=list(zip(columns, line.cells, strict=True)),
            note=line.note,
            picture=_picture(request, submission, run, case),
            ordered=ordered,
            main=columns[0] if columns else None,
            neighbours=_around([entry.case for entry in ordered], case),
        ),
    )


@login_required
@require_safe
def picture(request: HttpRequest, slug: str, pk: Any, case: str) -> HttpResponse:
    """The part of the page with the picture, or with the word that it is being drawn."""
    _, submission, run, _ = _load(request, slug, pk, case)
    found = _picture(request, submission, run, case, small="small" in request.GET)
    if found is None:
        raise Http404("There is no picture of this case.")
    return render(request, "results/picture.html", {"picture": found})


@login_required
@require_safe
def picture_png(request: SignedInRequest, slug: str, pk: Any, case: str) -> HttpResponse:
    """The picture itself: with the reference only for whom the phase reveals it."""
    _, submission, run, test_case = _load(request, slug, pk, case)
    with_reference = _sees_reference(request, submission)
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
    """What the viewer shows of a case: its sheets and where to begin; has them drawn if they are not there."""
    _, submission, run, test_case = _load(request, slug, pk, case)
    if not can_be_drawn(submission.phase.assessment.kind, test_case):
        raise Http404("There is no picture of this case.")
    with_reference = _sees_reference(request, submission)
    name = plan_name(run, case, with_reference=with_reference)
    if not private().exists(name):
        # Sheets are stored before the picture: where there is one without them, the kind of problem has no slices.
        if is_drawn(run, case, with_reference=with_reference):
            raise Http404("There are no slices of this case.")
        _have_drawn(run, case)
        return JsonResponse({"drawn": False})
    layers = [layer for layer in LAYERS if layer != "reference" or with_reference]
    address = [submission.challenge.slug, submission.pk, case]
    return JsonResponse(
        {
            "drawn": True,
            "case": case,
            "team": submission.team.name,
            "strips": [
                strip
                | {
                    "sheets": {
                        layer: reverse("results:case_sheet", args=[*address, layer, strip["axis"]]) for layer in layers
                    }
                }
                for strip in json.loads(vault.read_bytes(name))
            ],
        }
    )


@login_required
@require_safe
def sheet(request: SignedInRequest, slug: str, pk: Any, case: str, layer: str, axis: str) -> HttpResponse:
    """All slices of a layer along an axis; those of the reference only for whom the phase reveals it, and noted."""
    _, submission, run, test_case = _load(request, slug, pk, case)
    if layer not in LAYERS or axis not in AXES or (layer == "reference" and not _sees_reference(request, submission)):
        raise Http404("There is no such picture.")
    name = sheet_name(run, case, layer, axis)
    if not private().exists(name):
        raise Http404("This picture has not been drawn yet.")
    if layer == "reference":
        note_seen(actor=request.user, case=test_case)
    kind = "image/jpeg" if layer == "image" else "image/png"
    response = HttpResponse(vault.read_bytes(name), content_type=kind)
    response["Cache-Control"] = "private, max-age=300"
    return response


@login_required
@require_safe
def organized_case(request: HttpRequest, slug: str, case: str) -> HttpResponse:
    """One case through all teams (organizers)."""
    challenge = organizing(request, slug)
    phase, test_case = _case_of(challenge, case, request.GET.get("phase"))
    runs = [run for run in counted_runs(phase) if run.test_set_id == test_case.test_set_id]
    page = Paginator(runs, TEAMS_PER_PAGE).get_page(request.GET.get("page"))
    shown = list(page.object_list)
    chosen = next((run for run in shown if str(run.submission_id) == request.GET.get("submission")), None)
    chosen = chosen or (shown[0] if shown else None)
    wanted = request.GET.getlist("beside")[:MOST_BESIDE]
    beside = [run for run in shown if str(run.submission_id) in wanted and run != chosen]
    # A result is a file: no more of them are read than a page shows.
    frames = {run.pk: tables.of_cases(told_frame(run, request.user)) for run in shown}
    columns = tables.columns(phase.assessment, pd.concat(frames.values())) if chosen else []
    teams = []
    for run in shown:
        line = tables.line_of(case, frames[run.pk], columns, run.case_notes)
        teams.append({"run": run, "cells": line.cells, "note": line.note, "chosen": run == chosen})
    return render(
        request,
        "results/organized_case.html",
        page_context(
            request,
            challenge,
            active_tab="submissions:organize",
            phase=phase,
            case=test_case,
            columns=columns,
            teams=teams,
            page=page,
            chosen=chosen,
            beside=beside,
            neighbours=_neighbours(test_case),
            picture=_picture(request, chosen.submission, chosen, case) if chosen else None,
        ),
    )


def _have_drawn(run: Run, case: str) -> None:
    """Ask a worker for the pictures of a case, unless one was asked a moment ago."""
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


def _case_of(challenge: Challenge, case: str, phase: str | None) -> tuple[Phase, TestCase]:
    rows = TestCase.objects.filter(name=case, test_set__is_active=True, test_set__phase__task__challenge=challenge)
    if phase and phase.isdigit():
        rows = rows.filter(test_set__phase=int(phase))
    found = rows.select_related("test_set__phase__task__challenge").order_by("test_set__phase__position").first()
    if found is None:
        raise Http404("There is no such case.")
    known = {entry.pk: entry for entry in challenge_queries.phases_of(challenge)}
    return known[found.test_set.phase_id], found


def _neighbours(case: TestCase) -> dict[str, str | None]:
    return _around(list(case.test_set.cases.order_by("position").values_list("name", flat=True)), case.name)


def _around(cases: list[str], case: str) -> dict[str, str | None]:
    """The cases before and after one in a list."""
    place = cases.index(case) if case in cases else -1
    return {
        "previous": cases[place - 1] if place > 0 else None,
        "next": cases[place + 1] if 0 <= place < len(cases) - 1 else None,
    }


def _sees_reference(request: HttpRequest, submission: Submission) -> bool:
    may: bool = test_rule("submissions.view_references", request.user, submission)
    return may


def _picture(
    request: HttpRequest, submission: Submission, run: Run, case: str, *, small: bool = False
) -> dict[str, Any] | None:
    """Say whether the picture is there; if not, have it drawn. None where there is nothing to draw on or to outline.

    A small one is a preview among others, which leads to the page of its case.
    """
    problem = submission.phase.assessment.kind
    if not can_be_drawn(problem, TestCase.objects.get(test_set=run.test_set_id, name=case)):
        return None
    with_reference = _sees_reference(request, submission)
    drawn = is_drawn(run, case, with_reference=with_reference)
    if not drawn:
        _have_drawn(run, case)
    args = [submission.challenge.slug, submission.pk, case]
    return {
        "case": case,
        "drawn": drawn,
        "with_reference": with_reference,
        "words": problem.picture_words.format(case=case),
        "caption": problem.picture_caption.format(shown="reference" if with_reference else "prediction"),
        "address": reverse("results:case_picture_png", args=args),
        "again": reverse("results:case_picture", args=args) + ("?small=1" if small else ""),
        "small": small,
        "page": reverse("results:case", args=args),
    }
