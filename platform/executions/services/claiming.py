"""Claims of batches for a machine: the batch whose turn it is and that fits, under a lease."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from core.work.queries import next_rows
from core.work.services import Lease, claim
from evaluation.running.registered import Registered
from executions.models import Batch, Execution, RunHost
from executions.queries.budgets import budget_words
from executions.queries.slots import could_ever_fit, devices_for
from executions.queries.work import RUNNING
from executions.services import executing

LOOKED_AT = 50


def claim_for(
    host: str,
    offered: Mapping[str, Any],
    *,
    only: Q | None = None,
    silence: timedelta | None = None,
    locked: Callable[[], AbstractContextManager[object]] = nullcontext,
    on_claim: Callable[[Lease], object] = lambda _: None,
) -> Lease | None:
    """Claim the batch whose turn it is on a machine.

    Parameters
    ----------
    host
        Name of the machine, a row of `RunHost`.
    offered
        Cores, memory and devices of the machine.
    only
        Condition of the batches that the machine may run.
    silence
        Time that the holder may be silent; by default that of all workers.
    locked
        Further lock to hold while one batch is examined, for example of all processes of a machine.
    on_claim
        Called in the transaction of the claim.

    Returns
    -------
    Lease or None
        None if no batch fits.
    """
    for pk in next_rows(RUNNING, LOOKED_AT, only=only):
        batch = Batch.objects.select_related("execution__phase").filter(pk=pk).first()
        if batch is None or budget_words(batch.execution):
            continue
        is_exclusive = Registered.of(batch.execution.plan).exclusive
        # Under a lock on the machine: of two that look at once, one sees what the other took (the last GPU, or the machine to
        # itself). And under a lock on all of them where all starts of a phase have to be on one class of machine.
        rows = RunHost.objects.select_for_update(no_key=True).order_by("name")
        with locked(), transaction.atomic():
            list(rows if is_exclusive else rows.filter(name=host))
            devices = devices_for(batch, host, offered)
            if devices is None:
                if is_exclusive and could_ever_fit(batch, offered):
                    # Whatever came behind it would keep the machine from ever being empty.
                    return None
                continue
            lease = claim(RUNNING, pk, give_up=_give_up, silence=silence)
            if lease is not None:
                lease.rows.update(host=host, step="preparing", gpus=devices)
                on_claim(lease)
                return lease
    return None


def _give_up(lease: Lease) -> None:
    """End the execution of a batch that took its workers down."""
    batch = lease.rows.first()
    if batch is not None:
        fail(batch.execution_id, f"Workers were lost at batch {batch.index} too often.")


def fail(execution_id: Any, text: str) -> None:
    """End an execution that failed on our side, unless it has ended already."""
    with transaction.atomic():
        execution = executing.locked(execution_id)
        if not execution.is_ended:
            executing.end(execution, Execution.State.FAILED, reason=executing.OURS, log=text)
