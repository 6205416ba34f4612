"""Hooks of messages: the names of the challenges, calls, designs and registrations that messages belong to."""

from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Model

from web.hooks import Hook


@dataclass(frozen=True)
class Places:
    """One kind of thing that messages belong to.

    Attributes
    ----------
    path
        Beginning of the addresses of its pages, such as ``/challenges/``.
    model
        Its rows.
    identifier, name
        Columns: the identifier that messages store as their scope, and the name that people read.
    """

    path: str
    model: type[Model]
    identifier: str
    name: str

    def names(self, identifiers: Collection[str]) -> dict[str, str]:
        """Return the names of the given identifiers; those that no longer exist are absent. One query."""
        rows = self.model._default_manager.filter(**{f"{self.identifier}__in": identifiers})  # noqa: SLF001 (Django's name for it)
        return dict(rows.values_list(self.identifier, self.name))


places: Hook[Places] = Hook()
