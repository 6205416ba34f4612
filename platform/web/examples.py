"""What a visitor may try first while the platform runs in example mode; a quiet strip on every page shows it."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from web.clients import is_from_this_machine, is_loopback
from web.hooks import Hook


@dataclass(frozen=True)
class Hint:
    """Something to try: a few words and where to do it."""

    label: str
    url: str


_hints: Hook[tuple[str, str, tuple[object, ...]]] = Hook()


def register_hint(label: str, target: str, *args: object, order: int = 50) -> None:
    """Add a hint.

    Parameters
    ----------
    label
        A few words that say what to do ("Read the leaderboard").
    target
        URL name, with `args` its arguments, or an address that begins with ``/``.
    order
        Place in the strip, small numbers first.
    """
    _hints.register((label, target, args), order=order)


def hints() -> list[Hint]:
    """All hints that lead somewhere, in order."""
    linked_hints = []
    for label, target, args in _hints:
        if target.startswith("/"):
            linked_hints.append(Hint(label, target))
            continue
        try:
            linked_hints.append(Hint(label, reverse(target, args=args)))
        except NoReverseMatch:
            continue
    return linked_hints


def is_at_home(request: HttpRequest) -> bool:
    """Whether somebody looks at an example installation from the machine that it runs on, as after `make run`.

    Only there does a page show letters with links that open an account. An installation behind a proxy, or with an
    address that other machines can open, never shows them, and neither does one whose mails leave.
    """
    return bool(
        settings.PODIUM_EXAMPLE_MODE
        and "smtp" not in settings.EMAIL_BACKEND
        and not settings.PODIUM_TRUSTED_PROXIES
        and is_from_this_machine(request)
        and is_loopback(urlsplit(settings.PODIUM_ADDRESS).hostname or "")
    )
