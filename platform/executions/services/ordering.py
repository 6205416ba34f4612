"""Orders of batches: what a machine is told to run one of them, without names of hidden cases or teams."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from confinement.containers.batches import Expected
from confinement.containers.orders import Order, OrderedCase
from core.work.services import Lease
from datastore.test_sets.models import TestCase
from evaluation.running.aliases import alias
from evaluation.running.conventions import Conventions
from evaluation.running.registered import Registered
from executions.domain.plans import Sockets, ending_of, facts_shown, run_limits
from executions.models import Batch, Execution
from executions.queries.interfaces import sockets_for


@dataclass(frozen=True)
class Ordered:
    """A batch with everything that its order and the reading of its outputs need."""

    batch: Batch
    plan: Registered
    sockets: Sockets
    cases: Sequence[TestCase]
    names: Mapping[str, str]
    """Case → name under which the container sees it."""

    @property
    def conventions(self) -> Conventions:
        """By which conventions the container is shown its cases."""
        return self.sockets.conventions(self.plan)

    def order(self, lease: Lease) -> Order:
        """Return the order for the holder of a lease."""
        batch, conventions, limits = self.batch, self.conventions, run_limits(self.plan)
        model = batch.execution.model
        seen = [self.names[case.name] for case in self.cases]
        facts = [facts_shown(case.geometry or {}) for case in self.cases]
        return Order(
            batch=f"{batch.execution_id.hex[:12]}-{batch.index}",
            attempt=lease.attempts,
            lease=str(lease.token),
            image_id=batch.execution.image.digest,
            cases=tuple(
                OrderedCase(name, ending_of(case.image_file)) for name, case in zip(seen, self.cases, strict=True)
            ),
            outputs=tuple(Expected(**asdict(entry)) for entry in conventions.expected()),
            interface=self.sockets.document(self.plan, seen, dict(zip(seen, facts, strict=True))),
            sockets={
                "inputs": [asdict(self.sockets.image)],
                "outputs": [asdict(socket) for socket in self.sockets.outputs],
            },
            limits=limits,
            flat=conventions.is_flat,
            model_digest=model.digest if model else "",
            model_targets=tuple(conventions.model_targets(has_model=model is not None)),
            environment=conventions.environment(limits.memory_bytes),
            tells_interface=conventions.tells_interface,
            gpus=tuple(batch.gpus),
            exclusive=self.plan.exclusive,
        )


def ordered(batch: Batch) -> Ordered:
    """Return the parts of the order of a batch; four queries at most."""
    execution = batch.execution
    plan = Registered.of(execution.plan)
    rows = {case.name: case for case in execution.test_set.cases.filter(name__in=batch.cases)}
    cases = [rows[name] for name in batch.cases]
    endings = [ending_of(case.image_file) for case in cases]
    sockets = sockets_for(plan, execution.phase.assessment, execution.test_set, endings)
    return Ordered(batch, plan, sockets, cases, {case.name: seen_as(execution, case.name) for case in cases})


def seen_as(execution: Execution, case: str) -> str:
    """The name under which a container sees a case."""
    return case if execution.is_on_public_cases else alias(bytes.fromhex(execution.key), case)
