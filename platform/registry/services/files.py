"""Making the files of a version once."""

import hashlib

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import IntegrityError, transaction

from core.audit.services import record
from core.typesetting.services.setting import set_document
from designs.queries.findings import outline
from evaluation.documents.blocks import Block
from registry.domain.public_documents import parsed
from registry.models import RegistrationVersion, VersionFile

Kind = VersionFile.Kind


def pdf_of(version: RegistrationVersion, *, since: RegistrationVersion | None = None) -> bytes:
    """The whole registered design as PDF, for workers; what differs from the version `since` is marked in it."""
    return set_document(blocks_of(version, since=since), title=title_of(version), ending="pdf")


def blocks_of(version: RegistrationVersion, *, since: RegistrationVersion | None = None) -> list[Block]:
    """Return the content blocks of the PDF of a version."""
    before = parsed(since.document) if since is not None else None
    title = title_of(version)
    return list(outline(parsed(version.document), title=title, digest=version.digest, public=True, before=before))


def title_of(version: RegistrationVersion) -> str:
    """The name of the challenge with identifier and number of the version."""
    name = version.document["challenge"].get("challenge_name") or version.registration.design.title
    return f"{name} ({version.registration.identifier}, version {version.number})"


def store_pdf(*, version: RegistrationVersion) -> VersionFile:
    """Set the PDF of a version and keep it, unless it is there already."""
    existing = version.files.filter(kind=Kind.PDF).first()
    return existing if existing is not None else store_file(version=version, kind=Kind.PDF, content=pdf_of(version))


def store_changes_pdf(*, version: RegistrationVersion) -> VersionFile | None:
    """Set the PDF that marks what a version changed, unless it is the first one or the file is there already."""
    if version.previous is None:
        return None
    existing = version.files.filter(kind=Kind.CHANGES).first()
    if existing is not None:
        return existing
    return store_file(version=version, kind=Kind.CHANGES, content=pdf_of(version, since=version.previous))


def store_file(*, version: RegistrationVersion, kind: str, content: bytes) -> VersionFile:
    """Keep a file of a version with its digest in the audit log; the first one stays.

    The name holds the digest, so that two workers who make the same file at once never overwrite each other's.
    """
    digest = hashlib.sha256(content).hexdigest()
    name = f"registry/{version.registration.identifier}/v{version.number}-{kind}-{digest[:16]}.pdf"
    storage = storages["private"]
    if not storage.exists(name):
        name = storage.save(name, ContentFile(content))
    try:
        with transaction.atomic():
            stored = VersionFile.objects.create(version=version, kind=kind, name=name, size=len(content), digest=digest)
            record(
                actor=None,
                act="registration_file_stored",
                subject=stored,
                scope=version.registration.identifier,
                facts={"version": version.number, "kind": kind, "digest": digest, "size": len(content)},
            )
    except IntegrityError:
        return version.files.get(kind=kind)
    return stored


def content_of(stored: VersionFile) -> bytes:
    """The bytes of a kept file."""
    with storages["private"].open(stored.name) as file:
        data: bytes = file.read()
    return data
