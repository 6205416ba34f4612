"""The example accounts: made in example mode only, with passwords of this installation alone."""

import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.models import Group
from django.db import transaction

from accounts.models import User
from evaluation import durable


@dataclass(frozen=True)
class ExampleAccount:
    """A person of the example world."""

    username: str
    name: str
    part: str
    group: str = ""
    superuser: bool = False


ORGANIZER = "olivia"
ACCOUNTS = (
    ExampleAccount(ORGANIZER, "Olivia Organizer", "organizer of the example challenges"),
    ExampleAccount("paula", "Paula Participant", "participant with the team voxel-works"),
    ExampleAccount("peter", "Peter Participant", "participant with the team gray-matter"),
    ExampleAccount("rita", "Rita Reviewer", "reviewer", group="reviewers"),
    ExampleAccount("rolf", "Rolf Reviewer", "second general reviewer", group="reviewers"),
    ExampleAccount("clara", "Clara Clinician", "clinical reviewer", group="reviewers"),
    ExampleAccount("charles", "Charles Chair", "chair", group="chairs"),
    ExampleAccount("admin", "Ada Admin", "administrator", superuser=True),
)


def _passwords_file() -> Path:
    return settings.PODIUM_DATA / "run" / "example-accounts.json"


def _passwords() -> dict[str, str]:
    path = _passwords_file()
    passwords = json.loads(path.read_text()) if path.exists() else {}
    missing = [account.username for account in ACCOUNTS if account.username not in passwords]
    if missing:
        passwords |= {username: f"{username}-{secrets.token_hex(4)}" for username in missing}
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        durable.write_text(path, json.dumps(passwords, indent=2), mode=0o600)
    return passwords


# Password → what is stored for it. Hashing is slow on purpose, and this process may make the accounts several times.
_ENCODED: dict[str, str] = {}


def _encoded(passwords: dict[str, str]) -> dict[str, str]:
    """Return the password hash to store, by user name.

    A stored hash that matches the password is kept. Otherwise a new hash is computed.

    All cores hash at the same time: OpenSSL lets other threads run during a computation.
    """
    stored = dict(User.objects.filter(username__in=passwords).values_list("username", "password"))

    def encode(username: str) -> str:
        password, old = passwords[username], stored.get(username, "")
        return old if old and check_password(password, old) else make_password(password)

    new = [username for username, password in passwords.items() if _ENCODED.get(password) != stored.get(username, "")]
    with ThreadPoolExecutor() as pool:
        for username, value in zip(new, pool.map(encode, new), strict=True):
            _ENCODED[passwords[username]] = value
    return {username: _ENCODED[password] for username, password in passwords.items()}


@transaction.atomic
def create_accounts() -> dict[str, User]:
    """Create the people of the example world, or return them.

    Outside of example mode they cannot sign in: the challenge is then an example without known passwords.
    """
    passwords = _passwords() if settings.PODIUM_EXAMPLE_MODE else {}
    encoded = _encoded(passwords)
    people = {}
    for account in ACCOUNTS:
        first, last = account.name.split()
        user, created = User.objects.get_or_create(
            username=account.username,
            defaults={
                "first_name": first,
                "last_name": last,
                "email": f"{account.username}@example.org",
                "is_staff": account.superuser,
                "is_superuser": account.superuser,
            },
        )
        if created:
            EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        if created or user.password != encoded.get(account.username, user.password):
            user.password = encoded.get(account.username) or make_password(None)
            user.save(update_fields=["password"])
        if account.group:
            user.groups.add(Group.objects.get_or_create(name=account.group)[0])
        people[account.username] = user
    return people


def printed_accounts() -> str:
    """The accounts with their passwords, as a table for the terminal."""
    passwords = _passwords()
    width = max(len(password) for password in passwords.values())
    rows = [f"  {a.username:<8} {passwords[a.username]:<{width}}  {a.part}" for a in ACCOUNTS]
    return "\n".join(["", "Example accounts (this installation only):", *rows])
