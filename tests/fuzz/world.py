"""A challenge with rankings, designs, a registration and a call, and a person for every role."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from accounts.services import issue_token
from challenges.models import Phase
from datastore.test_sets.models import TestCase
from designs.models import Collaborator, Design, DesignVersion
from evaluation.readers import Geometry
from reviews.models import Call, Chair
from submissions.models import Run, Submission
from tests.integration.leaderboards import world as leaderboards
from tests.integration.registry import world as registry

if TYPE_CHECKING:
    from accounts.models import User

ROLES = ("anonymous", "stranger", "participant", "organizer", "chair", "administrator")


@dataclass(frozen=True)
class World:
    """Tokens and parameter values of the test world.

    Attributes
    ----------
    tokens
        By role: the secret of a token with every scope. An anonymous visitor has none.
    places
        By the beginning of an address and the name of one of its parameters: values that lead to an existing object.
    """

    tokens: Mapping[str, str | None]
    places: Mapping[tuple[str, str], list[Any]]

    def values(self, path: str, name: str) -> list[Any]:
        """Values of a parameter that lead somewhere at an address; none for one that is not known."""
        return next((found for (start, key), found in self.places.items() if key == name and start in path), [])

    def headers(self, role: str) -> dict[str, str]:
        """Headers with the role's token."""
        token = self.tokens[role]
        return {"Authorization": f"Bearer {token}"} if token else {}


def build() -> World:
    """Make it in the database and the storage."""
    ranked = leaderboards.build()
    for run in Run.objects.all():
        # Its rows are made without a scorer, which writes a summary.
        run.summary = {"values": []} | run.summary
        run.save(update_fields=["summary"])
    # Its cases are made without sealing, which reads the grid.
    TestCase.objects.update(geometry=Geometry((4, 4, 4)).document)
    filed = registry.build()
    organizer = ranked.people["organizer"]
    for design in Design.objects.all():
        Collaborator.objects.create(design=design, user=organizer, role=Collaborator.Role.OWNER)
    people: dict[str, User | None] = {
        "anonymous": None,
        "stranger": filed.people["stranger"],
        "participant": ranked.people["member"],
        "organizer": organizer,
        "chair": filed.people["chair"],
        "administrator": filed.people["administrator"],
    }
    Chair.objects.get_or_create(call=Call.objects.get(slug="spring"), user=people["chair"])
    scopes = ["read", "submit", "design", "organize"]
    tokens = {
        role: issue_token(user=person, name="fuzz", scopes=scopes, days=1)[1] if person else None
        for role, person in people.items()
    }
    submissions = [str(pk) for pk in Submission.objects.values_list("pk", flat=True)[:4]]
    places: dict[tuple[str, str], list[Any]] = {
        ("/challenges/", "slug"): [ranked.challenge.slug],
        ("/challenges/", "phase"): list(Phase.objects.values_list("pk", flat=True)),
        ("/challenges/", "key"): [phase.slug for phase in ranked.phases.values()],
        ("/submissions/", "id"): submissions,
        ("/submissions/", "pk"): submissions,
        ("/register/", "slug"): [filed.accepted.slug],
        ("/registration/", "slug"): [filed.accepted.slug],
        ("/designs/", "slug"): list(Design.objects.values_list("slug", flat=True)),
        ("/designs/", "number"): list(DesignVersion.objects.values_list("number", flat=True)),
        ("/designs/", "task"): ["task-1"],
        ("/designs/", "parameter"): ["task_name", "challenge_name", "organizing_team", "number_test_cases", "metrics"],
        ("/registry/", "identifier"): [filed.registration.identifier],
        ("/registry/", "number"): ["1.0"],
        ("/launch/", "identifier"): [filed.registration.identifier],
        ("/calls/", "slug"): ["spring"],
        ("/chairs/", "pk"): list(Chair.objects.filter(call__slug="spring").values_list("pk", flat=True)),
        ("/calls/", "number"): [1, 2],
    }
    return World(tokens=tokens, places=places)
