"""Lists of designs and of changes."""

from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet

from designs.models import Collaborator, Design, DesignTask, FieldChange, OpenedEmbargo
from evaluation.designs.catalogue import shipped


def designs_for(user: Any) -> QuerySet[Design]:
    """Designs that the person works on, and public ones; with tasks and people, in a constant number of queries."""
    people = Prefetch("collaborators", queryset=Collaborator.objects.select_related("user"))
    return _with_numbers(Design.objects.filter(_own(user) | Q(is_public=True)).distinct()).prefetch_related(people)


def own_designs(user: Any) -> QuerySet[Design]:
    """Designs that the person works on, what was changed last first."""
    return Design.objects.filter(_own(user)).order_by("-changed_at", "pk")


def designs_to_read(user: Any) -> QuerySet[Design]:
    """Public designs in which the person has no part, with their tasks and the number of versions."""
    return _with_numbers(Design.objects.filter(is_public=True).exclude(_own(user)).order_by("-changed_at", "pk"))


def _own(user: Any) -> Q:
    return Q(pk__in=user.design_roles.values("design")) if user.is_authenticated else Q(pk__in=[])


def _with_numbers(designs: QuerySet[Design]) -> QuerySet[Design]:
    tasks = Prefetch("tasks", queryset=DesignTask.objects.filter(removed_at=None))
    return designs.annotate(version_count=Count("versions", distinct=True)).prefetch_related(tasks)


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
