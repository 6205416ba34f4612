"""Permissions to get and to offer data: declared once, used by pages, API and addresses."""

from typing import Any

import rules

from challenges.queries.people import has_agreed
from challenges.rules import is_named_organizer, is_organizer
from datastore.datasets.models import Dataset, DatasetVersion
from datastore.datasets.queries.naming import names_are_allowed


@rules.predicate
def may_see(user: Any, dataset: Dataset | None) -> bool:
    """Sees the challenge that the data belong to."""
    return dataset is not None and user.has_perm("challenges.view_challenge", dataset.challenge)


@rules.predicate
def may_have(user: Any, dataset: Dataset | None) -> bool:
    """Return whether a person has agreed to the data usage agreement, if the data require it.

    People who run the challenge have the data without it.
    """
    if dataset is None:
        return False
    if dataset.access == Dataset.Access.OPEN:
        return True
    return has_agreed(user, dataset.challenge) or is_named_organizer(user, dataset.challenge)


@rules.predicate
def is_available_to(user: Any, version: DatasetVersion | None) -> bool:
    """The version is released, its time has come and it names no team that may not be named; its organizers see it anyway."""
    if version is None:
        return False
    if version.is_available and names_are_allowed(version):
        return True
    return version.withdrawn_at is None and is_named_organizer(user, version.dataset.challenge)


# Rules and not permissions: Django grants every permission to administrators, who have agreed to nothing.
rules.add_rule("datasets.have_dataset", may_see & may_have)
rules.add_rule("datasets.have_version", is_available_to)
rules.add_perm("datasets.offer_data", is_organizer)
