"""Lists of invitations as pages show them (`templates/people/invitations.html`)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from django.contrib.messages import SUCCESS, WARNING

from accounts.people.hooks import InvitationPolicy
from accounts.people.models import Invitation

State = Invitation.State
TONES = {State.OPEN: "info", State.ACCEPTED: "ok", State.DECLINED: "muted", State.WITHDRAWN: "muted"}


@dataclass(frozen=True)
class InvitationRow:
    """Row of a list of invitations.

    Attributes
    ----------
    tone
        Class of the badge.
    withdraw_path
        Path that the withdraw form posts to. Empty for readers without permission, and for invitations that are
        not open.
    fields
        Hidden fields of that form.
    """

    email: str
    role: str
    state: str
    tone: str
    sent_at: datetime
    expires_at: datetime
    is_open: bool
    withdraw_path: str = ""
    fields: Mapping[str, object] = field(default_factory=dict)


def invitation_rows(
    policy: InvitationPolicy,
    invitations: Iterable[Invitation],
    *,
    withdraw_path: Callable[[Invitation], str] | None = None,
    fields: Mapping[str, object] | None = None,
) -> list[InvitationRow]:
    """Convert invitations into rows of the list, without further queries.

    Parameters
    ----------
    withdraw_path
        Returns the path that withdraws an invitation. None if the reader has no permission.
    fields
        Hidden fields for that form, in addition to `invitation`, the id.
    """
    rows = []
    for invitation in invitations:
        may_withdraw = withdraw_path is not None and invitation.state == State.OPEN
        rows.append(
            InvitationRow(
                email=invitation.email,
                role=policy.roles.get(invitation.role, invitation.role),
                state=_state(invitation),
                tone=TONES[State(invitation.state)] if invitation.is_open or invitation.closed_at else "muted",
                sent_at=invitation.created_at,
                expires_at=invitation.expires_at,
                is_open=invitation.is_open,
                withdraw_path=withdraw_path(invitation) if may_withdraw and withdraw_path else "",
                fields={**(fields or {}), "invitation": invitation.pk},
            )
        )
    return rows


def letter_message(invitation: Invitation) -> tuple[int, str]:
    """Return the level and text of the message to the inviter.

    The text states whether a letter is sent.
    """
    if invitation.is_mailed:
        return SUCCESS, f"An invitation is on its way to {invitation.email}."
    return WARNING, f"{invitation.email} does not want invitations from here; nothing was sent."


def _state(invitation: Invitation) -> str:
    if invitation.state == State.OPEN and not invitation.is_open:
        return "expired"
    if invitation.is_open and not invitation.is_mailed:
        return "not sent: this address wants no invitations from here"
    return invitation.get_state_display()
