"""Permissions to check a text for drift and to read the results."""

from typing import Any

import rules

from designs.rules import role_of
from registry.changes.rules import may_decide, may_request
from registry.models import Registration


@rules.predicate
def may_read_drift(user: Any, registration: Registration | None) -> bool:
    """Works on the design, or decides about its changes: a text that is checked may not be public yet."""
    if registration is None or not user.is_authenticated:
        return False
    return bool(role_of(user, registration.design)) or may_decide(user, registration)


# Rules and not permissions: Django grants every permission to administrators, who must not act for organizers.
rules.add_rule("drift.check", may_request)
rules.add_rule("drift.read", may_read_drift)
