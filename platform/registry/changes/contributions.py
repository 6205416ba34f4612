"""Contributions of change requests to a registration.

They are a tab, the history of its parameters, a ledger, and kinds of messages.
"""

from collections.abc import Iterator

from django.http import HttpRequest
from django.template.loader import render_to_string

from accounts.notifications import kinds
from registry import hooks
from registry.changes import services
from registry.changes.models import ChangeDecision
from registry.changes.queries.digests import decision_digest
from registry.changes.queries.histories import histories
from registry.changes.queries.waiting import for_chairs
from registry.hooks import Ledger, Row
from registry.models import Registration
from reviews.hooks import for_chairs as for_chairs_hook


def register() -> None:
    """Answer the hooks of the registry; add the kinds of messages."""
    hooks.register_tab("Changes", "changes:list", order=15)
    hooks.sections.register(history)
    hooks.ledgers.register(DECISIONS)
    for_chairs_hook.register(for_chairs)
    kinds.register(services.ASKED, "A change of a registered design is requested", order=40)
    kinds.register(services.DECIDED, "A change of a registered design is decided", order=41)
    kinds.register(services.OBJECTED, "A participant objects to a change of a registered design", order=42)


def history(request: HttpRequest, registration: Registration) -> str:
    """Return the changes since version 1.0; empty if there are none."""
    parameter_histories = histories(registration)
    context = {"histories": parameter_histories, "registration": registration}
    return render_to_string("changes/record_section.html", context, request) if parameter_histories else ""


def _decisions() -> Iterator[Row]:
    decisions = ChangeDecision.objects.select_related("change__request__registration").order_by("pk")
    for decision in decisions.iterator():
        change = decision.change
        digest = decision_digest(change, decision.outcome, decision.reason)
        yield Row(f"{change.request_id}/{change.place}", f"{change.request}, {change.place}", digest, digest)


DECISIONS = Ledger(
    kind="decisions about changes",
    model="changes.changerequest",
    act="change_decided",
    fact="digest",
    rows=_decisions,
    part="parameter",
)
