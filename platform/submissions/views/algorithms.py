"""The submit page of a phase that accepts algorithms."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.requests import SignedInRequest
from challenges.models import Challenge, Phase, Team
from challenges.views.access import page_context, team_in
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries.dry_runs import are_public
from datastore.uploads.services.refusals import UploadError
from evaluation.assessment.options import option_sentences
from evaluation.claims.missing_cases import rule_of_a_missing_case
from evaluation.running.registered import Registered
from executions.domain.plans import size_words
from executions.queries import archives
from executions.queries.availability import unavailable
from executions.queries.budgets import budget_of
from executions.queries.interfaces import places_of
from executions.queries.quotas import compute_time, hours_words
from executions.runners.queries import runs_on_organizers_machines
from executions.services import arriving
from submissions.forms import ArchiveForm, HandInForm
from submissions.hooks import try_me_files
from submissions.queries import quota
from submissions.services import algorithms, submitting


def page(
    request: SignedInRequest, challenge: Challenge, teams: list[Team], phases: list[Phase], phase: Phase
) -> HttpResponse:
    """Show what an algorithm may take and is given; take images, weights, and what is to be run."""
    team = team_in(teams, phase)
    test_set = TestSet.objects.filter(phase=phase, is_active=True).first()
    off = unavailable(challenge)
    stored_archives = archives.kept(team, phase) if team else []
    sent = "send" in request.POST
    archive_form = ArchiveForm(request.POST if sent else None, request.FILES if sent else None)
    chosen = request.POST if "hand_in" in request.POST else None
    form = HandInForm(archives.images(stored_archives), archives.models(stored_archives), chosen)
    if request.method == "POST":
        if team is None:
            raise PermissionDenied(submitting.elsewhere(phase))
        if "cancel" in request.POST:
            return _cancel(request, phase)
        answer = _sent(request, phase, team, archive_form, off) if sent else _handed_in(request, phase, team, form, off)
        if answer is not None:
            return answer
    plan = Registered.of(phase.algorithms)
    cases = test_set.cases.count() if test_set else 0
    used = compute_time(phase, team, plan) if team else None
    budget = budget_of(phase)
    return render(
        request,
        "submissions/submit_algorithm.html",
        page_context(
            request,
            challenge,
            phases=phases,
            phase=phase,
            team=team,
            own_teams=teams,
            several_tasks=len({entry.task_id for entry in phases}) > 1,
            cases=cases,
            off=off,
            kept=stored_archives,
            is_checking=any(archive.state in archive.OPEN for archive in stored_archives),
            archive_form=archive_form,
            form=form,
            limits=size_words(plan),
            plan=plan,
            on_organizers_machines=runs_on_organizers_machines(challenge),
            places=places_of(phase),
            needed=hours_words(plan.compute_seconds(cases)),
            used=hours_words(used.used if used else 0),
            left="" if used is None or used.left is None else hours_words(used.left),
            budget=budget.words if budget else "",
            budget_is_spent=budget is not None and budget.is_spent,
            quota=quota(phase, team, request.user) if team else None,
            is_public=are_public(phase),
            missing_rule=rule_of_a_missing_case(phase.assessment, of_algorithm=True),
            scored_with=option_sentences(phase.assessment),
            unfinished=arriving.unfinished(request.user, phase),
            try_me=try_me_files(phase),
            most_bytes=max(arriving.most_bytes(phase, kind) for kind in ("image", "model")),
            chunk_bytes=settings.PODIUM_UPLOAD_CHUNK_BYTES,
        ),
        status=422 if archive_form.errors or form.errors else 200,
    )


def _sent(request: SignedInRequest, phase: Phase, team: Team, form: ArchiveForm, off: str) -> HttpResponse | None:
    if off:
        form.add_error(None, off)
    if not form.is_valid():
        return None
    archive = form.cleaned_data["archive"]
    try:
        arriving.send_file(
            user=request.user,
            phase=phase,
            team=team,
            kind=form.cleaned_data["kind"],
            file_name=archive.name,
            read=archive.file.read,
            size=archive.size,
        )
    except UploadError as error:
        form.add_error("archive", str(error))
        return None
    messages.success(request, f"{archive.name} has arrived and is being checked.")
    return redirect(f"{request.path}?phase={phase.pk}")


def _handed_in(request: SignedInRequest, phase: Phase, team: Team, form: HandInForm, off: str) -> HttpResponse | None:
    if off:
        form.add_error(None, off)
    if not form.is_valid():
        return None
    chosen: dict[str, Any] = {"image": form.cleaned_data["image"], "model": form.cleaned_data.get("model")}
    try:
        return redirect(algorithms.hand_in(user=request.user, phase=phase, team=team, **chosen))
    except UploadError as error:
        form.add_error(None, str(error))
        return None


def _cancel(request: SignedInRequest, phase: Phase) -> HttpResponse:
    """Throw away what has arrived of an own upload, for who lost the file and cannot go on with it."""
    unfinished = arriving.unfinished(request.user, phase)
    upload = next((entry for entry in unfinished if str(entry.pk) == request.POST["cancel"]), None)
    if upload is None:
        messages.info(request, "This upload has ended already.")
    else:
        arriving.cancel(upload=upload)
        messages.success(request, f"What had arrived of {upload.file_name} is thrown away.")
    return redirect(f"{request.path}?phase={phase.pk}")
