"""Outgoing mail: only the queue of `notifications` contacts a mail server, in a request or elsewhere."""

import ast
import importlib
from pathlib import Path

import pytest

from tests.sources import nodes

ROOT = Path(__file__).resolve().parents[3]
SENDING = {"django.core.mail", "smtplib", "aiosmtplib"}
# Methods and functions of Django that send at once.
CALLS = {"send_mail", "send_mass_mail", "mail_admins", "mail_managers", "email_user"}
# The account pages' adapter is asked by allauth to `send_mail`, and puts the letter into the queue.
ADAPTER = {"accounts/adapter.py", "accounts/services/__init__.py"}


def modules_that_send(folder: Path) -> dict[str, set[str]]:
    """By path, what a module imports or calls that reaches a mail server."""
    sending = {}
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        uses = set()
        for node in nodes(path.read_text()):
            if isinstance(node, ast.Import):
                uses |= {alias.name for alias in node.names if alias.name in SENDING}
            elif isinstance(node, ast.ImportFrom):
                of = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                uses |= {module for module in of if module and any(f"{module}.".startswith(f"{s}.") for s in SENDING)}
            elif isinstance(node, ast.Attribute | ast.Name) and name not in ADAPTER:
                uses |= {getattr(node, "attr", getattr(node, "id", ""))} & CALLS
        if uses:
            sending[name] = uses
    return sending


def test_nothing_outside_notifications_can_send_mail():
    sending = modules_that_send(ROOT / "platform")
    assert sending.pop("accounts/notifications/services/delivery.py") >= {"django.core.mail", "smtplib"}
    assert sending == {}
    assert modules_that_send(ROOT / "evaluation") == modules_that_send(ROOT / "confinement") == {}


@pytest.mark.parametrize(
    "line",
    [
        "import smtplib",
        "from django.core.mail import EmailMessage",
        "from django.core import mail",
        "from django.core.mail.message import sanitize_address",
        "user.email_user('subject', 'text')",
    ],
)
def test_the_search_finds_every_way_of_sending(tmp_path, line):
    (tmp_path / "module.py").write_text(f"def act(user):\n    {line}\n")
    assert modules_that_send(tmp_path)


def test_the_adapter_of_account_pages_posts_letters_into_the_queue():
    adapter = importlib.import_module("accounts.adapter").AccountAdapter
    assert "send_mail" in vars(adapter)
