"""A registered design, ready to be launched: that of the example challenge with a schedule around today."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from accounts.models import User
from designs import services as designs
from designs.models import Collaborator, Design
from designs.services.examples import example_document
from registry.models import Registration
from registry.services import register

TASK = "task-1"


@dataclass
class Registered:
    """A design with its registration and the people around it."""

    design: Design
    registration: Registration
    owner: User
    editor: User
    reader: User


def person(name: str, **more: Any) -> User:
    return User.objects.create_user(name, f"{name}@example.org", "a-long-password", **more)


def schedule(*, opens: int = -2, closes: int = 30) -> list[dict[str, Any]]:
    """Two phases; the days count from today."""

    def day(offset: int) -> str:
        return (date.today() + timedelta(days=offset)).isoformat()  # noqa: DTZ011 (days of a schedule)

    return [
        {"event": "submission_open", "date": day(opens), "phase": "Preliminary phase"},
        {"event": "submission_open", "date": day(opens + 1), "phase": "Final phase"},
        {"event": "submission_deadline", "date": day(closes), "phase": "Preliminary phase"},
        {"event": "submission_deadline", "date": day(closes + 5), "phase": "Final phase"},
        {"event": "results_release", "date": day(closes + 10)},
    ]


def document(challenge: dict[str, Any] | None = None, **task: Any) -> dict[str, Any]:
    """The example design; `challenge` and `task` replace entries, `None` takes them away."""
    data = example_document("hippocampus")
    data["challenge"] |= {"challenge_schedule": schedule(), **(challenge or {})}
    data["tasks"][0] |= task
    for entries in (data["challenge"], data["tasks"][0]):
        for key in [key for key, value in entries.items() if value is None]:
            del entries[key]
    return data


def registered(
    challenge: dict[str, Any] | None = None,
    *,
    comment_until: Any = None,
    slug: str = "hippo",
    is_embargoed: bool = False,
    **task: Any,
) -> Registered:
    """Import, freeze and register the design."""
    owner, editor, reader = (person(f"{name}-{slug}") for name in ("olga", "edi", "rita"))
    design, _ = designs.import_design(actor=owner, title=f"Design {slug}", data=document(challenge, **task), slug=slug)
    Collaborator.objects.create(design=design, user=editor, role=Collaborator.Role.EDITOR)
    Collaborator.objects.create(design=design, user=reader, role=Collaborator.Role.READER)
    frozen = designs.freeze_version(actor=owner, design=design, name="Accepted")
    version = register(design_version=frozen, actor=owner, comment_until=comment_until, is_embargoed=is_embargoed)
    return Registered(design, version.registration, owner, editor, reader)
