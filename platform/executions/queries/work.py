"""Work queued for a worker."""

from django.db.models import Q

from core.work.kinds import Kind
from executions.models import AlgorithmArchive, Batch, Execution

CHECKING = Kind(
    name="algorithms",
    doing="checking an image",
    model=AlgorithmArchive,
    is_open=Q(state__in=AlgorithmArchive.OPEN),
    begins={"state": AlgorithmArchive.State.CHECKING},
    task="executions.tasks.check_archive",
    attempts=3,
    order=("created_at",),
    challenge="phase__task__challenge",
)
# Messages carry no batch: each is one worker's turn, and the database says whose turn it is. Tries on cases that everybody
# may know come first, since they are short and who waits for one cannot go on.
RUNNING = Kind(
    name="runs",
    doing="running an algorithm",
    model=Batch,
    is_open=Q(state__in=Batch.CLAIMABLE),
    begins={"state": Batch.State.RUNNING},
    task="executions.tasks.run_batches",
    argument=None,
    attempts=10,
    errors=10,
    since="execution__queued_at",
    counted="execution",
    order=("-execution__is_on_public_cases", "execution__queued_at", "index"),
    fair_between="execution__team",
    challenge="execution__phase__task__challenge",
)
ASSEMBLING = Kind(
    name="run_results",
    doing="putting predictions together",
    model=Execution,
    is_open=Q(state=Execution.State.ASSEMBLING),
    task="executions.tasks.assemble",
    attempts=3,
    errors=3,
    order=("queued_at",),
    challenge="phase__task__challenge",
)
