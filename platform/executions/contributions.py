"""Contributions of this app to the apps above it."""

from collections.abc import Iterator
from typing import Any

from celery.signals import worker_init, worker_ready
from django.db import connections

from accounts.notifications import kinds
from challenges.contributions.design_checks import challenge_of
from datastore.test_sets.models import TestCase, TestSet
from datastore.uploads import hooks as uploads_hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from evaluation.designs.checks import Subject
from evaluation.designs.checks import register as register_check
from evaluation.running.registered import Registered
from executions.domain.plans import NotRunnableError, ending_of, sockets
from executions.models import AlgorithmArchive, Batch, Blob, Execution
from executions.queries.availability import unavailable


def register() -> None:
    """Connect the contributions of this app."""
    kinds.register(
        "compute_time_near_its_end",
        "The compute time of algorithms in your challenge is nearly used up",
        order=13,
        role="organizer",
    )
    uploads_hooks.stored_files.register(stored)


# --- Checks of a design that need to know whether this installation runs algorithms, and what its test cases are ------
@register_check("containers_run_here", reads=("algorithm_execution", "submission_method"))
def containers_run_here(subject: Subject) -> str | None:
    """A machine of this installation runs containers, and every test case of the task has an image for them."""
    challenge = challenge_of(subject)
    if problem := unavailable(challenge):
        return problem
    if challenge is None:
        return None
    sets = TestSet.objects.filter(phase__task__challenge=challenge, is_active=True).select_related("phase")
    if subject.values.task_key is not None:
        sets = sets.filter(phase__task__design_key=subject.values.task_key)
    for test_set in sets:
        files = TestCase.objects.filter(test_set=test_set).values_list("image_file", flat=True)
        try:
            sockets(
                Registered.of(test_set.phase.algorithms), test_set.phase.assessment, [ending_of(file) for file in files]
            )
        except NotRunnableError as error:
            return f"{test_set.phase.name}: {error}"
    return None


# --- Actions at the start of a worker that needs an engine ------------------------------------------------------------
def get_ready(sender: Any = None, **_: object) -> None:
    """Find out what this machine can run before the pool is forked, so that every process knows it."""
    queues = served(sender)
    if not queues:
        return
    # Here, so that other processes start without it.
    from executions.services import caching, hosts

    host = hosts.open_up(queues)
    if host.is_ready and host.engine is not None:
        caching.take_stock(host.engine)
    connections.close_all()


def keep_telling(sender: Any = None, **_: object) -> None:
    """Report regularly that this machine is alive, and look for lost work."""
    queues = served(getattr(sender, "controller", sender))
    if not queues:
        return
    from core.work.services import send
    from executions.services import caching, hosts

    hosts.keep_telling(also=caching.collect)
    if "run" in queues:
        send("executions.tasks.run_batches", [])


def served(worker: Any) -> frozenset[str]:
    """Those queues of which a worker takes turns that need an engine."""
    app = getattr(worker, "app", None)
    return frozenset() if app is None else frozenset({"run", "judge"} & set(app.amqp.queues.consume_from))


def connect() -> None:
    """Listen to the signals of the worker."""
    worker_init.connect(get_ready, dispatch_uid="executions.get_ready")
    worker_ready.connect(keep_telling, dispatch_uid="executions.keep_telling")


# --- Files of algorithms and executions, as the verification of the storage reads them --------------------------------
def stored() -> Iterator[StoredFile]:
    """Every blob, every archive that waits for its check, and what came of executions."""
    for digest, name in Blob.objects.order_by("pk").values_list("pk", "file").iterator():
        yield StoredFile(name, f"part {digest[:12]} of an algorithm")
    for pk, name in AlgorithmArchive.objects.exclude(file="").values_list("pk", "file").iterator():
        yield StoredFile(name, f"archive {pk} that waits for its check")
    rows = Batch.objects.order_by("pk").values_list("pk", "outputs_file", "outputs_digest", "log_file")
    for batch, outputs, digest, log in rows.iterator():
        yield StoredFile(outputs, f"outputs of batch number {batch}", has_digest(outputs, digest) if digest else None)
        yield StoredFile(log, f"log of batch number {batch}")
    for execution, predictions, runs, digest in Execution.objects.values_list(
        "pk", "predictions_file", "runs_file", "runs_digest"
    ).iterator():
        yield StoredFile(predictions, f"predictions of execution {execution}")
        proof = has_digest(runs, digest.removeprefix("sha256:")) if digest else None
        yield StoredFile(runs, f"table of runs of execution {execution}", proof)
