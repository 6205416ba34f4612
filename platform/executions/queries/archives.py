"""Images and weights of a team."""

from django.db.models import Exists, OuterRef, Q

from challenges.models import Phase, Team
from executions.models import AlgorithmArchive, Execution
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
