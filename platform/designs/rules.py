"""Permissions on designs: predicates, declared once and used by views, API and templates."""

from typing import Any

import rules

from designs import hooks
from designs.models import Collaborator, Design, Role


def role_of(user: Any, design: Design) -> str:
    """The role of a person in a design, empty without one; read once a request for each design object."""
    if not user.is_authenticated:
        return ""
    roles: dict[int, str] = design.__dict__.setdefault("_roles", {})
    if user.pk not in roles:
        roles[user.pk] = (
            Collaborator.objects.filter(design=design, user=user).values_list("role", flat=True).first() or ""
        )
    return roles[user.pk]


@rules.predicate
def is_collaborator(user: Any, design: Design | None) -> bool:
    """Has any part in the design, or administers the platform."""
    return design is not None and (getattr(user, "is_superuser", False) or bool(role_of(user, design)))


@rules.predicate
def is_editor(user: Any, design: Design | None) -> bool:
    """May change values."""
    return design is not None and role_of(user, design) in (Role.OWNER, Role.EDITOR)


@rules.predicate
def is_owner(user: Any, design: Design | None) -> bool:
    """Decides about people and versions."""
    return design is not None and role_of(user, design) == Role.OWNER


@rules.predicate
def is_public(user: Any, design: Design | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Return whether the design is public, in which case anyone can read it."""
    return design is not None and design.is_public


@rules.predicate
def is_admitted(user: Any, design: Design | None) -> bool:
    """A lower app lets the person read it, for example as a reviewer."""
    return design is not None and any(admits(user, design) for admits in hooks.readers)


rules.add_perm("designs.view_design", is_public | is_collaborator | is_admitted)
rules.add_perm("designs.collaborate_on_design", is_collaborator)
rules.add_perm("designs.edit_design", is_editor)
rules.add_perm("designs.manage_design", is_owner)
rules.add_perm("designs.comment_on_design", is_collaborator | is_admitted)
