"""Runs of batches on this machine: a worker claims a batch, executes its order and stores the results."""

import time
import traceback
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import structlog
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from confinement.containers.hardware import host_class
from confinement.containers.orders import execute
from confinement.containers.removing import remove_tree
from core.work.services import Lease, LeaseLostError, send, task_budget
from datastore.uploads.storage import free_bytes, has_room, is_out_of_room
from executions.models import Batch, Execution
from executions.queries.work import RUNNING
from executions.services import claiming, concluding, hosts, laying, preparing
from executions.services.concluding import Attempt, Judged, OurFaultError
from executions.services.ordering import ordered

log = structlog.get_logger(__name__)

FULL_PAUSE = timedelta(seconds=20)


def run_next_batches() -> int:
    """Run the batches whose turn it is on this machine, for as long as one task should take; returns how many there were."""
    count, begun = 0, time.monotonic()
    while time.monotonic() - begun < task_budget():
        if not run_next_batch():
            break
        count += 1
    else:
        send(RUNNING.task, [])  # there may be more; others had their turn
    return count


def run_next_batch() -> bool:
    """Run the batch whose turn it is; returns whether there was one that this machine could take."""
    if not hosts.here().runs:
        return False
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return False
    lease = claim_here()
    if lease is None:
        return False
    batch = begun_batch(lease)
    with bound_contextvars(execution=str(batch.execution_id), batch=batch.index):
        _run_claimed(batch, lease)
    return True


def claim_here() -> Lease | None:
    """Claim the batch whose turn it is on this machine."""
    return claiming.claim_for(hosts.here().name, hosts.offered(), locked=lambda: hosts.alone_with("slots"))


def begun_batch(lease: Lease) -> Batch:
    """Return a claimed batch with what its order needs, and mark its execution as running."""
    rows = Batch.objects.select_related(
        "execution__phase__task__challenge", "execution__team", "execution__image", "execution__model"
    )
    batch = rows.get(pk=lease.pk)
    Execution.objects.filter(pk=batch.execution_id, state=Execution.State.QUEUED).update(
        state=Execution.State.RUNNING, started_at=timezone.now()
    )
    return batch


def _run_claimed(batch: Batch, lease: Lease) -> None:
    folder = hosts.leases() / str(lease.token)
    attempt = Attempt(lease, lease.attempts, host_class())
    try:
        with lease.renewed():
            batch_outcome = _executed(batch, attempt, folder)
        concluding.store(batch, attempt, batch_outcome)
    except LeaseLostError:
        log.info("lease_lost")
    except OurFaultError as fault:
        _again(batch, attempt, str(fault))
    except Exception as error:
        log.exception("run_error", attempt=lease.attempts)
        if is_out_of_room(error):
            concluding.hand_back(attempt, FULL_PAUSE, failure=str(error), is_counted=False)
        else:
            _again(batch, attempt, traceback.format_exc())
    finally:
        with suppress(OSError):
            remove_tree(folder)


def _again(batch: Batch, attempt: Attempt, failure: str) -> None:
    preparing.look_again()
    concluding.repeat(batch, attempt, failure)


def _executed(batch: Batch, attempt: Attempt, folder: Path) -> Judged:
    engine = hosts.here().engine
    assert engine is not None, "only a machine with an engine takes batches"
    lease, execution = attempt.lease, batch.execution
    parts = ordered(batch)

    def beat() -> None:
        if lease.is_lost:
            raise LeaseLostError

    remove_tree(folder)
    folder.mkdir(mode=0o711)
    if attempt.number > 1:
        hosts.sweep_leftovers()
    with preparing.held(engine, execution.image, beat), preparing.unpacked(engine, execution.model, beat) as model:
        lease.tell(every=0, step="running", started_at=timezone.now())
        with laying.laid(parts.conventions, parts.sockets.image.name, parts.cases, parts.names, beat) as inputs:
            report = execute(engine, parts.order(lease), inputs, model, folder, beat=beat)
    beat()
    return concluding.judge(parts, attempt, report, beat)
