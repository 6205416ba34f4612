"""The two settings files of an installation on several machines, and their content."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_EMAIL = re.compile(r"[^@\s<>]+@[^@\s<>]+")
_PREFIX = re.compile(r"[a-z][a-z0-9-]{1,30}")


class AnswerError(ValueError):
    """An answer is not a valid setting.

    The message states the reason and the expected value.
    """


@dataclass(frozen=True)
class Answers:
    """Settings that only the operator knows.

    Attributes
    ----------
    address
        Public address of the site, for example ``https://podium.example.org``.
    admin_email, admin_name
        The account that administers the platform.
    email_url
        Mail server, for example ``smtp+tls://user:password@mail.example.org:587``.
    sender
        Sender address of mails.
    prefix
        First part of every identifier of the registry.
    publisher
        Publisher in citations.
    tls
        Empty for certificates by ACME, ``internal`` for the proxy's internal authority, ``own`` for files.
    """

    address: str
    admin_email: str
    email_url: str
    sender: str
    admin_name: str = "administrator"
    prefix: str = "podium"
    publisher: str = "Podium"
    tls: str = ""


TLS = {
    "": "",
    "internal": "tls internal",
    "own": "tls /certificates/site.crt /certificates/site.key",
}
FOR_GOOD = {
    "PODIUM_REGISTRY_PREFIX": "stands in every identifier that is ever registered",
    "PODIUM_ADDRESS": "stands in citations of registered versions and in links of mails",
    "PODIUM_REFERENCE_KEY": "sealed references open with no other key",
    "SECRET_KEY": "a new one ends all sessions and all links in mails",
}
"""Settings that cannot be changed later without loss, with the reason."""


def checked(answers: Answers) -> Answers:
    """Return the answers as they are.

    Raises
    ------
    AnswerError
        For the first answer that cannot be a setting.
    """
    parts = urlsplit(answers.address)
    if parts.scheme != "https" or not parts.hostname or parts.path.strip("/") or "." not in parts.hostname:
        raise AnswerError(f"The address {answers.address!r} has to be https:// and a host name, without a path.")
    for what, text in (("administrator", answers.admin_email), ("sender", answers.sender)):
        if not _EMAIL.fullmatch(text):
            raise AnswerError(f"The e-mail address of the {what} is {text!r}, which is none.")
    if not urlsplit(answers.email_url).scheme.startswith(("smtp", "consolemail", "filemail")):
        raise AnswerError("How mail is sent has to look like smtp+tls://user:password@mail.example.org:587.")
    if not _PREFIX.fullmatch(answers.prefix):
        raise AnswerError(f"The prefix {answers.prefix!r} has to be 2 to 31 small letters, digits and hyphens.")
    if answers.tls not in TLS:
        raise AnswerError(f"TLS is {answers.tls!r}; it has to be empty (ACME), internal or own.")
    for text in (answers.address, answers.email_url, answers.publisher, answers.admin_name):
        if re.search(r"[\x00-\x1f\"'$\\]", text):
            raise AnswerError(f"{text!r} has a character that .env cannot hold: a quote, $, \\ or a line end.")
    return answers


def environment(answers: Answers, *, secrets: dict[str, str]) -> str:
    """Return the text of ``.env``.

    Parameters
    ----------
    answers
        Checked ones.
    secrets
        SECRET_KEY, passwords of the database's roles, keys of the storage, and PODIUM_METRICS_TOKEN: random.
    """
    host = urlsplit(answers.address).hostname or ""
    address = f"https://{urlsplit(answers.address).netloc}"
    lines = [
        "# Settings of this installation; all others: docs/operators/settings.md. Readable by its owner only.",
        f"DOMAIN={host}",
        f"TLS={TLS[answers.tls]}",
        f"PODIUM_ADDRESS={address}",
        f"ALLOWED_HOSTS={host}",
        f"CSRF_TRUSTED_ORIGINS={address}",
        f"EMAIL_URL={answers.email_url}",
        f'DEFAULT_FROM_EMAIL="{answers.publisher} <{answers.sender}>"',
        f"PODIUM_ADMIN_EMAIL={answers.admin_email}",
        f"PODIUM_ADMIN_NAME={answers.admin_name}",
        f"PODIUM_REGISTRY_PREFIX={answers.prefix}",
        f'PODIUM_PUBLISHER="{answers.publisher}"',
        "",
        "# Random, made for this installation.",
        *(f"{name}={value}" for name, value in secrets.items()),
    ]
    return "\n".join(lines) + "\n"


def references(key: str, recipient: str) -> str:
    """Return the text of ``references.env``."""
    return (
        "# The key that hidden references are sealed with. Keep a copy at another place, with another person: no backup has it,\n"
        f"# and without it no reference can be read again. Its public part is {recipient}.\n"
        f"PODIUM_REFERENCE_KEY={key}\n"
    )
