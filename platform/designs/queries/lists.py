"""Lists of designs and of changes."""

from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet

from designs.models import Collaborator, Design, DesignTask, FieldChange, OpenedEmbargo
from evaluation.designs.catalogue import shipped


def designs_for(user: Any) -> QuerySet[Design]:
    """Designs that the person works on, and public ones; with tasks and people, in a constant number of queries."""
    mine = Q(collaborators__user=user) if user.is_authenticated else Q(pk=None)
    return (
        Design.objects.filter(mine | Q(is_public=True))
        .distinct()
        .annotate(version_count=Count("versions", distinct=True))
        .prefetch_related(
            Prefetch("tasks", queryset=DesignTask.objects.filter(removed_at=None)),
            Prefetch("collaborators", queryset=Collaborator.objects.select_related("user")),
        )
    )


def history_of(design: Design, parameter: str, task: DesignTask | None) -> QuerySet[FieldChange]:
    """All saves of one field, the newest first."""
    return FieldChange.objects.filter(design=design, parameter=parameter, task=task).select_related("actor")


def opened_embargoes(design: Design, *, public: bool) -> list[OpenedEmbargo]:
    """Proofs of embargoes that were opened; with `public` without parameters that only organizers see."""
    return [
        proof
        for proof in OpenedEmbargo.objects.filter(design=design).select_related("task")
        if not public or shipped()[proof.parameter].visibility == "public"
    ]
