"""Scoring: chunks that any worker can process, and the end of a run with or without a result.

A run ends correctly even if workers are lost.
"""

import time
import traceback
import uuid
from collections import defaultdict
from dataclasses import replace
from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from core.audit.services import VALUES, record, values_of
from core.work.queries import shared_now
from core.work.services import Lease, LeaseLostError, claim_next, enqueue, task_budget
from datastore.test_sets.models import Annotation, TestCase
from datastore.uploads.storage import child_limits, free_bytes, has_room, is_out_of_room, local_path
from evaluation.assessment.costs import CostError
from evaluation.outcomes import Outcome
from executions.judging import queries as judging_queries
from executions.judging.services import judging
from executions.scoring.domain.report import Report
from executions.scoring.domain.results import CaseRow
from executions.scoring.services import scorer, writing
from executions.scoring.services.cases import AnnotatorScore, Scored, missing, missing_under
from executions.scoring.services.scorer import Predictions, annotated, references
from executions.scoring.services.writing import Written
from submissions import hooks
from submissions.models import Chunk, Run, Submission
from submissions.queries.work import SCORING
from submissions.services import algorithms
from submissions.services.duplicates import show_same_results
from submissions.services.messages import tell_of_failed_repeat, tell_organizers, tell_team
from submissions.services.states import FAILED_MESSAGE

log = structlog.get_logger(__name__)

EMPTIED: dict[str, Any] = dict.fromkeys(("rows", "pieces", "annotator_rows", "decoys", "disentangled"))
"""Fields of chunks that contain intermediate values until their run is assembled."""

FULL_PAUSE = timedelta(seconds=20)


def finish_run(*, run_id: uuid.UUID) -> None:
    """Assemble the result of a run whose chunks are all done, or end a run for which the scoring image failed.

    Done again, or by two workers at once, it changes nothing.
    """
    # Chunks before the run: whoever finishes it empties the chunks, and a run that is open later had full ones before.
    chunks = list(Chunk.objects.filter(run=run_id))
    run = Run.objects.select_related("submission__phase__task__challenge", "submission__team", "test_set").get(
        pk=run_id
    )
    assessment = run.submission.phase.assessment
    failure = judging_queries.failure_of(run.pk) if assessment.scorer and not run.is_finished else None
    if failure is not None:
        fail_run(run_id=run_id, cause=failure.cause, log=failure.log)
        return
    judged = judging_queries.rows_of(run.pk) if assessment.scorer else []
    if run.is_finished or judged is None or any(chunk.state != Chunk.State.DONE for chunk in chunks):
        return
    try:
        files = writing.write(
            str(run.pk),
            run.test_set,
            assessment,
            _with_costs(run, _with_judged(run, _assemble(run, chunks), judged)),
            report=run.submission.report,
            algorithm=run.submission.team.name,
        )
    except CostError as error:
        cause = f"{error}: the team must submit the algorithm again"
        fail_run(run_id=run_id, cause=cause, log=traceback.format_exc())
        return
    except Exception as error:
        log.exception("assembling_error", run=str(run.pk), submission=str(run.submission_id))
        if is_out_of_room(error):
            return  # the sweep finds it again
        fail_run(run_id=run_id, cause="its result could not be put together", log=traceback.format_exc())
        return
    _store_result(run, files, chunks=chunks)
    log.info("run_scored", run=str(run.pk), submission=str(run.submission_id), digest=files.digest)


