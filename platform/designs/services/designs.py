"""Making designs: new, as a copy for the next edition, or from a file."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import User
from core.audit.services import record
from designs import hooks
from designs.models import Collaborator, Design, DesignTask, FieldChange, FieldValue
from designs.queries import document_of
from designs.services.fields import as_json, save_field
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, State, UnfitValueError, from_json, public_document
from evaluation.designs.document.entries import BLANK
from evaluation.designs.document.sealing import commitment, new_nonce
from web.names import clean_name, slug_of

MAX_TASKS = 60
# Addresses that pages of their own have.
RESERVED = frozenset({"new", "import", "invitations"})


@transaction.atomic
def create_design(*, owner: User, title: str, tasks: list[str] | None = None, **facts: Any) -> Design:
    """Create a design; the owner has all permissions on it.

    Parameters
    ----------
    tasks
        Names of its tasks; by default one task without a name.
    facts
        Further fields of `Design`, for imports.

    Raises
    ------
    ValidationError
        Without a valid title.
    """
    design = _new(owner, title, **facts)
    for index, name in enumerate(tasks or [""], start=1):
        task = DesignTask.objects.create(design=design, key=f"task-{index}", position=index)
        if name:
            save_field(actor=owner, design=design, task=task, parameter="task_name", value=name)
    return design


@transaction.atomic
def add_task(*, actor: User, design: Design, name: str = "", like: DesignTask | None = None) -> DesignTask:
    """Add a task, blank or with the values of another one.

    Raises
    ------
    ValidationError
        When there are too many, or the other task is not part of the design.
    """
    Design.objects.select_for_update(no_key=True).get(pk=design.pk)
    if design.tasks.filter(removed_at=None).count() >= MAX_TASKS:
        raise ValidationError(f"A design has at most {MAX_TASKS} tasks.")
    if like is not None and like.design_id != design.pk:
        raise ValidationError("There is no such task in this design.")
    position = (design.tasks.aggregate(last=Max("position"))["last"] or 0) + 1
    task = DesignTask.objects.create(design=design, key=f"task-{position}", position=position)
    if like is not None:
        document = document_of(design)
        _fill(actor, design, Document(tasks={task.key: document.tasks[like.key]}), {task.key: task})
    if name:
        save_field(actor=actor, design=design, task=task, parameter="task_name", value=name)
    record(actor=actor, act="design_task_added", subject=design, scope=design.slug, facts={"task": task.key})
    return task


@transaction.atomic
def remove_task(*, actor: User, task: DesignTask) -> None:
    """Take a task out of the design; its values stay in the history.

    Raises
    ------
    ValidationError
        For the only task.
    """
    design = Design.objects.select_for_update(no_key=True).get(pk=task.design_id)
    if design.tasks.filter(removed_at=None).exclude(pk=task.pk).count() == 0:
        raise ValidationError("A design has at least one task.")
    task.removed_at = timezone.now()
    task.save(update_fields=["removed_at"])
    record(actor=actor, act="design_task_removed", subject=design, scope=design.slug, facts={"task": task.key})


@transaction.atomic
def duplicate_design(*, actor: User, design: Design, title: str, insider: bool = True) -> Design:
    """Copy a design for the next edition: all values, none of the people, comments, answers and versions.

    Parameters
    ----------
    insider
        Whether the person writes or reviews it; others copy neither what is personal nor what is embargoed.
    """
    document = document_of(design)
    if not insider:
        document = public_document(document, catalogue=shipped())
    copy = _new(actor, title, copied_from=design)
    _fill(actor, copy, document, _tasks(copy, document))
    record(actor=actor, act="design_duplicated", subject=copy, scope=copy.slug, facts={"from": design.slug})
    return copy


@transaction.atomic
def import_design(
    *, actor: User | None, title: str, data: Mapping[str, Any], lenient: bool = False, **facts: Any
) -> tuple[Design, list[str]]:
    """Make a design from a document as it is exported, and return what could not be taken over.

    Raises
    ------
    ValidationError
        When the document is none, or (without `lenient`) a value does not fit.
    """
    if isinstance(data.get("document"), Mapping):
        # A version as the interface or the registry hands it out, with the document inside.
        data = data["document"]
    try:
        document, problems = from_json(data, catalogue=shipped(), lenient=lenient)
    except UnfitValueError as problem:
        raise ValidationError(str(problem)) from problem
    if len(document.tasks) > MAX_TASKS:
        raise ValidationError(f"A design has at most {MAX_TASKS} tasks.")
    design = _new(actor, title, **facts)
    if not document.tasks:
        DesignTask.objects.create(design=design, key="task-1", position=1)
    _fill(actor, design, document, _tasks(design, document))
    record(
        actor=actor,
        act="design_imported",
        subject=design,
        scope=design.slug,
        facts={"problems": len(problems), "legacy": design.legacy_import},
    )
    return design, [str(problem) for problem in problems]


def import_registration(*, actor: User, identifier: str, title: str = "") -> tuple[Design, list[str]]:
    """Make a design from the public document of an earlier registration, for the next edition.

    What is personal or was embargoed is not part of it: the organizers enter it again.

    Raises
    ------
    ValidationError
        When there is no such registration.
    """
    identifier = identifier.strip()
    registered_document = next(
        (document for find in hooks.registered_documents if (document := find(identifier)) is not None), None
    )
    if registered_document is None:
        raise ValidationError({"registration": f"There is no registration {identifier}."})
    return import_design(
        actor=actor,
        title=title or registered_document.title,
        data=registered_document.document,
        lenient=True,
        origin={"registration": registered_document.identifier},
    )


def _new(owner: User | None, title: str, **facts: Any) -> Design:
    title = clean_name(title)[:200]
    stem = facts.pop("slug", "") or slug_of(title, otherwise="design", length=60)
    if not stem:
        raise ValidationError({"title": "A title needs at least one letter or digit."})
    if stem in RESERVED:
        stem = f"{stem}-design"
    taken = set(Design.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    slug = next(name for name in (stem, *(f"{stem}-{n}" for n in range(2, len(taken) + 3))) if name not in taken)
    design = Design.objects.create(slug=slug, title=title, **facts)
    if owner is not None:
        Collaborator.objects.create(design=design, user=owner, role=Collaborator.Role.OWNER)
    record(actor=owner, act="design_created", subject=design, scope=design.slug, facts={"title": title})
    return design


def _tasks(design: Design, document: Document) -> dict[str, DesignTask]:
    return {
        key: DesignTask.objects.create(design=design, key=slugify(key)[:60] or f"task-{index}", position=index)
        for index, key in enumerate(document.tasks, start=1)
    }


def _fill(actor: User | None, design: Design, document: Document, tasks: dict[str, DesignTask]) -> None:
    """Store all entries at once; each is the first save in the history of its field."""
    now = timezone.now()
    fields = []
    for task, entries in [(None, document.challenge), *((tasks[key], document.tasks[key]) for key in document.tasks)]:
        for parameter, entry in entries.items():
            # A digest without its value (from a public export) proves nothing here: the organizers enter it again.
            if entry.state is State.BLANK and not entry.details:
                continue
            if entry.state is State.EMBARGOED and entry.value is None:
                continue
            nonce = new_nonce() if entry.state is State.EMBARGOED else ""
            fields.append(
                FieldValue(
                    design=design,
                    task=task,
                    parameter=parameter,
                    state=str(entry.state),
                    value=entry.value,
                    details=entry.details,
                    reason=entry.reason or ("not stated" if entry.state is State.NOT_APPLICABLE else ""),
                    until=date.fromisoformat(entry.until) if entry.until else None,
                    event=entry.event or ("not stated" if entry.state is State.EMBARGOED else ""),
                    nonce=nonce,
                    digest=commitment(entry.value, nonce) if nonce else "",
                    revision=1,
                    updated_at=now,
                    updated_by=actor,
                )
            )
    stored = FieldValue.objects.bulk_create(fields)
    FieldChange.objects.bulk_create(
        FieldChange(
            design=design,
            task=field.task,
            parameter=field.parameter,
            revision=1,
            actor=actor,
            time=now,
            before=as_json(BLANK),
            after=as_json(field.entry),
        )
        for field in stored
    )
