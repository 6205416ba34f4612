"""Claims of runners: the batch whose turn it is, within the scope of the token and what the machine can run."""

import uuid
from collections import Counter
from datetime import datetime, timedelta

import structlog
from django.db.models import F, Q

from core.work.queries import shared_now
from core.work.services import Lease
from datastore.uploads.storage import free_bytes, has_room
from executions.models import Batch, RunHost
from executions.queries.work import RUNNING
from executions.runners.models import Runner, RunnerRun
from executions.runners.queries import lease_time, living_runs, scope_of
from executions.runners.services.refusals import LeaseEndedError, RunnerError
from executions.services.claiming import claim_for

log = structlog.get_logger(__name__)
State = RunnerRun.State

FIRST_WAIT = timedelta(seconds=15)
"""Time for which a runner does not get a batch again that it did not finish; four times as long each time."""
BAD_IN_A_ROW, PAUSE = 3, timedelta(minutes=10)
"""Number of runs without a result after which a runner gets no work for some time."""


def claim(runner: Runner, key: uuid.UUID) -> RunnerRun | None:
    """Claim the batch whose turn it is for a runner.

    Parameters
    ----------
    key
        Chosen by the runner for this claim. A repeated claim with the same key gives the same run.

    Returns
    -------
    RunnerRun or None
        None if no batch fits.

    Raises
    ------
    RunnerError
        If the runner gets no work, or runs as much as it may.
    """
    earlier = RunnerRun.objects.filter(runner=runner, key=key).first()
    if earlier is not None:
        return living(runner, earlier.pk)
    host = RunHost.objects.filter(name=runner.host).first()
    if host is None:
        raise RunnerError("no_report", f"Runner {runner.name} has not reported its state yet. Report it, then claim.")
    if runner.problem or not host.is_ready:
        raise RunnerError("not_ready", f"Runner {runner.name} gets no work. {runner.problem}")
    now = shared_now()
    settle(runner, now)
    if runner.is_paused(now):
        raise RunnerError(
            "paused",
            f"Runner {runner.name} gets no work for some minutes, because its last {BAD_IN_A_ROW} runs had no result. "
            "Look at its log.",
        )
    if living_runs().filter(runner=runner).count() >= runner.concurrency:
        raise RunnerError(
            "concurrency",
            f"Runner {runner.name} runs {runner.concurrency} at the same time and has as many. Finish one first.",
        )
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return None
    runs: list[RunnerRun] = []

    def note(lease: Lease) -> None:
        runs.append(
            RunnerRun.objects.create(
                runner=runner, batch_id=lease.pk, key=key, claim_token=lease.token, start_number=lease.attempts
            )
        )

    only = scope_of(runner) or Q()
    if avoided := _avoided(runner, now):
        only &= ~Q(pk__in=avoided)
    lease = claim_for(runner.host, host.slots, only=only, silence=lease_time(), on_claim=note)
    return runs[0] if lease is not None else None


def _avoided(runner: Runner, now: datetime) -> list[int]:
    """Return batches that the runner did not finish lately; others should get them first."""
    rows = RunnerRun.objects.filter(
        runner=runner, state__in=RunnerRun.BAD, ended_at__gte=now - timedelta(hours=6), batch__state__in=Batch.CLAIMABLE
    )
    ends = list(rows.order_by("ended_at").values_list("batch", "ended_at")[:500])
    numbers = Counter(batch for batch, _ in ends)
    last = dict(ends)
    return [
        batch
        for batch, ended in last.items()
        if ended is not None and ended + FIRST_WAIT * 4 ** (numbers[batch] - 1) > now
    ]


def settle(runner: Runner, now: datetime) -> None:
    """Note which runs of a runner were lost, and pause a runner whose runs have no result."""
    held = Q(batch__state=Batch.State.RUNNING, batch__lease_token=F("claim_token"), batch__lease_until__gte=now)
    lost = RunnerRun.objects.filter(runner=runner, state=State.LEASED).exclude(held)
    for pk, state in lost.values_list("pk", "batch__state"):
        if state == Batch.State.CANCELLED:
            end(RunnerRun(pk=pk), State.RELEASED, "The run was cancelled.")
        else:
            end(RunnerRun(pk=pk), State.LOST, "The runner was silent for too long.")
    last = list(
        RunnerRun.objects.filter(runner=runner)
        .exclude(state__in=RunnerRun.OPEN)
        .order_by("-ended_at")
        .values_list("state", "ended_at")[:BAD_IN_A_ROW]
    )
    bad = [ended for state, ended in last if state in (State.FAULTY, State.LOST) and ended is not None]
    if len(bad) == BAD_IN_A_ROW and bad[0] + PAUSE > now:
        runner.paused_until = bad[0] + PAUSE
    else:
        runner.paused_until = None
    Runner.objects.filter(pk=runner.pk).exclude(paused_until=runner.paused_until).update(
        paused_until=runner.paused_until
    )


def end(run: RunnerRun, state: str, reason: str = "") -> None:
    """Note how a run ended."""
    RunnerRun.objects.filter(pk=run.pk, state__in=RunnerRun.OPEN).update(
        state=state, reason=reason[:500], ended_at=shared_now()
    )


def living(runner: Runner, pk: uuid.UUID) -> RunnerRun:
    """Return a run that is leased to the runner.

    Raises
    ------
    LeaseEndedError
        For any other run. Runs of others and runs that do not exist get the same answer.
    """
    run = living_runs().filter(runner=runner, pk=pk).select_related("runner", "batch").first()
    if run is None:
        raise LeaseEndedError(pk)
    return run


def lease_of(run: RunnerRun) -> Lease:
    """Return the lease of a run on its batch."""
    return Lease(RUNNING, run.batch_id, run.claim_token, run.start_number, silence=lease_time())
