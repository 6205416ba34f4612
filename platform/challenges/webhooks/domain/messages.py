"""Bodies and signatures of webhook messages.

Messages follow Standard Webhooks (https://www.standardwebhooks.com): the headers ``webhook-id``, ``webhook-timestamp`` and
``webhook-signature``, and an HMAC-SHA256 over id, timestamp and body. Chat programs get a body with the key ``text``, which
Slack and compatible programs show.
"""

import base64
import hashlib
import hmac
import json
from datetime import datetime
from typing import Final

from challenges.webhooks.domain.events import Event

PREFIX: Final = "whsec_"


def secret_text(key: bytes) -> str:
    """Return a key in the form that receivers configure.

    Examples
    --------
    >>> secret_text(bytes(24))
    'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    """
    return PREFIX + base64.b64encode(key).decode()


def signature(key: bytes, *, message_id: str, timestamp: int, body: bytes) -> str:
    """Return the value of the header ``webhook-signature``.

    Parameters
    ----------
    key
        24 to 64 bytes.
    timestamp
        Seconds since 1970 of this attempt.

    Notes
    -----
    Standard Webhooks 1.0.0: ``v1,`` and the Base64 of HMAC-SHA256 over ``{id}.{timestamp}.{body}``.
    """
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def standard_body(event: Event, *, time: datetime, scope: str, slug: str, title: str, address: str) -> str:
    """Return the body of a message for programs, as JSON.

    Parameters
    ----------
    scope
        ``"challenge"`` or ``"call"``.
    address
        Absolute address of the page for organizers or chairs.
    """
    data = {scope: slug, "title": title, "text": event.text, "url": address}
    return json.dumps({"type": event.id, "timestamp": time.isoformat(), "data": data}, ensure_ascii=False)


def chat_body(event: Event, *, title: str, address: str) -> str:
    """Return the body of a message for chat programs, as JSON with the key ``text``.

    Slack reads ``&``, ``<`` and ``>`` as markup, so they are replaced.

    Examples
    --------
    >>> from challenges.webhooks.domain.events import TEST
    >>> chat_body(TEST, title="A & B", address="https://example.org/")
    '{"text": "A &amp; B: This is a test message of Podium. <https://example.org/|Open in Podium>"}'
    """
    for mark, replacement in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        title = title.replace(mark, replacement)
    return json.dumps({"text": f"{title}: {event.text} <{address}|Open in Podium>"}, ensure_ascii=False)
