"""Scoring: chunks that any worker can take, and one result a run whatever happens to the workers."""

import time
import traceback
import uuid
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from structlog.contextvars import bound_contextvars

from audit.services import record
from evaluation import problems
from evaluation.assessment import Assessment
from evaluation.scoring import provenance
from evaluation.scoring.assembling import assemble, is_pooled
from evaluation.scoring.working_points import working_points
from submissions import hooks
from submissions.domain import results
from submissions.domain.report import Report
from submissions.domain.results import CaseRow
from submissions.domain.summary import summarize
from submissions.models import Chunk, Run, Submission
from submissions.queries.work import SCORING
from submissions.services import disentangling, scorer
from submissions.services.doubles import find_doubles
from submissions.services.failing import EMPTIED, fail_run, locked_submission
from submissions.services.scorer import Scored, Under
from submissions.services.telling import tell_team
from test_sets import vault
from test_sets.models import Annotation, TestCase
from test_sets.queries.test_sets import metadata_frame_of
from uploads.limits import child_limits
from uploads.storage import free_bytes, has_room, is_out_of_room
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
    members = Report.of(chunk.run.submission.report).members
    rows = _with_references(chunk.run).filter(name__in=chunk.cases)
    cases = {case.name: case for case in rows}
    scored: list[Scored] = []

    def beat() -> None:
        lease.beat(lambda: {"cases_done": len(scored)})

    for result in scorer.score_cases(
        chunk.run,
        [cases[name] for name in chunk.cases],
        members,
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
    if run.is_finished or any(chunk.state != Chunk.State.DONE for chunk in chunks):
        return
    try:
        files = _write(run, chunks)
    except Exception as error:
        log.exception("assembling_error", run=str(run.pk), submission=str(run.submission_id))
        if is_out_of_room(error):
            return  # the sweep finds it again
        fail_run(run_id=run_id, cause="its result could not be put together", log=traceback.format_exc())
        return
    _store_result(run, files, chunks=chunks)
    log.info("run_scored", run=str(run.pk), submission=str(run.submission_id), digest=files.digest)


@dataclass(frozen=True)
class _Files:
    """The files of a result, both stored under digests of what they say, and what a page shows of them."""

    result: str
    digest: str
    evidence: str
    annotators: str
    summary: dict[str, Any]
    provenance: dict[str, Any]
    notes: dict[str, str]
    decoys: dict[str, Any]
    disentangled: str
    disentangled_summary: dict[str, Any]


def _write(run: Run, chunks: list[Chunk]) -> _Files:
    assessment = scorer.assessment_of(run)
    everything = _assemble(run, assessment, chunks)
    decoys = set(run.test_set.cases.filter(is_decoy=True).values_list("name", flat=True))
    found = [scored for scored in everything if scored.case not in decoys]
    rows = [row for scored in found for row in scored.rows]
    evidence = None
    if is_pooled(assessment):
        cases = {case.name: case for case in run.test_set.cases.select_related("test_set")}
        pieces = {
            scored.case: scorer.whole_pieces(
                assessment, scored.pieces, scorer.references.get(assessment, cases[scored.case])
            )
            for scored in found
        }
        more, evidence = assemble(assessment, pieces, shared=_shared(run, assessment))
        rows += [CaseRow.of(row) for row in more]
    digest = results.digest(rows, evidence)
    name = f"results/{run.pk}/{digest}.parquet"
    kept = f"evidence/{run.pk}/{digest}.parquet{vault.SUFFIX}" if evidence is not None else ""
    if evidence is not None:
        results.store_evidence(evidence, kept)
    results.store(rows, name)
    annotators = _store_annotators(run, assessment, found)
    table = results.frame(rows, algorithm=run.submission.team.name)
    notes = {scored.case: scored.note for scored in found if scored.note}
    summary = summarize(
        assessment, table, metadata_frame_of(run.test_set), cases=[scored.case for scored in found], noted=notes
    )
    # What teams are told of missing cases covers all that were asked for: a decoy is missed like any other case.
    absent = sum(scored.case in decoys and bool(scored.note) for scored in everything)
    summary |= {"asked": len(everything), "asked_missing": summary["missing_cases"] + absent}
    return _Files(
        name,
        digest,
        kept,
        annotators,
        summary,
        provenance(assessment) | {"working_points": working_points(assessment, evidence)},
        notes,
        _handed(run, everything, decoys),
        *disentangling.keep(run, assessment, {scored.case: scored.disentangled for scored in found}),
    )


def _store_annotators(run: Run, assessment: Assessment, found: Sequence[Scored]) -> str:
    """Keep what the cases give under the references of each annotator, as what they give under the merged ones is kept."""
    rows = {
        name: [row for scored in found if name in scored.annotators for row in scored.annotators[name].rows]
        for name in sorted({name for scored in found for name in scored.annotators})
    }
    evidence = {}
    if rows and is_pooled(assessment):
        drawn = {
            (entry.annotator, entry.name): entry
            for entry in Annotation.objects.filter(case__test_set=run.test_set).select_related("case__test_set")
        }
        for name, own in rows.items():
            pieces = {
                scored.case: scorer.whole_pieces(
                    assessment,
                    scored.annotators[name].pieces,
                    scorer.references.get(assessment, drawn[name, scored.case]),
                )
                for scored in found
                if name in scored.annotators
            }
            more, evidence[name] = assemble(assessment, pieces, shared=_shared(run, assessment))
            own += [CaseRow.of(row) for row in more]
    return results.store_annotators(rows, f"results/{run.pk}/annotators", evidence=evidence)


def _handed(run: Run, everything: Sequence[Scored], decoys: Collection[str]) -> dict[str, Any]:
    """For organizers: what became of each decoy."""
    findings = Report.of(run.submission.report).findings
    return {
        scored.case: {"status": str(findings[scored.case].status) if scored.case in findings else "missing"}
        | scored.handed
        for scored in everything
        if scored.case in decoys
    }


def _shared(run: Run, assessment: Assessment) -> Mapping[str, Any]:
    """What all evidence of the test set has in common."""
    metadata = run.test_set.cases.filter(is_decoy=False).values_list("name", "metadata")
    patients = {name: str(facts["patient"]) for name, facts in metadata if facts.get("patient") is not None}
    return problems.get(assessment.problem).shared_evidence(assessment, run.test_set.shared, patients)


def _assemble(run: Run, assessment: Assessment, chunks: list[Chunk]) -> list[Scored]:
    """Every case of the test set: as the chunks found it, or missing."""
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
            nothing = scorer.missing(assessment, case.name, scorer.references.get(assessment, case))
            more = scorer.missing_under(assessment, case.name, scorer.annotated(assessment, case))
            found.append(replace(nothing, note=note, annotators=more))
    return found


@transaction.atomic
def _store_result(run: Run, files: _Files, *, chunks: list[Chunk]) -> None:
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
