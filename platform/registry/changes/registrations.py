"""What changes and drift checks contribute to the pages of a registration and to messages."""

from typing import Any

import rules as predicates

from notifications import kinds
from registry import hooks
from registry.changes import rules, services  # noqa: F401 (rules are registered on import)
from registry.models import Registration


def register() -> None:
    """Add the tabs and the kinds of messages."""
    hooks.register_tab("Changes", "registry:changes", order=15)
    hooks.register_tab("Drift", "registry:drift", order=40, visible=_reads_drift)
    kinds.register(services.ASKED, "A change of a registered design is requested", order=40)
    kinds.register(services.DECIDED, "A change of a registered design is decided", order=41)
    kinds.register(services.OBJECTED, "Somebody objects to a change of a registered design", order=42)


def _reads_drift(user: Any, registration: Registration) -> bool:
    may: bool = predicates.test_rule("registry.read_drift", user, registration)
    return may
