"""Contact of a runner: what it reports of itself, and whether it gets work."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from confinement.containers.probe import REQUIREMENTS
from core.audit.services import record
from executions.models import RunHost
from executions.runners.models import Runner
from executions.runners.queries import HARDWARE_CHANGED
from executions.runners.services.refusals import RunnerError

PROTOCOL = 1
MOST_CPUS, MOST_MEMORY_MIB, MOST_GPUS = 4096, 64 * 1024**2, 64


@dataclass(frozen=True)
class Report:
    """State of a runner in its own words.

    Attributes
    ----------
    holds
        Guarantee → whether it applies.
    findings
        Guarantee → what is wrong with it.
    slots
        Cores, memory, devices, architecture and class of machine.
    """

    protocol: int
    version: str
    engine: str
    versions: Mapping[str, str]
    holds: Mapping[str, bool]
    findings: Mapping[str, str]
    problem: str
    slots: Mapping[str, Any]


@transaction.atomic
def report(runner: Runner, state: Report) -> Runner:
    """Store what a runner reports of itself, and decide whether it gets work.

    Raises
    ------
    RunnerError
        For another version of the interface, and for hardware that no machine has.
    """
    if state.protocol != PROTOCOL:
        raise RunnerError(
            "protocol",
            f"Runner {runner.name} uses version {state.protocol} of the runner interface; this platform uses {PROTOCOL}. "
            "Install the version of podium-evaluation that the page Runners names.",
            status=400,
        )
    slots = _slots(state.slots)
    row = Runner.objects.select_for_update(no_key=True, of=("self",)).select_related("challenge").get(pk=runner.pk)
    if not row.hardware:
        row.hardware = slots
    row.problem = _problem(row, state, slots)
    row.version, row.seen_at = state.version[:40], timezone.now()
    row.save(update_fields=["hardware", "problem", "version", "seen_at"])
    before = RunHost.objects.filter(name=row.host).values_list("is_ready", flat=True).first()
    is_ready = not row.problem
    RunHost.objects.update_or_create(
        name=row.host,
        defaults={
            "challenge": row.challenge,
            "title": row.name,
            "queues": ["run"],
            "engine": state.engine[:20],
            "versions": {str(name)[:40]: str(value)[:100] for name, value in list(state.versions.items())[:20]},
            "is_ready": is_ready,
            "findings": {name: text[:300] for name, text in state.findings.items() if name in REQUIREMENTS},
            "problem": row.problem,
            "slots": slots | ({"host_class": row.hardware_class} if row.hardware_class else {}),
            "seen_at": row.seen_at,
        },
    )
    if before != is_ready:
        record(
            actor=None,
            act="runner_ready" if is_ready else "runner_refused",
            subject=row,
            scope=row.challenge.slug if row.challenge else "",
            facts={"name": row.name, "problem": row.problem, "slots": slots},
        )
    return row


def _problem(row: Runner, state: Report, slots: Mapping[str, Any]) -> str:
    if state.problem:
        return state.problem[:500]
    lacking = [name for name in REQUIREMENTS if state.holds.get(name) is not True]
    if lacking:
        words = "; ".join(
            f"{name} ({REQUIREMENTS[name]}): {state.findings.get(name) or 'not reported'}" for name in lacking
        )
        return f"Guarantees that do not hold: {words}"[:500]
    if changed := [name for name in sorted(slots) if row.hardware.get(name) != slots[name]]:
        return (
            f"{HARDWARE_CHANGED} since the first contact ({', '.join(changed)}). "
            "Accept the change on the page Runners, or issue a new token."
        )
    return ""


def _slots(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return hardware within the bounds of what a machine can have.

    Raises
    ------
    RunnerError
        For other values.
    """
    cpus, memory, gpus = state.get("cpus"), state.get("memory_mib"), state.get("gpus", [])
    is_valid = (
        isinstance(cpus, int | float)
        and not isinstance(cpus, bool)
        and 0 < cpus <= MOST_CPUS
        and isinstance(memory, int)
        and not isinstance(memory, bool)
        and 0 < memory <= MOST_MEMORY_MIB
        and isinstance(gpus, list)
        and len(gpus) <= MOST_GPUS
        and all(isinstance(gpu, str) and 0 < len(gpu) <= 100 for gpu in gpus)
        and len(set(gpus)) == len(gpus)
    )
    if not is_valid:
        raise RunnerError(
            "hardware",
            f"The hardware must have 1 to {MOST_CPUS} cores, memory in MiB, and a list of at most {MOST_GPUS} GPUs.",
            status=400,
        )
    words = {name: str(state.get(name, ""))[:200] for name in ("machine", "host_class")}
    return {"cpus": cpus, "memory_mib": memory, "gpus": sorted(gpus)} | words
