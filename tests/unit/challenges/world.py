"""A small world: one challenge with two phases, an organizer, a team, a stranger."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Phase, Task, Team
from challenges.services import create_challenge, create_phase, join_with_team

ASSESSMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "organ", "labels": [1]}],
    "metrics": [{"id": "dsc"}],
    "ranking": {"scheme": "aggregate_then_rank"},
}


@dataclass
class World:
    challenge: Challenge
    open_phase: Phase
    closed_phase: Phase
    team: Team
    organizer: User
    member: User
    stranger: User
    staff: User


def person(name, **more):
    return User.objects.create_user(name, f"{name}@example.org", "a-long-password", **more)


def build(slug="organs") -> World:
    organizer, member, stranger = (person(f"{name}-{slug}") for name in ("olga", "max", "zoe"))
    staff = person(f"root-{slug}", is_superuser=True, is_staff=True)
    challenge = create_challenge(
        actor=organizer,
        organizers=[organizer],
        slug=slug,
        title=f"Challenge {slug}",
        summary="Find it.",
        is_public=True,
    )
    task = Task.objects.create(challenge=challenge, slug="task", name="Task")
    now = timezone.now()
    closed = create_phase(
        actor=organizer,
        task=task,
        assessment=ASSESSMENT,
        slug="first",
        name="First phase",
        position=1,
        opens_at=now - timedelta(days=9),
        closes_at=now - timedelta(days=1),
    )
    opened = create_phase(
        actor=organizer,
        task=task,
        assessment=ASSESSMENT,
        slug="second",
        name="Second phase",
        position=2,
        opens_at=now - timedelta(days=1),
        closes_at=now + timedelta(days=9),
    )
    team = join_with_team(user=member, challenge=challenge, team_name="Team Max")
    return World(challenge, opened, closed, team, organizer, member, stranger, staff)
