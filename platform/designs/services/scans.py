"""Letting references and example predictions be read for what may go wrong with them."""

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import transaction

from accounts.models import User
from core.audit.services import record
from core.work.services import Lease, ask, claim
from designs import hooks
from designs.models import DesignTask, Scan
from designs.queries import document_of
from designs.queries.work import SCANS
from designs.services import sent_files
from designs.services.scanning import ScanError, scan_folder
from designs.services.sent_files import Arrived
from evaluation import problems
from evaluation.designs.compilation.compiler import compile_values
from web import storing
from web.storing import passing_folder


def request_scan(
    *, actor: User, task: DesignTask, references: Iterable[File] = (), predictions: Iterable[File] = ()
) -> Scan:
    """Let uploaded files be read, and forget them afterwards.

    Parameters
    ----------
    references, predictions
        Files as in contract section 3, or archives of them; predictions of several algorithms in folders of an archive.

    Raises
    ------
    ValidationError
        Without references, with too much, or as long as kind of problem and regions are not stated.
    """
    uploads = [("references", upload) for upload in references] + [("predictions", upload) for upload in predictions]
    sent_files.check(uploads)
    plan = _plan(task)
    files = sent_files.store("scans", uploads)
    number = sum(role == "references" for role, _ in uploads)
    try:
        return _start(actor, task, plan, source=f"{number} uploaded file{'s' if number > 1 else ''}", files=files)
    except Exception:
        sent_files.delete(files)
        raise


def request_scan_of_test_set(*, actor: User, task: DesignTask, key: str) -> Scan:
    """Let the references of a test set be read that the person may read.

    Raises
    ------
    ValidationError
        When there is no such test set for this person.
    """
    source = next((source for source in reference_sources(actor, task) if source.key == key), None)
    if source is None:
        raise ValidationError("There is no such test set.")
    return _start(actor, task, _plan(task), source=source.label, files=[{"role": "test_set", "name": source.key}])


def reference_sources(user: User, task: DesignTask) -> list[hooks.ReferenceSource]:
    """Test sets of challenges that run this design and that the person organizes."""
    return [source for find in hooks.reference_sources for source in find(user, task)]


def run_scan(*, scan_id: int) -> None:
    """Read the files of a scan that waits, and delete them; a second call finds nothing to do."""
    lease = claim(SCANS, scan_id, give_up=_give_up)
    if lease is None:
        return
    scan = Scan.objects.select_related("task", "requested_by").get(pk=lease.pk)
    changes: dict[str, Any] = {"state": Scan.State.FAILED, "problem": "The reader broke off at these files."}
    try:
        with passing_folder("scan", _place(scan)) as folder, lease.renewed():
            arrived = _collect(scan, folder)
            changes = {"state": Scan.State.DONE, "result": scan_folder(scan.plan, folder, arrived)}
    except ScanError as error:
        changes = {"state": Scan.State.FAILED, "problem": str(error)}
    except Exception:
        changes["failure"] = traceback.format_exc()
        raise
    finally:
        sent_files.delete(scan.files)
        lease.complete(**changes, files=[])


def _give_up(lease: Lease) -> None:
    """End a scan whose reader was lost, and forget its files."""
    sent_files.delete(Scan.objects.get(pk=lease.pk).files)
    lease.complete(state=Scan.State.FAILED, files=[], problem="The worker was lost while it read these files.")


@transaction.atomic
def _start(actor: User, task: DesignTask, plan: dict[str, Any], *, source: str, files: list[dict[str, str]]) -> Scan:
    scan = Scan.objects.create(task=task, source=source[:200], files=files, plan=plan, requested_by=actor)
    record(
        actor=actor,
        act="design_scan_requested",
        subject=scan,
        scope=task.design.slug,
        facts={"task": task.key, "source": scan.source, "files": len(files)},
    )
    ask(SCANS, scan)
    return scan


def _plan(task: DesignTask) -> dict[str, Any]:
    parts = compile_values(document_of(task.design).values(task.key)).parts
    if "problem" not in parts:
        raise ValidationError("Say in the form which category of task this is first.")
    regions = [region for region in parts.get("regions", ()) if region.get("labels")]
    if problems.get(parts["problem"]).regions.are_required and not regions:
        raise ValidationError("Name the scored regions and their label values in the form first.")
    return {"problem": parts["problem"], "regions": regions}


def _place(scan: Scan) -> Path:
    """Return the folder for the files of a scan.

    Files from a hidden test set are stored in memory if the machine has such a folder.
    """
    if storing.MEMORY.is_dir() and any(entry["role"] == "test_set" for entry in scan.files):
        return storing.MEMORY
    scratch = Path(settings.PODIUM_SCRATCH) / "scans"
    scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    return scratch


def _collect(scan: Scan, folder: Path) -> list[Arrived]:
    """Put everything that is to be read below `folder`: references of a test set, or files as they were sent, unread."""
    (folder / "references").mkdir()
    arrived = []
    for number, entry in enumerate(scan.files):
        if entry["role"] == "test_set":
            sources = reference_sources(scan.requested_by, scan.task) if scan.requested_by else []
            source = next((source for source in sources if source.key == entry["name"]), None)
            if source is None:
                raise ScanError("This test set is not there any more.")
            source.put(folder / "references")
        else:
            arrived.append(sent_files.copied(entry, folder / f"{number}.sent"))
    return arrived
