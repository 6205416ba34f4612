"""Import of Word and PDF documents: read by a worker, then decided field by field by a person."""

import hashlib
import traceback
import uuid
from pathlib import PurePosixPath
from typing import Any, Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.core.files.storage import storages
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from core.work.services import Lease, ask, claim
from designs.models import Design, DesignImport, DesignTask, FieldValue, ImportedField
from designs.queries.imports import entry_of_proposal
from designs.queries.work import IMPORTS
from designs.services.designs import MAX_TASKS, add_task, create_design
from designs.services.document_reading import read_confined
from designs.services.fields import Conflict, save_field
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Entry, State
from evaluation.designs.imports import DesignFileError
from evaluation.designs.imports.bounds import DEFAULT
from web.storing import passing_folder

MAX_BYTES: Final = DEFAULT.file_bytes
_LOST: Final = "The worker was lost while it read the document. Import it again."
_OUR_FAULT: Final = "An error on our side ended the import. Import the document again, or notify the operators."
_BLOCK: Final = 1024**2


def request_import(*, actor: User, title: str, upload: File) -> DesignImport:
    """Create a design and queue the reading of a document for it.

    Parameters
    ----------
    title
        Working title; the name of the file if empty.

    Raises
    ------
    ValidationError
        Without a valid title, or for a file that is too large.
    """
    name = PurePosixPath((upload.name or "document").replace("\\", "/")).name
    if upload.size > MAX_BYTES:
        raise ValidationError({"document": f"A document has at most {MAX_BYTES // 1024**2} MB. Compress its pictures."})
    digest = hashlib.sha256()
    for block in upload.chunks(_BLOCK):
        digest.update(block)
    stored = storages["private"].save(f"design-imports/{uuid.uuid4()}", upload)
    try:
        with transaction.atomic():
            design = create_design(owner=actor, title=title or name.rpartition(".")[0])
            row = DesignImport.objects.create(
                design=design, name=name[:200], stored=stored, sha256=digest.hexdigest(), requested_by=actor
            )
            record(
                actor=actor,
                act="design_import_requested",
                subject=row,
                scope=design.slug,
                facts={"file": row.name, "sha256": row.sha256},
            )
            ask(IMPORTS, row)
    except Exception:
        storages["private"].delete(stored)
        raise
    return row


def run_import(*, import_id: int) -> None:
    """Read the document of a queued import and delete it; a second call finds nothing to do."""
    lease = claim(IMPORTS, import_id, give_up=_give_up)
    if lease is None:
        return
    row = DesignImport.objects.select_related("design", "requested_by").get(pk=lease.pk)
    changes: dict[str, Any] = {"state": DesignImport.State.FAILED, "problem": _OUR_FAULT}
    try:
        with passing_folder("design-import", settings.PODIUM_SCRATCH) as folder, lease.renewed():
            path = folder / "document"
            with storages["private"].open(row.stored) as stored, path.open("wb") as target:
                while block := stored.read(_BLOCK):
                    target.write(block)
            document = read_confined(path, row.name)
        with transaction.atomic():
            _store(row, document)
        kept_items = {key: document[key] for key in ("source", "pages", "unplaced", "notes")}
        changes = {"state": DesignImport.State.DONE, "result": kept_items}
    except DesignFileError as error:
        changes["problem"] = f"{error.problem} {error.remedy}"
    except Exception:
        changes["failure"] = traceback.format_exc()
        raise
    finally:
        storages["private"].delete(row.stored)
        lease.complete(**changes, stored="")


def _give_up(lease: Lease) -> None:
    """End an import whose worker was lost, and delete its file."""
    row = DesignImport.objects.get(pk=lease.pk)
    if row.stored:
        storages["private"].delete(row.stored)
    lease.complete(state=DesignImport.State.FAILED, stored="", problem=_LOST)


