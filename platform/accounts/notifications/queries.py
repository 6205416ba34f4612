"""Reads worth naming."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.notifications import kinds
from accounts.notifications.hooks import HeldRole, places, roles
from accounts.notifications.models import ACCOUNT, Email, How, Mute, Notification, Preference
from core.work.kinds import Kind, doubling

# Digests leave once a day at this hour (UTC): the morning in Europe, before work in the Americas.
DIGEST_HOUR = 6
# What the badge of the bell counts up to.
UNREAD_SHOWN = 99
MAIL = Kind(
    name="mail",
    doing="sending mail",
    model=Email,
    is_open=Q(state__in=(Email.State.WAITING, Email.State.SENDING)),
    begins={"state": Email.State.SENDING},
    task="notifications.tasks.deliver",
    is_collective=True,
    # A sender that is silent for longer has lost its message to another; far beyond the time-outs of one SMTP dialogue.
    lease=timedelta(minutes=10),
    # Given up after about two days.
    attempts=20,
    errors=20,
    pause=doubling(timedelta(seconds=30), timedelta(hours=4)),
    since="due_at",
    order=("due_at",),
)


def inbox(user: Any) -> QuerySet[Notification]:
    """Return all notifications of a person, newest first."""
    return Notification.objects.filter(user=user)


def place_names(user: Any, rows: Iterable[Notification]) -> dict[UUID, str]:
    """Names of the challenges, calls, designs and registrations that messages belong to, by the key of the message.

    A message has no entry if it belongs to none, or if the person does not see it now. One query for each kind of place.
    """
    rows = list(rows)
    name_by_row: dict[UUID, str] = {}
    for kind in places:
        scope_by_row = {row.pk: row.scope for row in rows if row.scope and row.address.startswith(kind.path)}
        names = kind.names(user, set(scope_by_row.values())) if scope_by_row else {}
        name_by_row |= {key: names[scope] for key, scope in scope_by_row.items() if scope in names}
    return name_by_row


def newest_mails(number: int, *, with_letters: bool = False) -> list[Email]:
    """The newest mails of an example installation, without the address that ends such mails.

    Parameters
    ----------
    with_letters
        Whether letters about accounts, invitations and mails to real addresses are included. They open an
        account or a role, so only the person at the machine itself may read them.
    """
    rows = Email.objects.all()
    if not with_letters:
        rows = rows.filter(user__isnull=False, to__endswith="@example.org").exclude(kind=ACCOUNT)
    mails = list(rows.select_related("user").order_by("-created_at")[:number])
    for row in mails:
        row.text = row.text.replace(row.unsubscribe, "…") if row.unsubscribe else row.text
    return mails


def unread_count(user: Any) -> int:
    """Return how many messages are unread; stops counting beyond what is shown."""
    return Notification.objects.filter(user=user, read_at=None).order_by()[: UNREAD_SHOWN + 1].count()


def choices_of(people: Iterable[Any], kind: str) -> dict[int, str]:
    """Return the mailing option of each of `people` for `kind`, by primary key, in one query."""
    people = list(people)
    chosen = dict(Preference.objects.filter(kind=kind, user__in=people).values_list("user_id", "how"))
    default = kinds.get(kind).default
    return {person.pk: chosen.get(person.pk, default) for person in people}


GENERAL = HeldRole("everyone", "General", is_held=bool)


def held_roles(user: Any) -> list[HeldRole]:
    """Return the roles of a person, beginning with the one that everyone has."""
    return [GENERAL, *(role for role in roles if role.is_held(user))]


def preferences_of(user: Any) -> list[tuple[kinds.Kind, str]]:
    """Return the kinds of the person's roles with how each is mailed."""
    chosen = dict(Preference.objects.filter(user=user).values_list("kind", "how"))
    held = {role.role for role in held_roles(user)}
    return [(kind, chosen.get(kind.name, kind.default)) for kind in kinds.KINDS.all() if kind.role in held]


@dataclass(frozen=True)
class MutablePlace:
    """A challenge whose e-mails a person can mute."""

    path: str
    scope: str
    name: str
    is_muted: bool


def mutable_places(user: Any) -> list[MutablePlace]:
    """Return the challenges in which a person has a role, by name, and whether each is muted."""
    muted = set(Mute.objects.filter(user=user).values_list("path", "scope"))
    return [
        MutablePlace(kind.path, scope, name, (kind.path, scope) in muted)
        for kind in places
        if kind.joined is not None
        for scope, name in kind.joined(user).order_by(kind.name).values_list(kind.identifier, kind.name).distinct()
    ]


def is_paused(user: Any) -> bool:
    """Return whether a person paused all e-mails."""
    return Mute.objects.filter(user=user, path="", scope="").exists()


def mutes_of(people: Iterable[Any]) -> dict[int, list[tuple[str, str]]]:
    """Return what each of `people` muted, by primary key, in one query."""
    mutes: dict[int, list[tuple[str, str]]] = {}
    for user, path, scope in Mute.objects.filter(user__in=list(people)).values_list("user", "path", "scope"):
        mutes.setdefault(user, []).append((path, scope))
    return mutes


def digest_cutoff(now: datetime | None = None) -> datetime:
    """Return the last moment at which digests were due.

    >>> from datetime import UTC
    >>> digest_cutoff(datetime(2026, 3, 2, 7, 30, tzinfo=UTC)).isoformat()
    '2026-03-02T06:00:00+00:00'
    >>> digest_cutoff(datetime(2026, 3, 2, 5, 59, tzinfo=UTC)).isoformat()
    '2026-03-01T06:00:00+00:00'
    """
    now = now or timezone.now()
    at = datetime.combine(now.date(), time(DIGEST_HOUR), tzinfo=now.tzinfo)
    return at if at <= now else at - timedelta(days=1)


def awaiting_digest(now: datetime | None = None) -> QuerySet[Notification, int]:
    """People who have messages for a digest that is due."""
    return (
        Notification.objects.filter(how=How.DAILY, email=None, created_at__lt=digest_cutoff(now))
        .order_by()
        .values_list("user_id", flat=True)
        .distinct()
    )
