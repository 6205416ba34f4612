"""Acts of organizers on the access to a closed challenge, and the entry of people by a link."""

import secrets
from datetime import timedelta
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from accounts.people.queries import digest_of
from challenges.models import AccessLink, AccessRule, Admission, Challenge, Projection
from challenges.queries.access import find_link
from challenges.services.launching import refuse_embargo
from core.audit.services import record

MOST_LINKS: Final = 50
MOST_RULES: Final = 50


@transaction.atomic
def close_to_public(*, actor: User, challenge: Challenge) -> Challenge:
    """Let only members and invited people see a challenge, once its submissions are open.

    Raises
    ------
    ValidationError
        If the challenge is public already: other people have read it.
    """
    row = Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    if row.is_closed:
        return row
    if row.is_public:
        raise ValidationError("This challenge is public. Other people have read it, so it cannot be closed any more.")
    if not Projection.objects.filter(challenge=row).exists():
        raise ValidationError("Only a challenge that was launched from a registration can be closed.")
    row.is_closed = True
    row.save(update_fields=["is_closed"])
    record(actor=actor, act="challenge_closed_to_public", subject=row, scope=row.slug, facts={})
    return row


@transaction.atomic
def open_to_public(*, actor: User, challenge: Challenge) -> Challenge:
    """Let everyone see a closed challenge. This cannot be undone after submissions have opened.

    Raises
    ------
    ValidationError
        As long as the registration of the challenge is under embargo.
    """
    row = Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    if not row.is_closed:
        return row
    projection = Projection.objects.select_related("registration").get(challenge=row)
    refuse_embargo(projection.registration)
    row.is_closed, row.is_public = False, projection.opened_at is not None
    row.save(update_fields=["is_closed", "is_public"])
    record(actor=actor, act="challenge_opened_to_public", subject=row, scope=row.slug, facts={})
    return row


@transaction.atomic
def create_link(*, actor: User, challenge: Challenge, label: str, days: int) -> tuple[AccessLink, str]:
    """Create a link that admits everyone who has it, and return it with its token, which is not stored.

    Raises
    ------
    ValidationError
        If the challenge is not closed, or has too many links.
    """
    _refuse_unless_closed(challenge)
    now = timezone.now()
    if challenge.access_links.filter(withdrawn_at=None, expires_at__gt=now).count() >= MOST_LINKS:
        raise ValidationError(f"A challenge has at most {MOST_LINKS} links. Withdraw one first.")
    token = secrets.token_urlsafe(32)
    link = AccessLink.objects.create(
        challenge=challenge,
        label=label.strip(),
        token_digest=digest_of(token),
        created_by=actor,
        expires_at=now + timedelta(days=days),
    )
    record(
        actor=actor,
        act="access_link_created",
        subject=link,
        scope=challenge.slug,
        facts={"label": link.label, "expires_at": link.expires_at.isoformat()},
    )
    return link, token


@transaction.atomic
def withdraw_link(*, actor: User, link: AccessLink) -> None:
    """Withdraw a link, and end the access of people who entered by it and are in no team."""
    row = AccessLink.objects.select_for_update(no_key=True, of=("self",)).select_related("challenge").get(pk=link.pk)
    if row.withdrawn_at is not None:
        return
    row.withdrawn_at = timezone.now()
    row.save(update_fields=["withdrawn_at"])
    people = row.admissions.count()
    row.admissions.all().delete()
    record(actor=actor, act="access_link_withdrawn", subject=row, scope=row.challenge.slug, facts={"people": people})


@transaction.atomic
def add_rule(*, actor: User, challenge: Challenge, kind: str, value: str) -> AccessRule:
    """Admit everyone with a verified e-mail address at a domain, or from an institution.

    Raises
    ------
    ValidationError
        If the challenge is not closed, or has too many rules.
    """
    _refuse_unless_closed(challenge)
    if challenge.access_rules.count() >= MOST_RULES:
        raise ValidationError(f"A challenge has at most {MOST_RULES} domains and institutions.")
    rule, is_new = AccessRule.objects.get_or_create(
        challenge=challenge, kind=kind, value=value, defaults={"created_by": actor}
    )
    if is_new:
        facts = {"kind": kind, "value": value}
        record(actor=actor, act="access_rule_added", subject=rule, scope=challenge.slug, facts=facts)
    return rule


@transaction.atomic
def remove_rule(*, actor: User, rule: AccessRule) -> None:
    """End the access of people whom a domain or institution admits and who are in no team."""
    facts = {"kind": rule.kind, "value": rule.value}
    record(actor=actor, act="access_rule_removed", subject=rule, scope=rule.challenge.slug, facts=facts)
    rule.delete()


@transaction.atomic
def enter(*, user: User, slug: str, token: str) -> Challenge | None:
    """Admit a person by a link; `None` if the link is not valid, whatever the reason."""
    link = find_link(slug, token)
    if link is None:
        return None
    _, is_new = Admission.objects.get_or_create(challenge=link.challenge, user=user, defaults={"link": link})
    if is_new:
        record(actor=user, act="access_link_used", subject=link, scope=slug, facts={"label": link.label})
    return link.challenge


def _refuse_unless_closed(challenge: Challenge) -> None:
    if not challenge.is_closed:
        raise ValidationError("Only closed challenges invite people. Everyone sees this one, or no one yet.")
