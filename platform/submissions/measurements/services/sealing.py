"""Sealing a table: a list of cases becomes the test set of the phase, values become the results of teams."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd
from django.core.exceptions import ValidationError
from django.db.models import Max
from django.utils import timezone

from challenges.models import Phase, Team
from challenges.services.teams import make_team
from core.audit.services import VALUES, hold_chain, record, values_of
from core.work.services import Lease, ask
from datastore.test_sets import vault
from datastore.test_sets.models import TestSet
from datastore.test_sets.queries.test_sets import metadata_frame_of
from datastore.test_sets.services.case_lists import seal_case_list
from datastore.test_sets.services.replacing import TestSetError
from datastore.uploads.models import Upload
from datastore.uploads.storage import open_stored, store_bytes
from evaluation.aggregation.spread import spreads
from evaluation.aggregation.summary import summarize
from evaluation.canonical import sha256
from evaluation.importing import Fitting
from evaluation.scoring import provenance
from executions.scoring.domain import results
from executions.scoring.domain.results import CaseRow
from submissions import hooks
from submissions.measurements.domain.values import checked, evidence_of, rows_of
from submissions.measurements.models import MeasuredRun, Measurement
from submissions.measurements.queries import MEASUREMENTS, active_list, fitting_of, teams_of
from submissions.models import Run, Submission
from submissions.services.messages import tell_team
from web.spreadsheets import csv_text

if TYPE_CHECKING:
    from evaluation.scoring.evidence import Evidence

State = Measurement.State
COLUMNS = ("case", "region", "metric", "value", "outcome")


def seal(lease: Lease, table: Measurement) -> None:
    """Seal what the preview showed; where that does not hold any more, have the table read again."""
    with open_stored(table.values_file) as stream:
        content = json.loads(stream.read())
    if table.kind == Measurement.Kind.CASES:
        _seal_cases(lease, table, content)
    else:
        _seal_values(lease, table, content)


def _seal_cases(lease: Lease, table: Measurement, cases: list[dict[str, Any]]) -> None:
    with lease.completing() as row:
        try:
            sealed = seal_case_list(
                phase=table.phase, metadata=pd.DataFrame(cases, dtype=object), actor=table.sealed_by
            )
        except TestSetError as error:
            row.state, row.preview = State.ASKING, {**row.preview, "problems": [str(error)]}
            return
        row.state, row.sealed_at, row.test_set, row.digest = (
            State.SEALED,
            timezone.now(),
            sealed,
            sealed.manifest_digest,
        )
        _record(row, {"cases": len(cases)})


def _seal_values(lease: Lease, table: Measurement, content: dict[str, Any]) -> None:
    with lease.completing() as row:
        hold_chain()
        phase = (
            Phase.objects.select_for_update(of=("self",), no_key=True)
            .select_related("task__challenge")
            .get(pk=table.phase_id)
        )
        table.phase = phase
        sealed_list, fitting = active_list(phase), fitting_of(table)
        new = [team["name"] for team in row.preview["teams"] if team["is_new"]]
        if sealed_list is None or not _holds(row, phase, sealed_list, fitting, new):
            row.state, row.preview = State.READING, {}
            ask(MEASUREMENTS, row)
            return
        values = checked(content, fitting, teams=[*fitting.teams, *new])
        try:
            for name in new:
                make_team(actor=table.sealed_by, challenge=phase.challenge, team_name=name, tasks=[phase.task])
        except ValidationError as error:
            row.state, row.preview = State.ASKING, {**row.preview, "problems": error.messages}
            return
        last = Measurement.objects.filter(phase=phase).aggregate(last=Max("version"))["last"] or 0
        row.version, row.sealed_at, row.test_set, row.state = last + 1, timezone.now(), sealed_list, State.SEALED
        teams = {team.name: team for team in teams_of(phase)}
        rows = {name: rows_of(values, name, fitting) for name in values.teams}
        evidence = {name: evidence_of(values, name, fitting) for name in values.teams}
        digests = {name: results.digest(team_rows, evidence[name]) for name, team_rows in rows.items()}
        row.digest = digest_of(row, sealed_list, digests.values())
        _record(row, {"version": row.version, "digest": row.digest, "origin": row.origin, "teams": digests})
        for name, team_rows in rows.items():
            _store(row, teams[name], sealed_list, Result(team_rows, evidence[name], digests[name]), fitting)
        for callback in hooks.run_scored:
            callback(phase.pk)


def digest_of(table: Measurement, test_set: TestSet, digests: Iterable[str]) -> str:
    """Digest of a sealed version: of the file as it came, of where its values are from, and of what was stored of it."""
    of_replicates = {"replicates": table.replicates_sha256} if table.replicates_sha256 else {}
    return sha256({
        "version": table.version,
        "file": table.sha256,
        **of_replicates,
        "origin": table.origin,
        "cases": test_set.manifest_digest,
        "results": sorted(digests),
    })  # fmt: skip


def _holds(table: Measurement, phase: Phase, sealed: TestSet, fitting: Fitting, new: Sequence[str]) -> bool:
    """Return whether cases, assessment and teams are still those of the preview."""
    read = table.preview
    named = {team["name"] for team in read["teams"]}
    return (
        read["test_set"] == sealed.pk
        and read["assessment_digest"] == phase.assessment_digest
        and named <= {*fitting.teams, *new}
        and not set(new) & set(fitting.teams)
    )


@dataclass(frozen=True)
class Result:
    """Result of one team in a table: rows, uncertainty of values of the whole data set, and digest of both."""

    rows: list[CaseRow]
    evidence: "Evidence | None"
    digest: str


def _store(table: Measurement, team: Team, test_set: TestSet, team_result: Result, fitting: Fitting) -> None:
    """Make of the values of a team what a scored run is; the result before it stays and counts no longer."""
    phase, now, rows, digest = table.phase, timezone.now(), team_result.rows, team_result.digest
    text = csv_text(list(COLUMNS), (_cells(row) for row in rows))
    submission, is_first = _submission(table, team, text.encode())
    name = f"results/measurements/{submission.pk}/{digest}.parquet"
    results.store(rows, name)
    evidence_file = (
        f"evidence/measurements/{submission.pk}/{digest}.parquet{vault.SUFFIX}"
        if team_result.evidence is not None
        else ""
    )
    if team_result.evidence is not None:
        results.store_evidence(team_result.evidence, evidence_file)
    frame = results.frame(rows, algorithm=team.name)
    Run.objects.filter(submission=submission, counts=True).update(counts=False, state=Run.State.SUPERSEDED)
    run = Run.objects.create(
        submission=submission,
        number=(submission.runs.aggregate(last=Max("number"))["last"] or 0) + 1,
        trigger=Run.Trigger.SUBMISSION,
        triggered_by=table.sealed_by,
        test_set=test_set,
        assessment_digest=phase.assessment_digest,
        state=Run.State.SCORED,
        counts=True,
        cases_total=len(fitting.cases),
        started_at=now,
        finished_at=now,
        result_file=name,
        result_digest=digest,
        evidence_file=evidence_file,
        summary=summarize(phase.assessment, frame, metadata_frame_of(test_set), cases=fitting.cases)
        | {"asked": len(fitting.cases)},
        spread=spreads(phase.assessment, frame),
        provenance=provenance(phase.assessment) | {"measured_outside": table.facts, "working_points": []},
    )
    run.summary["asked_missing"] = run.summary["missing_cases"]
    run.save(update_fields=["summary"])
    MeasuredRun.objects.create(run=run, measurement=table)
    if is_first:
        tell_team(submission, Submission.State.SCORED)
    record(
        actor=None,
        act="run_scored",
        subject=run,
        scope=phase.challenge.slug,
        facts={
            "submission": str(submission.pk),
            "team": team.name,
            "number": submission.number,
            "run": run.number,
            "result_digest": digest,
            "assessment_digest": phase.assessment_digest,
            "manifest_digest": test_set.manifest_digest,
            "measured_outside": table.digest,
            VALUES: values_of(run),
        },
    )


def _cells(row: CaseRow) -> tuple[str, str, str, str, str]:
    return row.case, row.region, row.metric, "" if row.value is None else f"{row.value:.17g}", row.outcome


def _submission(table: Measurement, team: Team, content: bytes) -> tuple[Submission, bool]:
    """Return the submission that represents the values of a team in a phase, and whether it is new.

    It contains the file of this version.
    """
    phase, actor, now = table.phase, table.sealed_by, timezone.now()
    assert actor is not None  # named when sealing was asked for
    # What a team handed in itself stays what it is: a table has a submission of its own, one a team and phase.
    measured_submissions = MeasuredRun.objects.filter(run__submission__phase=phase, run__submission__team=team).values(
        "run__submission"
    )
    existing = Submission.objects.select_for_update(no_key=True).filter(pk__in=measured_submissions).first()
    file_name = f"{team.slug}-version-{table.version}.csv"
    if existing is None:
        upload = Upload.objects.create(
            phase=phase,
            team=team,
            user=actor,
            file_name=file_name,
            size=len(content),
            offset=len(content),
            state=Upload.State.COMPLETE,
            expires_at=now,
        )
        numbers = Submission.objects.filter(phase=phase, team=team)
        last = numbers.aggregate(last=Max("number"))["last"] or 0
        submission = Submission(upload=upload, phase=phase, team=team, user=actor, number=last + 1)
    else:
        submission = existing
    submission.archive_name, submission.archive_size = file_name, len(content)
    submission.archive_file = f"measurements/{table.key}/teams/{team.pk}.csv"
    submission.archive_sha256 = hashlib.sha256(content).hexdigest()
    submission.user = actor
    submission.state, submission.state_since, submission.validated_at = Submission.State.SCORED, now, now
    store_bytes(submission.archive_file, content)
    submission.save()
    return submission, existing is None


def _record(table: Measurement, facts: dict[str, Any]) -> None:
    record(
        actor=table.sealed_by,
        act="measurements_sealed",
        subject=table,
        scope=table.challenge.slug,
        facts={
            "phase": table.phase.name,
            "kind": table.kind,
            "file_sha256": table.sha256,
            **({"replicates_sha256": table.replicates_sha256} if table.replicates_sha256 else {}),
            "digest": table.digest,
            **facts,
        },
    )
