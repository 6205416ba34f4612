"""Rehearsals with references and submissions of an organizer: requested on the page, run by workers in a confined child."""

import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.db import transaction

from accounts.models import User
from core.audit.services import record
from core.work.services import Lease, ask, claim
from designs.models import DesignTask, SampleRehearsal
from designs.queries.documents import document_of
from designs.queries.rehearsals import digest_of
from designs.queries.work import SAMPLE_REHEARSALS
from designs.services import sent_files
from designs.services.scanning import ScanError, read_in_child
from evaluation.assessment import parse
from evaluation.designs.compilation import compile_values
from web.storing import passing_folder

_LOST: Final = "The worker was lost while it read these files. A few typical cases are enough."


def request_sample_rehearsal(
    *, actor: User, task: DesignTask, references: Iterable[File], predictions: Iterable[File]
) -> SampleRehearsal:
    """Request a rehearsal of a task with own files, which are deleted after they were read.

    Parameters
    ----------
    references
        Files as in a test set, or archives of them.
    predictions
        One archive per submission; single files form one submission.

    Raises
    ------
    ValidationError
        Without references or predictions, with too much, or for a task that is not executed.
    """
    uploads = [("references", upload) for upload in references] + [("predictions", upload) for upload in predictions]
    if not any(role == "predictions" for role, _ in uploads):
        raise ValidationError({"predictions": "Choose at least one submission."})
    sent_files.check(uploads)
    document = document_of(task.design)
    compilation = compile_values(document.values(task.key))
    if compilation.assessment is None:
        raise ValidationError("Rehearse without files first. The rehearsal names the fields that are open.")
    if any(task.sample_rehearsals.filter(SAMPLE_REHEARSALS.is_open)):
        raise ValidationError("A rehearsal with your files is running. Wait until it has ended.")
    files = sent_files.store("samples", uploads)
    try:
        return _start(actor, task, compilation.document, digest_of(document), files)
    except Exception:
        sent_files.delete(files)
        raise


@transaction.atomic
def _start(
    actor: User, task: DesignTask, assessment: dict[str, Any], digest: str, files: list[dict[str, str]]
) -> SampleRehearsal:
    rehearsal = SampleRehearsal.objects.create(
        task=task, assessment=assessment, digest=digest, files=files, requested_by=actor
    )
    record(
        actor=actor,
        act="design_rehearsal_requested",
        subject=rehearsal,
        scope=task.design.slug,
        facts={"digest": digest, "task": task.key, "files": len(files)},
    )
    ask(SAMPLE_REHEARSALS, rehearsal)
    return rehearsal


def run_sample_rehearsal(*, rehearsal_id: int) -> None:
    """Run a queued rehearsal and delete its files; a second call finds nothing to do."""
    lease = claim(SAMPLE_REHEARSALS, rehearsal_id, give_up=_give_up)
    if lease is None:
        return
    rehearsal = SampleRehearsal.objects.select_related("task__design").get(pk=lease.pk)
    changes: dict[str, Any] = {"state": SampleRehearsal.State.FAILED, "problem": _LOST}
    scratch = Path(settings.PODIUM_SCRATCH) / "samples"
    scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        with passing_folder("sample", scratch) as folder, lease.renewed():
            changes = {"state": SampleRehearsal.State.DONE, "result": _rehearsed(rehearsal, folder)}
    except ScanError as error:
        changes = {"state": SampleRehearsal.State.FAILED, "problem": str(error)}
    except Exception:
        changes["failure"] = traceback.format_exc()
        raise
    finally:
        sent_files.delete(rehearsal.files)
        lease.complete(**changes, files=[])


def _rehearsed(rehearsal: SampleRehearsal, folder: Path) -> dict[str, Any]:
    # Imported before the child is forked, which inherits the readers.
    from designs.services.sample_files import laid_out
    from evaluation.rehearsal import rehearse_sample

    arrived = [sent_files.copied(entry, folder / f"{number}.sent") for number, entry in enumerate(rehearsal.files)]
    assessment = parse(rehearsal.assessment)
    key = rehearsal.task.key
    name = document_of(rehearsal.task.design).values(key).name

    def work(child_folder: Path) -> dict[str, Any]:
        return rehearse_sample(assessment, laid_out(arrived, assessment, child_folder), key=key, name=name).document

    return read_in_child(work, folder)


def _give_up(lease: Lease) -> None:
    """End a rehearsal whose worker was lost, and delete its files."""
    sent_files.delete(SampleRehearsal.objects.get(pk=lease.pk).files)
    lease.complete(state=SampleRehearsal.State.FAILED, files=[], problem=_LOST)
