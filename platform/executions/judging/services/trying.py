"""Trying a scoring image: the nine checks, on cases of the test set, before anything of a team meets it."""

import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase
from core.audit.services import record
from core.work.services import Lease, LeaseLostError, ask, claim
from datastore.test_sets import vault
from datastore.test_sets.models import TestCase, TestSet
from datastore.uploads.storage import is_out_of_room
from evaluation import problems
from evaluation.assessment import Assessment
from evaluation.running.scorer_declared import declared_of, digest_of, expected
from evaluation.running.scorer_rows import ScorerError
from evaluation.running.scorer_trials import LEAST_CASES, Answer, Presented, SelfTest, TrialCase, self_test
from executions.judging.models import Trial
from executions.judging.queries import TRYING, phases_with_scorers
from executions.judging.services import presenting, starting
from executions.models import AlgorithmArchive
from executions.services import hosts

log = structlog.get_logger(__name__)
State = Trial.State
FAILED = "Something went wrong on our side while it was tried. The operators see what happened; have it tried again."


def begin_trials(archive: AlgorithmArchive) -> None:
    """Have an image tried that was just checked, in each phase of its task that has cases; in the caller's transaction."""
    for phase in phases_with_scorers(archive.phase.task.challenge):
        if phase.task_id == archive.phase.task_id:
            begin_trial(archive=archive, phase=phase)


@transaction.atomic
def begin_trial(*, archive: AlgorithmArchive, phase: Phase, actor: User | None = None) -> Trial | None:
    """Have an image tried by what a phase declares now; None where it has no test set, or it is being tried.

    Raises
    ------
    ValidationError
        For an image that is not ready.
    """
    if archive.state != AlgorithmArchive.State.READY or archive.removed_at:
        raise ValidationError("This image cannot be tried: it was refused, deleted, or is still being checked.")
    AlgorithmArchive.objects.select_for_update(of=("self",), no_key=True).get(pk=archive.pk)
    test_set = TestSet.objects.filter(phase=phase, is_active=True).first()
    if test_set is None or Trial.objects.filter(archive=archive, phase=phase, state__in=Trial.OPEN).exists():
        return None
    declared = declared_of(phase.assessment)
    trial = Trial.objects.create(
        archive=archive, phase=phase, test_set=test_set, declared=declared, declared_digest=digest_of(declared)
    )
    if actor is not None:
        record(actor=actor, act="scorer_trial_asked", subject=trial, scope=trial.challenge.slug, facts=_facts(trial))
    ask(TRYING, trial)
    return trial


def begin_missing_trials(*, phase: Phase) -> None:
    """Have the registered image of a phase tried that came before the cases, or before the declaration of today."""
    digest = phase.assessment.scorer["image"]
    rows = AlgorithmArchive.objects.filter(phase__task=phase.task_id, digest=digest, removed_at=None, kind="scorer")
    archive = rows.order_by("-created_at").first()
    wanted = digest_of(declared_of(phase.assessment))
    if archive and not Trial.objects.filter(archive=archive, phase=phase, declared_digest=wanted).exists():
        begin_trial(archive=archive, phase=phase)


def try_scorer(*, trial_id: int) -> None:
    """Try an image if this is pending, no other worker does it, and this machine can."""
    if not hosts.here().judges:
        return
    lease = claim(TRYING, trial_id, give_up=lambda lost: _end(lost, FAILED, "The job failed repeatedly."))
    if lease is None:
        return
    trial = Trial.objects.select_related("phase__task__challenge", "archive", "test_set").get(pk=lease.pk)
    try:
        with lease.renewed():
            test, printed, versions = _tried(trial, lease)
    except LeaseLostError:
        return
    except ScorerError as error:
        _end(lease, f"It cannot be tried: {error}.", "")
        return
    except Exception as error:
        log.exception("trial_error", trial=trial.pk, attempt=lease.attempts)
        if is_out_of_room(error) or lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc(), state=State.WAITING)
        else:
            _end(lease, FAILED, traceback.format_exc())
        return
    with suppress(LeaseLostError), lease.completing() as current:
        current.state = State.PASSED if test.is_passed else State.REFUSED
        current.report, current.report_digest = test.document(), test.digest
        current.log, current.versions, current.step, current.failure = printed, versions, "", ""
        current.finished_at = timezone.now()
        facts = _facts(trial) | {"passed": test.is_passed, "report": test.digest}
        record(actor=None, act="scorer_tried", subject=current, scope=trial.challenge.slug, facts=facts)


def _tried(trial: Trial, lease: Lease) -> tuple[SelfTest, str, dict[str, Any]]:
    """Run the checks; returns them, the end of what was printed where one failed, and versions of the engine."""
    assessment = trial.phase.assessment
    cases = _cases(assessment, trial.test_set)
    printed = ""
    number = 0

    def beat() -> None:
        if lease.is_lost:
            raise LeaseLostError

    lease.tell(every=0, step="loading the image")
    room = 8 * presenting.room_for(assessment, cases)
    with starting.held(trial.archive, beat), vault.open_folder(room) as folder:
        folder.chmod(0o711)
        reference_files = presenting.references(assessment, cases, folder, beat)
        shared = trial.test_set.shared
        tried = [
            _trial_case(assessment, name, files, shared, folder / f"made-{number}")
            for number, (name, files) in enumerate(reference_files.items())
        ]
        broken = folder / "broken"
        broken.touch()

        def start(presented: Sequence[Presented]) -> Answer:
            nonlocal number, printed
            number += 1
            lease.tell(step=f"start {number}")
            scorer_cases = [
                presenting.scorer_case(
                    presented_case.name, dict(presented_case.reference), dict(presented_case.prediction)
                )
                for presented_case in presented
            ]
            answer = starting.start(
                trial.archive,
                trial.declared,
                scorer_cases,
                problem=assessment.problem,
                lease=lease,
                folder=folder,
                number=number,
            )
            if answer.rows is None:
                printed = starting.said(answer)
            return Answer(answer.rows, answer.failure, answer.report.timed or answer.report.out_of_memory)

        test = self_test(expected(trial.declared, []), tried, start, broken=broken)
    return test, "" if test.is_passed else printed, dict(hosts.here().versions)


def _trial_case(
    assessment: Assessment, name: str, reference: presenting.Shown, shared: Mapping[str, Any], folder: Path
) -> TrialCase:
    perfect = presenting.perfect_prediction(assessment, reference, shared, folder / "perfect")
    worse = problems.get(assessment.problem).samples.worse_predictions(perfect, folder / "worse")
    return TrialCase(name, reference, worse, perfect)


def _cases(assessment: Assessment, test_set: TestSet) -> list[TestCase]:
    """Return the smallest cases with a non-empty reference, which are informative and quick."""
    rows = TestCase.objects.filter(test_set=test_set, is_decoy=False).exclude(reference_file="")
    by_size = sorted(
        rows.select_related("test_set").order_by("position"),
        key=lambda case: presenting.room_for(assessment, [case]),
    )
    telling = [case for case in by_size if presenting.tells_much(assessment, case)]
    return (telling + [case for case in by_size if case not in telling])[:LEAST_CASES]


def _end(lease: Lease, reason: str, failure: str) -> None:
    with suppress(LeaseLostError), lease.completing() as current:
        current.state, current.reason, current.failure = State.FAILED, reason[:500], failure
        current.finished_at, current.step = timezone.now(), ""


def _facts(trial: Trial) -> dict[str, Any]:
    return {"phase": trial.phase.name, "image": trial.archive.digest, "declared": trial.declared_digest}
