"""Contributions of this app to the registry, to designs and to reviews.

The registry receives the challenge of a registration, and challenges follow new versions.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import rules
from django.urls import reverse

from accounts.models import User
from challenges import queries
from challenges.hooks import Arrivals
from challenges.models import Challenge, Member, Projection, Seat, Task
from challenges.queries.acquaintances import together
from challenges.queries.schedule_changes import timetable_effect
from challenges.services import follow
from designs import hooks as design_hooks
from designs.hooks import Standing
from designs.models import Design, Role
from registry import hooks
from registry.changes.hooks import timetables, version_added
from registry.hooks import OperatedTask, Operation
from registry.models import Registration, RegistrationVersion
from registry.queries import standing_of
from reviews import hooks as review_hooks


def register() -> None:
    """Answer the hooks of the registry."""
    hooks.operations.register(operation)
    version_added.register(follow_version)
    timetables.register(timetable_effect)
    hooks.links.register(links)
    hooks.readers.register(reads)
    design_hooks.standings.register(launches, order=20)
    review_hooks.together.register(together)
    hooks.register_tab("Launch", "challenges:launch", order=90, visible=_is_launched_by)


def reads(user: Any, registration: Registration) -> bool:
    """Return whether a person sees the challenge of a registration, and therefore its registered design."""
    projection = Projection.objects.select_related("challenge").filter(registration=registration).first()
    return projection is not None and user.has_perm("challenges.view_challenge", projection.challenge)


def operation(registration: Registration) -> Operation | None:
    """Return the state of the challenge of a registration."""
    projection = Projection.objects.select_related("challenge").filter(registration=registration).first()
    if projection is None:
        return None
    challenge = projection.challenge
    opens_at, closes_at = queries.period_of(challenge)
    participants = frozenset(Member.objects.filter(challenge=challenge).values_list("user_id", flat=True))
    tasks = _tasks(challenge, participants)
    return Operation(
        title=challenge.title,
        address=challenge.get_absolute_url(),
        slug=challenge.slug,
        is_public=challenge.is_public,
        launched_at=projection.launched_at,
        opens_at=opens_at,
        closes_at=closes_at,
        first_submission_at=_earliest(row.first_submission_at for row in tasks.values()),
        participants=participants,
        tasks=tasks,
    )


def _tasks(challenge: Challenge, participants: frozenset[int]) -> dict[str, OperatedTask]:
    """The tasks by their key in the design; people without a seat in any task count for every task."""
    arrivals = queries.arrivals_of(challenge)
    seats: dict[int, set[int]] = defaultdict(set)
    for task, user in Seat.objects.filter(task__challenge=challenge).values_list("task", "user"):
        seats[task].add(user)
    unseated = participants - {user for users in seats.values() for user in users}
    rows: dict[str, OperatedTask] = {}
    for pk, key in Task.objects.filter(challenge=challenge).values_list("pk", "design_key"):
        entry, before = arrivals.get(pk, Arrivals()), rows.get(key, OperatedTask())
        rows[key] = OperatedTask(  # a task that was removed and added again has two rows
            _earliest((entry.first_accepted_at, before.first_submission_at)),
            entry.refused + before.refused,
            frozenset(participants & seats[pk] | unseated | before.participants),
        )
    return rows


def _earliest(moments: Iterable[datetime | None]) -> datetime | None:
    return min((moment for moment in moments if moment is not None), default=None)


def follow_version(version: RegistrationVersion, actor: User | None) -> None:
    """Run the challenge from the new version."""
    follow(version=version, actor=actor)


def links(registration: Registration) -> Iterable[hooks.Link]:
    """Yield the link to the challenge that is run from a registration, once it is public."""
    for projection in Projection.objects.filter(registration=registration, challenge__is_public=True).select_related(
        "challenge", "version"
    ):
        yield hooks.Link(
            "challenge",
            projection.challenge.title,
            projection.challenge.get_absolute_url(),
            f"run from version {projection.version.number}",
        )


def launches(user: Any, designs: Sequence[Design]) -> dict[int, Standing]:
    """Registered designs whose challenge the person, who writes them, has not launched yet; in one query."""
    if not user.is_authenticated:
        return {}
    rows = Registration.objects.filter(
        design__in=designs,
        design__collaborators__in=user.design_roles.filter(role__in=[Role.OWNER, Role.EDITOR]),
        projection=None,
    ).exclude(state__in=[Registration.State.WITHDRAWN, Registration.State.ABANDONED])
    return {row.design_id: _to_launch(row) for row in rows}


def _to_launch(registration: Registration) -> Standing:
    address = reverse("challenges:launch", args=[registration.identifier])
    standing = standing_of(registration)
    text = f"Its challenge is not launched yet. {standing.text}".strip()
    return replace(standing, text=text, act="Launch the challenge", act_address=address)


def _is_launched_by(user: Any, registration: Registration) -> bool:
    may: bool = rules.test_rule("challenges.launch_registration", user, registration)
    return may and not Projection.objects.filter(registration=registration).exists()
