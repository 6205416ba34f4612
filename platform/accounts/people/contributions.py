"""Data of invitations that is deleted when an account is closed or an invitation is old."""

from datetime import datetime

from django.db.models import Q

from accounts import hooks
from accounts.models import User
from accounts.people.models import Invitation
from accounts.queries import addresses_of

FORGOTTEN = "closed-account@invalid"


"""Text that replaces the address of a closed account."""


def register() -> None:
    """Have invitations forgotten."""
    hooks.leavings.register(leave)
    hooks.forgettings.register(forget)


def leave(user: User) -> None:
    """Empty the addresses at which a person was invited; open invitations to them go."""
    theirs = Q(pk__in=[])
    for address in addresses_of(user):
        theirs |= Q(email__iexact=address)
    Invitation.objects.filter(theirs, state=Invitation.State.OPEN).delete()
    # What a person accepted or declined went to them, also at an address that the account does not have.
    answered = Q(closed_by=user, state__in=(Invitation.State.ACCEPTED, Invitation.State.DECLINED))
    Invitation.objects.filter(theirs | answered).update(email=FORGOTTEN)


def forget(before: datetime) -> int:
    """Delete invitations that ended, by an answer or by their date, before a moment."""
    ended = Q(closed_at__lt=before) | Q(state=Invitation.State.OPEN, expires_at__lt=before)
    return Invitation.objects.filter(ended).delete()[0]
