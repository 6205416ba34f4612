"""Images and weights of a team."""

from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from challenges.models import Challenge, Phase, Team
from executions.models import AlgorithmArchive, Batch, Execution
from executions.models.archives import Kind


def kept(team: Team, phase: Phase) -> list[AlgorithmArchive]:
    """Return the archives of a team for the task of a phase, the newest first.

    These are the archives that the team can use, and those that were recently refused.
    """
    rows = AlgorithmArchive.objects.filter(team=team, phase__task=phase.task_id, removed_at=None)
    used = Execution.objects.filter(Q(image=OuterRef("pk")) | Q(model=OuterRef("pk")))
    return list(rows.annotate(is_used=Exists(used)).order_by("-created_at")[:50])


def usable(archives: list[AlgorithmArchive], kind: str) -> list[AlgorithmArchive]:
    """Return the archives of a kind that can be submitted."""
    return [archive for archive in archives if archive.kind == kind and archive.state in AlgorithmArchive.USABLE]


def images(archives: list[AlgorithmArchive]) -> list[AlgorithmArchive]:
    """Return the images that can be submitted."""
    return usable(archives, Kind.IMAGE)


def models(archives: list[AlgorithmArchive]) -> list[AlgorithmArchive]:
    """Return the weights that can be submitted."""
    return usable(archives, Kind.MODEL)


def executions_of(challenge: Challenge) -> Any:
    """Executions of a challenge with numbers of their batches, the newest first."""
    rows = Execution.objects.filter(phase__task__challenge=challenge).select_related("team", "phase", "image")
    done = Count("batches", filter=Q(batches__state=Batch.State.DONE))
    return rows.annotate(batches_total=Count("batches"), batches_done=done).order_by("-created_at")
