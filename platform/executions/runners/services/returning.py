"""Results of a leased run from its runner: signs of life, outputs in pieces, measurements, the end or the release."""

import hashlib
import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from confinement.containers.batches import Taken
from confinement.containers.orders import OrderError, manifest_from_json, report_of
from core.work.queries import shared_now
from core.work.services import ask, withdraw
from datastore.uploads.storage import delete, scratch, store_file
from evaluation.running.registered import Registered
from executions.domain.plans import run_limits
from executions.models import Batch
from executions.runners.models import RunnerRun
from executions.runners.queries import RETURNED
from executions.runners.services.claiming import end, lease_of
from executions.runners.services.refusals import LeaseEndedError, RunnerError
from executions.services.concluding import Attempt, hand_back
from executions.services.ordering import ordered
from executions.services.running import begun_batch

State = RunnerRun.State
CLOCK_SECONDS = 5.0
"""Time by which a measured time may exceed the time since the claim."""
RELEASE_PAUSE = timedelta(seconds=1)


def beat(run: RunnerRun, step: str) -> float:
    """Renew the lease of a run, and note what the runner does; returns the seconds until the next sign of life is due.

    Raises
    ------
    LeaseEndedError
        If another machine has the run, or the run was cancelled.
    """
    lease = lease_of(run)
    changes: dict[str, Any] = {"step": _printable(step)[:120]} if step else {}
    if step == "running" and run.batch.started_at is None:
        changes["started_at"] = timezone.now()
    if not lease.renew(**changes):
        raise LeaseEndedError(run.pk)
    return lease.longest_silence.total_seconds() / 3


def part_file(run: RunnerRun) -> Path:
    """Return the file in which the outputs of a run arrive."""
    return scratch("returns") / f"{run.pk}.part"


def append(run: RunnerRun, offset: int, piece: bytes, digest: str) -> int:
    """Append a piece of the outputs; returns the number of bytes that have arrived.

    Raises
    ------
    RunnerError
        For a piece at another position, with another content than its digest says, and beyond the registered bound.
    LeaseEndedError
        If the run is no longer leased.
    """
    if hashlib.sha256(piece).hexdigest() != digest:
        raise RunnerError("digest", "The piece does not have the SHA-256 that its header states. Send it again.")
    most = run_limits(Registered.of(run.batch.execution.plan)).output_bytes
    if offset + len(piece) > most:
        raise RunnerError("too_large", f"The outputs of run {run.pk} may have {most:,} bytes at most.", status=413)
    with transaction.atomic():
        row = RunnerRun.objects.select_for_update(no_key=True).get(pk=run.pk)
        if row.state != State.LEASED:
            raise LeaseEndedError(run.pk)
        if offset != row.received:
            raise RunnerError("offset", f"{row.received} bytes of the outputs have arrived; continue there.")
        path = part_file(run)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as target:
            target.truncate(offset)
            target.seek(offset)
            target.write(piece)
            target.flush()
            os.fsync(target.fileno())
        row.received = offset + len(piece)
        row.save(update_fields=["received"])
    return row.received


def measure(run: RunnerRun, document: Mapping[str, Any]) -> None:
    """Store the measurements of a run; repeated measurements replace earlier ones.

    Raises
    ------
    RunnerError
        For values that this run cannot have.
    """
    try:
        report = report_of(document)
    except OrderError as error:
        raise RunnerError("measurements", f"Measurements of run {run.pk}: {error}", status=422) from error
    plan = Registered.of(run.batch.execution.plan)
    elapsed = (shared_now() - run.claimed_at).total_seconds() + CLOCK_SECONDS
    if report.wall_seconds > elapsed:
        raise RunnerError(
            "measurements",
            f"Run {run.pk} was claimed {elapsed - CLOCK_SECONDS:.0f} s ago and cannot have run for "
            f"{report.wall_seconds:.0f} s. Send the measured time.",
            status=422,
        )
    if report.cpu_seconds is not None and report.cpu_seconds > elapsed * plan.cpus * 2:
        raise RunnerError(
            "measurements",
            f"Run {run.pk} has {plan.cpus:g} cores and cannot have used {report.cpu_seconds:.0f} s of them.",
            status=422,
        )
    RunnerRun.objects.filter(pk=run.pk, state=State.LEASED).update(measurements=dict(document))


def finish(run: RunnerRun, manifest: object) -> None:
    """Return a run: its outputs are complete, and a worker reads them.

    Raises
    ------
    RunnerError
        For missing measurements, a manifest of other cases, and outputs of another size.
    LeaseEndedError
        If the run is no longer leased; nothing is stored then.
    """
    if not run.measurements:
        raise RunnerError("measurements", f"Run {run.pk} has no measurements yet. Send them, then finish.", status=422)
    is_faulty = bool(run.measurements.get("fault"))
    if not is_faulty:
        order = ordered(begun_batch(lease_of(run))).order(lease_of(run))
        try:
            entries = manifest_from_json(order, manifest)
        except OrderError as error:
            raise RunnerError("manifest", f"Manifest of run {run.pk}: {error}", status=422) from error
        total = sum(entry.size for entry in entries if entry.taken is Taken.TAKEN)
        if total != run.received:
            raise RunnerError(
                "size",
                f"The manifest of run {run.pk} has {total:,} bytes, and {run.received:,} have arrived. Send all of them.",
                status=422,
            )
        run.manifest = [entry.as_json() for entry in entries]
    name = f"algorithms/returns/{run.pk}.bin" if run.received and not is_faulty else ""
    if name and part_file(run).exists():
        store_file(name, part_file(run))
    with transaction.atomic():
        is_held = withdraw(lease_of(run).rows.filter(state=Batch.State.RUNNING), state=Batch.State.RETURNED)
        if is_held:
            RunnerRun.objects.filter(pk=run.pk).update(state=State.RETURNED, manifest=run.manifest, outputs_file=name)
            ask(RETURNED, run.batch)
    if not is_held:
        delete(name)
        raise LeaseEndedError(run.pk)


def release(run: RunnerRun, reason: str) -> None:
    """Give a run back that was not executed; another machine begins it at once, and it does not count as an attempt."""
    with transaction.atomic():
        attempt = Attempt(lease_of(run), run.start_number, "")
        if not hand_back(attempt, RELEASE_PAUSE, failure=_printable(reason)[:500], is_counted=False):
            raise LeaseEndedError(run.pk)
        end(run, State.RELEASED, _printable(reason))
    part_file(run).unlink(missing_ok=True)


def piece_bytes() -> int:
    """Return the largest size of a piece."""
    return int(settings.PODIUM_UPLOAD_CHUNK_BYTES)


def _printable(text: str) -> str:
    return "".join(mark for mark in text if mark.isprintable())
