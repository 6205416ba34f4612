"""The submit page, with the fallback that takes a plain form."""

import hashlib
import time
from dataclasses import replace
from typing import Final
from uuid import uuid4

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from accounts.requests import SignedInRequest
from challenges import queries as challenge_queries
from challenges.models import Challenge, Phase, Team
from challenges.views.access import page_context, participating, phase_by_id, team_in
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries.dry_runs import are_public
from datastore.test_sets.queries.test_sets import expectation
from datastore.uploads import object_store
from datastore.uploads.models import Upload
from datastore.uploads.services import refusals, uploads
from datastore.uploads.storage import upload_limits
from evaluation.assessment.options import option_sentences
from evaluation.claims.missing_cases import cost_of_a_missing_case, rule_of_a_missing_case
from evaluation.problems import kind_of
from evaluation.problems.files import FileProblem, FileWords
from evaluation.problems.tables import SubmitWords, table_problem
from submissions.forms import SubmitForm
from submissions.hooks import try_me_files
from submissions.models import Submission
from submissions.queries import quota
from submissions.queries.repeats import RULE, key_of_sha256, page_of_repeated, same_content
from submissions.queries.submissions import unfinished_uploads
from submissions.services import submitting
from submissions.views import algorithms
from web.bodies import takes_files
from web.policy import allow_connections

OTHER_REQUEST_TRIES: Final = 50
OTHER_REQUEST_PAUSE: Final = 0.2
"""Seconds between looks at an upload that another request of the same form receives."""


