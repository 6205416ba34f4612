"""Send what is due: each message by one sender at a time, again after a while if the mail server could not take it."""

import smtplib
import uuid
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.message import sanitize_address
from django.db.models import F, Q
from django.utils import timezone

from notifications.models import ACCOUNT, Email
from notifications.queries import due
from web.clock import shared_now

log = structlog.get_logger(__name__)

# A sender that is silent for longer has lost its message to another; far beyond the time-outs of one SMTP dialogue.
LEASE = timedelta(minutes=10)
# Pauses between attempts double from the first to the longest: given up after about two days.
FIRST_PAUSE = timedelta(seconds=30)
LONGEST_PAUSE = timedelta(hours=4)
ATTEMPTS = 20
# One call sends for at most this long; the next call goes on.
SECONDS_AT_ONCE = 120.0
# Contents are not kept for longer than anybody asks whether a message was sent.
KEPT = timedelta(days=30)
_PERMANENT = range(500, 600)


def deliver() -> int:
    """Send everything that is due over one connection; returns how many messages were taken."""
    sent, started = 0, monotonic()
    connection: Any = None
    try:
        while monotonic() - started < SECONDS_AT_ONCE and (email := _claim()) is not None:
            try:
                if connection is None:
                    connection = get_connection(fail_silently=False)
                    connection.open()
                _message(email, connection).send(fail_silently=False)
            except Exception as error:  # noqa: BLE001 (whatever a backend raises: the message must not be lost)
                if _refused(email, error):
                    continue
                # The connection or the server: the others would fare the same. The sweep goes on.
                break
            # Sent is sent, even if the lease was lost meanwhile: nobody shall send it again.
            secrets_forgotten = {"text": "", "html": ""} if email.kind == ACCOUNT else {}
            Email.objects.filter(pk=email.pk).update(
                state=Email.State.SENT,
                sent_at=timezone.now(),
                lease_token=None,
                lease_until=None,
                error="",
                **secrets_forgotten,
            )
            sent += 1
    finally:
        if connection is not None:
            _close(connection)
    return sent


def pause_after(attempts: int) -> timedelta:
    """Return the time to wait after so many failed attempts.

    >>> [str(pause_after(n)) for n in (1, 2, 3, 20)]
    ['0:00:30', '0:01:00', '0:02:00', '4:00:00']
    """
    return min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE)


def tidy(now: datetime | None = None) -> int:
    """Forget the content of messages that were sent long ago; returns of how many."""
    old = Email.objects.filter(state=Email.State.SENT, sent_at__lt=(now or timezone.now()) - KEPT)
    return old.exclude(text="").update(text="", html="")


def _claim() -> Email | None:
    """Take the next message that is due; a condition in the update lets exactly one sender have it."""
    while True:
        now = shared_now()
        row = due(now).only("pk").first()
        if row is None:
            return None
        token = uuid.uuid4()
        free = Q(state=Email.State.WAITING, due_at__lte=now) | Q(state=Email.State.SENDING, lease_until__lt=now)
        taken = Email.objects.filter(free, pk=row.pk).update(
            state=Email.State.SENDING, lease_token=token, lease_until=now + LEASE, attempts=F("attempts") + 1
        )
        if taken:
            return Email.objects.get(pk=row.pk)


def _message(email: Email, connection: Any) -> EmailMultiAlternatives:
    sender = sanitize_address(settings.DEFAULT_FROM_EMAIL, "utf-8")
    domain = sender.rpartition("@")[2].rstrip(">") or "localhost"
    headers = {"Message-ID": f"<{email.pk}@{domain}>", "Auto-Submitted": "auto-generated"}
    if email.unsubscribe:
        headers["List-Unsubscribe"] = f"<{email.unsubscribe}>"
        headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message = EmailMultiAlternatives(
        subject=email.subject,
        body=email.text,
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[email.to],
        connection=connection,
        headers=headers,
    )
    if email.html:
        message.attach_alternative(email.html, "text/html")
    return message


def _refused(email: Email, error: Exception) -> bool:
    """Note a failed attempt; returns whether it was about this message alone, so that the others may be tried."""
    about_it, permanent = _judge(error)
    final = permanent or email.attempts >= ATTEMPTS
    log.warning("mail_not_sent", email=str(email.pk), attempt=email.attempts, final=final, error=type(error).__name__)
    Email.objects.filter(pk=email.pk, lease_token=email.lease_token).update(
        state=Email.State.FAILED if final else Email.State.WAITING,
        due_at=shared_now() + pause_after(email.attempts),
        lease_token=None,
        lease_until=None,
        error=f"{type(error).__name__}: {error}"[:500],
    )
    return about_it


def _judge(error: Exception) -> tuple[bool, bool]:
    """Whether an error is about one message, and whether trying again is of no use."""
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        codes = [code for code, _ in error.recipients.values()]
        return True, bool(codes) and all(code in _PERMANENT for code in codes)
    if isinstance(error, smtplib.SMTPDataError):
        return True, error.smtp_code in _PERMANENT
    if isinstance(error, smtplib.SMTPException | OSError):  # no server, a wrong password, a refused sender
        return False, False
    return True, isinstance(error, ValueError | UnicodeError)


def _close(connection: Any) -> None:
    try:
        connection.close()
    except (smtplib.SMTPException, OSError):
        log.info("mail_connection_not_closed")
