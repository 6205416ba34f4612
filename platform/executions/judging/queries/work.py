"""Work queued for a worker that has the key of the references and an engine."""

from django.db.models import Q

from core.work.kinds import Kind
from executions.judging.models import Judgement, Trial

TRYING = Kind(
    name="scorer_trials",
    doing="trying a scoring image",
    model=Trial,
    is_open=Q(state__in=Trial.OPEN),
    begins={"state": Trial.State.RUNNING},
    task="judging.tasks.judge_trial",
    attempts=3,
    errors=2,
    order=("created_at",),
    challenge="phase__task__challenge",
)
# Messages carry no row: each is one worker's turn, and the database says whose turn it is.
JUDGING = Kind(
    name="judging",
    doing="running a scoring image",
    model=Judgement,
    is_open=Q(state__in=Judgement.OPEN),
    begins={"state": Judgement.State.RUNNING},
    task="judging.tasks.judge_next",
    argument=None,
    attempts=10,
    errors=2,
    counted="run",
    order=("created_at", "index"),
    fair_between="team",
    challenge="phase__task__challenge",
)
