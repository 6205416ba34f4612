"""Reads worth naming."""

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from django.core.cache import cache
from django.db.models import Q, QuerySet

from challenges.models import Challenge, Phase
from challenges.queries import label_of, phases_of
from core.work.kinds import Kind
from evaluation.running.identity import SCORER_INTERFACE
from evaluation.running.scorer_declared import declared_of, digest_of
from executions.judging.models import Judgement, Trial
from executions.models import AlgorithmArchive
from executions.models.archives import Kind as ArchiveKind

# --- Scoring images of a phase, and their status ----------------------------------------------------------------------
_REMEMBERED_SECONDS = 60


def phases_with_scorers(challenge: Challenge) -> list[Phase]:
    """The phases of a challenge of which a scoring image computes metrics."""
    return [phase for phase in phases_of(challenge) if phase.assessment.scorer]


def has_scorers(challenge: Challenge) -> bool:
    """Return whether any phase has a registered scoring image.

    The result is cached for a minute, because every page needs it for organizers.
    """
    key = f"judging:any:{challenge.pk}"
    has_any = cache.get(key)
    if has_any is None:
        has_any = bool(phases_with_scorers(challenge))
        cache.set(key, has_any, _REMEMBERED_SECONDS)
    return bool(has_any)


def images_of(phase: Phase) -> QuerySet[AlgorithmArchive]:
    """Scoring images that organizers sent for the task of a phase and did not delete, the newest first."""
    rows = AlgorithmArchive.objects.filter(kind=ArchiveKind.SCORER, phase__task=phase.task_id, removed_at=None)
    return rows.order_by("-created_at")


def trial_that_counts(phase: Phase) -> Trial | None:
    """The passed trial of the registered image by what the phase declares now; None as long as there is none."""
    if not phase.assessment.scorer:
        return None
    rows = Trial.objects.filter(
        phase=phase,
        state=Trial.State.PASSED,
        archive__digest=phase.assessment.scorer["image"],
        archive__removed_at=None,
        declared_digest=digest_of(declared_of(phase.assessment)),
    )
    return rows.select_related("archive").order_by("-finished_at").first()


def lacking(phase: Phase) -> str:
    """Explain to organizers why no scoring image computes the metrics of a phase yet.

    The text is empty if an image computes them, or none is required.
    """
    if not phase.assessment.scorer or trial_that_counts(phase) is not None:
        return ""
    image = phase.assessment.scorer["image"]
    registered = images_of(phase).filter(digest=image).first()
    if registered is None:
        return f"{label_of(phase)}: the registered scoring image {image[:19]}… has not been sent."
    last = Trial.objects.filter(phase=phase, archive=registered).first()
    if last is None or last.is_open:
        return f"{label_of(phase)}: the scoring image is still being tried."
    if last.state == Trial.State.REFUSED:
        first = next(check["says"] for check in last.checks if check["says"])
        return f"{label_of(phase)}: the scoring image is refused. {first}"
    return f"{label_of(phase)}: trying the scoring image came to no end. Have it tried again."


def rows_of(run: uuid.UUID) -> list[list[Any]] | None:
    """Return the answers of the scoring image for a run, row by row, or None while some are open."""
    parts = list(Judgement.objects.filter(run=run))
    if any(part.state != Judgement.State.DONE for part in parts):
        return None
    # A constraint holds that what is done has rows.
    return [row for part in parts for row in part.rows or ()]


def failure_of(run: uuid.UUID) -> Judgement | None:
    """Return the part of a run for which the scoring image failed for good; None if there is none."""
    return Judgement.objects.filter(run=run, state=Judgement.State.FAILED).order_by("index").first()


def open_runs() -> QuerySet[Any]:
    """Ids of runs that wait for a scoring image."""
    return Judgement.objects.filter(state__in=Judgement.OPEN).values("run")


def facts_of(run: uuid.UUID) -> dict[str, Any]:
    """By which image the values of a run were computed, and on what word it was let; empty where by none."""
    part = (
        Judgement.objects.filter(run=run).select_related("trial__archive", "trial__phase").exclude(trial=None).first()
    )
    return {} if part is None or part.trial is None else trial_facts(part.trial)


def trial_facts(trial: Trial) -> dict[str, Any]:
    """Return the public facts about an image and its trial, as JSON values."""
    return {
        "image": trial.archive.digest,
        "interface": SCORER_INTERFACE,
        "metrics": [metric.name for metric in trial.phase.assessment.by_scorer],
        "self_test": trial.report_digest,
        "tried_at": trial.finished_at.isoformat() if trial.finished_at else None,
        "versions": trial.versions,
    }


def trials_by_image(phase: Phase, images: Iterable[AlgorithmArchive]) -> Mapping[Any, Trial]:
    """The last trial of each image in a phase, by the id of the image."""
    rows = Trial.objects.filter(phase=phase, archive__in=list(images)).order_by("created_at", "pk")
    return {trial.archive_id: trial for trial in rows}


# --- Work queued for a worker that has the key of the references and an engine ----------------------------------------
TRYING = Kind(
    name="scorer_trials",
    doing="trying a scoring image",
    model=Trial,
    is_open=Q(state__in=Trial.OPEN),
    begins={"state": Trial.State.RUNNING},
    task="judging.tasks.judge_trial",
    attempts=3,
    errors=2,
    order=("created_at",),
    challenge="phase__task__challenge",
)


# Messages carry no row: each is one worker's turn, and the database says whose turn it is.
JUDGING = Kind(
    name="judging",
    doing="running a scoring image",
    model=Judgement,
    is_open=Q(state__in=Judgement.OPEN),
    begins={"state": Judgement.State.RUNNING},
    task="judging.tasks.judge_next",
    argument=None,
    attempts=10,
    errors=2,
    counted="run",
    order=("created_at", "index"),
    fair_between="team",
    challenge="phase__task__challenge",
)
