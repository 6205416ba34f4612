"""State transitions of an execution: request, division into batches, cancellation, failure."""

import secrets
import uuid

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase, Team
from core.audit.services import record
from core.work.queries import shared_now
from core.work.services import enqueue, withdraw
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries.dry_runs import are_public
from datastore.uploads.services.refusals import NotAllowedError, UploadError
from evaluation.running.aliases import aliases
from evaluation.running.identity import identity
from evaluation.running.registered import Registered
from executions import hooks
from executions.domain.plans import NotRunnableError, ending_of, sockets
from executions.models import AlgorithmArchive, Batch, Execution
from executions.queries.budgets import check_budget
from executions.queries.quotas import check_compute_time
from executions.queries.work import RUNNING

State = Execution.State
OURS = (
    "Something went wrong on our side while your algorithm was run. The organizers have been shown the details; this "
    "submission does not count towards your quota, and you may hand it in again."
)


def ask(
    *, subject: uuid.UUID, user: User, phase: Phase, team: Team, image: AlgorithmArchive, model: AlgorithmArchive | None
) -> Execution:
    """Request a run of an algorithm on the present cases of a phase, in the caller's transaction.

    The request is possible while its archives are still being checked. The run begins when they are ready.

    Raises
    ------
    UploadError
        With a message for the participant: for archives of others or refused ones, for a missing dry run, and for
        insufficient compute time.
    """
    test_set = TestSet.objects.filter(phase=phase, is_active=True).first()
    if test_set is None:
        raise UploadError("This phase has no cases yet.")
    for archive in (image, model):
        if archive is None:
            continue
        if archive.team_id != team.pk or archive.state not in AlgorithmArchive.USABLE or archive.removed_at:
            raise NotAllowedError(
                f"{archive.file_name} cannot be used: it is not your team's, was refused, or was deleted."
            )
    plan = Registered.of(phase.algorithms)
    number = test_set.cases.count()
    _check_dry_run(phase, team, plan, image, model)
    needed = plan.compute_seconds(number)
    check_budget(phase)
    check_compute_time(phase, team, plan, needed)
    execution = Execution.objects.create(
        subject=subject,
        phase=phase,
        team=team,
        user=user,
        test_set=test_set,
        image=image,
        model=model,
        is_on_public_cases=are_public(phase),
        plan=plan.document(),
        key=secrets.token_hex(32),
        cases_total=number,
        reserved_seconds=needed,
    )
    record(
        actor=user,
        act="execution_asked",
        subject=execution,
        scope=phase.challenge.slug,
        facts={"team": team.name, "phase": phase.name, "image": image.digest, "model": model.digest if model else ""},
    )
    go_on_if_ready(execution)
    return execution


def archive_settled(archive: AlgorithmArchive) -> None:
    """Begin, or refuse, what waited for the check of an archive; in the transaction that ends the check."""
    rows = Execution.objects.select_for_update(of=("self",), no_key=True).filter(state=State.WAITING)
    waiting = rows.filter(Q(image=archive) | Q(model=archive)).select_related(
        "phase__task__challenge", "team", "image", "model", "test_set", "user"
    )
    for execution in waiting:
        if archive.state == AlgorithmArchive.State.READY:
            for used_archive in (execution.image, execution.model):
                if used_archive is not None and used_archive.pk == archive.pk:
                    used_archive.state, used_archive.digest, used_archive.report = (
                        archive.state,
                        archive.digest,
                        archive.report,
                    )
            go_on_if_ready(execution)
        else:
            state = State.REFUSED if archive.state == AlgorithmArchive.State.REFUSED else State.FAILED
            end(execution, state, reason=archive.reason)


