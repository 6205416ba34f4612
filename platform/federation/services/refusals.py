"""Refused messages: those of registered keys are kept, all others are only counted.

Anyone can send an unsigned message, so it leaves no row: the count is in the cache and expires. The one exception is a
warning to the organizers, at most once per day and federation.
"""

import hashlib
from typing import Final

from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from accounts.notifications.domain import letters_of_records
from accounts.notifications.services import notify
from challenges.queries import label_of
from challenges.queries.people import organizers_of
from core.audit.services import record
from evaluation.federation import Refusal
from federation.models import Federation, Refused
from federation.queries.refusals import key_of

FORGED_BEFORE_WARNING: Final = 3
_SECONDS: Final = 24 * 3600


def keep_refusal(data: bytes, federation: Federation, refusal: Refusal) -> None:
    """Keep the refusal of a message that a registered key signed, once per message."""
    digest = hashlib.sha256(data).hexdigest()
    with transaction.atomic():
        # The site alone learns which numbers are implausible.
        sentence = "" if refusal.code == "implausible" else str(refusal)[:500]
        _, is_new = Refused.objects.get_or_create(
            federation=federation, code=refusal.code, sha256=digest, defaults={"sentence": sentence}
        )
        if not is_new:
            return
        scope = federation.phase.challenge.slug
        facts = {"federation": federation.identifier, "code": refusal.code, "sha256": digest}
        record(actor=None, act="site_message_refused", subject=federation, scope=scope, facts=facts)
        if refusal.code == "fork":
            _warn(federation, key=f"{federation.pk}-{digest}")


def count_unsigned(federation: Federation, refusal: Refusal) -> None:
    """Count a message that no registered key signed, and warn the organizers of repeated forgeries."""
    key = key_of(federation)
    _increment(key)
    if refusal.code == "bad_signature" and _increment(f"{key}-forged") == FORGED_BEFORE_WARNING:
        _warn(federation, key=f"{federation.pk}-{timezone.now():%Y-%m-%d}")


def _increment(key: str) -> int:
    cache.add(key, 0, timeout=_SECONDS)
    try:
        return int(cache.incr(key))
    except ValueError:  # expired since the line above
        return 0


def _warn(federation: Federation, *, key: str) -> None:
    challenge = federation.phase.challenge
    letter = letters_of_records.SITE_REFUSED.letter(
        letters_of_records.OfSite(challenge.title, label_of(federation.phase), "")
    )
    notify(
        people=organizers_of(challenge),
        kind="site_message_refused",
        subject=letter.subject,
        text=letter.text,
        address=f"/challenges/{challenge.slug}/organize/sites/",
        scope=challenge.slug,
        key=key,
    )
