"""What a visitor may try first while the platform runs in example mode; a quiet strip on every page shows it."""

from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse


@dataclass(frozen=True)
class Hint:
    """Something to try: a few words and where to do it."""

    label: str
    url: str


_hints: dict[str, tuple[int, str, tuple[object, ...]]] = {}


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
    _hints[label] = (order, target, args)


def hints() -> list[Hint]:
    """All hints that lead somewhere, in order."""
    found = []
    for label, (_, target, args) in sorted(_hints.items(), key=lambda item: (item[1][0], item[0])):
        if target.startswith("/"):
            found.append(Hint(label, target))
            continue
        try:
            found.append(Hint(label, reverse(target, args=args)))
        except NoReverseMatch:
            continue
    return found
