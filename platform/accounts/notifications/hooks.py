"""Hooks of messages: the names of the challenges, calls, designs and registrations that messages belong to."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

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
    """

    path: str
    visible: Callable[[Any], QuerySet[Any]]
    identifier: str
    name: str

    def names(self, user: Any, identifiers: Collection[str]) -> dict[str, str]:
        """Return the names of the given identifiers; those that the person does not see are absent. One query."""
        rows = self.visible(user).filter(**{f"{self.identifier}__in": identifiers})
        return dict(rows.values_list(self.identifier, self.name))


places: Hook[Places] = Hook()
