"""Runs of batches of cases: the owner of the lease stores the results, all or nothing."""

import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from confinement.containers.batches import Batch as Start
from confinement.containers.batches import BatchReport, CaseInput, Expected
from confinement.containers.removing import remove_tree
from confinement.containers.runner import run_batch
from core.work.queries import next_rows, shared_now
from core.work.services import Lease, LeaseLostError, ask, claim, enqueue, send, task_budget
from datastore.test_sets.models import TestCase
from datastore.uploads.storage import free_bytes, has_room, is_out_of_room
from evaluation.assessment import Assessment
from evaluation.assessment.costs import metric_named
from evaluation.running.aliases import alias
from evaluation.running.outcomes import Decision, Observation, RunOutcome, alone_again, decide
from evaluation.running.registered import Registered
from executions.domain.plans import Sockets, ending_of, facts_shown, run_limits
from executions.models import Batch, CaseOutcome, Execution, RunHost
from executions.queries.budgets import budget_words
from executions.queries.interfaces import sockets_for
from executions.queries.slots import could_ever_fit, devices_for
from executions.queries.work import ASSEMBLING, RUNNING
from executions.services import executing, hosts, laying, packing, preparing, reading, telling

log = structlog.get_logger(__name__)

FULL_PAUSE = timedelta(seconds=20)
FAULT_PAUSE = timedelta(seconds=5)
LOOKED_AT = 50
KILLED = 137
"""Exit status of a first process that was ended by SIGKILL."""


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
    lease = _claim_what_fits()
    if lease is None:
        return False
    batch = Batch.objects.select_related(
        "execution__phase__task__challenge", "execution__team", "execution__image", "execution__model"
    ).get(pk=lease.pk)
    with bound_contextvars(execution=str(batch.execution_id), batch=batch.index):
        _run_claimed(batch, lease)
    return True


def _claim_what_fits() -> Lease | None:
    for pk in next_rows(RUNNING, LOOKED_AT):
        batch = Batch.objects.select_related("execution__phase").filter(pk=pk).first()
        if batch is None or budget_words(batch.execution):
            continue
        is_exclusive = Registered.of(batch.execution.plan).exclusive
        # Under a lock on the machine: of two that look at once, one sees what the other took (the last GPU, or the machine to
        # itself). And under a lock on all of them where all starts of a phase have to be on one class of machine.
        locked = RunHost.objects.select_for_update(no_key=True).order_by("name")
        with hosts.alone_with("slots"), transaction.atomic():
            list(locked if is_exclusive else locked.filter(name=hosts.here().name))
            devices = devices_for(batch, hosts.here().name, hosts.offered())
            if devices is None:
                if is_exclusive and could_ever_fit(batch, hosts.offered()):
                    # Whatever came behind it would keep the machine from ever being empty.
                    return None
                continue
            lease = claim(RUNNING, pk, give_up=_give_up)
            if lease is not None:
                lease.rows.update(host=hosts.here().name, step="preparing", gpus=devices)
                return lease
    return None


def _give_up(lease: Lease) -> None:
    """End the execution of a batch that took its workers down."""
    batch = lease.rows.first()
    if batch is not None:
        _fail(batch.execution_id, f"Workers were lost at batch {batch.index} too often.")


def _fail(execution_id: Any, text: str) -> None:
    with transaction.atomic():
        execution = executing.locked(execution_id)
        if not execution.is_ended:
            executing.end(execution, Execution.State.FAILED, reason=executing.OURS, log=text)


def _run_claimed(batch: Batch, lease: Lease) -> None:
    Execution.objects.filter(pk=batch.execution_id, state=Execution.State.QUEUED).update(
        state=Execution.State.RUNNING, started_at=timezone.now()
    )
    folder = hosts.leases() / str(lease.token)
    try:
        with lease.renewed():
            batch_outcome = _found(batch, lease, folder)
        _store(batch, lease, batch_outcome)
    except LeaseLostError:
        log.info("lease_lost")
    except _OurFaultError as fault:
        _again(batch, lease, str(fault))
    except Exception as error:
        log.exception("run_error", attempt=lease.attempts)
        if is_out_of_room(error):
            lease.hand_back(FULL_PAUSE, failure=str(error), is_counted=False, state=Batch.State.WAITING)
        else:
            _again(batch, lease, traceback.format_exc())
    finally:
        with suppress(OSError):
            remove_tree(folder)


class _OurFaultError(Exception):
    """Failure on the side of the platform, after which the batch is repeated."""


def _again(batch: Batch, lease: Lease, failure: str) -> None:
    """Have a batch repeated that failed on our side, as often as is registered; then the execution fails."""
    preparing.look_again()
    if lease.attempts <= Registered.of(batch.execution.plan).attempts_after_fault:
        log.warning("batch_repeated", attempt=lease.attempts, failure=failure[-500:])
        lease.hand_back(FAULT_PAUSE, failure=failure, state=Batch.State.WAITING)
    elif lease.rows.exists():
        _fail(batch.execution_id, f"Batch {batch.index} failed {lease.attempts} times:\n{failure}")


