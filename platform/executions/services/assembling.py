"""Putting the predictions of an execution together: the archive that a participant would upload, and the table of runs."""

import traceback
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING, Any

import structlog
from django.db import transaction
from django.utils import timezone

from core.audit.services import record
from core.work.services import Lease, LeaseLostError, claim
from datastore.test_sets.queries.test_sets import expectation
from datastore.uploads.storage import free_bytes, has_room, is_out_of_room, store_file, working_folder
from evaluation.running.registered import Registered
from evaluation.running.table import RunRow, runs_table, write_runs
from executions import hooks
from executions.models import Batch, CaseOutcome, Execution
from executions.queries.work import ASSEMBLING
from executions.services import executing, packing
from executions.services.agreeing import agreement_with_earlier

if TYPE_CHECKING:
    import pandas as pd

log = structlog.get_logger(__name__)


def assemble(*, execution_id: str | uuid.UUID) -> None:
    """Combine the predictions of an execution, unless this is done or another worker does it."""
    if not has_room():
        log.warning("no_room", free=free_bytes())
        return
    lease = claim(ASSEMBLING, execution_id, give_up=lambda lost: _fail(lost, "Workers were lost at it too often."))
    if lease is None:
        return
    execution = Execution.objects.select_related("phase__task__challenge", "team", "image", "model", "test_set").get(
        pk=lease.pk
    )
    try:
        with lease.renewed():
            changes = _put_together(execution)
    except Exception as error:
        log.exception("assembling_error", execution=str(execution.pk), attempt=lease.attempts)
        if is_out_of_room(error):
            lease.hand_back(failure=str(error), is_counted=False)
        elif lease.may_try_again:
            lease.hand_back(failure=traceback.format_exc())
        else:
            _fail(lease, traceback.format_exc())
        return
    with suppress(LeaseLostError), lease.completing() as current:
        for name, value in changes.items():
            setattr(current, name, value)
        current.state, current.finished_at = Execution.State.DONE, timezone.now()
        current.reserved_seconds, current.failure = 0, ""
        current.save()
        record(
            actor=None,
            act="execution_done",
            subject=current,
            scope=execution.challenge.slug,
            facts={
                "team": execution.team.name,
                "phase": execution.phase.name,
                "outcomes": current.counts,
                "predictions": current.predictions_digest,
                "runs": current.runs_digest,
            },
        )
        for callback in hooks.ended:
            callback(current)


def _agreement(execution: Execution, rows: "pd.DataFrame", digest: str) -> dict[str, Any]:
    """Return the agreement with earlier runs; an error in the comparison does not fail the run."""
    try:
        return agreement_with_earlier(execution, rows, digest)
    except Exception:
        log.exception("agreement_unknown", execution=str(execution.pk))
        return {}


def _put_together(execution: Execution) -> dict[str, object]:
    batches = list(Batch.objects.filter(execution=execution, state=Batch.State.DONE).order_by("index"))
    outcomes = list(CaseOutcome.objects.filter(execution=execution))
    if len(outcomes) != execution.cases_total:
        raise RuntimeError(f"{len(outcomes)} of {execution.cases_total} cases have an outcome.")
    with packing.joined(batches, _tables(execution)) as (path, digest):
        predictions = f"algorithms/predictions/{execution.pk}/{digest.removeprefix('sha256:')}.zip"
        store_file(predictions, path)
    with working_folder() as folder:
        table = folder / "runs.parquet"
        rows = runs_table(_row(outcome) for outcome in outcomes)
        runs_digest = write_runs(rows, table)
        runs = f"algorithms/runs/{execution.pk}/{runs_digest.removeprefix('sha256:')}.parquet"
        store_file(runs, table)
    return {
        "counts": dict(sorted(Counter(outcome.outcome for outcome in outcomes).items())),
        "predictions_file": predictions,
        "predictions_digest": digest,
        "runs_file": runs,
        "runs_digest": runs_digest,
        "provenance": _provenance(execution, batches),
        "agreement": _agreement(execution, rows, digest),
    }


def _tables(execution: Execution) -> dict[str, tuple[str, ...]]:
    """Tables without which an archive is refused as a whole: there even where an algorithm answered no case."""
    wanted = expectation(execution.test_set, execution.phase.assessment)
    if wanted.table is not None:
        return {wanted.table.files[0]: wanted.table.columns[1:]}
    if wanted.beside is not None and wanted.beside.needed:
        return {wanted.beside.file: wanted.beside.columns[1:]}
    return {}


_COLUMNS = {field.name for field in fields(RunRow)}


def _row(outcome: CaseOutcome) -> RunRow:
    values = {name: value for name, value in outcome.row.items() if name in _COLUMNS}
    if values.get("started_at"):
        values["started_at"] = datetime.fromisoformat(values["started_at"])
    return RunRow(**values)


def _provenance(execution: Execution, batches: list[Batch]) -> dict[str, object]:
    versions = [batch.report.get("versions", {}) for batch in batches]
    hosts = sorted({outcome.row.get("host_class", "") for outcome in execution.outcomes.all()})
    return {
        "image": execution.image.digest,
        "model": execution.model.digest if execution.model else None,
        "identity": execution.identity,
        "interface": Registered.of(execution.plan).interface,
        "plan": execution.plan,
        "host_classes": hosts,
        "exclusive": all(batch.report.get("exclusive") for batch in batches),
        "versions": {
            name: sorted({str(batch_versions[name]) for batch_versions in versions if name in batch_versions})
            for name in ("engine", "runtime", "kernel")
        },
    }


def _fail(lease: Lease, text: str) -> None:
    with transaction.atomic():
        if lease.rows.select_for_update(no_key=True).exists():
            executing.end(executing.locked(lease.pk), Execution.State.FAILED, reason=executing.OURS, log=text)
