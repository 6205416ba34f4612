"""Permissions for registrations: predicates, declared once, used by views, API and templates."""

from typing import Any

import rules

from designs.models import Design, Role
from designs.rules import role_of
from registry import hooks, queries
from registry.models import Registration
from reviews.queries import accepted_filing
from reviews.rules import chairs, is_chair


@rules.predicate
def administers(user: Any) -> bool:
    """Administers the platform."""
    return bool(getattr(user, "is_superuser", False))


@rules.predicate
def may_register(user: Any, design: Design | None) -> bool:
    """Owns a design that was accepted, chairs the call that accepted it, or administers the platform."""
    if design is None or not user.is_authenticated:
        return False
    if user.is_superuser:
        return True
    filing = accepted_filing(design)
    return filing is not None and (role_of(user, design) == Role.OWNER or chairs(user, filing))


@rules.predicate
def owns(user: Any, registration: Registration | None) -> bool:
    """Decides for the organizers."""
    return registration is not None and role_of(user, registration.design) == Role.OWNER


@rules.predicate
def organizes(user: Any, registration: Registration | None) -> bool:
    """Works on the registered design."""
    return registration is not None and bool(role_of(user, registration.design))


@rules.predicate
def moderates(user: Any, registration: Registration | None) -> bool:
    """Chairs the call that accepted the design."""
    return registration is not None and registration.filing is not None and is_chair(user, registration.filing.call)


@rules.predicate
def takes_comments(user: Any, registration: Registration | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Its comment period runs."""
    return registration is not None and queries.takes_comments(registration)


@rules.predicate
def is_open_to_all(user: Any, registration: Registration | None) -> bool:  # noqa: ARG001 (the signature of a predicate)
    """Is not under embargo."""
    return registration is not None and not registration.is_embargoed


@rules.predicate
def is_shown_to(user: Any, registration: Registration | None) -> bool:
    """Return whether an app above shows the registration to a person, such as members of its closed challenge."""
    return registration is not None and any(shows(user, registration) for shows in hooks.readers)


# The one decision who reads a registration; `registry.models.PublicRows` is its form for lists.
rules.add_perm("registry.read_registration", is_open_to_all | organizes | moderates | is_shown_to)
rules.add_perm("registry.end_whole_embargo", owns)
rules.add_perm("registry.register_design", may_register)
rules.add_perm("registry.end_registration", owns | moderates)
rules.add_perm("registry.open_embargo", owns | moderates)
rules.add_perm("registry.answer_comment", organizes)
rules.add_perm("registry.moderate_comments", moderates)
rules.add_perm("registry.verify_registry", administers)
# A rule and not a permission: administrators have every permission, but comment only while the period runs.
rules.add_rule("registry.comment", rules.is_authenticated & takes_comments)
