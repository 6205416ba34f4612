"""Work of a worker on an uploaded table; all code that opens the table runs in a confined child."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import structlog
from django.utils import timezone

from confinement.sandbox import ChildError, Failure, answers
from core.work.services import Lease, LeaseLostError, claim
from datastore.uploads.storage import child_limits, local_path, store_bytes, store_json, working_folder
from leaderboards.workbench.domain import child
from leaderboards.workbench.models import BroughtTable
from leaderboards.workbench.queries import BROUGHT_TABLES
from leaderboards.workbench.services.tables import folder_of

log = structlog.get_logger(__name__)

SECONDS: Final = 300
"""For one step; the largest table that is taken needs less than a minute."""
_MESSAGE: Final = 32 * 1024**2
_WHY: Final = {
    Failure.TIME: f"Computing it took more than {SECONDS} seconds. Send fewer cases, algorithms or metrics.",
    Failure.MEMORY: "Computing it took too much memory. Send fewer cases, algorithms or metrics.",
    Failure.SPACE: "What was made of it is too large. Send fewer cases, algorithms or metrics.",
}
_BROKEN_OFF: Final = "The analysis broke off. This is a fault of the platform, which has been noted."
State = BroughtTable.State


def analyse_table(*, table_id: int) -> None:
    """Take the step that is left: read a table, or analyse it."""
    lease = claim(BROUGHT_TABLES, table_id, give_up=_give_up)
    if lease is None:
        return
    table = BroughtTable.objects.get(pk=lease.pk)
    try:
        with lease.renewed():
            if table.state == State.READING:
                _read(lease, table)
            else:
                _compute(lease, table)
    except LeaseLostError:
        return
    except Exception:
        log.exception("brought_table_failed", table=table_id)
        lease.complete(state=State.FAILED, refusal=_BROKEN_OFF, failure="see the log of the worker")


def _read(lease: Lease, table: BroughtTable) -> None:
    path = local_path(table.stored)
    reading = _in_child(lambda _item, _own: child.read(path, table.file_name, table.roles), path)
    with lease.completing() as row:
        row.reading, row.refusal = reading, reading.pop("problem", "")
        # With columns there is something that its owner can correct.
        row.state = State.ASKING if "columns" in reading else State.REFUSED


def _compute(lease: Lease, table: BroughtTable) -> None:
    started, path = perf_counter(), local_path(table.stored)
    with working_folder() as folder:

        def work(_item: str, _own: Path) -> dict[str, Any]:
            return child.analyse(path, table.file_name, table.title, table.roles, table.choices, folder)

        outcome = _in_child(work, path, hands_over=folder)
        if "problem" in outcome:
            with lease.completing() as row:
                row.state, row.refusal = State.ASKING, outcome["problem"]
            return
        lease.beat()
        storage_folder = folder_of(table)
        files = {}
        for name in child.FILES:
            files[name] = f"{storage_folder}/{name}"
            store_bytes(files[name], (folder / name).read_bytes())
        figures = {
            name: {
                key: store_json(f"{storage_folder}/figures/{name}-{index}.json.gz", json.dumps(figure, allow_nan=False))
                for index, (key, figure) in enumerate(drawn.items())
            }
            for name, drawn in json.loads((folder / child.FIGURES).read_text("utf-8")).items()
        }
    with suppress(LeaseLostError), lease.completing() as row:
        row.outcome, row.files, row.figures = outcome, files, figures
        row.state, row.refusal, row.failure = State.DONE, "", ""
        row.finished_at, row.seconds = timezone.now(), perf_counter() - started


def _in_child(
    work: Callable[[str, Path], dict[str, Any]], path: Path, *, hands_over: Path | None = None
) -> dict[str, Any]:
    """Run a step in a confined child that sees the table and nothing else of the platform."""
    limits = replace(child_limits(), item_seconds=SECONDS, message_bytes=_MESSAGE)
    try:
        [answer] = answers(["table"], work, limits=limits, reads=[path], hands_over=hands_over)
    except ChildError:
        log.exception("brought_table_child_failed")
        return {"problem": _BROKEN_OFF}
    if answer.failure is not None or not isinstance(answer.value, dict):
        return {"problem": _WHY.get(answer.failure or Failure.CRASH, _BROKEN_OFF)}
    value: dict[str, Any] = answer.value
    return value


def _give_up(lease: Lease) -> None:
    lease.complete(state=State.FAILED, refusal=_BROKEN_OFF, failure=f"workers died {lease.attempts - 1} times over it")
