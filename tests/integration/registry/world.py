"""A registration in its comment period with all people involved."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from accounts.conversations.models import Thread
from accounts.conversations.services import start_thread
from accounts.models import User
from designs.models import Collaborator, Design
from registry import services
from registry.models import Registration, RegistrationVersion
from reviews.models import Call, Chair, Filing
from tests.unit.registry.world import design as blank
from tests.unit.registry.world import filled, frozen, person

PLACE = "task-1/case_definition"


@dataclass
class World:
    version: RegistrationVersion
    comment: Thread
    people: dict[str, User | None]
    accepted: Design
    plain: Design

    @property
    def registration(self) -> Registration:
        return Registration.objects.get(pk=self.version.registration_id)


def make_call(slug: str) -> Call:
    now = timezone.now()
    days = {"submission_at": 10, "review_at": 20, "revision_at": 30, "registration_at": 40, "critical_change_at": 50}
    dates = {name: now + timedelta(days=number) for name, number in days.items()}
    return Call.objects.create(slug=slug, title="Call", is_public=True, **dates)


def build() -> World:
    owner, editor, chair = person("owner"), person("editor"), person("chair")
    version = services.register(
        design_version=frozen(owner), actor=owner, comment_until=timezone.now() + timedelta(days=14)
    )
    design = version.registration.design
    Collaborator.objects.create(design=design, user=editor, role=Collaborator.Role.EDITOR)
    call = make_call("spring")
    Chair.objects.create(call=call, user=chair)
    filing = Filing.objects.create(call=call, design=design, number=1, title="Hippo", state=Filing.State.REGISTERED)
    Registration.objects.update(filing=filing)
    stranger = person("stranger")
    registration = Registration.objects.get()
    comment = start_thread(actor=stranger, target=registration, part="1.0", text="Which scanner?")
    accepted = filled(owner)
    Collaborator.objects.create(design=accepted, user=editor, role=Collaborator.Role.EDITOR)
    Filing.objects.create(call=call, design=accepted, number=2, title="Hippo 2", state=Filing.State.REVISION_REQUIRED)
    Filing.objects.filter(design=accepted).update(state=Filing.State.ACCEPTED)
    return World(
        version=version,
        comment=comment,
        people={
            "anonymous": None,
            "stranger": stranger,
            "editor": editor,
            "owner": owner,
            "chair": chair,
            "other chair": _other_chair(),
            "staff": person("staff", is_staff=True),
            "administrator": person("root", is_staff=True, is_superuser=True),
        },
        accepted=accepted,
        plain=blank(owner, title="Never filed"),
    )


def _other_chair() -> User:
    user = person("other")
    Chair.objects.create(call=make_call("autumn"), user=user)
    return user
