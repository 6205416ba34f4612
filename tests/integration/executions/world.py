"""A small challenge to which algorithms are submitted, and helpers to submit without an image."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from django.utils import timezone

from accounts.models import User
from challenges.models import Challenge, Phase, Task, Team
from challenges.services import create_challenge, create_phase, join_with_team
from datastore.test_sets.models import TestSet
from datastore.test_sets.services.sealing import create_test_set
from evaluation.running.registered import Registered
from executions.models import AlgorithmArchive, AlgorithmUpload, Execution
from executions.services import assembling, running
from submissions.models import Submission
from submissions.services import algorithms
from tests.integration.submissions.world import ASSESSMENT, CASES, labels, nifti

PLAN = {"case_seconds": 20, "start_seconds": 0, "memory_mib": 64, "cpus": 1}


@dataclass
class Algorithms:
    """The challenge, its organizer, and two teams of one person each."""

    challenge: Challenge
    phase: Phase
    test_set: TestSet
    organizer: User
    ada: User
    bo: User
    adas: Team
    bos: Team

    def image(self, *, team: Team | None = None, digit: str = "a", kind: str = "image") -> AlgorithmArchive:
        """An image of a team that was checked before; the engine of the test holds it already."""
        team = team or self.adas
        user = team.members.get().user
        common: dict[str, Any] = {"phase": self.phase, "team": team, "user": user, "kind": kind}
        upload = AlgorithmUpload.objects.create(
            **common,
            file_name=f"{kind}.tar",
            size=10,
            offset=10,
            state=AlgorithmUpload.State.COMPLETE,
            expires_at=timezone.now(),
        )
        return AlgorithmArchive.objects.create(
            **common,
            upload=upload,
            file_name=f"{kind}.tar",
            size=10,
            state=AlgorithmArchive.State.READY,
            digest=f"sha256:{digit * 64}",
            checked_at=timezone.now(),
        )

    def hand_in(self, image: AlgorithmArchive, *, team: Team | None = None, **more: Any) -> Submission:
        """Hand in an algorithm."""
        team = team or self.adas
        user = team.members.get().user
        return algorithms.hand_in(user=user, phase=self.phase, team=team, image=image, **more)

    def set_plan(self, **stated: Any) -> None:
        """Have the phase registered with other limits."""
        self.phase.algorithms = Registered.of(PLAN | stated).document()
        self.phase.save()


def build(folder: Path, *, cases: Sequence[str] = CASES, **phase_fields: Any) -> Algorithms:
    """Make the world in the database and the storage: the image of each case is its reference, moved by one voxel."""
    organizer, ada, bo = (
        User.objects.create_user(name, f"{name}@example.org", "a long password") for name in ("olga", "ada", "bo")
    )
    challenge = create_challenge(
        actor=organizer, organizers=[organizer], slug="blocks", title="Blocks", summary="Find blocks.", is_public=True
    )
    task = Task.objects.create(challenge=challenge, slug="blocks", name="Blocks")
    phase = add_phase(organizer, task, folder, "first", cases=cases, **phase_fields)
    adas = join_with_team(user=ada, challenge=challenge, team_name="Ada's")
    bos = join_with_team(user=bo, challenge=challenge, team_name="Bo's")
    return Algorithms(challenge, phase, phase.test_sets.get(), organizer, ada, bo, adas, bos)


def add_phase(
    organizer: User, task: Task, folder: Path, slug: str, *, cases: Sequence[str] = CASES, **phase_fields: Any
) -> Phase:
    """Add an open phase that accepts algorithms, with a separate test set."""
    now = timezone.now()
    fields = {
        "slug": slug,
        "name": slug.capitalize(),
        "opens_at": now - timedelta(days=1),
        "closes_at": now + timedelta(days=1),
        "results": Phase.Results.AGGREGATE,
        "leaderboard": Phase.Leaderboard.SEALED,
        "algorithms": Registered.of(PLAN).document(),
        **phase_fields,
    }
    assessment = fields.pop("assessment", ASSESSMENT)
    phase = create_phase(actor=organizer, task=task, assessment=assessment, **fields)
    places = {}
    for kind, shift in (("references", 0), ("images", 1)):
        places[kind] = folder / slug / kind
        places[kind].mkdir(parents=True)
        for number, case in enumerate(cases):
            array = labels(shift)
            # Each case differs, so that phases do not share a reference by chance.
            array[0, len(slug), : number % 8 + 1] = 1
            array[1, len(slug), : number // 8 + 1] = 1
            (places[kind] / f"{case}.nii.gz").write_bytes(nifti(array.astype(np.uint8)))
    create_test_set(phase=phase, references=places["references"], images=places["images"], cases=list(cases))
    return phase


def run_all() -> int:
    """Let workers have turns until nothing is left to run, and put the predictions together; returns the turns."""
    turns = 0
    while running.run_next_batch():
        turns += 1
    for execution in Execution.objects.filter(state=Execution.State.ASSEMBLING):
        assembling.assemble(execution_id=execution.pk)
    return turns


def execution_of(submission: Submission) -> Execution:
    """Return the last execution of a submission, read again from the database."""
    return Execution.objects.filter(subject=uuid.UUID(str(submission.pk))).latest("created_at")
