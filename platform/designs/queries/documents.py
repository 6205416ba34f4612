"""A design as a document."""

from typing import Any, Protocol

from django.http import Http404

from designs.models import Design, FieldValue
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import Document, Entry, from_json

Fields = dict[tuple[str | None, str], FieldValue]


def visible_design(user: Any, slug: str) -> Design:
    """Return the design if `user` may read it.

    Raises
    ------
    Http404
        Also for a design that exists but is not theirs: its existence is not revealed.
    """
    design = Design.objects.filter(slug=slug).first()
    if design is None or not user.has_perm("designs.view_design", design):
        raise Http404("There is no such design.")
    return design


def fields_of(design: Design) -> tuple[list[str], Fields]:
    """Return the keys of the tasks in order, and all stored fields by task key and parameter.

    The task key ``None`` denotes the challenge. Runs two queries for a design of any size.
    """
    tasks = {task.pk: task.key for task in design.tasks.filter(removed_at=None)}
    fields = {
        (tasks[field.task_id] if field.task_id else None, field.parameter): field
        for field in FieldValue.objects.filter(design=design)
        if field.task_id is None or field.task_id in tasks
    }
    return list(tasks.values()), fields


def revision_of(design: Design, parameter: str, task: str | None) -> int:
    """Return the number of times a field has been saved."""
    task_filter = {"task__key": task} if task else {"task": None}
    revisions = FieldValue.objects.filter(design=design, parameter=parameter, **task_filter).values_list(
        "revision", flat=True
    )
    return revisions.first() or 0


def document_of(design: Design) -> Document:
    """Return the design in its current state."""
    return assemble(*fields_of(design))


def assemble(keys: list[str], fields: Fields) -> Document:
    """The document made of stored fields."""
    challenge: dict[str, Entry] = {}
    tasks: dict[str, dict[str, Entry]] = {key: {} for key in keys}
    for (key, parameter), field in fields.items():
        (challenge if key is None else tasks[key])[parameter] = field.entry
    return Document(challenge, tasks)


class Frozen(Protocol):
    """Stored document with its embargoed values kept apart: a version of a design or a registration."""

    @property
    def document(self) -> Any:
        """The document as JSON, without embargoed values."""

    @property
    def sealed(self) -> Any:
        """Embargoed values by place."""


def document_of_version(version: Frozen, *, sealed: bool = True) -> Document:
    """Return the document of a frozen version; with `sealed`, it includes the embargoed values."""
    data = version.document
    if sealed and version.sealed:
        data = {**data, "challenge": dict(data["challenge"]), "tasks": [dict(task) for task in data["tasks"]]}
        for field_path, secret in version.sealed.items():
            where, parameter = field_path.split("/", 1)
            holder = (
                data["challenge"]
                if where == "challenge"
                else next(task for task in data["tasks"] if task["key"] == where)
            )
            holder[parameter] = secret["value"]
    document, _ = from_json(data, catalogue=shipped(), lenient=True)
    return document
