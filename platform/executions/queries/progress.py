"""Progress of an execution, in text and numbers that a team can see, without names of cases."""

import uuid
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import F

from confinement.containers.batches import LEAST_PEAK_BYTES
from evaluation.running.registered import Registered
from executions.domain.outcomes import counts_words
from executions.models import Batch, CaseOutcome, Execution
from executions.queries.budgets import budget_words
from executions.queries.slots import living_hosts, nowhere

RECENT = 60
NO_MEMORY = f"less than {LEAST_PEAK_BYTES // 1024**2} MiB, or not measured"
State = Execution.State


@dataclass(frozen=True)
class Standing:
    """Status of an execution."""

    title: str
    text: str
    next: str
    since: datetime
    done: int | None = None
    total: int | None = None


def standing(subject: uuid.UUID) -> Standing | None:
    """Return the status of the last execution of a submission, or None if it has none.

    Runs at most six small queries.
    """
    rows = Execution.objects.filter(subject=subject).select_related("image", "model", "phase__task")
    execution = rows.order_by("-created_at").first()
    return None if execution is None else of(execution)


def of(execution: Execution) -> Standing:
    """Return the status of an execution."""
    predictions = "Its predictions are validated and scored like any others."
    if execution.state == State.WAITING:
        return Standing(
            "Waiting for the check of the image",
            "The files that you sent are read and checked; then your algorithm waits for its turn.",
            "It is run on every case.",
            execution.created_at,
        )
    if execution.state == State.QUEUED:
        return Standing(
            "Waiting to be run", _before_words(execution), predictions, execution.queued_at or execution.created_at
        )
    if execution.state == State.RUNNING:
        outcomes = counts(execution)
        done = sum(outcomes.values())
        bad = counts_words(outcomes)
        text = f"{done} of {execution.cases_total} cases are done{f', of these without a prediction: {bad}' if bad else ''}."
        left = _left(execution, execution.cases_total - done)
        return Standing(
            "Running",
            f"{text}{left}{_trouble(execution)}",
            predictions,
            execution.started_at or execution.created_at,
            done,
            execution.cases_total,
        )
    return Standing(
        execution.get_state_display().capitalize(), "", predictions, execution.finished_at or execution.created_at
    )


def counts(execution: Execution) -> Counter[str]:
    """Number of cases by outcome, as far as it is."""
    return Counter(CaseOutcome.objects.filter(execution=execution).values_list("outcome", flat=True))


def _before_words(execution: Execution) -> str:
    if words := nowhere(Registered.of(execution.plan), execution.phase_id) or budget_words(execution):
        return words
    waiting = Execution.objects.filter(
        state__in=(State.QUEUED, State.RUNNING), queued_at__lt=execution.queued_at
    ).exclude(team=execution.team_id)
    ahead = list(waiting.values_list("pk", flat=True))
    if not ahead:
        return "It begins in a moment."
    cases = Batch.objects.filter(execution__in=ahead, state__in=Batch.OPEN).count()
    usual = usual_seconds(execution)
    number = "One execution is" if len(ahead) == 1 else f"{len(ahead)} executions are"
    about = f", about {_duration(cases * usual / max(1, len(living_hosts())))}" if usual else ""
    return f"{number} before yours{about}; turns are shared between teams."


def usual_seconds(execution: Execution) -> float | None:
    """Median time of a start, of the team's own in this phase, else of the phase; None before there is one."""
    done = Batch.objects.filter(execution__phase=execution.phase_id, state=Batch.State.DONE, finished_at__isnull=False)
    for rows in (done.filter(execution__team=execution.team_id), done):
        durations = list(
            rows.order_by("-finished_at")
            .annotate(took=F("finished_at") - F("started_at"))
            .values_list("took", flat=True)[:RECENT]
        )
        seconds = [took.total_seconds() for took in durations if took is not None]
        if seconds:
            return median(seconds)
    return None


def _left(execution: Execution, cases: int) -> str:
    usual = usual_seconds(execution)
    if not usual or not cases:
        return ""
    batches = -(-cases // max(1, Registered.of(execution.plan).batch_cases))
    return f" About {_duration(batches * usual)} are left if nothing else runs."


def _trouble(execution: Execution) -> str:
    repeated = Batch.objects.filter(execution=execution, state__in=Batch.OPEN, attempts__gt=1).count()
    return " A machine was lost or failed; what it worked on is repeated, and counts once." if repeated else ""


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 5400:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f} hours"


@dataclass(frozen=True)
class Measured:
    """Time and memory of an execution's cases, as a team may know them: to the second and the MiB."""

    cases: int
    seconds_median: int | None
    seconds_most: int | None
    memory_median: int | None
    memory_most: int | None
    log_lines: str
    log_bytes: str

    @property
    def memory_words(self) -> str:
        """Memory use of the cases (median and maximum), or the reason why it is not shown."""
        if self.memory_median is None:
            return NO_MEMORY
        return f"median {self.memory_median} MiB, most {self.memory_most} MiB"


def measured(execution: Execution) -> Measured:
    """Medians and maxima over the cases, rounded so that they carry little; two queries."""
    rows = list(CaseOutcome.objects.filter(execution=execution).values_list("row", flat=True))
    seconds = [row["wall_seconds"] for row in rows if row.get("wall_seconds") is not None]
    memory = [row["peak_memory_mib"] for row in rows if row.get("peak_memory_mib") is not None]
    logs = list(Batch.objects.filter(execution=execution).values_list("log_lines", "log_bytes"))
    return Measured(
        len(rows),
        _rounded(median(seconds)) if seconds else None,
        _rounded(max(seconds)) if seconds else None,
        _rounded(median(memory)) if memory else None,
        _rounded(max(memory)) if memory else None,
        _two_digits(sum(lines for lines, _ in logs)),
        _two_digits(sum(size for _, size in logs)),
    )


def _rounded(value: float) -> int:
    return max(1, round(value))


def _two_digits(value: int) -> str:
    return f"{float(f'{value:.1e}'):,.0f}"