def _assemble(run: Run, chunks: list[Chunk]) -> list[Scored]:
    """Every case of the test set: as the chunks found it, or missing."""
    assessment, team = run.submission.phase.assessment, run.submission.team.name
    rows: dict[str, list[CaseRow]] = defaultdict(list)
    pieces: dict[str, Any] = {}
    notes = dict(run.case_notes)
    drawn: dict[str, dict[str, AnnotatorScore]] = defaultdict(dict)
    handed: dict[str, Any] = {}
    apart: dict[str, Any] = {}
    for chunk in chunks:
        for row in chunk.rows or []:
            rows[row[0]].append(CaseRow(*row))
        for annotator, case, own_rows, own_pieces in chunk.annotator_rows or []:
            drawn[case][annotator] = AnnotatorScore([CaseRow(*row) for row in own_rows], own_pieces)
        handed |= chunk.decoys or {}
        apart |= chunk.disentangled or {}
        pieces |= chunk.pieces or {}
        notes |= chunk.notes
    scored = {name for chunk in chunks for name in chunk.cases}
    scored_cases = []
    for case in with_references(run):
        note, decoy_facts = notes.get(case.name, ""), handed.get(case.name, {})
        if case.name in scored:
            more = dict(drawn[case.name])
            scored_cases.append(
                Scored(
                    case.name,
                    rows[case.name],
                    pieces.get(case.name),
                    note=note,
                    annotators=more,
                    handed=decoy_facts,
                    disentangled=apart.get(case.name),
                )
            )
        else:
            nothing = missing(assessment, case.name, references.get(assessment, case, algorithm=team))
            more = missing_under(assessment, case.name, annotated(assessment, case, algorithm=team))
            scored_cases.append(replace(nothing, note=note, annotators=more))
    return scored_cases


def _with_judged(run: Run, scored_cases: list[Scored], judged: list[list[Any]]) -> list[Scored]:
    """Return the cases with the values from the organizers' scoring image added.

    A case that the image did not score counts as missing.
    """
    assessment = run.submission.phase.assessment
    if not assessment.by_scorer:
        return scored_cases
    rows = {(case, region, metric): (value, outcome) for case, region, metric, value, outcome in judged}
    regions = [region.name for region in assessment.regions] or [""]
    nothing = (None, str(Outcome.MISSING))
    return [
        replace(
            scored,
            rows=[
                *scored.rows,
                *(
                    CaseRow(scored.case, region, use.name, *rows.get((scored.case, region, use.name), nothing), None)
                    for region in regions
                    for use in assessment.by_scorer
                ),
            ],
        )
        for scored in scored_cases
    ]


def _with_costs(run: Run, scored_cases: list[Scored]) -> list[Scored]:
    """Return the cases with the costs of running the algorithm on each case added.

    The costs are the same under the references of every annotator.
    """
    uses = run.submission.phase.assessment.by_run
    if not uses:
        return scored_cases
    costs = algorithms.costs_of(run.submission_id, uses)
    nothing = (None, str(Outcome.MISSING))
    whole = []
    for scored in scored_cases:
        rows = [CaseRow(scored.case, "", use.name, *costs.get((scored.case, use.name), nothing), None) for use in uses]
        drawn = {
            name: annotator_score._replace(rows=[*annotator_score.rows, *rows])
            for name, annotator_score in scored.annotators.items()
        }
        whole.append(replace(scored, rows=[*scored.rows, *rows], annotators=drawn))
    return whole


@transaction.atomic
def _store_result(run: Run, files: Written, *, chunks: list[Chunk]) -> None:
    submission = _locked_submission(run)
    current = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if current.is_finished:
        return
    Run.objects.filter(submission=submission, counts=True).update(counts=False, state=Run.State.SUPERSEDED)
    current.state, current.counts, current.finished_at = Run.State.SCORED, True, timezone.now()
    current.result_file, current.result_digest, current.evidence_file = files.result, files.digest, files.evidence
    current.annotators_file, current.decoys = files.annotators, files.decoys
    current.disentangled_file, current.disentangled = files.disentangled, files.disentangled_summary
    current.summary, current.provenance, current.case_notes = files.summary, files.provenance, files.notes
    current.spread = files.spread
    current.log = "\n".join(chunk.log for chunk in chunks if chunk.log)
    if submission.phase.assessment.scorer and (facts := judging_queries.facts_of(run.pk)):
        current.provenance = current.provenance | {"scorer": facts}
    if submission.is_algorithm:
        algorithms.describe(current)
    current.save()
    Chunk.objects.filter(run=run).update(**EMPTIED)
    if submission.state != Submission.State.SCORED:
        Submission.objects.filter(pk=submission.pk).update(
            state=Submission.State.SCORED, state_since=current.finished_at, reason=""
        )
        if submission.phase.is_sealed:  # else it is told with the rank
            tell_team(submission, Submission.State.SCORED)
        if (same := _same_of_others(current, submission)).exists():
            show_same_results(submission, same)
    record(
        actor=None,
        act="run_scored",
        subject=current,
        scope=submission.challenge.slug,
        facts={
            "submission": str(submission.pk),
            "team": submission.team.name,
            "number": submission.number,
            "run": current.number,
            "result_digest": files.digest,
            "assessment_digest": current.assessment_digest,
            "manifest_digest": run.test_set.manifest_digest,
            VALUES: values_of(current),
        },
    )
    for callback in hooks.run_scored:
        callback(submission.phase_id)


