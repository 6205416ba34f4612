"""Roles of the people who write a design after they accepted an invitation."""

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from accounts.people.services.roles import keep_a_holder
from core.audit.services import record
from designs.models import Collaborator


@transaction.atomic
def change_role(*, actor: User, collaborator: Collaborator, role: str) -> None:
    """Give a person another role.

    Raises
    ------
    ValidationError
        When the design would be left without an owner.
    """
    if role not in Collaborator.Role.values:
        raise ValidationError("Owner, editor or reader.")
    _keep_an_owner(collaborator, leaves=role != Collaborator.Role.OWNER)
    before, collaborator.role = collaborator.role, role
    collaborator.save(update_fields=["role"])
    record(
        actor=actor,
        act="design_role_changed",
        subject=collaborator.design,
        scope=collaborator.design.slug,
        facts={"user": collaborator.user_id, "from": before, "to": role},
    )


@transaction.atomic
def remove_collaborator(*, actor: User, collaborator: Collaborator) -> None:
    """End a person's part in the design.

    Raises
    ------
    ValidationError
        When the design would be left without an owner.
    """
    _keep_an_owner(collaborator, leaves=True)
    design, user_id = collaborator.design, collaborator.user_id
    collaborator.delete()
    record(actor=actor, act="design_collaborator_removed", subject=design, scope=design.slug, facts={"user": user_id})


def _keep_an_owner(collaborator: Collaborator, *, leaves: bool) -> None:
    if collaborator.role == Collaborator.Role.OWNER and leaves:
        keep_a_holder(
            collaborator.design,
            Collaborator.objects.filter(design=collaborator.design_id, role=Collaborator.Role.OWNER),
            leaving=collaborator.user_id,
            message="A design needs an owner; make another person owner first.",
        )
