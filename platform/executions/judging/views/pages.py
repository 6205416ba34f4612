"""Organizers' page of scoring images."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST
from rules import test_rule

from accounts.requests import SignedInRequest
from challenges.models import Challenge, Phase
from challenges.views.access import organizing, page_context, phase_by_id
from datastore.uploads.services.refusals import UploadError
from evaluation.running.scorer_declared import declared_of, digest_of
from executions.judging import queries
from executions.judging.forms import ScorerForm
from executions.judging.services import deleting, trying
from executions.models import AlgorithmArchive
from executions.models.archives import Kind
from executions.queries.availability import no_judge
from executions.services import arriving


def bringing(request: HttpRequest, slug: str) -> Challenge:
    """Return the challenge if the visitor brings scoring images into it.

    Raises
    ------
    Http404
        Otherwise.
    """
    challenge = organizing(request, slug)
    if not request.user.has_perm("judging.bring_scorers", challenge):
        raise Http404("Page not found.")
    return challenge


def scoring_image(challenge: Challenge, pk: Any) -> AlgorithmArchive:
    """Return a scoring image of the challenge.

    Raises
    ------
    Http404
        If it does not exist or was deleted.
    """
    rows = AlgorithmArchive.objects.filter(
        pk=pk, kind=Kind.SCORER, phase__task__challenge=challenge, removed_at=None
    ).select_related("phase__task__challenge", "team")
    archive = rows.first()
    if archive is None:
        raise Http404("Image not found.")
    return archive


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def scorers(request: SignedInRequest, slug: str) -> HttpResponse:
    """Show the registration of a phase, the submitted images, and the result of each check."""
    challenge = bringing(request, slug)
    phases = queries.phases_with_scorers(challenge)
    wanted = request.POST.get("phase") or request.GET.get("phase")
    phase = phase_by_id(challenge, wanted) if wanted else next(iter(phases), None)
    if phase is None or not phase.assessment.scorer:
        raise Http404("No metric of this challenge is registered for a scoring image.")
    form = ScorerForm(request.POST if "send" in request.POST else None, request.FILES or None)
    if request.method == "POST" and (answer := _posted(request, challenge, phase, form)) is not None:
        return answer
    images = list(queries.images_of(phase))
    trials = queries.trials_by_image(phase, images)
    declared = declared_of(phase.assessment)
    image_rows = [_image(archive, trials.get(archive.pk), phase, digest_of(declared)) for archive in images]
    return render(
        request,
        "judging/scorers.html",
        page_context(
            request,
            challenge,
            phases=phases,
            phase=phase,
            registered=phase.assessment.scorer,
            metrics=phase.assessment.by_scorer,
            off=no_judge(),
            reads_logs=test_rule("judging.read_logs", request.user, challenge),
            images=image_rows,
            counts=queries.trial_that_counts(phase),
            is_busy=any(
                entry["archive"].state in AlgorithmArchive.OPEN or (entry["trial"] and entry["trial"].is_open)
                for entry in image_rows
            ),
            unfinished=[upload for upload in arriving.unfinished(request.user, phase) if upload.kind == Kind.SCORER],
            form=form,
            most_bytes=arriving.most_bytes(phase, Kind.SCORER),
            chunk_bytes=settings.PODIUM_UPLOAD_CHUNK_BYTES,
        ),
        status=422 if form.errors else 200,
    )


@login_required
@require_POST
def try_again(request: SignedInRequest, slug: str, phase: int, pk: Any) -> HttpResponse:
    """Have an image tried once more."""
    challenge = bringing(request, slug)
    phase_row = phase_by_id(challenge, phase)
    try:
        trial = trying.begin_trial(archive=scoring_image(challenge, pk), phase=phase_row, actor=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        if trial is None:
            messages.info(request, "It is being tried already, or the phase has no test set yet.")
        else:
            messages.success(request, "It is tried once more.")
    return _back(slug, phase_row)


@login_required
@require_POST
def delete(request: SignedInRequest, slug: str, pk: Any) -> HttpResponse:
    """Delete an image that nothing needs."""
    challenge = bringing(request, slug)
    archive = scoring_image(challenge, pk)
    try:
        deleting.delete_scorer(archive=archive, actor=request.user)
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, f"{archive.file_name} is deleted.")
    return _back(slug, archive.phase)


def _posted(request: SignedInRequest, challenge: Challenge, phase: Phase, form: ScorerForm) -> HttpResponse | None:
    if "cancel" in request.POST:
        for upload in arriving.unfinished(request.user, phase):
            if str(upload.pk) == request.POST["cancel"]:
                arriving.cancel(upload=upload)
                messages.success(request, f"What had arrived of {upload.file_name} is thrown away.")
        return _back(challenge.slug, phase)
    if not form.is_valid():
        return None
    file = form.cleaned_data["archive"]
    try:
        arriving.send_file(
            user=request.user,
            phase=phase,
            team=None,
            kind=Kind.SCORER,
            file_name=file.name,
            read=file.file.read,
            size=file.size,
        )
    except UploadError as error:
        form.add_error("archive", str(error))
        return None
    messages.success(request, f"{file.name} has arrived and is being checked.")
    return _back(challenge.slug, phase)


def _image(archive: AlgorithmArchive, trial: Any, phase: Phase, declared: str) -> dict[str, Any]:
    return {
        "archive": archive,
        "trial": trial,
        "is_registered": archive.digest == phase.assessment.scorer["image"],
        "is_of_today": trial is not None and trial.declared_digest == declared,
    }


def _back(slug: str, phase: Phase) -> HttpResponse:
    return redirect(f"{reverse('judging:scorers', args=[slug])}?phase={phase.pk}")
