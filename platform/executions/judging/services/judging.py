"""Asking the scoring image for the values of a run: rows are taken all or not at all, and never a bad value for a team."""

import secrets
import traceback
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from challenges.models import Phase, Team
from core.work.queries import shared_now
from core.work.services import Lease, LeaseLostError, claim_next, enqueue, withdraw
from datastore.test_sets import vault
from datastore.test_sets.models import TestSet
from datastore.uploads.storage import is_out_of_room, local_path
from evaluation.running.aliases import aliases
from evaluation.running.scorer_declared import expected
from evaluation.running.scorer_rows import ScorerError, read_rows
from executions.judging import hooks
from executions.judging.models import Judgement, Trial
from executions.judging.queries import JUDGING, lacking, trial_that_counts
from executions.judging.services import presenting, starting, trying
from executions.services import hosts

log = structlog.get_logger(__name__)
State = Judgement.State
NO_IMAGE_PAUSE = timedelta(minutes=1)
CAUSE = "the scoring image of the organizers gave no rows that can be used"
OURS = "an error on our side while the scoring image was run"


def ask(
    *,
    run: uuid.UUID,
    phase: Phase,
    team: Team,
    test_set: TestSet,
    predictions_file: str,
    members: Mapping[str, str],
    beside: str,
    groups: Sequence[Sequence[str]],
) -> None:
    """Request the scores of a run from the scoring image, one start per group of cases.

    Runs in the caller's transaction.

    Parameters
    ----------
    members
        Member of the archive that contains the prediction of each case.
    beside
        Member that contains the table next to the files; empty if it does not exist.
    """
    now = shared_now()
    parts = [
        Judgement(
            run=run,
            index=index,
            phase=phase,
            team=team,
            test_set=test_set,
            predictions_file=predictions_file,
            members={name: members[name] for name in group},
            beside=beside,
            key=secrets.token_hex(32),
            asked_at=now,
        )
        for index, group in enumerate(groups)
    ]
    Judgement.objects.bulk_create(parts)
    for _ in parts:
        enqueue(JUDGING.task)


def withdraw_run(run: uuid.UUID) -> None:
    """Ask for nothing more of a run that has ended; in the caller's transaction."""
    withdraw(
        Judgement.objects.filter(run=run, state__in=Judgement.OPEN), state=State.CANCELLED, finished_at=timezone.now()
    )


def judge_next() -> bool:
    """Ask for the cases whose turn it is; returns whether there were any that this machine could ask for."""
    if not hosts.here().judges:
        return False
    lease = claim_next(JUDGING, give_up=lambda lost: _fail(lost, OURS, "The job failed repeatedly."))
    if lease is None:
        return False
    part = Judgement.objects.select_related("phase__task__challenge", "test_set").get(pk=lease.pk)
    with bound_contextvars(run=str(part.run), part=part.index):
        _judge(part, lease)
    return True


def _judge(part: Judgement, lease: Lease) -> None:
    trial = trial_that_counts(part.phase)
    if trial is None:
        trying.begin_missing_trials(phase=part.phase)
        lease.hand_back(NO_IMAGE_PAUSE, failure=lacking(part.phase), is_counted=False, state=State.WAITING)
        return
    try:
        with lease.renewed():
            rows, seconds = _answered(part, trial, lease)
    except LeaseLostError:
        return
    except ScorerError as error:
        log.warning("scorer_error", attempt=lease.attempts, error=str(error)[:200])
        if lease.may_try_again:
            lease.hand_back(failure=str(error), state=State.WAITING)
        else:
            _fail(lease, CAUSE, str(error))
        return
    except Exception as error:
        log.exception("judging_error", attempt=lease.attempts)
        if is_out_of_room(error):
            lease.hand_back(failure=str(error), is_counted=False, state=State.WAITING)
        elif lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc(), state=State.WAITING)
        else:
            _fail(lease, OURS, traceback.format_exc())
        return
    is_completed = lease.complete(
        state=State.DONE, rows=rows, trial=trial, seconds=seconds, failure="", log="", finished_at=timezone.now()
    )
    if is_completed and not Judgement.objects.filter(run=part.run).exclude(state=State.DONE).exists():
        _end(part.run)


def _answered(part: Judgement, trial: Trial, lease: Lease) -> tuple[list[list[Any]], float]:
    """Start the image on the cases; returns rows by the cases' own names, and how long it took.

    Raises
    ------
    ScorerError
        When there are no rows, or any of them cannot be taken.
    """
    assessment, declared = part.phase.assessment, trial.declared
    cases = list(part.test_set.cases.filter(name__in=part.members).select_related("test_set").order_by("position"))

    def beat() -> None:
        if lease.is_lost:
            raise LeaseLostError

    source = local_path(part.predictions_file, beat=beat)
    room = 3 * presenting.room_for(assessment, cases)
    with starting.held(trial.archive, beat), vault.open_folder(room) as folder:
        folder.chmod(0o711)
        truth = presenting.references(assessment, cases, folder, beat)
        handed = presenting.Archive(source, part.members, part.beside)
        given = presenting.predictions(assessment, cases, handed, folder, beat)
        names = {alias: case for case, alias in aliases(bytes.fromhex(part.key), [c.name for c in cases]).items()}
        scorer_cases = [presenting.scorer_case(alias, truth[case], given.get(case)) for alias, case in names.items()]
        answer = starting.start(
            trial.archive, declared, scorer_cases, problem=assessment.problem, lease=lease, folder=folder
        )
    if answer.rows is None:
        raise ScorerError(f"{answer.failure}\n{starting.said(answer)}".strip())
    labels = {metric.options["id"]: metric.name for metric in assessment.by_scorer}
    rows = read_rows(answer.rows, expected(declared, list(names)))
    return [
        [names[row.case], row.region or "", labels[row.metric], row.value, str(row.outcome)] for row in rows
    ], answer.report.wall_seconds


def _fail(lease: Lease, cause: str, text: str) -> None:
    """Store why the run gets no values: a fault of ours, or of the organizers' image, and never the team's."""
    with suppress(LeaseLostError):
        with transaction.atomic(), lease.completing() as current:
            current.state, current.finished_at = State.FAILED, timezone.now()
            current.cause, current.log = cause, text
            run = current.run
        _end(run)


def _end(run: uuid.UUID) -> None:
    for callback in hooks.ended:
        callback(run)