# --- Running ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Found:
    """Results of a batch."""

    report: BatchReport
    decisions: Mapping[str, Decision]
    files: Mapping[str, Mapping[str, Path]]


def _found(batch: Batch, lease: Lease, folder: Path) -> _Found:
    engine = hosts.here().engine
    assert engine is not None, "only a machine with an engine takes batches"
    execution = batch.execution
    plan = Registered.of(execution.plan)
    rows = {case.name: case for case in execution.test_set.cases.filter(name__in=batch.cases)}
    cases = [rows[name] for name in batch.cases]
    endings = [ending_of(case.image_file) for case in cases]
    sockets = sockets_for(plan, execution.phase.assessment, execution.test_set, endings)

    def beat() -> None:
        if lease.is_lost:
            raise LeaseLostError

    remove_tree(folder)
    folder.mkdir(mode=0o711)
    if lease.attempts > 1:
        hosts.sweep_leftovers()
    names = {case.name: seen_as(execution, case.name) for case in cases}
    lease.tell(every=0, step="loading the image")
    with preparing.held(engine, execution.image, beat), preparing.unpacked(engine, execution.model, beat) as model:
        lease.tell(every=0, step="running", started_at=timezone.now())
        with laying.laid(sockets.conventions(plan), sockets.image.name, cases, names, beat) as inputs:
            start = _start(batch, lease, plan, sockets, inputs, cases, model)
            report = run_batch(engine, start, folder, beat=beat)
    beat()
    if report.fault:
        raise _OurFaultError(report.fault)
    if _was_killed_by_others(report) and lease.attempts <= plan.attempts_after_fault:
        raise _OurFaultError("the container was killed from outside, or its program ended with exit status 137")
    if plan.exclusive and not report.exclusive:
        raise _OurFaultError("something else ran on this machine meanwhile, so that its time cannot be compared")
    lease.tell(every=0, step="reading the outputs")
    files, judged = reading.judged(execution.phase.assessment, sockets, cases, names, report, beat)
    observed = Observation(
        report.exit_code,
        report.timed,
        report.out_of_memory,
        report.output_bound,
        report.log_bound,
        report.not_started,
        report.fault,
    )
    decisions = {name: decide(observed, state, sentence) for name, (state, sentence) in judged.items()}
    if any(decision.outcome is RunOutcome.OK for decision in decisions.values()):
        _check_measured(execution.phase.assessment, report)
    return _Found(report, decisions, files)


def _check_measured(assessment: Assessment, report: BatchReport) -> None:
    """Take a cost that is ranked and that this machine did not measure for a fault of ours, and never for the team's."""
    measured = _measured(report, share=1.0)
    for use in assessment.by_run:
        metric = metric_named(use.options["id"])
        if measured[metric.column] is None and metric.least is None:
            raise _OurFaultError(f"{metric.label} could not be measured on this machine")


def _was_killed_by_others(report: BatchReport) -> bool:
    """Return whether something else than the limits or the platform ended the container, as far as is known.

    The kernel prevents processes inside a container from killing its first process.
    A program can exit with that status by itself.
    After the last repeat, the status is therefore attributed to the program.
    """
    by_limits = report.timed or report.out_of_memory or report.output_bound or report.log_bound or report.not_started
    return report.exit_code == KILLED and not by_limits


def seen_as(execution: Execution, case: str) -> str:
    """The name under which a container sees a case."""
    return case if execution.is_on_public_cases else alias(bytes.fromhex(execution.key), case)


def _start(
    batch: Batch,
    lease: Lease,
    plan: Registered,
    sockets: Sockets,
    inputs: Sequence[CaseInput],
    cases: Sequence[TestCase],
    model: Path | None,
) -> Start:
    conventions, limits = sockets.conventions(plan), run_limits(plan)
    names = [entry.name for entry in inputs]
    facts = [facts_shown(case.geometry or {}) for case in cases]
    return Start(
        batch=f"{batch.execution_id.hex[:12]}-{batch.index}",
        attempt=lease.attempts,
        lease=str(lease.token),
        image_id=batch.execution.image.digest,
        cases=inputs,
        outputs=[Expected(**asdict(entry)) for entry in conventions.expected()],
        interface=sockets.document(plan, names, dict(zip(names, facts, strict=True))),
        limits=limits,
        model=model,
        model_targets=conventions.model_targets(has_model=model is not None),
        flat=conventions.is_flat,
        environment=conventions.environment(limits.memory_bytes),
        tells_interface=conventions.tells_interface,
        gpus=batch.gpus,
    )


