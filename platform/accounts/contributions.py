"""Receivers for changes elsewhere: in allauth's pages, the administration, or a command."""

from typing import Any

from allauth.mfa.signals import authenticator_added
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.models import User, password_replaced
from accounts.second_factor import note_second_factor
from accounts.services import revoke_all_tokens


@receiver(password_replaced)
def end_access_tokens(user: User, **_: Any) -> None:
    """Revoke all access tokens of a person whose password was replaced.

    Another person may have known the old password and created tokens with it.
    """
    revoke_all_tokens(user=user)


@receiver(authenticator_added)
def trust_session_that_set_it_up(request: HttpRequest, user: User, **_: Any) -> None:
    """Trust the session in which the second factor was just set up.

    The person need not enter the factor again at once in this session; in their other sessions, they must.
    """
    note_second_factor(request, user)
