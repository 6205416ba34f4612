"""People and designs for the tests of this app."""

from accounts.models import User
from designs import services
from designs.models import Collaborator


def person(name, **facts):
    # Nobody signs in by password here, and hashing one takes a third of a second.
    return User.objects.create_user(name, f"{name}@example.org", **facts)


def design(owner, *, tasks=("Segment the hippocampus",), title="Hippocampus 2026"):
    return services.create_design(owner=owner, title=title, tasks=list(tasks))


def save(design, parameter, value=None, *, task=0, **more):
    """Save a field as the owner; `task` counts the tasks from 0 and is ignored for challenge parameters."""
    from evaluation.designs.catalogue import shipped

    actor = design.collaborators.get(role=Collaborator.Role.OWNER).user
    place = design.tasks.all()[task] if shipped()[parameter].is_task else None
    return services.save_field(actor=actor, design=design, parameter=parameter, value=value, task=place, **more)
