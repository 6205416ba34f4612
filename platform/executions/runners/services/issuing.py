"""Tokens of runners: issued once, stored as a digest, revoked at any time."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge
from core.audit.services import record
from executions.models import RunHost
from executions.runners.models import Runner

PREFIX = "podium_runner_"
AT_ONCE = 200
"""Largest number of valid tokens of a challenge, and of the installation."""
MOST_DAYS = 730
SEEN_RESOLUTION = timedelta(seconds=5)


@transaction.atomic
def issue(
    *,
    actor: User,
    name: str,
    challenge: Challenge | None,
    days: int,
    concurrency: int = 1,
    hardware_class: str = "",
    labels: Sequence[str] = (),
) -> tuple[Runner, str]:
    """Create a runner; its token is returned here and never again.

    Raises
    ------
    ValidationError
        For a name that a valid runner has, an expiry that is too far away, and too many runners.
    """
    if not 1 <= days <= MOST_DAYS:
        raise ValidationError({"days": f"Enter a number of days from 1 to {MOST_DAYS}."})
    now = timezone.now()
    valid = Runner.objects.filter(challenge=challenge, revoked_at=None, expires_at__gt=now)
    if valid.filter(name=name).exists():
        raise ValidationError({"name": f"A valid runner is called {name}. Revoke it, or choose another name."})
    if valid.count() >= AT_ONCE:
        raise ValidationError(f"There are {AT_ONCE} valid runners. Revoke runners that are no longer used.")
    secret = PREFIX + secrets.token_urlsafe(32)
    runner = Runner.objects.create(
        name=name,
        challenge=challenge,
        hardware_class=hardware_class,
        labels=list(labels),
        concurrency=concurrency,
        digest=_digest(secret),
        hint=secret[len(PREFIX) : len(PREFIX) + 4],
        created_by=actor,
        created_at=now,
        expires_at=now + timedelta(days=days),
    )
    record(
        actor=actor,
        act="runner_issued",
        subject=runner,
        scope=challenge.slug if challenge else "",
        facts={
            "name": name,
            "scope": challenge.slug if challenge else "installation",
            "expires_at": runner.expires_at.isoformat(),
            "concurrency": concurrency,
            "hardware_class": hardware_class,
        },
    )
    return runner, secret


@transaction.atomic
def revoke(*, runner: Runner, actor: User) -> None:
    """End a token at once; its runs are given to other machines. Revoking twice changes nothing."""
    if not Runner.objects.filter(pk=runner.pk, revoked_at=None).update(revoked_at=timezone.now()):
        return
    RunHost.objects.filter(name=runner.host).delete()
    record(
        actor=actor,
        act="runner_revoked",
        subject=runner,
        scope=runner.challenge.slug if runner.challenge else "",
        facts={"name": runner.name},
    )


@transaction.atomic
def accept_hardware(*, runner: Runner, actor: User) -> None:
    """Accept changed hardware: what the runner reports next is stored."""
    Runner.objects.filter(pk=runner.pk).update(hardware={}, problem="", paused_until=None)
    record(
        actor=actor,
        act="runner_hardware_accepted",
        subject=runner,
        scope=runner.challenge.slug if runner.challenge else "",
        facts={"name": runner.name},
    )


def use(secret: str) -> Runner | None:
    """Return the runner with this token, and note the contact; None for any other text."""
    if not secret.startswith(PREFIX) or len(secret) > 100:
        return None
    runner = Runner.objects.select_related("challenge").filter(digest=_digest(secret)).first()
    if runner is None or not runner.is_valid:
        return None
    now = timezone.now()
    if runner.seen_at is None or runner.seen_at < now - SEEN_RESOLUTION:
        stale = Q(seen_at=None) | Q(seen_at__lt=now - SEEN_RESOLUTION)
        Runner.objects.filter(stale, pk=runner.pk).update(seen_at=now)
        RunHost.objects.filter(name=runner.host).update(seen_at=now)
    return runner


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
