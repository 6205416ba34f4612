"""Permissions on runners, declared once and used by views and templates."""

from typing import Any

import rules

from challenges.models import Challenge
from challenges.rules import is_named_organizer
from executions.runners.models import Runner


@rules.predicate
def operates(user: Any) -> bool:
    """Administers the installation."""
    return bool(user.is_authenticated and user.is_active and user.is_superuser)


@rules.predicate
def manages(user: Any, runner: Runner | None) -> bool:
    """Operates the installation, or organizes the only challenge that the runner serves."""
    if runner is None:
        return False
    return operates(user) or (runner.challenge is not None and is_named_organizer(user, runner.challenge))


@rules.predicate
def adds_to(user: Any, challenge: Challenge | None) -> bool:
    """Adds machines to a challenge: its named organizers, who see its hidden images anyway."""
    return challenge is not None and is_named_organizer(user, challenge)


# Rules and not permissions: a machine of a challenge receives hidden images, so only its named organizers add one.
rules.add_rule("runners.operate", operates)
rules.add_rule("runners.manage", manages)
rules.add_rule("runners.add_to_challenge", adds_to)
