"""Scoring: chunks that any worker can take, and one result a run whatever happens to the workers."""

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

from audit.services import record
from evaluation.outcomes import Outcome
from judging.queries import scorers
from scoring.domain.report import Report
from scoring.domain.results import CaseRow
from scoring.services import scorer, writing
from scoring.services.cases import Scored, Under, missing, missing_under
from scoring.services.predictions import Predictions
from scoring.services.references import annotated, references
from scoring.services.writing import Written
from submissions import hooks
from submissions.models import Chunk, Run, Submission
from submissions.queries.work import SCORING
from submissions.services import algorithms
from submissions.services.doubles import find_doubles
from submissions.services.failing import EMPTIED, fail_run, locked_submission
from submissions.services.telling import tell_team
from test_sets.models import Annotation, TestCase
from uploads.limits import child_limits
from uploads.storage import free_bytes, has_room, is_out_of_room, local_path
from work.clock import shared_now
from work.jobs import enqueue
from work.leases import Lease, LeaseLostError, claim_next, task_budget

log = structlog.get_logger(__name__)

FULL_PAUSE = timedelta(seconds=20)


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
    predictions = Predictions(path, report.members, report.table, test_set, chunk.run.submission.phase.assessment)
    rows = _with_references(chunk.run).filter(name__in=chunk.cases)
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


def _with_references(run: Run) -> QuerySet[TestCase]:
    """The cases of a run with all that preparing their references reads."""
    annotations = Prefetch("annotations", queryset=Annotation.objects.select_related("case__test_set"))
    return run.test_set.cases.select_related("test_set").prefetch_related(annotations)


def _complete(chunk: Chunk, lease: Lease, scored: list[Scored]) -> bool:
    """Store what was found, all or nothing; returns whether this was the run's last open chunk."""
    done = {result.case for result in scored}
    left = [name for name in chunk.cases if name not in done]
    with transaction.atomic():
        kept = lease.complete(
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
        if kept and left:
            _split_off(chunk, left)
    return kept and not Chunk.objects.filter(run=chunk.run_id).exclude(state=Chunk.State.DONE).exists()


def _split_off(chunk: Chunk, cases: list[str]) -> None:
    """Leave the cases for which the time of one task did not suffice to another turn."""
    last = Chunk.objects.filter(run=chunk.run_id).order_by("index").values_list("index", flat=True).last() or 0
    Chunk.objects.create(
        run_id=chunk.run_id, index=last + 1, cases=cases, cases_total=len(cases), asked_at=shared_now()
    )
    enqueue(SCORING.task)


def finish_run(*, run_id: uuid.UUID) -> None:
    """Assemble the result of a run whose chunks are all done; done again, or by two at once, it changes nothing."""
    # Chunks before the run: whoever finishes it empties the chunks, and a run that is open later had full ones before.
    chunks = list(Chunk.objects.filter(run=run_id))
    run = Run.objects.select_related("submission__phase__task__challenge", "submission__team", "test_set").get(
        pk=run_id
    )
    judged = scorers.rows_of(run.pk)
    if run.is_finished or judged is None or any(chunk.state != Chunk.State.DONE for chunk in chunks):
        return
    try:
        files = writing.write(
            str(run.pk),
            run.test_set,
            run.submission.phase.assessment,
            _with_judged(run, _assemble(run, chunks), judged),
            report=Report.of(run.submission.report),
            algorithm=run.submission.team.name,
        )
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
    assessment = run.submission.phase.assessment
    rows: dict[str, list[CaseRow]] = defaultdict(list)
    pieces: dict[str, Any] = {}
    notes = dict(run.case_notes)
    drawn: dict[str, dict[str, Under]] = defaultdict(dict)
    handed: dict[str, Any] = {}
    apart: dict[str, Any] = {}
    for chunk in chunks:
        for row in chunk.rows or []:
            rows[row[0]].append(CaseRow(*row))
        for annotator, case, own_rows, own_pieces in chunk.annotator_rows or []:
            drawn[case][annotator] = Under([CaseRow(*row) for row in own_rows], own_pieces)
        handed |= chunk.decoys or {}
        apart |= chunk.disentangled or {}
        pieces |= chunk.pieces or {}
        notes |= chunk.notes
    scored = {name for chunk in chunks for name in chunk.cases}
    found = []
    for case in _with_references(run):
        note, own = notes.get(case.name, ""), handed.get(case.name, {})
        if case.name in scored:
            more = dict(drawn[case.name])
            found.append(
                Scored(
                    case.name,
                    rows[case.name],
                    pieces.get(case.name),
                    note=note,
                    annotators=more,
                    handed=own,
                    disentangled=apart.get(case.name),
                )
            )
        else:
            nothing = missing(assessment, case.name, references.get(assessment, case))
            more = missing_under(assessment, case.name, annotated(assessment, case))
            found.append(replace(nothing, note=note, annotators=more))
    return found


def _with_judged(run: Run, found: list[Scored], judged: list[list[Any]]) -> list[Scored]:
    """The same with what the organizers' scoring image answered; a case that it was not asked for is missing."""
    assessment = run.submission.phase.assessment
    if not assessment.by_scorer:
        return found
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
        for scored in found
    ]


@transaction.atomic
def _store_result(run: Run, files: Written, *, chunks: list[Chunk]) -> None:
    submission = locked_submission(run)
    current = Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    if current.is_finished:
        return
    Run.objects.filter(submission=submission, counts=True).update(counts=False, state=Run.State.SUPERSEDED)
    current.state, current.counts, current.finished_at = Run.State.SCORED, True, timezone.now()
    current.result_file, current.result_digest, current.evidence_file = files.result, files.digest, files.evidence
    current.annotators_file, current.decoys = files.annotators, files.decoys
    current.disentangled_file, current.disentangled = files.disentangled, files.disentangled_summary
    current.summary, current.provenance, current.case_notes = files.summary, files.provenance, files.notes
    current.log = "\n".join(chunk.log for chunk in chunks if chunk.log)
    if facts := scorers.facts_of(run.pk):
        current.provenance = current.provenance | {"scorer": facts}
    if submission.is_algorithm:
        algorithms.describe(current)
    current.save()
    Chunk.objects.filter(run=run).update(**EMPTIED)
    if submission.state != Submission.State.SCORED:
        Submission.objects.filter(pk=submission.pk).update(
            state=Submission.State.SCORED, state_since=current.finished_at, reason=""
        )
        tell_team(submission, Submission.State.SCORED)
        find_doubles(run=current, submission=submission)
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
        },
    )
    for callback in hooks.run_scored:
        callback(submission.phase_id)
