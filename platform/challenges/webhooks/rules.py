"""Permissions on webhooks, declared once and used by pages and API."""

from typing import Any

import rules

from challenges.models import Challenge
from challenges.rules import is_named_organizer
from challenges.webhooks.models import Webhook
from reviews.models import Call, Chair


@rules.predicate
def adds_to_challenge(user: Any, challenge: Challenge | None) -> bool:
    """Organizes the challenge with a role that sees hidden content."""
    return challenge is not None and is_named_organizer(user, challenge)


@rules.predicate
def adds_to_call(user: Any, call: Call | None) -> bool:
    """Chairs the call."""
    return bool(call is not None and user.is_authenticated and Chair.objects.filter(call=call, user=user).exists())


@rules.predicate
def manages(user: Any, webhook: Webhook | None) -> bool:
    """Organizes the challenge or chairs the call that the webhook reports on."""
    if webhook is None:
        return False
    if webhook.challenge is not None:
        return adds_to_challenge(user, webhook.challenge)
    return adds_to_call(user, webhook.call)


# Rules and not permissions: Django grants every permission to administrators, who must not act for organizers.
rules.add_rule("webhooks.add_to_challenge", adds_to_challenge)
rules.add_rule("webhooks.add_to_call", adds_to_call)
rules.add_rule("webhooks.manage", manages)
