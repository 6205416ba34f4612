"""Limits on the number of invitations by e-mail, shared by designs, teams and calls.

An invitation is a message in the name of the installation to an address that a user enters.
Each message counts, even if its invitation was withdrawn, declined or replaced later.
"""

from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.models import User
from accounts.notifications.models import Email

PERIOD = timedelta(days=1)


def check_invitations(*, inviter: User, addresses: Collection[str]) -> None:
    """Refuse invitations beyond the limits for 24 hours.

    Call it within a transaction, which then blocks other invitations of the same person.

    Parameters
    ----------
    addresses
        In lower case, without duplicates.

    Raises
    ------
    ValidationError
        If the person would exceed the limit for senders (`PODIUM_INVITATIONS_PER_DAY`), or if an address has
        already received the maximum from all senders (`PODIUM_INVITATIONS_TO_ADDRESS_PER_DAY`).
    """
    User.objects.select_for_update(no_key=True).get(pk=inviter.pk)
    recent = Email.objects.filter(inviter__isnull=False, created_at__gt=timezone.now() - PERIOD)
    most = settings.PODIUM_INVITATIONS_PER_DAY
    if recent.filter(inviter=inviter).count() + len(addresses) > most:
        raise ValidationError(f"You can send {most} invitations in 24 hours, and withdrawn ones count. Go on tomorrow.")
    most = settings.PODIUM_INVITATIONS_TO_ADDRESS_PER_DAY
    counts = recent.annotate(lower=Lower("to")).filter(lower__in=list(addresses)).values_list("lower")
    for address, count in counts.annotate(count=Count("pk")).order_by("lower"):
        if count >= most:
            raise ValidationError(
                f"{address} has got {most} invitations in 24 hours, and withdrawn ones count. Invite them tomorrow."
            )
