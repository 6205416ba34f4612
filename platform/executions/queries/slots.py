"""Free resources of a machine that runs algorithms, and whether a batch fits on any machine."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Q
from django.utils import timezone

from challenges.models import Phase
from core.work.queries import shared_now
from evaluation.running.registered import Registered
from executions.models import Batch, CaseOutcome, RunHost
from executions.models.hosts import SILENT


def needs(plan: Registered) -> dict[str, float]:
    """Return the resources of a machine that a start of a container uses."""
    return {"cpus": plan.cpus, "memory_mib": plan.memory_mib, "gpus": plan.gpus}


def devices_for(batch: Batch, host: str, offered: Mapping[str, Any]) -> list[str] | None:
    """Return the GPUs for a batch on a machine, in addition to its running batches.

    Each GPU is assigned to one batch at a time.
    An empty machine accepts every batch that it could ever run.

    Returns
    -------
    list of str or None
        Ids of devices, empty if none is needed, and `None` if the batch does not fit.
    """
    plan = Registered.of(batch.execution.plan)
    wanted = needs(plan)
    if not could_ever_fit(batch, offered):
        return None
    running = list(
        Batch.objects.filter(
            host=host, state=Batch.State.RUNNING, lease_until__gte=shared_now(), lease_token__isnull=False
        ).select_related("execution")
    )
    plans = [Registered.of(other.execution.plan) for other in running]
    if plans and (plan.exclusive or any(other.exclusive for other in plans)):
        return None
    used = [needs(other) for other in plans]
    total = _whole(offered)
    if any(sum(need[name] for need in used) + wanted[name] > total[name] for name in wanted):
        return None
    taken = {device for other in running for device in other.gpus}
    free = [device for device in offered.get("gpus", ()) if device not in taken]
    number = int(wanted["gpus"])
    return free[:number] if len(free) >= number else None


def could_ever_fit(batch: Batch, offered: Mapping[str, Any]) -> bool:
    """Return whether a batch could run on a machine that runs nothing else.

    A batch that requires the whole machine then waits until the machine is empty.
    """
    plan = Registered.of(batch.execution.plan)
    if lacking(needs(plan), offered):
        return False
    return not plan.exclusive or class_of(batch.execution.phase_id) in ("", str(offered.get("host_class", "")))


def class_of(phase: int) -> str:
    """The class of machine on which a phase that ranks times was run first, and is run ever since; empty before."""
    of_phase = {"execution__phase": phase, "execution__plan__exclusive": True}
    first = CaseOutcome.objects.filter(**of_phase).order_by("pk").first()
    if first is not None:
        return str(first.row.get("host_class", ""))
    begun = Batch.objects.filter(**of_phase, state=Batch.State.RUNNING).exclude(host="").order_by("pk").first()
    host = RunHost.objects.filter(name=begun.host).first() if begun is not None else None
    return "" if host is None else str(host.slots.get("host_class", ""))


def lacking(wanted: Mapping[str, float], offered: Mapping[str, Any]) -> str:
    """Describe the resources that a machine could never offer, or return an empty text if it could run it."""
    total = _whole(offered)
    words = {"cpus": ("core", "cores"), "memory_mib": ("MiB of memory",) * 2, "gpus": ("GPU", "GPUs")}
    short = [f"{wanted[name]:g} {words[name][wanted[name] != 1]}" for name in wanted if wanted[name] > total[name]]
    return " and ".join(short)


def living_hosts(challenge: int | None = None) -> list[RunHost]:
    """Return the machines that run algorithms and reported recently.

    Parameters
    ----------
    challenge
        Also machines that serve this challenge only.
    """
    rows = RunHost.objects.filter(is_ready=True, seen_at__gte=timezone.now() - SILENT)
    rows = rows.filter(Q(challenge=None) | Q(challenge=challenge)) if challenge else rows.filter(challenge=None)
    return [host for host in rows if "run" in host.queues]


def nowhere(plan: Registered, phase: int | None = None) -> str:
    """Explain, for a page, why no active machine could ever run by this plan.

    The text is empty if a machine could.
    """
    challenge = Phase.objects.filter(pk=phase).values_list("task__challenge", flat=True).first() if phase else None
    hosts = living_hosts(challenge)
    if not hosts:
        return "No machine runs algorithms at the moment. Nothing is lost; it begins when one is back."
    short = [lacking(needs(plan), host.slots) for host in hosts]
    if "" not in short:
        return f"It needs {short[0]}; no machine here has that."
    machine = class_of(phase) if plan.exclusive and phase is not None else ""
    if machine and all(host.slots.get("host_class") != machine for host in hosts):
        return f"Its times are compared on one class of machine ({machine}), and none of that class runs algorithms at the moment."
    return ""


def _whole(offered: Mapping[str, Any]) -> dict[str, float]:
    return {
        "cpus": float(offered.get("cpus", 0)),
        "memory_mib": float(offered.get("memory_mib", 0)),
        "gpus": float(len(offered.get("gpus", ()))),
    }
