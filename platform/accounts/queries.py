"""Reads worth naming."""

from datetime import timedelta
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import User
from accounts.providers import institutions_of

MEMBERSHIP_DAYS: Final = 365
"""Days for which a sign-in through an institution proves that a person belongs to it."""


def addresses_of(user: User) -> set[str]:
    """All e-mail addresses of an account, in lower case: its main address and its additional ones."""
    addresses = {address.lower() for address in EmailAddress.objects.filter(user=user).values_list("email", flat=True)}
    return addresses | {user.email.lower()} - {""}


def proven_domains(user: Any) -> set[str]:
    """Return the domains of the verified e-mail addresses of an account, in lower case."""
    addresses = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    return {address.rpartition("@")[2].lower() for address in addresses}


def proven_institutions(user: Any) -> set[str]:
    """Return the institutions that identity providers have stated for a person, in lower case.

    Only claims count that the operator named for the provider. The last sign-in through the provider must be at most
    a year ago, because a provider does not report that a person has left.
    """
    recent = timezone.now() - timedelta(days=MEMBERSHIP_DAYS)
    accounts = SocialAccount.objects.filter(user=user, last_login__gte=recent)
    return {institution for account in accounts for institution in institutions_of(account)}


def account_named(login: str) -> User | None:
    """Account that a user name or e-mail address identifies at sign-in, regardless of case.

    The function makes one query for any result, because the response time must not reveal whether an account
    exists. A text with an ``@`` identifies the account with that verified address first. The account with that
    address as its main address comes second, and an account with such a user name last. A user name therefore
    cannot take over another person's address.

    Parameters
    ----------
    login
        Text that was entered.

    Returns
    -------
    User or None
        None also if the text identifies several accounts equally well.
    """
    wanted = login.lower()
    # allauth stores addresses in small letters.
    verified = EmailAddress.objects.filter(user=OuterRef("pk"), email=wanted, verified=True)
    accounts = (
        User.objects.annotate(is_verified=Exists(verified))
        .filter(Q(username__iexact=login) | Q(email__iexact=login) | Q(is_verified=True))
        .order_by("pk")[:10]
    )
    # What a database takes for the same letters is more than what people do: compared once more.
    by_verified = [account for account in accounts if account.is_verified]
    by_address = [account for account in accounts if account.email.lower() == wanted]
    by_name = [account for account in accounts if account.username.lower() == wanted]
    for candidates in (by_verified, by_address, by_name):
        if candidates and wanted:
            return candidates[0] if len(candidates) == 1 else None
    return None