def go_on_if_ready(execution: Execution) -> None:
    """Cut the cases into batches and ask for workers once all archives are ready; in the caller's transaction."""
    ready = AlgorithmArchive.State.READY
    image, model = execution.image, execution.model
    if image.state != ready or (model is not None and model.state != ready):
        return
    plan = Registered.of(execution.plan)
    cases = list(execution.test_set.cases.order_by("position").values_list("name", "image_file"))
    try:
        sockets(plan, execution.phase.assessment, [ending_of(file) for _, file in cases])
    except NotRunnableError as error:
        end(execution, State.FAILED, reason=OURS, log=str(error))
        return
    names = [name for name, _ in cases]
    # Shuffled by the key of the execution: the order tells nothing that the names hide.
    order = names if execution.is_on_public_cases else list(aliases(bytes.fromhex(execution.key), names))
    execution.identity = identity(image.digest, model.digest if model else None, plan.interface)
    execution.state, execution.queued_at = State.QUEUED, timezone.now()
    execution.save(update_fields=["identity", "state", "queued_at"])
    size = plan.batch_cases
    now = shared_now()
    batches = [
        Batch(execution=execution, index=index, cases=order[first : first + size], asked_at=now)
        for index, first in enumerate(range(0, len(order), size))
    ]
    Batch.objects.bulk_create(batches)
    for _ in range(min(len(batches), 16)):
        enqueue(RUNNING.task)


@transaction.atomic
def cancel(*, execution: Execution, actor: User, reason: str = "") -> None:
    """Stop an execution: its container is ended at the worker's next heartbeat, and nothing of it is stored any more.

    Raises
    ------
    ValidationError
        When it has ended already.
    """
    current = locked(execution.pk)
    if current.state == State.CANCELLED:
        return
    if current.state not in Execution.STOPPABLE:
        raise ValidationError("This run has ended already and can no longer be stopped.")
    words = reason or "Your team stopped it."
    end(current, State.CANCELLED, reason=words, actor=actor)


def locked(pk: uuid.UUID) -> Execution:
    """Lock an execution until the end of the transaction."""
    rows = Execution.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("phase__task__challenge", "team", "image", "model", "test_set", "user").get(pk=pk)


def end(execution: Execution, state: str, *, reason: str, log: str = "", actor: User | None = None) -> None:
    """End an execution without predictions, in the caller's transaction; leases of its batches are void from then on."""
    open_batches = Batch.objects.filter(execution=execution, state__in=Batch.OPEN)
    withdraw(open_batches, state=Batch.State.CANCELLED, finished_at=timezone.now())
    execution.state, execution.reason, execution.finished_at = state, reason[:500], timezone.now()
    execution.log = "\n".join(part for part in (execution.log, log) if part)
    # What it might have needed is given back; of a stopped one, what was used counts.
    execution.reserved_seconds = 0
    if state in (State.FAILED, State.REFUSED):
        execution.compute_seconds = 0
    execution.save()
    withdraw(Execution.objects.filter(pk=execution.pk))
    record(
        actor=actor,
        act=f"execution_{state}",
        subject=execution,
        scope=execution.challenge.slug,
        facts={"team": execution.team.name, "phase": execution.phase.name, "reason": reason[:200]},
    )
    for callback in hooks.ended:
        callback(execution)


def _check_dry_run(
    phase: Phase, team: Team, plan: Registered, image: AlgorithmArchive, model: AlgorithmArchive | None
) -> None:
    """Refuse an algorithm that has not run in a dry run before, where the task has one that takes algorithms."""
    if not plan.requires_dry_run or phase.is_dry_run:
        return
    dry_runs = [entry for entry in Phase.objects.filter(task=phase.task_id, is_dry_run=True) if entry.algorithms]
    if not any(entry.is_open for entry in dry_runs):
        return
    same = Execution.objects.filter(team=team, phase__in=dry_runs, state=State.DONE, counts__ok__gt=0)
    same = same.filter(image__digest=image.digest) if image.digest else same.none()
    same = same.filter(model__digest=model.digest) if model is not None else same.filter(model=None)
    if not same.exists():
        names = " or ".join(entry.name for entry in dry_runs if entry.is_open)
        raise NotAllowedError(
            f"This algorithm has not run in {names} yet. Hand it in there first: the cases are public, you see the whole log, "
            "and failing there costs nothing."
        )
