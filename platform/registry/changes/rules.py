"""Permissions to request a change, object to it, and decide about it."""

from typing import Any

import rules

from designs.rules import is_editor, role_of
from registry.changes.models import ChangeRequest
from registry.hooks import operation_of
from registry.models import Registration
from reviews.models import Chair


def chairs_of(registration: Registration) -> list[Any]:
    """Chairs of the call that accepted the design; none for a design that was registered without a call."""
    if registration.filing is None:
        return []
    return [chair.user for chair in Chair.objects.filter(call=registration.filing.call_id).select_related("user")]


@rules.predicate
def may_request(user: Any, registration: Registration | None) -> bool:
    """May change the design, and the registration has not ended."""
    return registration is not None and not registration.is_ended and is_editor(user, registration.design)


@rules.predicate
def may_decide(user: Any, registration: Registration | None) -> bool:
    """Return whether a person chairs the call or administers the platform.

    A person who has a role in the design cannot decide about it.
    """
    if registration is None or not user.is_authenticated or role_of(user, registration.design):
        return False
    if user.is_superuser:
        return True
    return (
        registration.filing is not None and Chair.objects.filter(call=registration.filing.call_id, user=user).exists()
    )


@rules.predicate
def may_object(user: Any, request: ChangeRequest | None) -> bool:
    """Takes part in the challenge, while the request waits."""
    if request is None or not user.is_authenticated or not request.takes_objections:
        return False
    operation = operation_of(request.registration)
    return operation is not None and user.pk in operation.participants


# Rules and not permissions: Django grants every permission to administrators, who must not act for organizers or teams.
rules.add_rule("changes.request", may_request)
rules.add_rule("changes.decide", may_decide)
rules.add_rule("changes.object_to", may_object)