# --- Storing ----------------------------------------------------------------------------------------------------------
def _store(batch: Batch, lease: Lease, batch_outcome: _Found) -> None:
    """Store what came of a batch, all or nothing; the last one of an execution has its predictions put together."""
    again = [] if batch.is_alone else alone_again(batch_outcome.decisions, batch=len(batch.cases))
    done = {name: decision for name, decision in batch_outcome.decisions.items() if name not in again}
    well = {name: batch_outcome.files[name] for name, decision in done.items() if decision.outcome is RunOutcome.OK}
    outputs_file, outputs_digest = packing.store_outputs(batch.execution, well)
    log_file = packing.store_log(batch, batch_outcome.report.log)
    plan = Registered.of(batch.execution.plan)
    seconds = batch_outcome.report.wall_seconds * max(1, plan.gpus)
    with transaction.atomic():
        execution = executing.locked(batch.execution_id)
        is_completed = lease.complete(
            state=Batch.State.DONE,
            step="",
            failure="",
            finished_at=timezone.now(),
            seconds=seconds,
            outputs_file=outputs_file,
            outputs_digest=outputs_digest,
            log_file=log_file,
            log_bytes=batch_outcome.report.log.size,
            log_lines=batch_outcome.report.log.lines,
            report=_told(batch_outcome.report),
        )
        if not is_completed or execution.is_ended:
            raise LeaseLostError
        CaseOutcome.objects.bulk_create(
            CaseOutcome(
                execution=execution,
                batch=batch,
                case=name,
                outcome=str(decision.outcome),
                message=decision.reason[:500],
                row=_row(batch, lease, name, decision, batch_outcome.report),
            )
            for name, decision in done.items()
        )
        execution.compute_seconds += seconds
        execution.save(update_fields=["compute_seconds"])
        telling.tell_of_compute_time(execution.phase)
        if again:
            _run_alone(execution, again)
        if not Batch.objects.filter(execution=execution, state__in=Batch.OPEN).exists():
            execution.state = Execution.State.ASSEMBLING
            execution.save(update_fields=["state"])
            ask(ASSEMBLING, execution)
    log.info("batch_done", cases=len(done), again=len(again), seconds=round(batch_outcome.report.wall_seconds, 3))


def _run_alone(execution: Execution, cases: Sequence[str]) -> None:
    last = Batch.objects.filter(execution=execution).aggregate(last=Max("index"))["last"]
    now = shared_now()
    Batch.objects.bulk_create(
        Batch(execution=execution, index=last + number, cases=[case], is_alone=True, asked_at=now)
        for number, case in enumerate(cases, start=1)
    )
    enqueue(RUNNING.task)


def _told(report: BatchReport) -> dict[str, Any]:
    """Return the observations of a batch, as JSON."""
    return {
        "exit_code": report.exit_code,
        "signal": report.signal,
        "timed": report.timed,
        "out_of_memory": report.out_of_memory,
        "output_bound": report.output_bound,
        "log_bound": report.log_bound,
        "not_started": report.not_started,
        "wall_seconds": report.wall_seconds,
        "cpu_seconds": report.cpu_seconds,
        "peak_memory_bytes": report.peak_memory_bytes,
        "output_files": report.output_files,
        "versions": dict(report.versions),
        "exclusive": report.exclusive,
    }


def _row(batch: Batch, lease: Lease, case: str, decision: Decision, report: BatchReport) -> dict[str, Any]:
    """The row of a case in the table of runs; what was measured of a start is shared by its cases."""
    return {
        "case": case,
        "batch": str(batch.index),
        "attempt": lease.attempts,
        "outcome": str(decision.outcome),
        "exit_code": report.exit_code,
        "signal": report.signal,
        **_measured(report, share=1 / len(batch.cases)),
        "output_bytes": report.output_bytes,
        "log_bytes": report.log.size,
        "host_class": hosts.host_class(),
        "engine": report.versions.get("engine", ""),
        "runtime": report.versions.get("runtime", ""),
        "started_at": report.started_at.isoformat() if report.started_at else None,
    }


def _measured(report: BatchReport, *, share: float) -> dict[str, float | None]:
    """Return the measurements of a start, as columns of the table of runs; times are multiplied by `share`.

    `share` is the part of the times that is attributed to one case.
    """

    def part(value: float | None) -> float | None:
        return None if value is None else round(value * share, 6)

    def mib(value: int | None) -> float | None:
        return None if value is None else round(value / 1024**2, 3)

    return {
        "wall_seconds": part(report.wall_seconds),
        "cpu_seconds": part(report.cpu_seconds),
        "peak_memory_mib": mib(report.peak_memory_bytes),
        "high_water_mib": mib(report.high_water_bytes),
        "gpu_seconds": part(report.gpu_seconds),
        "gpu_peak_memory_mib": mib(report.gpu_peak_memory_bytes),
        "energy_joule": part(report.energy_joule),
    }
