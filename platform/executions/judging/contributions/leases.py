"""Leases of this app under which containers run on a machine."""

from core.work.queries import living_leases
from executions import hooks
from executions.judging.models import Judgement, Trial


def register() -> None:
    """Have containers of trials and judgements left alone as long as their leases live."""
    hooks.leases.register(living)


def living() -> set[str]:
    """Tokens of leases that are alive."""
    trials = living_leases(Trial.objects.filter(state=Trial.State.RUNNING))
    return trials | living_leases(Judgement.objects.filter(state=Judgement.State.RUNNING))
