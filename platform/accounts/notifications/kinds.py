"""Kinds of messages that people can receive.

Each app registers its kinds in `AppConfig.ready`. The preferences page lists them.

>>> kinds = Kinds()
>>> _ = kinds.register("submission_scored", "A submission of your team has been scored")
>>> kinds.get("submission_scored").title
'A submission of your team has been scored'
"""

from dataclasses import dataclass
from typing import Literal

How = Literal["at_once", "daily", "never"]
Role = Literal["everyone", "participant", "organizer", "reviewer", "chair"]
HOWS: tuple[How, ...] = ("at_once", "daily", "never")


@dataclass(frozen=True)
class Kind:
    """One kind of message: its title and role on the preferences page, and how it is mailed unless a person chose."""

    name: str
    title: str
    default: How
    order: int
    role: Role = "everyone"


class Kinds:
    """The registered kinds."""

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}

    def register(
        self, name: str, title: str, *, default: How = "at_once", order: int = 50, role: Role = "everyone"
    ) -> Kind:
        """Add a kind; registering a name again replaces the former entry.

        Parameters
        ----------
        name
            Stored with every message: never change it.
        title
            What happened, as a person reads it ("A submission of your team has been scored").
        default
            How it is mailed to people who did not choose: ``at_once``, ``daily`` or ``never``.
        order
            Place on the preferences page, small numbers first; equal numbers by title.
        role
            Role of the people who get such messages. The preferences page shows the roles that a person has.

        Raises
        ------
        ValueError
            For a default that does not exist.
        """
        if default not in HOWS:
            raise ValueError(f"There is no choice {default!r}; there are {', '.join(HOWS)}.")
        kind = Kind(name=name, title=title, default=default, order=order, role=role)
        self._kinds[name] = kind
        return kind

    def get(self, name: str) -> Kind:
        """Return a registered kind.

        Raises
        ------
        ValueError
            For a name that no app registered. People could not choose how to receive such messages.
        """
        if name not in self._kinds:
            raise ValueError(f"No app registered the kind of message {name!r} (accounts.notifications.kinds.register).")
        return self._kinds[name]

    def title(self, name: str) -> str:
        """Title of a kind, also of one that is no longer registered."""
        return self._kinds[name].title if name in self._kinds else name.replace("_", " ")

    def all(self) -> list[Kind]:
        """Every kind, in order."""
        return sorted(self._kinds.values(), key=lambda kind: (kind.order, kind.title))

    def __contains__(self, name: str) -> bool:
        return name in self._kinds


KINDS = Kinds()
register = KINDS.register
get = KINDS.get
