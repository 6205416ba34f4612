"""Conclusion of a batch that has run: its outputs are judged and stored, all or nothing, by the holder of its lease."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from confinement.containers.batches import BatchReport
from core.work.queries import shared_now
from core.work.services import Lease, LeaseLostError, ask, enqueue
from evaluation.assessment import Assessment
from evaluation.assessment.costs import metric_named
from evaluation.running.outcomes import Decision, Observation, RunOutcome, alone_again, decide
from evaluation.running.registered import Registered
from executions.models import Batch, CaseOutcome, Execution
from executions.queries.work import ASSEMBLING, RUNNING
from executions.services import claiming, executing, packing, reading, telling
from executions.services.ordering import Ordered

log = structlog.get_logger(__name__)

FAULT_PAUSE = timedelta(seconds=5)
KILLED = 137
"""Exit status of a first process that was ended by SIGKILL."""


class OurFaultError(Exception):
    """Failure on the side of the platform, after which the batch is repeated."""


@dataclass(frozen=True)
class Attempt:
    """One start of a batch.

    Attributes
    ----------
    lease
        Lease under which the outcome is stored.
    number
        Number of times that the batch was started, including this time.
    host_class
        Class of the machine on which it ran.
    """

    lease: Lease
    number: int
    host_class: str


def repeat(batch: Batch, attempt: Attempt, failure: str) -> None:
    """Have a batch repeated that failed on our side, as often as is registered; then the execution fails."""
    lease = attempt.lease
    if attempt.number <= Registered.of(batch.execution.plan).attempts_after_fault:
        log.warning("batch_repeated", attempt=attempt.number, failure=failure[-500:])
        hand_back(attempt, FAULT_PAUSE, failure=failure)
    elif lease.rows.exists():
        claiming.fail(batch.execution_id, f"Batch {batch.index} failed {attempt.number} times:\n{failure}")


def hand_back(attempt: Attempt, pause: timedelta, *, failure: str = "", is_counted: bool = True) -> bool:
    """Release a batch so that a machine begins it again; return whether the lease was still valid."""
    attempts = attempt.number if is_counted else attempt.number - 1
    with transaction.atomic():
        is_held = attempt.lease.hand_back(
            pause,
            failure=failure,
            asks=False,
            state=Batch.State.WAITING,
            attempts=attempts,
            asked_at=shared_now() + pause,
        )
        if is_held:
            enqueue(RUNNING.task, countdown=pause.total_seconds() + 0.1 if pause else None)
    return is_held


@dataclass(frozen=True)
class Judged:
    """Results of a batch."""

    report: BatchReport
    decisions: Mapping[str, Decision]
    files: Mapping[str, Mapping[str, Path]]


def judge(ordered: Ordered, attempt: Attempt, report: BatchReport, beat: Callable[[], None]) -> Judged:
    """Return the outcome of each case from the observations of a start and the files that it wrote.

    Raises
    ------
    OurFaultError
        If the start failed on our side.
    """
    plan, assessment = ordered.plan, ordered.batch.execution.phase.assessment
    if report.fault:
        raise OurFaultError(report.fault)
    if _was_killed_by_others(report) and attempt.number <= plan.attempts_after_fault:
        raise OurFaultError("the container was killed from outside, or its program ended with exit status 137")
    if plan.exclusive and not report.exclusive:
        raise OurFaultError("something else ran on this machine meanwhile, so that its time cannot be compared")
    attempt.lease.tell(every=0, step="reading the outputs")
    files, judged = reading.judged(assessment, ordered.sockets, ordered.cases, ordered.names, report, beat)
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
        _check_measured(assessment, report)
    return Judged(report, decisions, files)


def _check_measured(assessment: Assessment, report: BatchReport) -> None:
    """Take a cost that is ranked and that this machine did not measure for a fault of ours, and never for the team's."""
    measured = _measured(report, share=1.0)
    for use in assessment.by_run:
        metric = metric_named(use.options["id"])
        if measured[metric.column] is None and metric.least is None:
            raise OurFaultError(f"{metric.label} could not be measured on this machine")


def _was_killed_by_others(report: BatchReport) -> bool:
    """Return whether something else than the limits or the platform ended the container, as far as is known.

    The kernel prevents processes inside a container from killing its first process.
    A program can exit with that status by itself.
    After the last repeat, the status is therefore attributed to the program.
    """
    by_limits = report.timed or report.out_of_memory or report.output_bound or report.log_bound or report.not_started
    return report.exit_code == KILLED and not by_limits


def store(batch: Batch, attempt: Attempt, batch_outcome: Judged) -> None:
    """Store the results of a batch, all or nothing; the last batch of an execution has its predictions put together.

    Raises
    ------
    LeaseLostError
        If the lease is no longer valid, or the execution has ended; nothing is stored then.
    """
    again = [] if batch.is_alone else alone_again(batch_outcome.decisions, batch=len(batch.cases))
    done = {name: decision for name, decision in batch_outcome.decisions.items() if name not in again}
    well = {name: batch_outcome.files[name] for name, decision in done.items() if decision.outcome is RunOutcome.OK}
    outputs_file, outputs_digest = packing.store_outputs(batch.execution, well)
    log_file = packing.store_log(batch, batch_outcome.report.log)
    plan = Registered.of(batch.execution.plan)
    seconds = batch_outcome.report.wall_seconds * max(1, plan.gpus)
    with transaction.atomic():
        execution = executing.locked(batch.execution_id)
        is_completed = attempt.lease.complete(
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
            report=_observations(batch_outcome.report),
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
                row=_row(batch, attempt, name, decision, batch_outcome.report),
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


def _observations(report: BatchReport) -> dict[str, Any]:
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


def _row(batch: Batch, attempt: Attempt, case: str, decision: Decision, report: BatchReport) -> dict[str, Any]:
    """The row of a case in the table of runs; what was measured of a start is shared by its cases."""
    return {
        "case": case,
        "batch": str(batch.index),
        "attempt": attempt.number,
        "outcome": str(decision.outcome),
        "exit_code": report.exit_code,
        "signal": report.signal,
        **_measured(report, share=1 / len(batch.cases)),
        "output_bytes": report.output_bytes,
        "log_bytes": report.log.size,
        "host_class": attempt.host_class,
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
