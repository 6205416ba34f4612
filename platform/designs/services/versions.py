"""Freezing a version."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from accounts.models import User
from core.audit.services import record
from designs.models import Design, DesignVersion, FieldValue
from designs.queries import document_of
from designs.services.rehearsals import request_for_version
from evaluation.canonical import sha256
from evaluation.designs.catalogue import shipped
from evaluation.designs.document import State, to_json


@transaction.atomic
def freeze_version(*, actor: User | None, design: Design, name: str, note: str = "") -> DesignVersion:
    """Freeze the current design under a name, with the SHA-256 of its canonical JSON.

    Raises
    ------
    ValidationError
        Without a name, or when nothing changed since the last version.
    """
    name = " ".join(name.split())[:120]
    if not name:
        raise ValidationError({"name": "Give the version a name."})
    Design.objects.select_for_update(no_key=True).get(pk=design.pk)
    document = to_json(document_of(design), catalogue=shipped())
    digest = sha256(document)
    last = design.versions.order_by("-number").first()
    if last is not None and last.digest == digest:
        raise ValidationError(f"Nothing has changed since version {last.number}, {last.name}.")
    sealed = {
        f"{field.task.key if field.task else 'challenge'}/{field.parameter}": {
            "nonce": field.nonce,
            "value": field.value,
        }
        for field in FieldValue.objects.filter(design=design, state=str(State.EMBARGOED)).select_related("task")
        if field.task is None or field.task.removed_at is None
    }
    version = DesignVersion.objects.create(
        design=design,
        number=(design.versions.aggregate(last=Max("number"))["last"] or 0) + 1,
        name=name,
        note=note.strip(),
        document=document,
        sealed=sealed,
        digest=digest,
        catalogue=shipped().version,
        created_by=actor,
    )
    record(
        actor=actor,
        act="design_version_frozen",
        subject=version,
        scope=design.slug,
        facts={"design": design.slug, "number": version.number, "name": name, "digest": digest},
    )
    request_for_version(actor=actor, version=version)
    return version