def _store(row: DesignImport, document: dict[str, Any]) -> None:
    """Store the proposals, and add the tasks that the document has. No field of the design changes."""
    actor = row.requested_by
    if actor is None:
        message = "the person who requested the import is unknown"
        raise ValueError(message)
    tasks = list(row.design.tasks.filter(removed_at=None).order_by("position"))
    wanted = min(max(1, len(document["tasks"])), MAX_TASKS)
    tasks += [add_task(actor=actor, design=row.design) for _ in range(wanted - len(tasks))]
    ImportedField.objects.filter(source=row).delete()
    known_names = shipped().parameters
    fields = [
        ImportedField(
            source=row,
            position=position,
            task=None if item["task"] is None else tasks[item["task"]],
            parameter=item["parameter"],
            page=item["page"],
            words=item["words"],
            question=item["question"],
            proposal={
                key: item[key]
                for key in ("value", "details", "state", "reason", "until", "suggestions", "others")
                if key in item
            },
        )
        for position, item in enumerate(document["proposals"])
        if item["parameter"] in known_names and (item["task"] is None or item["task"] < len(tasks))
    ]
    ImportedField.objects.bulk_create(fields)


@transaction.atomic
def decide(*, actor: User, field: ImportedField, decision: str, options: list[str] | None = None) -> ImportedField:
    """Store the decision about a proposal; an accepted value is saved in the design like one that was entered.

    Parameters
    ----------
    decision
        A value of `ImportedField.Decision`.
    options
        For a question about options, the options that the person chose.

    Raises
    ------
    ValidationError
        For an unknown decision, a proposal without a value, or a field that already has another value.
    """
    field = (
        ImportedField.objects.select_for_update(no_key=True, of=("self",))
        .select_related("task", "source__design")
        .get(pk=field.pk)
    )
    if decision not in (ImportedField.Decision.ACCEPTED, ImportedField.Decision.EDITED, ImportedField.Decision.OPEN):
        raise ValidationError("Accept the value, edit it, or leave the field open.")
    if decision != ImportedField.Decision.OPEN:
        _save(actor, field, options)
    field.decision, field.decided_at, field.decided_by = decision, timezone.now(), actor
    field.save(update_fields=["decision", "decided_at", "decided_by"])
    return field


def accept_section(*, actor: User, source: DesignImport, section: str, task: DesignTask | None) -> int:
    """Accept the undecided exact proposals of a section, and return their number.

    Fields that a person has already answered stay as they are.
    """
    catalogue = shipped()
    accepted = 0
    with transaction.atomic():
        stored = set(
            FieldValue.objects.filter(design=source.design, task=task)
            .exclude(state=str(State.BLANK), details="")
            .values_list("parameter", flat=True)
        )
        for field in source.fields.filter(task=task, decision="", question="").select_related("task"):
            has_value = entry_of_proposal(field).state is not State.BLANK
            if has_value and catalogue[field.parameter].section == section and field.parameter not in stored:
                decide(actor=actor, field=field, decision=ImportedField.Decision.ACCEPTED)
                accepted += 1
    return accepted


def _save(actor: User, field: ImportedField, options: list[str] | None) -> None:
    entry = _chosen(field, options) if options else entry_of_proposal(field)
    if entry.state is State.BLANK:
        raise ValidationError("The document states no value that can be accepted. Enter the value.")
    try:
        save_field(
            actor=actor,
            design=field.source.design,
            task=field.task,
            parameter=field.parameter,
            value=entry.value,
            details=entry.details,
            state=entry.state,
            reason=entry.reason,
            until=entry.until,
            revision=_revision(field.source.design, field),
        )
    except Conflict as conflict:
        raise ValidationError("This field already has a value. Edit it in the form.") from conflict


def _revision(design: Design, field: ImportedField) -> int:
    """Return the revision of a blank field, and 0 for one with a value, so that no value is overwritten."""
    stored = FieldValue.objects.filter(design=design, task=field.task, parameter=field.parameter).first()
    return stored.revision if stored is not None and stored.state == str(State.BLANK) and not stored.details else 0


def _chosen(field: ImportedField, options: list[str]) -> Entry:
    if not set(options) <= set(field.proposal.get("suggestions", ())):
        raise ValidationError("Choose one of the options that the document mentions.")
    parameter = shipped()[field.parameter]
    if parameter.type == "multi-enum":
        value: Any = options
    elif len(options) == 1:
        value = options[0]
    else:
        raise ValidationError("Choose one option.")
    return Entry(value=value, details=field.proposal.get("details", ""), state=State.PROVIDED)
