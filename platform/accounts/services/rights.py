"""Rights of people about their stored data: a copy, and erasure (Articles 15, 17 and 20 of the GDPR).

The row of a closed account remains, empty: submissions, reviews and entries of the audit chain refer to it. The
chain contains numbers of people and never their names. It remains unchanged when the name is deleted.
"""

import secrets
from datetime import date, datetime, timedelta
from typing import Any, Final

import structlog
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.db import models, transaction
from django.utils import timezone

from accounts import hooks
from accounts.domain.sealing import sealed_data
from accounts.models import CLOSED, AccessToken, User
from core.audit.models import Entry
from core.audit.services import record

log = structlog.get_logger(__name__)

UNCONFIRMED_DAYS: Final = 30
"""Time to confirm an e-mail address after sign-up."""
_NOT_COPIED = ("password", "digest", "token_digest", "lease_token")


def copy_of(user: User) -> dict[str, Any]:
    """Return everything that is stored about a person, as JSON values.

    The account with all its fields but the digests of secrets; texts that the person wrote; and for every other row that
    refers to the person, what it is, as what it refers to them, and its moments. Contents of such rows can be others'.
    """
    return {
        "made_at": timezone.now().isoformat(),
        "account": _fields(user),
        "addresses": [_fields(row) for row in EmailAddress.objects.filter(user=user)],
        "second_factors": [
            {"type": row.type, "created_at": _plain(row.created_at), "last_used_at": _plain(row.last_used_at)}
            for row in Authenticator.objects.filter(user=user)
        ],
        "linked_accounts": [_fields(row) for row in SocialAccount.objects.filter(user=user)],
        "access_tokens": [_fields(row) for row in AccessToken.objects.filter(user=user)],
        "texts": [
            {"what": text.what, "written_at": _plain(text.written_at), "text": text.text}
            for texts_of in hooks.own_texts
            for text in texts_of(user)
        ],
        "acts": [
            {"time": _plain(entry.time), "act": entry.act, "subject": entry.subject_type, "scope": entry.scope}
            for entry in Entry.objects.filter(actor_id=user.pk).order_by("sequence")
        ],
        "rows": _rows(user),
    }


def _rows(user: User) -> list[dict[str, Any]]:
    """Every row of any app that has a reference to the person."""
    listed_models = (EmailAddress, Authenticator, SocialAccount, AccessToken, Entry)
    described_rows = []
    for relation in _parts(User).get_fields(include_hidden=True):
        if not isinstance(relation, models.ManyToOneRel) or relation.related_model in listed_models:
            continue
        model, field = relation.related_model, relation.field
        moments = [
            concrete_field.name
            for concrete_field in _parts(model).concrete_fields
            if isinstance(concrete_field, models.DateTimeField)
        ]
        # The base manager has rows that the usual one leaves out, such as those of people who left a team.
        rows = model._base_manager.filter(**{field.name: user}).order_by("pk")  # noqa: SLF001
        for pk, *values in rows.values_list("pk", *moments):
            dated = {name: _plain(value) for name, value in zip(moments, values, strict=True) if value is not None}
            described_rows.append(
                {"what": str(_parts(model).verbose_name), "number": str(pk), "as": field.name, **dated}
            )
    return described_rows


def _fields(row: models.Model) -> dict[str, Any]:
    names = [
        concrete_field.attname
        for concrete_field in _parts(row.__class__).concrete_fields
        if concrete_field.name not in _NOT_COPIED
    ]
    return {name: _plain(getattr(row, name)) for name in names}


def _parts(model: type[models.Model]) -> Any:
    return model._meta  # noqa: SLF001 (Django's public way to ask a model)


def _plain(value: Any) -> Any:
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    return value if isinstance(value, (str, int, float, bool, list, dict, type(None))) else str(value)


def obstacles(user: User) -> list[str]:
    """Return why the account cannot be closed yet, a sentence for each reason; nothing when it can."""
    reasons = []
    if user.is_superuser and not User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk).exists():
        reasons.append("You are the only administrator. Make another person an administrator first.")
    return reasons + [reason for obstacles_of in hooks.obstacles for reason in obstacles_of(user)]


@transaction.atomic
def close_account(*, user: User) -> None:
    """Empty an account permanently: name, addresses, affiliation, tokens, second factors and sessions.

    Submissions remain with their team, and written text remains in its location, both without a name.

    Raises
    ------
    ValidationError
        With the obstacles, if others depend on the account.
    """
    locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if reasons := obstacles(locked):
        raise ValidationError(reasons)
    record(actor=locked, act="account_closed", subject=locked)
    for leave in hooks.leavings:
        leave(locked)
    EmailAddress.objects.filter(user=locked).delete()
    Authenticator.objects.filter(user=locked).delete()
    SocialAccount.objects.filter(user=locked).delete()
    AccessToken.objects.filter(user=locked).delete()
    locked.groups.clear()
    locked.username = f"{CLOSED}{secrets.token_hex(8)}"
    locked.first_name = locked.last_name = locked.email = locked.affiliation = locked.orcid = ""
    locked.orcid_verified_at = None
    locked.is_active = locked.is_staff = locked.is_superuser = False
    locked.last_login = None
    locked.set_unusable_password()
    locked.save()
    _end_sessions(locked)


def _end_sessions(user: User) -> None:
    for session in Session.objects.filter(expire_date__gt=timezone.now()).iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()


@transaction.atomic
def delete_unconfirmed_accounts() -> int:
    """Delete accounts whose owner confirmed no e-mail address in time and never signed in; returns how many.

    Anyone can sign up with any address, so such a row must not stay.
    """
    before = timezone.now() - timedelta(days=UNCONFIRMED_DAYS)
    confirmed = EmailAddress.objects.filter(user=models.OuterRef("pk"), verified=True)
    unconfirmed = EmailAddress.objects.filter(user=models.OuterRef("pk"), verified=False)
    rows = User.objects.filter(
        ~models.Exists(confirmed),
        models.Exists(unconfirmed),
        date_joined__lt=before,
        last_login=None,
        is_staff=False,
        is_superuser=False,
    )
    deleted = 0
    for user in rows.select_for_update(no_key=True):
        try:
            with transaction.atomic():
                user.delete()
        except models.ProtectedError:  # someone refers to it, so it is more than a sign-up
            continue
        deleted += 1
    return deleted


@transaction.atomic
def renew_second_factors() -> int:
    """Encrypt with the present key what an earlier key encrypted, so that the earlier one can be removed; returns how many."""
    if not settings.SECRET_KEY_FALLBACKS:
        return 0
    renewed = 0
    for row in Authenticator.objects.select_for_update(no_key=True):
        try:
            data = sealed_data(row.data)
        except ValidationError:  # encrypted with a key that is lost
            log.exception("second_factor_unreadable", authenticator=row.pk)
            continue
        if data != row.data:
            row.data = data
            row.save(update_fields=["data"])
            renewed += 1
    return renewed


def forget_what_is_old() -> int:
    """Delete what the installation keeps for a time only; returns how many rows went. Called every day."""
    call_command("clearsessions")
    renew_second_factors()
    deleted = delete_unconfirmed_accounts()
    before = timezone.now() - timedelta(days=settings.PODIUM_RETENTION_DAYS)
    return deleted + sum(forget(before) for forget in hooks.forgettings)
