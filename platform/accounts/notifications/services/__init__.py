"""Acts that notify people on the site and by e-mail."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.validators import validate_email
from django.db import transaction
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.models import User
from accounts.notifications import kinds
from accounts.notifications.domain.acts import MESSAGE
from accounts.notifications.models import ACCOUNT, Email, How, Mute, Notification, Preference, Unsubscribed
from accounts.notifications.queries import MAIL, choices_of, digest_cutoff, mutes_of
from accounts.notifications.services.composing import DIGEST_EXCERPT, framed, one_line, plain, unsubscribe_address
from accounts.notifications.services.inviting import check_invitations
from core.audit.services import record
from core.work.queries import shared_now
from core.work.services import enqueue
from web.addresses import absolute

DIGEST = "digest"


@dataclass(frozen=True)
class Message:
    """A message and its recipients.

    Attributes
    ----------
    people
        Users. Duplicates are notified once. People with a closed account are not notified.
    subject
        A single line. Line ends become spaces.
    text
        Plain text. It must not contain anything that its reader cannot see on the page at `address`.
    address
        Path on this site with further information.
    scope
        Slug of the challenge or call that the message belongs to.
    key
        Identifies the event if the same act can run twice. A person is notified once per kind and key.
    """

    people: Iterable[Any]
    subject: str
    text: str
    address: str = ""
    scope: str = ""
    key: str = ""


def notify(
    *, people: Iterable[Any], kind: str, subject: str, text: str, address: str = "", scope: str = "", key: str = ""
) -> list[Notification]:
    """Notify people immediately on the site, and by e-mail according to their preferences.

    See `Message` for the other arguments.

    Parameters
    ----------
    kind
        A kind that an app registered (`accounts.notifications.kinds.register`).

    Returns
    -------
    list
        The messages that are new.
    """
    return notify_each(kind=kind, messages=[Message(people, subject, text, address, scope, key)])


@transaction.atomic
def notify_each(*, kind: str, messages: Iterable[Message]) -> list[Notification]:
    """Send several messages of one kind, each to its recipients.

    The number of queries does not depend on the number of messages or recipients.

    Returns
    -------
    list
        The messages that are new.
    """
    kinds.get(kind)
    deliveries = [
        (message, list({person.pk: person for person in message.people if person.is_active}.values()))
        for message in messages
    ]
    recipients = {person.pk: person for _, people in deliveries for person in people}
    choices = choices_of(recipients.values(), kind)
    mutes = mutes_of(recipients)
    rows = [
        Notification(
            user=person,
            kind=kind,
            key=message.key,
            subject=one_line(message.subject),
            text=message.text,
            address=message.address,
            scope=message.scope,
            how=How.NEVER if _is_muted(mutes.get(person.pk, ()), message) else choices[person.pk],
        )
        for message, people in deliveries
        for person in people
    ]
    # What is no path of this site is refused, whoever wants mail.
    absolutes = {message.address: absolute(message.address) if message.address else "" for message, _ in deliveries}
    Notification.objects.bulk_create(rows, ignore_conflicts=True)
    if keyed := [row.pk for row in rows if row.key]:  # the rows that the database did not refuse
        stored = set(Notification.objects.filter(pk__in=keyed).values_list("pk", flat=True))
        rows = [row for row in rows if not row.key or row.pk in stored]
    at_once = [row for row in rows if row.how == How.AT_ONCE and row.user.email]
    now = shared_now() if at_once else None
    emails = [_letter(row, absolutes[row.address]) for row in at_once]
    for row, email in zip(at_once, emails, strict=True):
        row.email, email.due_at, email.asked_at = email, now, now
    if emails:
        Email.objects.bulk_create(emails)
        Notification.objects.bulk_update(at_once, ["email"])
        enqueue(MAIL.task)
    return rows


def _is_muted(mutes: Iterable[tuple[str, str]], message: Message) -> bool:
    """Return whether a person muted the challenge of a message, or all e-mails."""
    return any(not path or (scope == message.scope and message.address.startswith(path)) for path, scope in mutes)


def _letter(row: Notification, address: str) -> Email:
    """The e-mail by which a message leaves."""
    unsubscribe = unsubscribe_address(kind=row.kind, user_id=row.user_id)
    context = {"subject": row.subject, "text": row.text, "address": address}
    text = plain(MESSAGE, context)
    body, html = framed(text=text, template=MESSAGE, context=context, unsubscribe=unsubscribe)
    return Email(
        user=row.user,
        to=row.user.email,
        kind=row.kind,
        subject=row.subject,
        text=body,
        html=html,
        unsubscribe=unsubscribe,
    )


@transaction.atomic
def mail(
    *,
    to: str | Iterable[str],
    kind: str,
    subject: str,
    template: str,
    context: Mapping[str, Any],
    key: str = "",
    inviter: User | None = None,
) -> list[Email]:
    """Write to people who need not have an account: one message for each address, none of which sees another.

    Parameters
    ----------
    to
        One address or several.
    kind
        A kind that an app registered; an address that unsubscribed from it gets nothing.
    subject
        One line. Line ends become spaces.
    template
        Name without ending: `template`.txt is required; `template`.html, a fragment, is optional.
    context
        For the templates. `site` is added; paths of this site become addresses by `accounts.notifications.services.composing.absolute`.
    key
        What it is about, where the same act may run twice: an address gets the same kind and key once.
    inviter
        Who invites by this letter; the limits of `accounts.notifications.services.inviting` hold.

    Returns
    -------
    list
        The messages that will be sent.

    Raises
    ------
    ValidationError
        For something that is no e-mail address, and for more invitations than a day allows.
    """
    kinds.get(kind)
    unique: dict[str, str] = {}
    for address in [to] if isinstance(to, str) else to:
        validate_email(address)
        unique.setdefault(address.lower(), address)
    unsubscribed = Unsubscribed.objects.annotate(lower=Lower("address")).filter(kind=kind, lower__in=list(unique))
    refused = set(unsubscribed.values_list("lower", flat=True))
    if inviter is not None:
        check_invitations(inviter=inviter, addresses=unique.keys() - refused)
    whole = {**context, "site": absolute("/")}
    rows = []
    now = shared_now()
    for lower, address in unique.items():
        if lower in refused:
            continue
        unsubscribe = unsubscribe_address(kind=kind, address=lower)
        text, html = framed(text=plain(template, whole), template=template, context=whole, unsubscribe=unsubscribe)
        rows.append(
            Email(
                to=address,
                kind=kind,
                key=key,
                inviter=inviter,
                subject=one_line(subject),
                text=text,
                html=html,
                unsubscribe=unsubscribe,
                due_at=now,
                asked_at=now,
            )
        )
    Email.objects.bulk_create(rows, ignore_conflicts=True)
    if key:
        stored = set(Email.objects.filter(pk__in=[row.pk for row in rows]).values_list("pk", flat=True))
        rows = [row for row in rows if row.pk in stored]
    if rows:
        enqueue(MAIL.task)
    return rows


@transaction.atomic
def post_letter(to: str, subject: str, text: str) -> None:
    """Put a letter about an account into the queue: no preference ends it, and its text is forgotten once it is sent.

    Parameters
    ----------
    to
        Address.
    subject
        One line. Line ends become spaces.
    text
        Plain text; may hold a link that opens the account.
    """
    now = shared_now()
    Email.objects.create(to=to, kind=ACCOUNT, subject=one_line(subject), text=text, due_at=now, asked_at=now)
    enqueue(MAIL.task)


@transaction.atomic
def write_digest(*, user_id: int) -> Email | None:
    """Put everything that waits for a person's daily mail into one; none if nothing is due."""
    user = User.objects.select_for_update(no_key=True).filter(pk=user_id).first()
    waiting = list(
        Notification.objects.filter(
            user_id=user_id, how=How.DAILY, email=None, created_at__lt=digest_cutoff()
        ).order_by("created_at", "pk")
    )
    if user is None or not waiting:
        return None
    if not user.is_active or not user.email:
        Notification.objects.filter(pk__in=[row.pk for row in waiting]).update(how=How.NEVER)
        return None
    entries = [
        {
            "subject": row.subject,
            "text": one_line(row.text, DIGEST_EXCERPT),
            "address": absolute(row.address) if row.address else "",
            "time": row.created_at,
        }
        for row in waiting
    ]
    unsubscribe = unsubscribe_address(kind=DIGEST, user_id=user.pk)
    context = {"entries": entries, "inbox": absolute("/notifications/")}
    text, html = framed(
        text=plain("notifications/mail/digest", context),
        template="notifications/mail/digest",
        context=context,
        unsubscribe=unsubscribe,
    )
    count = len(entries)
    email = Email.objects.create(
        user=user,
        to=user.email,
        kind=DIGEST,
        subject=f"Podium: {count} message{'' if count == 1 else 's'} of the day",
        text=text,
        html=html,
        unsubscribe=unsubscribe,
    )
    Notification.objects.filter(pk__in=[row.pk for row in waiting]).update(email=email)
    enqueue(MAIL.task)
    return email


