"""Send what is due: each message by one sender at a time, again after a while if the mail server could not take it."""

import smtplib
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMultiAlternatives, get_connection
from django.core.mail.message import sanitize_address
from django.utils import timezone

from accounts.notifications.models import ACCOUNT, Email
from accounts.notifications.queries import MAIL
from core.work.services import Lease, claim_next, send
from web.examples import keeps_letters

log = structlog.get_logger(__name__)

# One call sends for at most this long and then asks for the next, so that sweeps have their turn in the same slot.
SECONDS_AT_ONCE = 20.0
# Contents are not kept for longer than anybody asks whether a message was sent.
KEPT = timedelta(days=30)
_PERMANENT = range(500, 600)


def deliver() -> int:
    """Send everything that is due over one connection; returns how many messages were taken."""
    sent, started = 0, monotonic()
    connection: Any = None
    try:
        while monotonic() - started < SECONDS_AT_ONCE and (lease := claim_next(MAIL, give_up=_give_up)) is not None:
            email = Email.objects.get(pk=lease.pk)
            try:
                if connection is None:
                    connection = get_connection(fail_silently=False)
                    connection.open()
                _message(email, connection).send(fail_silently=False)
            except Exception as error:  # noqa: BLE001 (whatever a backend raises: the message must not be lost)
                if _refused(lease, error):
                    continue
                # The connection or the server: the others would fare the same. The sweep goes on.
                break
            # Sent is sent, even if the lease was lost meanwhile: nobody shall send it again.
            # Where no mail server takes letters, the page Sent mails shows them.
            secrets_forgotten = {"text": "", "html": ""} if email.kind == ACCOUNT and not keeps_letters() else {}
            lease.complete(
                even_if_lost=True, state=Email.State.SENT, sent_at=timezone.now(), failure="", **secrets_forgotten
            )
            sent += 1
        else:
            if monotonic() - started >= SECONDS_AT_ONCE:
                send(MAIL.task, [])
    finally:
        if connection is not None:
            _close(connection)
    return sent


def tidy(now: datetime | None = None) -> int:
    """Forget the content of messages that were sent long ago; returns of how many."""
    old = Email.objects.filter(state=Email.State.SENT, sent_at__lt=(now or timezone.now()) - KEPT)
    return old.exclude(text="").update(text="", html="")


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


def _refused(lease: Lease, error: Exception) -> bool:
    """Note a failed attempt; returns whether it was about this message alone, so that the others may be tried."""
    about_it, permanent = _judge(error)
    final = permanent or not lease.may_try_again
    log.warning("mail_not_sent", email=str(lease.pk), attempt=lease.attempts, final=final, error=type(error).__name__)
    failure = f"{type(error).__name__}: {error}"[:500]
    if final:
        lease.complete(state=Email.State.FAILED, failure=failure)
    else:
        lease.hand_back(failure=failure, state=Email.State.WAITING)
    return about_it


def _give_up(lease: Lease) -> None:
    """End a message over which senders were lost."""
    lease.complete(state=Email.State.FAILED, failure=f"{lease.attempts - 1} senders broke off at it.")


def _judge(error: Exception) -> tuple[bool, bool]:
    """Return whether an error concerns one message, and whether a retry is useless."""
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


def withhold_waiting(*, reason: str) -> int:
    """End every message that waits or is being sent without sending it; returns how many there were.

    For a database that was brought back from a backup: what waited then has mostly been sent since.
    """
    rows = Email.objects.filter(state__in=(Email.State.WAITING, Email.State.SENDING))
    return rows.update(state=Email.State.FAILED, failure=reason)


def server_problem() -> str:
    """Return the reason why no mail can be sent now, after a connection to the mail server.

    The result is empty if the connection succeeds or if no mail server is configured.
    """
    if "smtp" not in settings.EMAIL_BACKEND:
        return ""
    link = get_connection(fail_silently=False)
    try:
        link.open()
        link.close()
    except OSError as problem:  # SMTP's own exceptions are of this kind
        return type(problem).__name__
    return ""
