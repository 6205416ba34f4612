"""Messages of chairs to many people."""

from typing import TYPE_CHECKING

from django.db import transaction

from accounts.models import User
from accounts.notifications.services import notify
from core.audit.services import record
from reviews import queries
from reviews.models import Call, State

if TYPE_CHECKING:
    from collections.abc import Iterable


def receivers(call: Call, audience: str) -> list[User]:
    """Return the reviewers or organizers of a call who receive a message.

    People with a closed account are excluded.
    """
    people: Iterable[User]
    match audience:
        case "reviewers":
            people = [one.user for one in call.reviewers.filter(left_at=None).select_related("user")]
        case "late":
            people = [one.user for one in queries.loads_of(call) if one.waiting]
        case _:
            filings = call.filings.filter(state__in=[State.ACCEPTED, State.REGISTERED])
            if audience == "organizers":
                filings = call.filings.exclude(state=State.WITHDRAWN)
            people = User.objects.filter(design_roles__design__filings__in=filings).distinct()
    return [person for person in people if person.is_active]


@transaction.atomic
def write_to(*, actor: User, call: Call, audience: str, subject: str, text: str) -> int:
    """Write to reviewers or organizers of a call, each by themselves; returns to how many."""
    recipients = notify(
        people=receivers(call, audience),
        kind="call_message",
        subject=subject,
        text=text,
        address=call.get_absolute_url(),
        scope=call.slug,
    )
    record(
        actor=actor,
        act="call_message_sent",
        subject=call,
        scope=call.slug,
        facts={"audience": audience, "people": len(recipients), "subject": subject},
    )
    return len(recipients)
