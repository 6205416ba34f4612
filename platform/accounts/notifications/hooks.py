"""Hooks of messages: the challenges, calls, designs and registrations that they belong to, and the roles of people."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from accounts.notifications.kinds import Role
from web.hooks import Hook


@dataclass(frozen=True)
class Places:
    """One kind of thing that messages belong to.

    Attributes
    ----------
    path
        Beginning of the addresses of its pages, such as ``/challenges/``.
    visible
        Returns the rows that a person may see now: a name can change after the message was sent.
    identifier, name
        Columns: the identifier that messages store as their scope, and the name that people read.
    joined
        Returns the rows in which a person has a role, whose e-mails they can mute; ``None`` if they cannot.
    """

    path: str
    visible: Callable[[Any], QuerySet[Any]]
    identifier: str
    name: str
    joined: Callable[[Any], QuerySet[Any]] | None = None

    def names(self, user: Any, identifiers: Collection[str]) -> dict[str, str]:
        """Return the names of the given identifiers; those that the person does not see are absent. One query."""
        rows = self.visible(user).filter(**{f"{self.identifier}__in": identifiers})
        return dict(rows.values_list(self.identifier, self.name))


@dataclass(frozen=True)
class HeldRole:
    """A role to which kinds of messages belong.

    Attributes
    ----------
    role, title
        The role, and the heading of its messages on the preferences page.
    is_held
        Returns whether a person has the role anywhere.
    """

    role: Role
    title: str
    is_held: Callable[[Any], bool]


places: Hook[Places] = Hook()
roles: Hook[HeldRole] = Hook()
