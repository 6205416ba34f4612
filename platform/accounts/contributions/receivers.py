"""What follows from changes that happen elsewhere: in allauth's pages, the administration, a command."""

from typing import Any

from allauth.mfa.signals import authenticator_added
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.models import User, password_replaced
from accounts.second_factor import note_second_factor
from accounts.services import revoke_all_tokens


@receiver(password_replaced)
def end_access_tokens(user: User, **_: Any) -> None:
    """Whoever needed a new password may not be the only one who knew the old one, and tokens were made with that."""
    revoke_all_tokens(user=user)


@receiver(authenticator_added)
def trust_session_that_set_it_up(request: HttpRequest, user: User, **_: Any) -> None:
    """Whoever has just set up the second factor need not give it at once again; other sessions of theirs do."""
    note_second_factor(request, user)
