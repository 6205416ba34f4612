"""Whether this installation runs algorithms, and why not."""

from executions.models import RunHost

NOTHING = "no worker with a container engine has reported"


def unavailable() -> str:
    """Why algorithms cannot be run here, for people; empty where a machine can, or could until lately."""
    hosts = [host for host in RunHost.objects.order_by("-seen_at") if "run" in host.queues]
    if any(host.is_ready for host in hosts):
        return ""
    problem = next((host.problem for host in hosts if host.problem), NOTHING)
    return f"This installation cannot run containers: {problem.rstrip('.')}."


def summary() -> tuple[bool, str]:
    """Whether what is there works, and in words how it stands, for operators; nothing is wrong without any engine."""
    everything = list(RunHost.objects.order_by("name"))
    hosts = [host for host in everything if "run" in host.queues]
    judges = [host for host in everything if "judge" in host.queues and host.is_ready and not host.is_silent]
    if not hosts and not judges:
        return True, f"off: {NOTHING}"
    ready = [host for host in hosts if host.is_ready and not host.is_silent]
    words = [f"{_machines(len(ready))} ready"] if ready else ["off"]
    words += [f"one runs nothing: {host.problem}" for host in hosts if not host.is_ready]
    silent = [host for host in hosts if host.is_ready and host.is_silent]
    if silent:
        words.append(f"{_machines(len(silent))} silent")
    if judges:
        words.append(f"{_machines(len(judges))} for scoring images")
    return not silent or bool(ready), "; ".join(words)


def no_judge() -> str:
    """Why scoring images cannot be run here, for people; empty where a machine can, or could until lately."""
    hosts = [host for host in RunHost.objects.order_by("-seen_at") if "judge" in host.queues]
    if any(host.is_ready for host in hosts):
        return ""
    problem = next((host.problem for host in hosts if host.problem), "no worker of the queue judge has reported")
    return f"This installation cannot run scoring images: {problem.rstrip('.')}."


def _machines(number: int) -> str:
    return "one machine" if number == 1 else f"{number} machines"
