"""Durable work on submissions that is queued for workers."""

from django.db.models import Q, QuerySet

from core.work.kinds import Kind
from executions.judging.queries import open_runs
from submissions.models import Chunk, Rescoring, Run, StarterKit, Submission

VALIDATION = Kind(
    name="validation",
    doing="validating",
    model=Submission,
    is_open=Q(state__in=(Submission.State.RECEIVED, Submission.State.VALIDATING)),
    begins={"state": Submission.State.VALIDATING},
    task="submissions.tasks.validate",
    attempts=10,
    errors=3,
    since="state_since",
    order=("created_at",),
    challenge="phase__task__challenge",
)
# Messages carry no chunk: each is one worker's turn. So a message delivered twice finds nothing to do, and which chunk is
# next is decided in the database by fairness between teams, not by the order of the queue.
SCORING = Kind(
    name="scoring",
    doing="scoring",
    model=Chunk,
    is_open=Q(state__in=(Chunk.State.WAITING, Chunk.State.SCORING)),
    begins={"state": Chunk.State.SCORING},
    task="submissions.tasks.score_chunk",
    argument=None,
    attempts=10,
    errors=3,
    since="run__queued_at",
    counted="run",
    fair_between="run__submission__team",
    challenge="run__submission__phase__task__challenge",
)

RESCORING = Kind(
    name="rescoring",
    doing="scoring again",
    model=Rescoring,
    is_open=Q(state=Rescoring.State.WAITING),
    task="submissions.tasks.repeat",
    attempts=10,
    errors=3,
    order=("created_at",),
    challenge="submission__phase__task__challenge",
)

STARTER_KITS = Kind(
    name="starter_kits",
    doing="generating a starter kit",
    model=StarterKit,
    is_open=Q(made_at=None),
    task="submissions.tasks.make_starter_kit",
    attempts=3,
    challenge="phase__task__challenge",
)


def unassembled_runs() -> QuerySet[Run]:
    """Return the runs whose chunks are all done but whose result is not assembled yet."""
    open_chunks = Chunk.objects.exclude(state=Chunk.State.DONE).values("run")
    return Run.objects.filter(state__in=Run.UNFINISHED).exclude(pk__in=open_chunks).exclude(pk__in=open_runs())
