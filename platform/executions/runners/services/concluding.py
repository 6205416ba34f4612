"""Reading of what a runner returned: outputs are split, compared with their digests, judged and stored by a worker."""

import hashlib
import traceback
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import structlog
from django.utils import timezone

from confinement.archive import BLOCK
from confinement.containers.batches import Taken
from confinement.containers.orders import OrderError, OutputEntry, collected, manifest_from_json, report_of
from core.work.services import Lease, LeaseLostError, claim
from datastore.uploads.storage import (
    delete,
    free_bytes,
    has_room,
    is_out_of_room,
    open_stored,
    scratch,
    working_folder,
)
from executions.models import Batch
from executions.runners.models import RunnerRun
from executions.runners.queries import RETURNED
from executions.runners.services.claiming import end, settle
from executions.runners.services.returning import part_file
from executions.services import claiming, concluding
from executions.services.concluding import Attempt, OurFaultError
from executions.services.ordering import Ordered, ordered

log = structlog.get_logger(__name__)
State = RunnerRun.State
FULL_PAUSE = timedelta(seconds=20)


def conclude(*, batch_id: int) -> None:
    """Store the results of a batch that a runner returned, unless this is done or another worker does it."""
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return
    lease = claim(RETURNED, batch_id, give_up=_give_up)
    if lease is None:
        return
    batch = Batch.objects.select_related(
        "execution__phase__task__challenge", "execution__team", "execution__image", "execution__model"
    ).get(pk=lease.pk)
    run = RunnerRun.objects.select_related("runner").filter(batch=batch, state=State.RETURNED).latest("claimed_at")
    attempt = Attempt(lease, run.start_number, _host_class(run))
    try:
        with lease.renewed(), working_folder() as folder:
            concluding.store(batch, attempt, _judged(run, ordered(batch), attempt, folder))
    except LeaseLostError:
        log.info("lease_lost")
        return
    except (OurFaultError, OrderError) as fault:
        concluding.repeat(batch, attempt, f"Runner {run.runner.name}: {fault}")
        end(run, State.FAULTY, str(fault))
    except Exception as error:
        log.exception("return_error", attempt=lease.attempts)
        if is_out_of_room(error):
            lease.hand_back(FULL_PAUSE, failure=str(error), is_counted=False)
            return
        concluding.repeat(batch, attempt, traceback.format_exc())
        end(run, State.FAULTY, "The outputs could not be read.")
    else:
        end(run, State.DONE)
    delete(run.outputs_file)


def _host_class(run: RunnerRun) -> str:
    return run.runner.hardware_class or str(run.runner.hardware.get("host_class", ""))


def _give_up(lease: Lease) -> None:
    batch = lease.rows.first()
    if batch is not None:
        claiming.fail(batch.execution_id, f"Workers were lost while they read the outputs of batch {batch.index}.")


def _judged(run: RunnerRun, parts: Ordered, attempt: Attempt, folder: Path) -> concluding.Judged:
    report = report_of(run.measurements)
    if report.fault:
        raise OurFaultError(report.fault)
    lease = attempt.lease

    def beat() -> None:
        if lease.is_lost:
            raise LeaseLostError

    entries = manifest_from_json(parts.order(lease), run.manifest)
    if run.outputs_file:
        _split(run.outputs_file, entries, folder)
    return concluding.judge(parts, attempt, replace(report, files=collected(entries, folder)), beat)


def _split(name: str, entries: list[OutputEntry], folder: Path) -> None:
    """Write each file of the stream, and compare it with its digest.

    Raises
    ------
    OrderError
        For a stream that differs from its manifest.
    """
    with open_stored(name) as stream:
        for entry in entries:
            if entry.taken is not Taken.TAKEN:
                continue
            target = folder / entry.case / entry.name
            target.parent.mkdir(parents=True, exist_ok=True)
            digest, left = hashlib.sha256(), entry.size
            with target.open("wb") as file:
                while left and (block := stream.read(min(BLOCK, left))):
                    left -= len(block)
                    digest.update(block)
                    file.write(block)
            if left or digest.hexdigest() != entry.sha256:
                raise OrderError(f"{entry.file} of {entry.case} does not have the SHA-256 of the manifest.")


def sweep() -> None:
    """Note lost runs of all runners, and remove outputs that no run needs."""
    now = timezone.now()
    for run in RunnerRun.objects.filter(state=State.LEASED).select_related("runner").distinct()[:500]:
        settle(run.runner, now)
    for run in RunnerRun.objects.filter(state=State.RETURNED).exclude(batch__state=Batch.State.RETURNED)[:500]:
        # Cancelled while it waited to be read, or read by a worker that was killed right afterwards.
        is_done = run.batch.state == Batch.State.DONE
        end(run, State.DONE if is_done else State.RELEASED, "" if is_done else "The run was cancelled.")
        delete(run.outputs_file)
    living = {part_file(run).name for run in RunnerRun.objects.filter(state__in=RunnerRun.OPEN)}
    for path in scratch("returns").glob("*.part"):
        if path.name not in living:
            with suppress(OSError):
                path.unlink()
