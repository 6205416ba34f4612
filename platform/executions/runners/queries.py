"""Reads about runners and their runs."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Min, Q, QuerySet
from django.utils import timezone

from challenges.models import Challenge, Phase
from core.work.kinds import Kind
from core.work.queries import shared_now
from evaluation.running.registered import Registered
from executions.models import Batch, Execution, RunHost
from executions.queries.slots import nowhere
from executions.queries.work import RUNNING
from executions.runners.models import Runner, RunnerRun

HARDWARE_CHANGED = "The hardware changed"

# A worker reads what a runner returned. Starts of the container and readings count together.
RETURNED = Kind(
    name="run_returns",
    doing="reading outputs of a runner",
    model=Batch,
    is_open=Q(state=Batch.State.RETURNED),
    task="runners.tasks.conclude",
    attempts=RUNNING.attempts + 3,
    errors=RUNNING.attempts + 3,
    since="execution__queued_at",
    counted="execution",
    order=("execution__queued_at", "index"),
    challenge="execution__phase__task__challenge",
)


def lease_time() -> timedelta:
    """Return the time that a runner may be silent before another machine gets its run."""
    return timedelta(seconds=settings.PODIUM_RUNNER_LEASE_SECONDS)


def living_runs() -> QuerySet[RunnerRun]:
    """Return the runs whose lease is valid."""
    return RunnerRun.objects.filter(
        state=RunnerRun.State.LEASED,
        batch__state=Batch.State.RUNNING,
        batch__lease_token=F("claim_token"),
        batch__lease_until__gte=shared_now(),
    )


def scope_of(runner: Runner) -> Q | None:
    """Return the condition of batches that a runner may run; None for all."""
    return None if runner.challenge_id is None else Q(execution__phase__task__challenge=runner.challenge_id)


@dataclass(frozen=True)
class ShownRunner:
    """A runner for a page.

    Attributes
    ----------
    state
        Short state for a badge; `tone` is its colour.
    text
        Reason for the state, and what to do.
    runs
        Runs in progress.
    """

    runner: Runner
    host: RunHost | None
    state: str
    tone: str
    text: str
    runs: list[RunnerRun]
    finished: int

    @property
    def machine_class(self) -> str:
        """Class of machine, as stated or as reported; empty before the first contact."""
        return self.runner.hardware_class or str(self.runner.hardware.get("host_class", ""))

    @property
    def offers_hardware_change(self) -> bool:
        """True if the hardware changed and can be accepted."""
        return self.runner.is_valid and self.runner.problem.startswith(HARDWARE_CHANGED)


def shown_runners(challenge: Challenge | None) -> list[ShownRunner]:
    """Return the runners of a challenge, or all, valid ones first; four queries."""
    now = timezone.now()
    rows = Runner.objects.select_related("challenge")
    if challenge is not None:
        rows = rows.filter(challenge=challenge)
    month = now - timedelta(days=30)
    rows = rows.filter(Q(revoked_at=None) | Q(revoked_at__gte=month)).filter(expires_at__gte=month)
    runners = list(rows.annotate(finished=Count("runs", filter=Q(runs__state=RunnerRun.State.DONE))))
    hosts = {host.name: host for host in RunHost.objects.filter(name__startswith="runner ")}
    runs: dict[Any, list[RunnerRun]] = {}
    for run in living_runs().filter(runner__in=runners).select_related("batch").order_by("claimed_at"):
        runs.setdefault(run.runner_id, []).append(run)
    entries = [
        ShownRunner(
            runner,
            hosts.get(runner.host),
            *_state(runner, hosts.get(runner.host), now),
            runs.get(runner.pk, []),
            runner.finished,
        )
        for runner in runners
    ]
    return sorted(entries, key=lambda entry: (not entry.runner.is_valid, entry.runner.name))


def _state(runner: Runner, host: RunHost | None, now: datetime) -> tuple[str, str, str]:
    if runner.revoked_at is not None:
        return "Revoked", "muted", ""
    if not runner.is_valid:
        return "Expired", "muted", "Issue a new token."
    if runner.seen_at is None:
        return "Never connected", "muted", "Start the program on the machine."
    if host is None or host.is_silent:
        return "Silent", "warn", "The machine does not report. Check whether the program runs and reaches this address."
    if runner.problem:
        return "Gets no work", "bad", runner.problem
    if runner.is_paused(now):
        return "Paused", "warn", "Its last runs had no result. Look at the log of the program."
    return "Ready", "ok", ""


def runs_on_organizers_machines(challenge: Challenge) -> bool:
    """Return whether organizers added a runner that can run the algorithms of the challenge, and so read them."""
    return Runner.objects.filter(challenge=challenge, revoked_at=None, expires_at__gt=timezone.now()).exists()


def shown_hosts() -> list[RunHost]:
    """Return the machines of the installation that run containers next to the database."""
    return list(RunHost.objects.exclude(name__startswith="runner ").order_by("name"))


@dataclass(frozen=True)
class Waiting:
    """Runs of a phase that wait, and the reason if no machine can run them."""

    phase: Phase
    number: int
    since: datetime
    reason: str


def waiting_words(challenge: Challenge | None) -> list[Waiting]:
    """Return the phases with waiting runs, of a challenge or of all challenges, longest wait first."""
    rows = Execution.objects.filter(state=Execution.State.QUEUED, queued_at__isnull=False)
    if challenge is not None:
        rows = rows.filter(phase__task__challenge=challenge)
    numbers = rows.values("phase").annotate(number=Count("pk"), since=Min("queued_at")).order_by("since")[:50]
    by_phase = {row["phase"]: row for row in numbers}
    phases = Phase.objects.filter(pk__in=by_phase).select_related("task__challenge")
    entries = []
    for phase in phases:
        row = by_phase[phase.pk]
        first = rows.filter(phase=phase).order_by("queued_at").first()
        reason = nowhere(Registered.of(first.plan), phase.pk) if first is not None else ""
        entries.append(Waiting(phase, row["number"], row["since"], reason))
    return sorted(entries, key=lambda entry: entry.since)
