"""What this app contributes to the registry (the challenge of a registration, following new versions) and to reviews."""

from collections.abc import Iterable
from typing import Any

import rules

from accounts.models import User
from challenges import queries
from challenges.models import Member, Projection
from challenges.queries.acquaintances import together
from challenges.services import follow
from changes.hooks import version_added
from registry import hooks
from registry.hooks import Operation
from registry.models import Registration, RegistrationVersion
from reviews import hooks as review_hooks


def register() -> None:
    """Answer the hooks of the registry."""
    hooks.operations.register(operation)
    version_added.register(follow_version)
    hooks.links.register(links)
    review_hooks.together.register(together)
    hooks.register_tab("Launch", "challenges:launch", order=90, visible=_is_launched_by)


def operation(registration: Registration) -> Operation | None:
    """How the challenge of a registration stands."""
    projection = Projection.objects.select_related("challenge").filter(registration=registration).first()
    if projection is None:
        return None
    challenge = projection.challenge
    opens_at, closes_at = queries.first_and_last(challenge)
    return Operation(
        title=challenge.title,
        address=challenge.get_absolute_url(),
        slug=challenge.slug,
        is_public=challenge.is_public,
        launched_at=projection.launched_at,
        opens_at=opens_at,
        closes_at=closes_at,
        first_submission_at=queries.first_submission_at(challenge),
        participants=frozenset(Member.objects.filter(challenge=challenge).values_list("user_id", flat=True)),
    )


def follow_version(version: RegistrationVersion, actor: User | None) -> None:
    """Run the challenge from the new version."""
    follow(version=version, actor=actor)


def links(registration: Registration) -> Iterable[hooks.Link]:
    """The challenge that is run from a registration, once everybody may see it."""
    for projection in Projection.objects.filter(registration=registration, challenge__is_public=True).select_related(
        "challenge", "version"
    ):
        yield hooks.Link(
            "challenge",
            projection.challenge.title,
            projection.challenge.get_absolute_url(),
            f"run from version {projection.version.number}",
        )


def _is_launched_by(user: Any, registration: Registration) -> bool:
    may: bool = rules.test_rule("challenges.launch_registration", user, registration)
    return may and not Projection.objects.filter(registration=registration).exists()
