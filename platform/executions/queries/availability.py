"""Availability of algorithm runs on this installation, and the reasons if they are unavailable."""

from django.db.models import Q

from challenges.models import Challenge
from executions.models import RunHost

NOTHING = "no worker with a container engine has reported"


def unavailable(challenge: Challenge | None = None) -> str:
    """Explain why algorithms cannot be run here, for readers.

    The text is empty if a machine can run them, or could until recently.

    Parameters
    ----------
    challenge
        Also machines that serve this challenge only.
    """
    rows = RunHost.objects.order_by("-seen_at")
    rows = rows.filter(Q(challenge=None) | Q(challenge=challenge)) if challenge else rows.filter(challenge=None)
    hosts = [host for host in rows if "run" in host.queues]
    if any(host.is_ready for host in hosts):
        return ""
    problem = next((host.problem for host in hosts if host.problem), NOTHING)
    return f"This installation cannot run containers: {problem.rstrip('.')}."


def summary() -> tuple[bool, str]:
    """Return whether the existing machines work, and a description of their status for operators.

    An installation without any engine is not an error.
    """
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
    """Explain why scoring images cannot be run here, for readers.

    The text is empty if a machine can run them, or could until recently.
    """
    hosts = [host for host in RunHost.objects.order_by("-seen_at") if "judge" in host.queues]
    if any(host.is_ready for host in hosts):
        return ""
    problem = next((host.problem for host in hosts if host.problem), "no worker of the queue judge has reported")
    return f"This installation cannot run scoring images: {problem.rstrip('.')}."


def _machines(number: int) -> str:
    return "one machine" if number == 1 else f"{number} machines"
