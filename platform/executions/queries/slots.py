"""What a machine that runs algorithms has free, and whether a batch could run on any."""

from collections.abc import Mapping
from typing import Any

from django.utils import timezone

from evaluation.running.registered import Registered
from executions.models import Batch, RunHost
from executions.models.hosts import SILENT
from work.clock import shared_now


def needs(plan: Registered) -> dict[str, float]:
    """What a start takes of a machine."""
    return {"cpus": plan.cpus, "memory_mib": plan.memory_mib, "gpus": plan.gpus}


def devices_for(batch: Batch, host: str, offered: Mapping[str, Any]) -> list[str] | None:
    """GPUs that a batch gets of a machine beside what runs there now, each given to one batch at a time.

    A machine that is empty takes what it could ever take.

    Returns
    -------
    list of str or None
        Ids of devices, none where none is needed; `None` where the batch does not fit.
    """
    wanted = needs(Registered.of(batch.execution.plan))
    if lacking(wanted, offered):
        return None
    running = list(
        Batch.objects.filter(
            host=host, state=Batch.State.RUNNING, lease_until__gte=shared_now(), lease_token__isnull=False
        ).select_related("execution")
    )
    used = [needs(Registered.of(other.execution.plan)) for other in running]
    total = _whole(offered)
    if any(sum(own[name] for own in used) + wanted[name] > total[name] for name in wanted):
        return None
    taken = {device for other in running for device in other.gpus}
    free = [device for device in offered.get("gpus", ()) if device not in taken]
    number = int(wanted["gpus"])
    return free[:number] if len(free) >= number else None


def lacking(wanted: Mapping[str, float], offered: Mapping[str, Any]) -> str:
    """What a machine could never offer, in words; empty where it could take it."""
    total = _whole(offered)
    words = {"cpus": ("core", "cores"), "memory_mib": ("MiB of memory",) * 2, "gpus": ("GPU", "GPUs")}
    short = [f"{wanted[name]:g} {words[name][wanted[name] != 1]}" for name in wanted if wanted[name] > total[name]]
    return " and ".join(short)


def living_hosts() -> list[RunHost]:
    """Machines that run algorithms and were heard of lately."""
    rows = RunHost.objects.filter(is_ready=True, seen_at__gte=timezone.now() - SILENT)
    return [host for host in rows if "run" in host.queues]


def nowhere(plan: Registered) -> str:
    """Why no living machine could ever run by this plan, for a page; empty where one could."""
    hosts = living_hosts()
    if not hosts:
        return "No machine runs algorithms at the moment. Nothing is lost; it begins when one is back."
    short = [lacking(needs(plan), host.slots) for host in hosts]
    return "" if "" in short else f"It needs {short[0]}; no machine here has that."


def _whole(offered: Mapping[str, Any]) -> dict[str, float]:
    return {
        "cpus": float(offered.get("cpus", 0)),
        "memory_mib": float(offered.get("memory_mib", 0)),
        "gpus": float(len(offered.get("gpus", ()))),
    }
