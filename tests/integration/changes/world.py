"""A registered design with its call, its chairs, and a running challenge."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from accounts.models import User
from challenges import hooks
from challenges.hooks import Arrivals
from challenges.models import Challenge, Team
from challenges.services import join_with_team, launch
from designs.models import Design
from designs.services import save_field
from registry.changes.services import Wanted
from registry.models import Registration
from reviews.models import Call, Chair, Filing
from tests.integration.challenges import world as challenges

TASK = challenges.TASK


@dataclass
class World:
    registration: Registration
    design: Design
    organizer: User
    reader: User
    chair: User
    second_chair: User
    member: User
    stranger: User
    administrator: User
    challenge: Challenge | None = None
    team: Team | None = None

    def draft(self, parameter: str, value: Any, *, task: bool = True, **more: Any) -> None:
        """Change the working design."""
        holder = self.design.tasks.get() if task else None
        save_field(actor=self.organizer, design=self.design, task=holder, parameter=parameter, value=value, **more)

    def accept_submission(self, monkeypatch) -> None:
        """The first submission to the only task has been accepted."""
        arrived(monkeypatch, task_1=accepted())


def arrived(monkeypatch, **tasks: Arrivals) -> None:
    """Submissions to tasks, by their key in the design with underscores."""

    def arrivals(challenge: Challenge) -> dict[int, Arrivals]:
        keys = {key.replace("_", "-"): entry for key, entry in tasks.items()}
        return {task.pk: keys[task.design_key] for task in challenge.tasks.filter(design_key__in=keys)}

    monkeypatch.setattr(hooks, "arrivals", [arrivals])


def build(
    *,
    launched: bool = True,
    joined: bool = True,
    slug: str = "hippo",
    challenge: dict[str, Any] | None = None,
    **task: Any,
) -> World:
    """Everything of a registered design; `challenge` and `task` replace its entries."""
    made = challenges.registered(challenge, slug=slug, **task)
    now = timezone.now()
    call = Call.objects.create(
        slug=f"call-{slug}",
        title="Call",
        submission_at=now - timedelta(days=40),
        review_at=now - timedelta(days=30),
        revision_at=now - timedelta(days=20),
        registration_at=now - timedelta(days=10),
        critical_change_at=now + timedelta(days=20),
        is_public=True,
    )
    filing = Filing.objects.create(call=call, design=made.design, number=1, title="Hippo", state=Filing.State.ACCEPTED)
    Registration.objects.filter(pk=made.registration.pk).update(filing=filing)
    registration = Registration.objects.get(pk=made.registration.pk)
    people = {name: challenges.person(f"{name}-{slug}") for name in ("chair", "second", "member", "stranger")}
    Chair.objects.create(call=call, user=people["chair"])
    Chair.objects.create(call=call, user=people["second"])
    world = World(
        registration,
        made.design,
        made.owner,
        made.reader,
        people["chair"],
        people["second"],
        people["member"],
        people["stranger"],
        challenges.person(f"root-{slug}", is_superuser=True, is_staff=True),
    )
    if launched:
        world.challenge = launch(actor=made.owner, registration=registration, slug=slug)
        if joined:
            world.team = join_with_team(user=people["member"], challenge=world.challenge, team_name="Team")
    return world


def accepted() -> Arrivals:
    """A submission was accepted."""
    return Arrivals(timezone.now() - timedelta(hours=1))


def wanted(parameter: str, *, task: str = TASK) -> Wanted:
    return Wanted(f"{task}/{parameter}", "It was wrong.", "Ranks may move.")
