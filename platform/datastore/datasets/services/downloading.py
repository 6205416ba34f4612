"""Temporary addresses of files, signed for one account and one file, and the responses to them.

Permission is checked when the address is created and each time it is used. An address that was passed on is
therefore worthless once the agreement or the version no longer applies.
"""

import base64
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, BinaryIO

from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone
from rules import test_rule

from challenges.queries.people import participation_of
from challenges.rules import is_named_organizer
from core.audit.services import record
from datastore.datasets.domain.ranges import Part
from datastore.datasets.models import DatasetFile, Download
from datastore.datasets.queries.datasets import why_not
from datastore.datasets.queries.naming import names_are_allowed
from datastore.uploads import object_store
from datastore.uploads.storage import data_limits, open_part
from evaluation.canonical import sha256

SALT = "datasets.download"
BLOCK = 256 * 1024
EXPIRED = "This link has expired. Request a new one. The download resumes where it stopped."


@dataclass(frozen=True)
class Address:
    """Temporary address of a file."""

    url: str
    expires_at: datetime
    file: DatasetFile


@transaction.atomic
def hand_out_address(*, user: Any, file: DatasetFile) -> Address:
    """Create an address of a file for an account, and record it.

    Raises
    ------
    PermissionDenied
        With the missing requirement: the agreement, or the release of the version.
    """
    _check(user, file)
    challenge = file.version.dataset.challenge
    person = user if user.is_authenticated else None
    part = participation_of(user, challenge)
    entry = Download.objects.create(
        file=file, user=person, agreement_digest=sha256(part.agreement) if part is not None and part.agreement else ""
    )
    if person is not None:
        record(
            actor=person,
            act="data_address_given",
            subject=file.version.dataset,
            scope=challenge.slug,
            facts={"version": file.version.number, "file": file.name, "sha256": file.sha256},
        )
    token = signing.dumps({"download": entry.pk}, salt=SALT)
    lasts = timedelta(seconds=data_limits().address_seconds)
    return Address(reverse("datasets:download", args=[challenge.slug, token]), timezone.now() + lasts, file)


def redeem(token: str) -> Download:
    """Return what an address was made for.

    Raises
    ------
    PermissionDenied
        For an address that has expired or was changed, and when the account may not have the file any more.
    """
    try:
        content = signing.loads(token, salt=SALT, max_age=data_limits().address_seconds)
    except signing.SignatureExpired:
        raise PermissionDenied(EXPIRED) from None
    except signing.BadSignature:
        raise PermissionDenied("This address is not valid.") from None
    rows = Download.objects.select_related("user", "file__version__dataset__challenge")
    entry = rows.filter(pk=content.get("download")).first()
    if entry is None:
        raise PermissionDenied("This address is not valid.")
    _check(entry.user or AnonymousUser(), entry.file)
    return entry


def _check(user: Any, file: DatasetFile) -> None:
    version = file.version
    if getattr(user, "is_active", True) is False and user.is_authenticated:
        raise PermissionDenied("This account is closed.")
    if not test_rule("datasets.have_dataset", user, version.dataset):
        reason, _ = why_not(version.dataset.challenge, user)
        raise PermissionDenied(reason or "You don't have access to this file.")
    if version.withdrawn_at is not None:
        raise PermissionDenied(f"Version {version.number} was withdrawn: {version.withdrawal}")
    if not names_are_allowed(version) and not is_named_organizer(user, version.dataset.challenge):
        raise PermissionDenied(
            f"Version {version.number} contains the name of a team that may not be shown any more. A new version replaces it."
        )
    if file.state != DatasetFile.State.READY or not test_rule("datasets.have_version", user, version):
        when = (
            f" It can be had from {version.available_from:%-d %B %Y, %H:%M} UTC on." if version.available_from else ""
        )
        raise PermissionDenied(f"{file.name} is not available yet.{when}")


def address_in_store(entry: Download) -> str | None:
    """Return the address of the file in the object store; None if the store is not publicly reachable."""
    if not object_store.is_offered():
        return None
    return object_store.address_of_object(
        entry.file.stored, seconds=data_limits().address_seconds, file_name=entry.file.name
    )


def sent(entry: Download, part: Part) -> Iterator[bytes]:
    """Yield a part of a file block by block, and write down afterwards how much went out, also of a broken line."""
    count = 0
    try:
        with contextlib.closing(open_part(entry.file.stored, part.start, part.stop)) as stream:
            for block in _blocks(stream, part.length):
                yield block
                count += len(block)
    finally:
        note_sent(entry, count)


def note_sent(entry: Download, count: int = 0) -> None:
    """Count a request to an address and the bytes that were sent."""
    Download.objects.filter(pk=entry.pk).update(
        requests=F("requests") + 1, bytes_sent=F("bytes_sent") + count, last_used_at=timezone.now()
    )


def _blocks(stream: BinaryIO, length: int) -> Iterator[bytes]:
    left = length
    while left and (block := stream.read(min(BLOCK, left))):
        left -= len(block)
        yield block


def digest_header(file: DatasetFile) -> str:
    """Return the SHA-256 as value of the header Repr-Digest (RFC 9530)."""
    return f"sha-256=:{base64.b64encode(bytes.fromhex(file.sha256)).decode()}:"
