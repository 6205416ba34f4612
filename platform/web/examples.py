"""What a visitor may try first while the platform runs in example mode; a quiet strip on every page shows it."""

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

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
