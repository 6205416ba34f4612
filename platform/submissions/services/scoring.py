"""Scoring: chunks that any worker can take, and one result a run whatever happens to the workers."""

import time
import traceback
from datetime import timedelta

import structlog
from django.db import transaction
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from scoring.domain.report import Report
from scoring.services import scorer
from scoring.services.cases import Scored
from scoring.services.scorer import Predictions
from submissions.models import Chunk, Run
from submissions.queries.work import SCORING
from submissions.services.finishing import fail_run, finish_run, with_references
from uploads.storage import child_limits, free_bytes, has_room, is_out_of_room, local_path
from work.queries import shared_now
from work.services import Lease, LeaseLostError, claim_next, enqueue, task_budget

log = structlog.get_logger(__name__)

FULL_PAUSE = timedelta(seconds=20)


def score_next_chunk() -> bool:
    """Score the chunk whose turn it is; returns whether there was one."""
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return False
    lease = claim_next(SCORING, give_up=_give_up)
    if lease is None:
        return False
    chunk = Chunk.objects.select_related("run__submission__phase__task__challenge", "run__test_set").get(pk=lease.pk)
    # On every line that is written meanwhile, whoever writes it.
    with bound_contextvars(run=str(chunk.run_id), submission=str(chunk.run.submission_id), chunk=chunk.index):
        _score_claimed(chunk, lease)
    return True


def _give_up(lease: Lease) -> None:
    """End the run of a chunk that took its workers down."""
    chunk = lease.rows.first()
    if chunk is not None:
        fail_run(
            run_id=chunk.run_id,
            cause=f"the workers that tried broke off, {SCORING.attempts} times",
            log=f"Workers were lost at chunk {chunk.index} too often.",
        )


def _score_claimed(chunk: Chunk, lease: Lease) -> None:
    begun = time.monotonic()
    Run.objects.filter(pk=chunk.run_id, state=Run.State.QUEUED).update(
        state=Run.State.SCORING, started_at=timezone.now()
    )
    try:
        scored = _score_cases(chunk, lease)
    except LeaseLostError:
        return
    except Exception as error:
        log.exception("scoring_error", attempt=lease.attempts)
        if is_out_of_room(error):
            lease.hand_back(FULL_PAUSE, failure=str(error), is_counted=False)
        elif lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc())
        else:
            cause = f"an error on our side, {SCORING.errors} times at the same cases"
            fail_run(run_id=chunk.run_id, cause=cause, log=f"Chunk {chunk.index}:\n{traceback.format_exc()}")
        return
    last = _complete(chunk, lease, scored)
    log.info("chunk_scored", cases=len(scored), seconds=round(time.monotonic() - begun, 3))
    if last:
        finish_run(run_id=chunk.run_id)


def _score_cases(chunk: Chunk, lease: Lease) -> list[Scored]:
    report, test_set = Report.of(chunk.run.submission.report), chunk.run.test_set
    path = local_path(chunk.run.submission.predictions_file)
    submission = chunk.run.submission
    predictions = Predictions(
        path, report.members, report.table, test_set, submission.phase.assessment, submission.team.name
    )
    rows = with_references(chunk.run).filter(name__in=chunk.cases)
    cases = {case.name: case for case in rows}
    scored: list[Scored] = []

    def beat() -> None:
        lease.beat(lambda: {"cases_done": len(scored)})

    for result in scorer.score_cases(
        predictions,
        [cases[name] for name in chunk.cases],
        limits=child_limits(),
        beat=beat,
        seconds=task_budget(),
    ):
        scored.append(result)
        beat()
    return scored


def _complete(chunk: Chunk, lease: Lease, scored: list[Scored]) -> bool:
    """Store what was found, all or nothing; returns whether this was the run's last open chunk."""
    done = {result.case for result in scored}
    left = [name for name in chunk.cases if name not in done]
    with transaction.atomic():
        kept = lease.complete(
            state=Chunk.State.DONE,
            cases=[result.case for result in scored],
            cases_total=len(scored),
            cases_done=len(scored),
            rows=[list(row) for result in scored for row in result.rows],
            pieces={result.case: result.pieces for result in scored},
            notes={result.case: result.note for result in scored if result.note},
            annotator_rows=[
                [name, result.case, under.rows, under.pieces]
                for result in scored
                for name, under in result.annotators.items()
            ],
            decoys={result.case: result.handed for result in scored if result.handed},
            disentangled={result.case: result.disentangled for result in scored if result.disentangled},
            log="\n".join(f"{result.case}: {result.details}" for result in scored if result.details),
        )
        if kept and left:
            _split_off(chunk, left)
    return kept and not Chunk.objects.filter(run=chunk.run_id).exclude(state=Chunk.State.DONE).exists()


def _split_off(chunk: Chunk, cases: list[str]) -> None:
    """Leave the cases for which the time of one task did not suffice to another turn."""
    last = Chunk.objects.filter(run=chunk.run_id).order_by("index").values_list("index", flat=True).last() or 0
    Chunk.objects.create(
        run_id=chunk.run_id, index=last + 1, cases=cases, cases_total=len(cases), asked_at=shared_now()
    )
    enqueue(SCORING.task)