@transaction.atomic
def choose(*, user: Any, choices: Mapping[str, str]) -> None:
    """Store the mailing options that a person chose for kinds of messages.

    Messages that are already queued for a daily mail are still sent with it. They are not sent if the kind is now
    never mailed.
    """
    changed = []
    for kind, how in choices.items():
        kinds.get(kind)
        preference, created = Preference.objects.get_or_create(user=user, kind=kind, defaults={"how": How(how)})
        if not created and preference.how != how:
            preference.how = How(how)
            preference.save(update_fields=["how"])
            created = True
        if created:
            changed.append(kind)
            if how == How.NEVER:
                Notification.objects.filter(user=user, kind=kind, how=How.DAILY, email=None).update(how=How.NEVER)
                Email.objects.filter(user=user, kind=kind, state=Email.State.WAITING).delete()
    if changed:
        record(actor=user, act="notification_preferences_chosen", subject=user, facts={"kinds": changed})


@transaction.atomic
def mute(*, user: Any, path: str = "", scope: str = "", muted: bool = True) -> None:
    """Stop or resume e-mails about one challenge, or all e-mails if no challenge is given.

    E-mails that have not left yet are not sent. Notifications on the site continue.
    """
    if not muted:
        number, _ = Mute.objects.filter(user=user, path=path, scope=scope).delete()
        changed = bool(number)
    else:
        _, changed = Mute.objects.get_or_create(user=user, path=path, scope=scope)
        waiting = Notification.objects.filter(user=user)
        if path:
            waiting = waiting.filter(scope=scope, address__startswith=path)
        waiting.filter(how=How.DAILY, email=None).update(how=How.NEVER)
        Email.objects.filter(notifications__in=waiting.filter(how=How.AT_ONCE), state=Email.State.WAITING).delete()
    if changed:
        act = "emails_muted" if muted else "emails_unmuted"
        record(actor=user, act=act, subject=user, facts={"path": path, "scope": scope})


