"""Work on a table: read it in a confined child and preview its sealing, or seal it."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import structlog

from confinement.sandbox import ChildError, Failure, answers
from core.work.services import Lease, LeaseLostError, claim
from datastore.uploads.storage import child_limits, local_path, store_bytes, working_folder
from submissions.measurements.domain import child
from submissions.measurements.domain.values import checked
from submissions.measurements.models import Measurement
from submissions.measurements.queries import MEASUREMENTS, active_list, fitting_of
from submissions.measurements.services import previewing, sealing
from submissions.measurements.services.tables import folder_of

log = structlog.get_logger(__name__)

SECONDS: Final = 120
"""For reading one table; the largest that is taken needs less than ten."""
_MESSAGE: Final = 4 * 1024**2
_WHY: Final = {
    Failure.TIME: f"Reading it took more than {SECONDS} seconds. Send one table for each team.",
    Failure.MEMORY: "Reading it took too much memory. Send one table for each team.",
    Failure.SPACE: "What was read of it is too large. Send one table for each team.",
}
_BROKEN_OFF: Final = "Reading the table broke off. This is a fault of the platform, which has been noted."
State = Measurement.State


def work_on(*, measurement_id: int) -> None:
    """Take the step that is left: read a table, or seal it."""
    lease = claim(MEASUREMENTS, measurement_id, give_up=_give_up)
    if lease is None:
        return
    rows = Measurement.objects.select_related("phase__task__challenge", "team", "brought_by", "sealed_by")
    table = rows.get(pk=lease.pk)
    try:
        with lease.renewed():
            if table.state == State.READING:
                _read(lease, table)
            else:
                sealing.seal(lease, table)
    except LeaseLostError:
        return
    except Exception:
        log.exception("measurement_failed", measurement=measurement_id)
        lease.complete(state=State.FAILED, preview={"problems": [_BROKEN_OFF]}, failure="see the log of the worker")


def _read(lease: Lease, table: Measurement) -> None:
    phase = table.phase
    files = child.Brought(
        local_path(table.stored),
        table.file_name,
        local_path(table.replicates_stored) if table.replicates_stored else None,
        table.replicates_name,
    )
    is_list = table.kind == Measurement.Kind.CASES
    fitting = fitting_of(table)
    with working_folder() as folder:

        def work(_item: str, _own: Path) -> dict[str, Any]:
            if is_list:
                return child.read_cases(files.path, files.name, phase.assessment, folder)
            return child.read_values(files, table.roles, fitting, folder)

        reported = _in_child(work, [files.path, *filter(None, [files.replicates])], folder)
        written = folder / child.VALUES
        content = written.read_bytes() if written.exists() else b""
    preview: dict[str, Any] = {"problems": list(reported["problems"])}
    values_file = ""
    if not preview["problems"]:
        values_file = f"{folder_of(table)}/{child.VALUES}"
        if is_list:
            preview |= previewing.of_cases(phase, json.loads(content))
        else:
            new = reported["new_teams"]
            values = checked(json.loads(content), fitting, teams=[*fitting.teams, *new])
            preview |= previewing.of_values(table, values, fitting, new_teams=new)
            content = json.dumps(values.document, ensure_ascii=False).encode()
        store_bytes(values_file, content)
    sealed_list = active_list(phase)
    preview |= {
        "notes": reported.get("notes", []),
        "assessment_digest": phase.assessment_digest,
        "test_set": None if sealed_list is None else sealed_list.pk,
    }
    with suppress(LeaseLostError), lease.completing() as row:
        row.reading = {"columns": reported["columns"]} if "columns" in reported else {}
        row.preview, row.values_file = preview, values_file
        # With columns there is something that organizers can correct here.
        row.state = State.REFUSED if preview["problems"] and not row.reading else State.ASKING


def _in_child(work: Callable[[str, Path], dict[str, Any]], paths: Sequence[Path], folder: Path) -> dict[str, Any]:
    """Read the table in a confined child that sees only the table and its replicates.

    It sees nothing else of the platform.
    """
    limits = replace(child_limits(), item_seconds=SECONDS, message_bytes=_MESSAGE)
    try:
        [answer] = answers(["table"], work, limits=limits, reads=paths, hands_over=folder)
    except ChildError:
        log.exception("measurement_child_failed")
        return {"problems": [_BROKEN_OFF]}
    if answer.failure is not None or not isinstance(answer.value, dict):
        return {"problems": [_WHY.get(answer.failure or Failure.CRASH, _BROKEN_OFF)]}
    value: dict[str, Any] = answer.value
    return value


def _give_up(lease: Lease) -> None:
    lease.complete(
        state=State.FAILED,
        preview={"problems": [_BROKEN_OFF]},
        failure=f"workers died {lease.attempts - 1} times over it",
    )
