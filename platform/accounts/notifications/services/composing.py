"""Text and headers of an e-mail.

Each header is a single line. User input can never become a header or markup.
"""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from django.core import signing
from django.template import Context, TemplateDoesNotExist
from django.template.loader import get_template, render_to_string
from django.urls import reverse

from accounts.notifications.models import SUBJECT_LENGTH
from web.addresses import absolute

_SALT = "notifications.unsubscribe"
_SPACES = re.compile(r"\s+")
# Longest text in a digest of one message; the page has the whole.
DIGEST_EXCERPT = 600


def one_line(text: str, length: int = SUBJECT_LENGTH) -> str:
    r"""Return `text` as a header value without line ends or control characters, at most `length` long.

    The length is counted in characters.

    >>> one_line("Scored\r\nBcc: everybody@example.org")
    'Scored Bcc: everybody@example.org'
    >>> one_line("a\x00b\u2028c" + "d" * 300, 9)
    'ab cdddd…'
    """
    text = _SPACES.sub(" ", text)
    text = "".join(c for c in text if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co", "Cn"}).strip()
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def unsubscribe_token(*, kind: str, user_id: int | None = None, address: str = "") -> str:
    """Name the receiver and the kind in a way that only this site can write."""
    return signing.dumps({"k": kind, "u": user_id} if user_id else {"k": kind, "a": address}, salt=_SALT, compress=True)


def read_unsubscribe_token(token: str) -> dict[str, Any] | None:
    """Return the content of a token (k: kind, u: person or a: address).

    Returns None if this site did not write the token.
    """
    try:
        content = signing.loads(token, salt=_SALT)
    except signing.BadSignature:
        return None
    return content if isinstance(content, dict) and "k" in content else None


def unsubscribe_address(**receiver: Any) -> str:
    """Address of the page on which a receiver ends messages of a kind; takes what `unsubscribe_token` takes."""
    return absolute(reverse("notifications:unsubscribe", args=[unsubscribe_token(**receiver)]))


def plain(template: str, context: Mapping[str, Any]) -> str:
    """Render `template`.txt without HTML escapes."""
    source = get_template(f"{template}.txt").template  # type: ignore[attr-defined]  # Django's own engine has it
    return str(source.render(Context(dict(context), autoescape=False))).strip()


def framed(*, text: str, template: str = "", context: Mapping[str, Any], unsubscribe: str) -> tuple[str, str]:
    """Put the foot under both forms of a message.

    Parameters
    ----------
    text
        The plain text.
    template
        Name without ending of a fragment of HTML (`template`.html); without one the HTML is made from the text.
    context
        For the template.
    unsubscribe
        Address to end such messages.

    Returns
    -------
    tuple
        Plain text and HTML.
    """
    body = ""
    if template:
        try:
            body = render_to_string(f"{template}.html", dict(context))
        except TemplateDoesNotExist:
            body = ""
    frame = {"body": body, "text": text, "unsubscribe": unsubscribe, "site": absolute("/")}
    return (
        plain("notifications/mail/frame", frame),
        render_to_string("notifications/mail/frame.html", frame),
    )
