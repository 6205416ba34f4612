"""Signed messages and public cases, as the verification of the storage reads them."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator

from datastore.test_sets import vault
from datastore.uploads import hooks
from datastore.uploads.hooks import StoredFile
from datastore.uploads.services.proving import has_digest
from federation.models import Federation, SignedMessage


def register() -> None:
    """Have every message looked for."""
    hooks.stored_files.register(stored)


def stored() -> Iterator[StoredFile]:
    """Every envelope with the digest of its payload, and the public cases of packages."""
    messages = SignedMessage.objects.exclude(kind="result", enrolment__site__removed_at__isnull=False)
    for message in messages.order_by("pk").iterator():
        yield StoredFile(
            message.envelope_name,
            f"message number {message.pk} of a site",
            _says(message.envelope_name, message.digest),
        )
    for federation in Federation.objects.exclude(dry_run_name="").order_by("pk"):
        proof = has_digest(federation.dry_run_name, federation.dry_run_sha256)
        yield StoredFile(federation.dry_run_name, f"public cases of federation number {federation.pk}", proof)


def _says(name: str, digest: str) -> Callable[[], str]:
    def proof() -> str:
        try:
            payload = base64.b64decode(json.loads(vault.read_bytes(name))["payload"])
        except (vault.VaultError, ValueError, KeyError) as error:
            return str(error)
        actual_digest = hashlib.sha256(payload).hexdigest()
        return "" if actual_digest == digest else f"the digest of the payload is {actual_digest} and was {digest}"

    return proof
