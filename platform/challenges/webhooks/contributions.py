"""Contributions of this app to the apps above and below it."""

from typing import Any

from rules import test_rule

from accounts.notifications import kinds
from challenges.hooks import register_organizer_page
from challenges.models import Challenge
from challenges.webhooks.services.sending import KIND
from reviews import hooks as reviews_hooks


def register() -> None:
    """Connect the contributions of this app."""
    kinds.register(KIND, "A webhook of your challenge or call was switched off", order=13, role="organizer")
    register_organizer_page("Webhooks", "webhooks:challenge", visible=_adds, order=32)
    reviews_hooks.chair_tabs.register(("Webhooks", "webhooks:call"))


def _adds(user: Any, challenge: Challenge) -> bool:
    return bool(test_rule("webhooks.add_to_challenge", user, challenge))
