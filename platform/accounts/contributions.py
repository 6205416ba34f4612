"""Receivers for changes elsewhere: in allauth's pages, the administration, or a command."""

from typing import Any

from allauth.account.signals import user_logged_in
from allauth.mfa.signals import authenticator_added
from allauth.socialaccount.signals import social_account_added, social_account_removed
from django.dispatch import receiver
from django.http import HttpRequest

from accounts.models import User, password_replaced
from accounts.providers import configured, orcid_of, proves_second_factor
from accounts.second_factor import note_second_factor
from accounts.services import forget_verification, revoke_all_tokens, verify_orcid


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


@receiver(user_logged_in)
def note_statements_of_provider(request: HttpRequest, user: User, sociallogin: Any = None, **_: Any) -> None:
    """Note what the ID token of this sign-in proves: a second factor, an ORCID iD."""
    if sociallogin is None:
        return
    account = sociallogin.account
    if proves_second_factor(configured(account.provider), account.extra_data.get("id_token") or {}):
        note_second_factor(request, user)
    if orcid := orcid_of(account):
        verify_orcid(user=user, orcid=orcid)


@receiver(social_account_added)
def note_linked_orcid(sociallogin: Any, **_: Any) -> None:
    """Note the ORCID iD of an account at ORCID that a person linked."""
    if orcid := orcid_of(sociallogin.account):
        verify_orcid(user=sociallogin.user, orcid=orcid)


@receiver(social_account_removed)
def forget_linked_orcid(socialaccount: Any, **_: Any) -> None:
    """Forget that an ORCID iD was verified when the link to ORCID is removed."""
    if orcid_of(socialaccount):
        forget_verification(user=socialaccount.user)
