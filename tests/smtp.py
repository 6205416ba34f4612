"""A mail server for tests: what the platform sends is received over SMTP, and can be refused on demand.

``smtp_server`` is a fixture of every test (`tests/conftest.py`); while a test uses it, Django sends through it.
"""

import email
import email.policy
from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from tests.ports import free_port


class SmtpServer:
    """Mail server that records accepted messages and rejects selected ones.

    Attributes
    ----------
    messages
        All accepted messages, parsed, in order of arrival.
    envelopes
        Recipients named in the SMTP dialogue, one list per message.
    refused
        Address → answer to its ``RCPT``, for example ``"550 5.1.1 No such person"``.
    answers
        Answers to the next ``DATA``, used one by one. An empty list accepts everything.
    """

    def __init__(self) -> None:
        self.messages: list[EmailMessage] = []
        self.envelopes: list[list[str]] = []
        self.refused: dict[str, str] = {}
        self.answers: list[str] = []
        self.port = free_port()
        self._controller = None

    def start(self) -> None:
        """Listen; again after `stop` at the same port."""
        from aiosmtpd.controller import Controller

        self._controller = Controller(self, hostname="127.0.0.1", port=self.port, ready_timeout=120)
        self._controller.start()

    def stop(self) -> None:
        """Be a server that does not answer."""
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    def to(self, address: str) -> list[EmailMessage]:
        """Messages whose envelope names `address`."""
        pairs = zip(self.messages, self.envelopes, strict=True)
        return [message for message, receivers in pairs if address in receivers]

    async def handle_RCPT(self, server, session, envelope, address, options) -> str:  # noqa: N802 (aiosmtpd's name)
        if address in self.refused:
            return self.refused[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope) -> str:  # noqa: N802 (aiosmtpd's name)
        if self.answers:
            return self.answers.pop(0)
        self.messages.append(email.message_from_bytes(envelope.content, policy=email.policy.default))
        self.envelopes.append(list(envelope.rcpt_tos))
        return "250 taken"


@pytest.fixture
def smtp_server(settings) -> Iterator[SmtpServer]:
    """A running mail server that Django sends through."""
    server = SmtpServer()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    server.start()
    yield server
    server.stop()