# Who sends is asked before the body is read, and checking the CSRF token of a form reads its body: so that check comes
# second, inside.
@takes_files(lambda: max(upload_limits().max_bytes, settings.PODIUM_MODEL_MAX_BYTES))
@csrf_exempt
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show what is expected; take an archive from a plain form."""
    challenge = challenge_queries.visible_challenge(request.user, slug)
    if challenge_queries.team_of(request.user, challenge) is None and request.user.has_perm(
        "challenges.join_challenge", challenge
    ):
        messages.info(request, "Join the challenge with a team first; then you can submit.")
        return redirect("challenges:join", slug=slug)
    return _submit(request, *participating(request, slug))


@csrf_protect
def _submit(request: SignedInRequest, challenge: Challenge, teams: list[Team]) -> HttpResponse:
    phases = challenge_queries.phases_of(challenge)
    phase = _chosen(request, challenge, phases)
    if phase is not None and phase.algorithms:
        return algorithms.page(request, challenge, teams, phases, phase)
    test_set = TestSet.objects.filter(phase=phase, is_active=True).first() if phase else None
    team = team_in(teams, phase) if phase else teams[0]
    if "cancel" in request.POST:
        return _cancel(request, challenge)
    direct = object_store.is_offered()
    form = SubmitForm(phase, request.POST or None, request.FILES or None, initial=_initial(request)) if phase else None
    if request.method == "POST" and phase and team is None:
        raise PermissionDenied(submitting.elsewhere(phase))
    if request.method == "POST" and phase and team and form and test_set and form.is_valid():
        try:
            return redirect(_take(request, phase, team, form, slug=challenge.slug))
        except refusals.UploadError as error:
            form.add_error("archive", str(error))
    response = render(
        request,
        "submissions/submit.html",
        page_context(
            request,
            challenge,
            phases=phases,
            phase=phase,
            team=team,
            own_teams=teams,
            several_tasks=len({entry.task_id for entry in phases}) > 1,
            wanted=expectation(test_set, phase.assessment) if phase and test_set else None,
            missing_rule=rule_of_a_missing_case(phase.assessment) if phase else "",
            scored_with=option_sentences(phase.assessment) if phase else [],
            table_words=_table_words(phase, test_set) if phase and test_set else None,
            file_words=_file_words(phase, test_set) if phase and test_set else None,
            expected_rows=_expected_rows(phase, test_set) if phase and test_set else [],
            quota=quota(phase, team, request.user) if phase and team else None,
            form=form,
            references_public=are_public(phase) if phase else False,
            try_me=try_me_files(phase) if phase else [],
            comes_as_table=submitting.outside(phase) if phase else "",
            unfinished=unfinished_uploads(request.user, challenge),
            repeat_rule=RULE,
            max_bytes=upload_limits().max_bytes,
            chunk_bytes=settings.PODIUM_UPLOAD_CHUNK_BYTES,
            direct_uploads=direct,
        ),
        status=422 if form and form.errors else 200,
    )
    # Only here may scripts connect to the object store, and only to it.
    return allow_connections(response, object_store.origin()) if direct else response


def _table_words(phase: Phase, test_set: TestSet) -> SubmitWords | None:
    """Return the text of the page on the single table of predictions; None if the phase has no such table."""
    wanted = expectation(test_set, phase.assessment)
    if wanted.table is None:
        return None
    cost = cost_of_a_missing_case(phase.assessment) if phase.incomplete_allowed else ""
    return table_problem(wanted.table.problem).texts.submit_page(wanted.table, len(wanted.cases), incomplete_cost=cost)


def _file_words(phase: Phase, test_set: TestSet) -> FileWords | None:
    """Return the text of the page on the files of predictions; None if cases have no separate files."""
    problem, wanted = kind_of(phase.assessment), expectation(test_set, phase.assessment)
    if not isinstance(problem, FileProblem):
        return None
    words = problem.texts.submit_page(phase.assessment, len(wanted.cases))
    usual = problem.usual_ending([case.facts for case in wanted.cases])
    return words if usual == problem.suffixes[0] else replace(words, ending=usual)


def _expected_rows(phase: Phase, test_set: TestSet) -> list[tuple[str, tuple[str, ...]]]:
    """Return each expected case with the facts about it that participants may know, as text."""
    problem, cases = kind_of(phase.assessment), expectation(test_set, phase.assessment).cases
    if not isinstance(problem, FileProblem):
        return [(case.name, ()) for case in cases]
    return [(case.name, problem.texts.fact_cells(case.facts)) for case in cases]


def _take(request: SignedInRequest, phase: Phase, team: Team, form: SubmitForm, *, slug: str) -> str:
    """Submit the archive of the form; returns the address of the submission."""
    archive, again = form.cleaned_data["archive"], form.cleaned_data["again"]
    digest = hashlib.sha256()
    for block in archive.chunks():
        digest.update(block)
    sha256 = digest.hexdigest()
    earlier = same_content(user=request.user, phase=phase, team=team, key=key_of_sha256(sha256))
    if earlier is not None and not again:
        return page_of_repeated(slug, earlier)
    token = form.cleaned_data["client_token"]
    upload = submitting.create_upload(
        user=request.user,
        phase=phase,
        team=team,
        file_name=archive.name,
        size=archive.size,
        accept_incomplete=form.cleaned_data.get("accept_incomplete", False),
        again=again,
        sha256=sha256,
        # A person may go back to the form and choose another file.
        client_token=f"form {token} {sha256[:16]} {again}" if token else "",
    )
    archive.file.seek(0)
    try:
        if not upload.is_whole:
            upload = uploads.append(upload=upload, offset=0, read=archive.file.read)
    except (refusals.BusyError, refusals.OffsetError, refusals.GoneError):
        # Another request with this form may be about to create the file of this upload, or has moved it already.
        upload = _received_by_other_request(upload)
    except (OSError, refusals.UploadError):
        uploads.cancel(upload=upload)
        raise
    submission = submitting.finish(upload=upload)
    is_own = Submission.objects.filter(pk=submission.pk, upload=upload).exists()
    return submission.get_absolute_url() if is_own else page_of_repeated(slug, submission)


def _received_by_other_request(upload: Upload) -> Upload:
    """Wait for the other request of a form that was sent twice.

    Raises
    ------
    GoneError
        If the upload was cancelled, has expired or was refused.
    BusyError
        If it does not end in time.
    """
    for _ in range(OTHER_REQUEST_TRIES):
        upload.refresh_from_db()
        if upload.is_whole:
            return upload
        uploads.check_receiving(upload)
        time.sleep(OTHER_REQUEST_PAUSE)
    raise refusals.BusyError("This form was sent twice. The page My submissions shows the submission soon.")


def _initial(request: HttpRequest) -> dict[str, object]:
    """Return a new key for the form, and the choice that a link of an earlier submission makes."""
    return {"client_token": str(uuid4()), "again": request.GET.get("again") == "1"}


def _cancel(request: SignedInRequest, challenge: Challenge) -> HttpResponse:
    """Throw away what has arrived of an own upload, for who lost the file and cannot go on with it."""
    upload = next(
        (entry for entry in unfinished_uploads(request.user, challenge) if str(entry.pk) == request.POST["cancel"]),
        None,
    )
    if upload is None:
        messages.info(request, "This upload has ended already.")
    else:
        uploads.cancel(upload=upload)
        messages.success(request, f"What had arrived of {upload.file_name} is thrown away.")
    phase = request.POST.get("phase", "")
    return redirect(f"{request.path}?phase={phase}" if phase.isdigit() else request.path)


def _chosen(request: HttpRequest, challenge: Challenge, phases: list[Phase]) -> Phase | None:
    wanted = request.POST.get("phase") or request.GET.get("phase")
    if wanted:
        return phase_by_id(challenge, wanted)
    return next((phase for phase in phases if phase.is_open), phases[0] if phases else None)