def _same_of_others(run: Run, submission: Submission) -> QuerySet[Run]:
    """Results of other teams in the phase with the same digest: equal values in every case."""
    rows = Run.objects.filter(counts=True, submission__phase=submission.phase_id, result_digest=run.result_digest)
    return rows.exclude(submission__team=submission.team_id)


def with_references(run: Run) -> QuerySet[TestCase]:
    """The cases of a run with all that preparing their references reads."""
    annotations = Prefetch("annotations", queryset=Annotation.objects.select_related("case__test_set"))
    return run.test_set.cases.select_related("test_set").prefetch_related(annotations)


@transaction.atomic
def fail_run(*, run_id: uuid.UUID, cause: str, log: str) -> None:
    """End a run that the platform could not score after all tries, and notify the team and the organizers.

    An earlier result of the submission remains, and other submissions do not wait for it. A new ranking is
    requested. If this run was against a new version of the test set, the ranking excludes the team and states
    why.

    Parameters
    ----------
    cause
        Public reason for the failure, worded by the platform.
    log
        Details for organizers.
    """
    run = Run.objects.select_related("submission__phase__task__challenge", "submission__team", "test_set").get(
        pk=run_id
    )
    submission = _locked_submission(run)
    current = Run.objects.select_for_update(no_key=True).get(pk=run_id)
    if current.is_finished:
        return
    before = submission.runs.filter(counts=True).select_related("test_set").first()
    message = FAILED_MESSAGE if before is None else _again_failed(run, before, cause)
    current.state, current.finished_at = Run.State.FAILED, timezone.now()
    current.message, current.log = message[:500], log
    current.save()
    judging.withdraw_run(current.pk)
    Chunk.objects.filter(run=current).exclude(state=Chunk.State.DONE).delete()
    Chunk.objects.filter(run=current).update(**EMPTIED)
    if before is None:
        Submission.objects.filter(pk=submission.pk).update(
            state=Submission.State.FAILED,
            state_since=current.finished_at,
            reason=FAILED_MESSAGE[:500],
            content_key="",
        )
        tell_team(submission, Submission.State.FAILED, reason=FAILED_MESSAGE)
    else:
        tell_of_failed_repeat(submission, run=current)
    tell_organizers(submission, run=current, cause=cause)
    record(
        actor=None,
        act="run_failed",
        subject=current,
        scope=submission.challenge.slug,
        facts={
            "submission": str(submission.pk),
            "team": submission.team.name,
            "run": current.number,
            "cause": cause,
            "test_set": run.test_set.version,
        },
    )
    if before is not None:
        for callback in hooks.run_scored:
            callback(submission.phase_id)


def _again_failed(run: Run, before: Run, cause: str) -> str:
    """Return a statement on whether an earlier result remains valid after scoring again failed."""
    if run.test_set_id == before.test_set_id:
        return f"Scoring it again failed: {cause}. The earlier result remains valid."
    return (
        f"Scoring it against version {run.test_set.version} of the test set failed: {cause}. Its result against version "
        f"{before.test_set.version} stays readable; it is not ranked by version {run.test_set.version} until the organizers "
        "have had it scored."
    )


def _locked_submission(run: Run) -> Submission:
    """Return the submission of a run, locked until the transaction ends."""
    rows = Submission.objects.select_for_update(of=("self",), no_key=True).select_related(
        "phase__task__challenge", "team"
    )
    return rows.get(pk=run.submission_id)


