"""Images and weights of a team."""

from typing import Any

from django.db.models import Count, Exists, OuterRef, Q

from challenges.models import Challenge, Phase, Team
from executions.models import AlgorithmArchive, Batch, Execution
from executions.models.archives import Kind


def kept(team: Team, phase: Phase) -> list[AlgorithmArchive]:
    """What a team has sent for the task of a phase and may use, and what of it was refused lately; the newest first."""
    rows = AlgorithmArchive.objects.filter(team=team, phase__task=phase.task_id, removed_at=None)
    used = Execution.objects.filter(Q(image=OuterRef("pk")) | Q(model=OuterRef("pk")))
    return list(rows.annotate(is_used=Exists(used)).order_by("-created_at")[:50])


def usable(archives: list[AlgorithmArchive], kind: str) -> list[AlgorithmArchive]:
    """Those of a kind that can be handed in."""
    return [archive for archive in archives if archive.kind == kind and archive.state in AlgorithmArchive.USABLE]


def images(archives: list[AlgorithmArchive]) -> list[AlgorithmArchive]:
    """Images that can be handed in."""
    return usable(archives, Kind.IMAGE)


def models(archives: list[AlgorithmArchive]) -> list[AlgorithmArchive]:
    """Weights that can be handed in."""
    return usable(archives, Kind.MODEL)


def executions_of(challenge: Challenge) -> Any:
    """Executions of a challenge with numbers of their batches, the newest first."""
    rows = Execution.objects.filter(phase__task__challenge=challenge).select_related("team", "phase", "image")
    done = Count("batches", filter=Q(batches__state=Batch.State.DONE))
    return rows.annotate(batches_total=Count("batches"), batches_done=done).order_by("-created_at")