@transaction.atomic
def unsubscribe(*, kind: str, user_id: int | None = None, address: str = "") -> None:
    """End messages of a kind for a person or an address; of the digest: every kind that comes with it."""
    if user_id is None:
        if address and not Unsubscribed.objects.filter(address__iexact=address, kind=kind).exists():
            Unsubscribed.objects.bulk_create([Unsubscribed(address=address, kind=kind)], ignore_conflicts=True)
            Email.objects.filter(user=None, to__iexact=address, kind=kind, state=Email.State.WAITING).delete()
        return
    user = User.objects.filter(pk=user_id).first()
    if user is None:
        return
    if kind == DIGEST:
        chosen = dict(Preference.objects.filter(user=user).values_list("kind", "how"))
        daily = [
            notification_kind.name
            for notification_kind in kinds.KINDS.all()
            if chosen.get(notification_kind.name, notification_kind.default) == How.DAILY
        ]
        choose(user=user, choices=dict.fromkeys(daily, How.NEVER))
    elif kind in kinds.KINDS:
        choose(user=user, choices={kind: How.NEVER})


def mark_read(*, user: Any, ids: Iterable[Any] | None = None) -> int:
    """Mark messages of a person as read, all of them without `ids`; returns how many were unread."""
    rows = Notification.objects.filter(user=user, read_at=None)
    if ids is not None:
        rows = rows.filter(pk__in=list(ids))
    return rows.update(read_at=timezone.now())