def score_next_chunk() -> bool:
    """Score the chunk whose turn it is; returns whether there was one."""
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return False
    lease = claim_next(SCORING, give_up=_give_up)
    if lease is None:
        return False
    chunk = Chunk.objects.select_related("run__submission__phase__task__challenge", "run__test_set").get(pk=lease.pk)
    # On every line that is written meanwhile, whoever writes it.
    with bound_contextvars(run=str(chunk.run_id), submission=str(chunk.run.submission_id), chunk=chunk.index):
        _score_claimed(chunk, lease)
    return True


def _give_up(lease: Lease) -> None:
    """End the run of a chunk that took its workers down."""
    chunk = lease.rows.first()
    if chunk is not None:
        fail_run(
            run_id=chunk.run_id,
            cause=f"the workers that tried broke off, {SCORING.attempts} times",
            log=f"Workers were lost at chunk {chunk.index} too often.",
        )


def _score_claimed(chunk: Chunk, lease: Lease) -> None:
    begun = time.monotonic()
    Run.objects.filter(pk=chunk.run_id, state=Run.State.QUEUED).update(
        state=Run.State.SCORING, started_at=timezone.now()
    )
    try:
        scored = _score_cases(chunk, lease)
    except LeaseLostError:
        return
    except Exception as error:
        log.exception("scoring_error", attempt=lease.attempts)
        if is_out_of_room(error):
            lease.hand_back(FULL_PAUSE, failure=str(error), is_counted=False)
        elif lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc())
        else:
            cause = f"an error on our side, {SCORING.errors} times at the same cases"
            fail_run(run_id=chunk.run_id, cause=cause, log=f"Chunk {chunk.index}:\n{traceback.format_exc()}")
        return
    last = _complete(chunk, lease, scored)
    log.info("chunk_scored", cases=len(scored), seconds=round(time.monotonic() - begun, 3))
    if last:
        finish_run(run_id=chunk.run_id)


def _score_cases(chunk: Chunk, lease: Lease) -> list[Scored]:
    report, test_set = Report.of(chunk.run.submission.report), chunk.run.test_set
    path = local_path(chunk.run.submission.predictions_file)
    submission = chunk.run.submission
    predictions = Predictions(
        path, report.members, report.table, test_set, submission.phase.assessment, submission.team.name
    )
    rows = with_references(chunk.run).filter(name__in=chunk.cases)
    cases = {case.name: case for case in rows}
    scored: list[Scored] = []

    def beat() -> None:
        lease.beat(lambda: {"cases_done": len(scored)})

    for result in scorer.score_cases(
        predictions,
        [cases[name] for name in chunk.cases],
        limits=child_limits(),
        beat=beat,
        seconds=task_budget(),
    ):
        scored.append(result)
        beat()
    return scored


def _complete(chunk: Chunk, lease: Lease, scored: list[Scored]) -> bool:
    """Store what was found, all or nothing; returns whether this was the run's last open chunk."""
    done = {result.case for result in scored}
    left = [name for name in chunk.cases if name not in done]
    with transaction.atomic():
        is_stored = lease.complete(
            state=Chunk.State.DONE,
            cases=[result.case for result in scored],
            cases_total=len(scored),
            cases_done=len(scored),
            rows=[list(row) for result in scored for row in result.rows],
            pieces={result.case: result.pieces for result in scored},
            notes={result.case: result.note for result in scored if result.note},
            annotator_rows=[
                [name, result.case, under.rows, under.pieces]
                for result in scored
                for name, under in result.annotators.items()
            ],
            decoys={result.case: result.handed for result in scored if result.handed},
            disentangled={result.case: result.disentangled for result in scored if result.disentangled},
            log="\n".join(f"{result.case}: {result.details}" for result in scored if result.details),
        )
        if is_stored and left:
            _split_off(chunk, left)
    return is_stored and not Chunk.objects.filter(run=chunk.run_id).exclude(state=Chunk.State.DONE).exists()


def _split_off(chunk: Chunk, cases: list[str]) -> None:
    """Leave the cases for which the time of one task did not suffice to another turn."""
    last = Chunk.objects.filter(run=chunk.run_id).order_by("index").values_list("index", flat=True).last() or 0
    Chunk.objects.create(
        run_id=chunk.run_id, index=last + 1, cases=cases, cases_total=len(cases), asked_at=shared_now()
    )
    enqueue(SCORING.task)
