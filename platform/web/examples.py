"""Suggestions for visitors while the platform runs in example mode, shown in a strip on every page."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse

from web.clients import is_from_this_machine, is_loopback
from web.hooks import Hook


@dataclass(frozen=True)
class Hint:
    """A suggestion: a short text and its address."""

    label: str
    url: str


_hints: Hook[tuple[str, str, tuple[object, ...]]] = Hook()


def register_hint(label: str, target: str, *args: object, order: int = 50) -> None:
    """Add a hint.

    Parameters
    ----------
    label
        Short text on what to do ("Read the leaderboard").
    target
        URL name, with `args` as its arguments, or an address that begins with ``/``.
    order
        Position in the strip, small numbers first.
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


def keeps_letters() -> bool:
    """Return whether letters about accounts remain readable on this machine, since no mail server takes them.

    Only an example installation whose address other machines cannot open keeps them, as `make run` starts it.
    """
    return bool(
        settings.PODIUM_EXAMPLE_MODE
        and "smtp" not in settings.EMAIL_BACKEND
        and not settings.PODIUM_TRUSTED_PROXIES
        and is_loopback(urlsplit(settings.PODIUM_ADDRESS).hostname or "")
    )


def is_at_home(request: HttpRequest) -> bool:
    """Return whether a request comes from the machine of an installation that keeps letters.

    Only there does a page show them: they open an account.
    """
    return keeps_letters() and is_from_this_machine(request)
