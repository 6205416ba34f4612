"""Messages of a site in their order: signed once, then sent through the network or carried as files, the same bytes."""

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.canonical import canonical_json
from evaluation.federation import Refusal
from evaluation.federation.documents import read_signed
from evaluation.federation.envelope import sign
from evaluation.federation.inbox import NO_MESSAGE_BEFORE
from podium_client.errors import ClientError
from podium_client.site.folder import SiteFolder, now_text, written

CARRIED = "podium.site-carried/1"
FORMER = "former-keys"
_HEADER = ("schema", "site", "federation", "sequence", "previous", "sent_at")


@dataclass(frozen=True)
class Queued:
    """A signed message."""

    path: Path
    sequence: int
    kind: str

    @property
    def envelope(self) -> bytes:
        return self.path.read_bytes()

    @property
    def body(self) -> bytes:
        """The signed bytes."""
        return base64.b64decode(json.loads(self.envelope)["payload"])

    @property
    def message(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.body)
        return document

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


def messages(site: SiteFolder) -> list[Queued]:
    """All messages that were ever signed, in order."""
    queued = []
    for path in sorted((site.path / "outbox").glob("[0-9][0-9][0-9][0-9]-*.json")):
        sequence, kind = path.stem.split("-", 1)
        queued.append(Queued(path, int(sequence), kind))
    return queued


def former(site: SiteFolder) -> list[Queued]:
    """Messages that former keys of this folder signed, in order."""
    queued = []
    for path in sorted((site.path / FORMER).glob("[0-9][0-9]/outbox/[0-9][0-9][0-9][0-9]-*.json")):
        sequence, kind = path.stem.split("-", 1)
        queued.append(Queued(path, int(sequence), kind))
    return queued


def replace_key(site: SiteFolder) -> None:
    """Archive the key with everything that it signed, and create a new key.

    The secret, cases and results stay. `sign_again` signs undelivered messages of the former key again, after the
    registration.
    """
    number = 1 + sum(1 for _ in (site.path / FORMER).glob("[0-9][0-9]"))
    target = site.path / FORMER / f"{number:02d}"
    target.mkdir(parents=True, mode=0o700)
    for name in ("outbox", "receipts", "key.pem"):
        (site.path / name).rename(target / name)
    for name in ("outbox", "receipts"):
        (site.path / name).mkdir(mode=0o700)
    site.new_key()
    site.note("key-replaced", fingerprint=site.fingerprint)


def sign_again(site: SiteFolder) -> None:
    """Sign with the new key the messages that the last key signed and that were not delivered."""
    folder = max((site.path / FORMER).glob("[0-9][0-9]"))
    for message in former(site):
        unsent = not (folder / "receipts" / f"{message.sequence:04d}.json").is_file()
        if folder in message.path.parents and unsent and message.kind != "site-registration":
            queue(site, message.kind, {key: value for key, value in message.message.items() if key not in _HEADER})


def receipt_of(site: SiteFolder, message: Queued) -> dict[str, Any] | None:
    """The receipt of the centre for a message, if it came."""
    name = f"receipts/{message.sequence:04d}.json"
    return site.read(name) if site.has(name) else None


def waiting(site: SiteFolder) -> list[Queued]:
    """Messages without a receipt."""
    return [message for message in messages(site) if receipt_of(site, message) is None]


def last(site: SiteFolder, kind: str) -> Queued | None:
    """Return the last message of a kind, regardless of the key that signed it."""
    signed = [*former(site), *messages(site)]
    return next((message for message in reversed(signed) if message.kind == kind), None)


def queue(site: SiteFolder, kind: str, content: Mapping[str, Any]) -> Queued:
    """Sign a message and put it behind the others; what was signed never changes."""
    before = messages(site)
    sequence = len(before) + 1
    document = {
        "schema": f"podium.{kind}/1",
        "site": site.name,
        "federation": site.facts["federation"],
        "sequence": sequence,
        "previous": before[-1].digest if before else NO_MESSAGE_BEFORE,
        "sent_at": now_text(),
        **content,
    }
    path = site.path / "outbox" / f"{sequence:04d}-{kind}.json"
    written(path, canonical_json(sign(document, site.key)).encode())
    queued = Queued(path, sequence, kind)
    site.note("signed", kind=kind, sequence=sequence, payload=queued.digest)
    return queued


def carried(chosen: list[Queued]) -> bytes:
    """Return messages as one file that a person can upload in a browser."""
    envelopes = [json.loads(message.envelope) for message in chosen]
    return canonical_json({"schema": CARRIED, "envelopes": envelopes}).encode()


def file_receipt(site: SiteFolder, data: bytes) -> dict[str, Any]:
    """Check a receipt and keep it.

    Raises
    ------
    ClientError
        When it is not signed by the installation, or for something else than was signed here.
    """
    try:
        receipt = read_signed(data, site.centre_keys, "receipt")
    except Refusal as refusal:
        raise ClientError(f"The receipt cannot be taken: {refusal}.") from refusal
    fitting = next((m for m in messages(site) if m.sequence == receipt["sequence"]), None)
    if fitting is None or receipt["site"] != site.name or fitting.digest != receipt["payload"]:
        raise ClientError("The receipt is not for a message of this folder.")
    site.write(f"receipts/{fitting.sequence:04d}.json", receipt)
    site.note("receipt", sequence=fitting.sequence, payload=fitting.digest, audit=receipt["audit"]["sequence"])
    return receipt
