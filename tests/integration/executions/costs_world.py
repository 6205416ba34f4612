"""A phase that ranks what runs cost, and algorithms of known cost in it."""

from typing import Any

from challenges.models import Phase, Team
from evaluation.running.registered import Registered
from executions.models import AlgorithmArchive, CaseOutcome
from executions.services import running
from submissions.models import Submission
from submissions.services import scoring, validation
from tests.integration.executions.world import PLAN, Algorithms, add_phase, execution_of, run_all
from tests.integration.submissions.world import ASSESSMENT

TIME: dict[str, Any] = {"id": "run_wall_time", "by": "run", "worst": 20}
MEMORY: dict[str, Any] = {"id": "run_peak_memory", "by": "run", "worst": 64}
RANKED = {**ASSESSMENT, "metrics": [{"id": "dsc"}, TIME, MEMORY]}
OWN_RANKINGS = {
    **RANKED,
    "ranking": [
        {"name": "quality", "metrics": ["dsc"], "combine": {"over": ["region"]}},
        {"name": "speed", "metrics": ["Wall time"]},
    ],
}


def costly(world: Algorithms, folder: Any, *, assessment: Any = RANKED, **fields: Any) -> Phase:
    """Add a phase that ranks costs, and let the world hand in to it."""
    plan = Registered.of({**PLAN, "exclusive": True}).document()
    fields = {"assessment": assessment, "algorithms": plan, **fields}
    world.phase = add_phase(world.organizer, world.phase.task, folder, "costly", **fields)
    world.test_set = world.phase.test_sets.get()
    return world.phase


def judge(submission: Submission) -> Submission:
    """Validate and score what a run predicted."""
    validation.validate(submission_id=submission.pk)
    while scoring.score_next_chunk():
        pass
    submission.refresh_from_db()
    return submission


def run_with(
    world: Algorithms,
    engine: Any,
    seconds: float,
    *,
    team: Team | None = None,
    script: Any = None,
    image: AlgorithmArchive | None = None,
) -> Submission:
    """Submit and run an algorithm, then overwrite the recorded costs of its cases.

    The first case takes `seconds`, and each following case one second more.
    """
    engine.script = script or engine.script
    image = image or world.image(team=team, digit="abcdef0123456789"[Submission.objects.count()])
    engine.held.append(image.digest)
    submission = world.hand_in(image, team=team)
    while running.run_next_batch():
        pass
    outcomes = CaseOutcome.objects.filter(execution=execution_of(submission)).order_by("case")
    for number, outcome in enumerate(outcomes):
        outcome.row |= {"wall_seconds": seconds + number, "peak_memory_mib": 30.0 + number}
        outcome.save()
    run_all()
    return judge(submission)
