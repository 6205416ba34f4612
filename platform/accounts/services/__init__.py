"""Acts on accounts."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta

from allauth.account.adapter import get_adapter
from allauth.account.forms import default_token_generator
from allauth.account.internal.flows.password_reset import request_password_reset
from allauth.account.internal.userkit import filter_users_by_email
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.models import AccessToken, User
from core.audit.services import record
from web.addresses import absolute

# What a secret begins with, so that scanners for leaked keys recognise it.
TOKEN_PREFIX = "podium_"  # noqa: S105 (the beginning of every token, no secret)
TOKENS_AT_ONCE = 50
# Writing at every request would be a write for every read.
LAST_USE_RESOLUTION = timedelta(minutes=1)


@transaction.atomic
def update_profile(*, user: User, first_name: str, last_name: str, affiliation: str, orcid: str | None = None) -> User:
    """Store the information that a person enters about themselves.

    The log names the changed fields, not their content.
    """
    new = {"first_name": first_name, "last_name": last_name, "affiliation": affiliation}
    if orcid is not None:
        new["orcid"] = orcid
    changed = [name for name, value in new.items() if getattr(user, name) != value]
    if changed:
        for name in changed:
            setattr(user, name, new[name])
        if "orcid" in changed:
            user.orcid_verified_at = None
        user.save(update_fields=[*changed, "orcid_verified_at"])
        record(actor=user, act="profile_updated", subject=user, facts={"changed": changed})
    return user


@transaction.atomic
def verify_orcid(*, user: User, orcid: str) -> None:
    """Store an ORCID iD that the person has proved by signing in at ORCID."""
    if user.orcid == orcid and user.orcid_verified_at is not None:
        return
    user.orcid, user.orcid_verified_at = orcid, timezone.now()
    user.save(update_fields=["orcid", "orcid_verified_at"])
    record(actor=user, act="orcid_verified", subject=user)


@transaction.atomic
def forget_verification(*, user: User) -> None:
    """Treat the ORCID iD of a person as an entry of the person, after the link to ORCID was removed."""
    if user.orcid_verified_at is not None:
        user.orcid_verified_at = None
        user.save(update_fields=["orcid_verified_at"])
        record(actor=user, act="orcid_verification_removed", subject=user)


@transaction.atomic
def issue_token(*, user: User, name: str, scopes: Sequence[str], days: int) -> tuple[AccessToken, str]:
    """Make an access token; its secret is returned here and never again.

    Raises
    ------
    ValidationError
        For an unknown scope, or too many tokens that are still valid.
    """
    unknown = set(scopes) - set(AccessToken.Scope.values)
    if unknown or not scopes:
        raise ValidationError({"scopes": "Choose at least one of the listed scopes."})
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    now = timezone.now()
    if AccessToken.objects.filter(user=user, revoked_at=None, expires_at__gt=now).count() >= TOKENS_AT_ONCE:
        raise ValidationError(f"You have {TOKENS_AT_ONCE} valid tokens. Revoke one that is no longer used.")
    secret = TOKEN_PREFIX + secrets.token_urlsafe(32)
    token = AccessToken.objects.create(
        user=user,
        name=name,
        digest=_digest(secret),
        hint=secret[: len(TOKEN_PREFIX) + 4],
        scopes=sorted(set(scopes)),
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    record(
        actor=user,
        act="token_issued",
        subject=token,
        facts={"scopes": token.scopes, "expires_at": token.expires_at.isoformat()},
    )
    return token, secret


@transaction.atomic
def revoke_token(*, token: AccessToken, actor: User) -> None:
    """End a token at once; revoking twice changes nothing."""
    if AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record(actor=actor, act="token_revoked", subject=token)


def use_token(secret: str) -> AccessToken | None:
    """Return the valid token with this secret, and note that it was used; none for any other text."""
    if not secret.startswith(TOKEN_PREFIX) or len(secret) > 100:
        return None
    token = AccessToken.objects.select_related("user").filter(digest=_digest(secret)).first()
    if token is None or not token.is_valid or not token.user.is_active:
        return None
    now = timezone.now()
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USE_RESOLUTION)
    if token.last_used_at is None or token.last_used_at < now - LAST_USE_RESOLUTION:
        AccessToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    return token


@transaction.atomic
def revoke_all_tokens(*, user: User) -> int:
    """End all access tokens of a person whose password is new; returns how many were still valid."""
    tokens = AccessToken.objects.select_for_update(no_key=True).filter(
        user=user, revoked_at=None, expires_at__gt=timezone.now()
    )
    count = 0
    for token in tokens:
        revoke_token(token=token, actor=user)
        count += 1
    return count


@transaction.atomic
def write_about_new_password(*, email: str) -> None:
    """Send a password link to the person with this address, or notify the address that there is no account."""
    accounts = filter_users_by_email(email, is_active=True, prefer_verified=True, for_login=True)
    if accounts:
        request_password_reset(None, email, accounts, default_token_generator)
    else:
        addresses = {"signup_url": absolute(reverse("account_signup"))}
        get_adapter().send_mail("account/email/unknown_account", email, addresses)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
