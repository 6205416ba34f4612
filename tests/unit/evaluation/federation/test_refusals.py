"""Thirty manipulations of what a site sends, each refused with its code and a message that names what is wrong."""

from __future__ import annotations

import base64
import copy
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from evaluation.canonical import canonical_json
from evaluation.federation import Refusal, summarise
from evaluation.federation.envelope import load_key, new_key, open_envelope, pre_authentication, sign
from evaluation.federation.inbox import NO_MESSAGE_BEFORE, Accepted, Ledger, Received, SiteKey, SitePackage, accept
from evaluation.federation.manifest import SealedCase, digest_of, leaf

from .examples import VECTORS, random_site, schemes

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = datetime(2027, 3, 1, 9, 0, tzinfo=UTC)
IMAGES = {f"net-{j:02d}": "sha256:" + f"{j:x}" * 64 for j in range(3)}
PEM, PUBLIC = new_key()
OTHER_PEM, OTHER_PUBLIC = new_key()
STRANGER, _ = new_key()
SEAL, PACKAGE, FEDERATION = "a" * 64, "b" * 64, "c" * 64


def _bytes(document: dict[str, Any]) -> bytes:
    return canonical_json(document).encode()


class Message:
    """A good result of site north, to be spoilt."""

    def __init__(self) -> None:
        registered = schemes()["mean"]
        summary = summarise(registered, random_site("north", 20, 3, np.random.default_rng(3)), site="north")
        self.ledger = Ledger(
            FEDERATION,
            registered,
            SitePackage(PACKAGE, IMAGES),
            (
                SiteKey("north", PUBLIC, NOW - timedelta(days=9)),
                SiteKey("south", OTHER_PUBLIC, NOW - timedelta(days=9)),
            ),
            {"north": Received({1: "d" * 64}, SEAL, 20)},
        )
        self.now, self.pem = NOW, PEM
        self.document: dict[str, Any] = {
            "schema": "podium.result/1",
            "site": "north",
            "federation": FEDERATION,
            "sequence": 2,
            "previous": "d" * 64,
            "sent_at": "2027-03-01T08:59:00Z",
            "manifest": SEAL,
            "package": PACKAGE,
            "attempt": 1,
            "runs": [{"algorithm": name, "image": image, "status": "completed"} for name, image in IMAGES.items()],
            "summary": summary,
        }
        self.late: Callable[[dict[str, Any]], bytes] = _bytes

    @property
    def summary(self) -> dict[str, Any]:
        found: dict[str, Any] = self.document["summary"]
        return found

    @property
    def cell(self) -> dict[str, Any]:
        found: dict[str, Any] = self.summary["rankings"][0]["cells"][0]
        return found

    def send(self) -> Accepted:
        return accept(self.late(sign(self.document, load_key(self.pem))), self.ledger, now=self.now)


def _set(*path: Any, to: Any) -> Callable[[Message], None]:
    def change(message: Message) -> None:
        inner: Any = message.document
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to

    return change


def _after(change: Callable[[dict[str, Any]], Any]) -> Callable[[Message], None]:
    """Change the envelope after it was signed."""

    def spoil(message: Message) -> None:
        def late(envelope: dict[str, Any]) -> bytes:
            changed = change(envelope)
            return changed if isinstance(changed, bytes) else _bytes(envelope)

        message.late = late

    return spoil


def _one_byte(envelope: dict[str, Any]) -> None:
    body = bytearray(base64.b64decode(envelope["payload"]))
    body[len(body) // 2] ^= 1
    envelope["payload"] = base64.b64encode(bytes(body)).decode()


def _other_type(envelope: dict[str, Any]) -> None:
    envelope["payloadType"] = "application/vnd.podium.manifest-seal.v1+json"


def _not_the_pae(envelope: dict[str, Any]) -> None:
    body = base64.b64decode(envelope["payload"])
    envelope["signatures"][0]["sig"] = base64.b64encode(load_key(PEM).sign(body)).decode()


def _signed_again(body: bytes) -> Callable[[dict[str, Any]], None]:
    def change(envelope: dict[str, Any]) -> None:
        envelope["payload"] = base64.b64encode(body).decode()
        signature = load_key(PEM).sign(pre_authentication(envelope["payloadType"], body))
        envelope["signatures"][0]["sig"] = base64.b64encode(signature).decode()

    return change


def _reformatted(envelope: dict[str, Any]) -> None:
    body = json.dumps(json.loads(base64.b64decode(envelope["payload"])), indent=1).encode()
    _signed_again(body)(envelope)


def _ledger(**changed: Any) -> Callable[[Message], None]:
    def change(message: Message) -> None:
        message.ledger = replace(message.ledger, **changed)

    return change


def _key(**changed: Any) -> Callable[[Message], None]:
    def change(message: Message) -> None:
        first, *rest = message.ledger.keys
        message.ledger = replace(message.ledger, keys=(replace(first, **changed), *rest))

    return change


def _wrong_key(message: Message) -> None:
    message.pem = STRANGER


def _fork(message: Message) -> None:
    message.ledger = replace(message.ledger, received={"north": Received({1: "d" * 64, 2: "e" * 64}, SEAL, 20)})


def _sum(message: Message) -> None:
    message.cell["sum"][0] = 20_000_001


def _negative_covariance(message: Message) -> None:
    rows = message.summary["rankings"][0]["covariance"]["rows"]
    rows[1][0] = 0.2


def _case_value(message: Message) -> None:
    message.cell["values"] = [0.91, 0.85]


SUMMARY = ("summary", "rankings", 0)
MANIPULATIONS: list[tuple[str, Callable[[Message], None], str, str]] = [
    ("one byte of the payload", _after(_one_byte), "bad_signature", "were changed after signing"),
    ("another type", _after(_other_type), "bad_signature", "were changed after signing"),
    ("payload signed without its type", _after(_not_the_pae), "bad_signature", "does not fit"),
    ("truncated file", _after(lambda e: _bytes(e)[:-40]), "malformed", "no complete JSON"),
    ("not JSON", _after(lambda e: b"PK\x03\x04" + _bytes(e)), "malformed", "no complete JSON"),
    ("too large", _after(lambda e: _bytes(e) + b" " * 8 * 2**20), "malformed", "at most"),
    ("key twice", _after(lambda e: b'{"payload":"",' + _bytes(e)[1:]), "malformed", "'payload' stands there twice"),
    ("url-safe base64", _after(lambda e: e.update(payload="-_" + e["payload"][2:])), "malformed", "base64"),
    ("second signature", _after(lambda e: e["signatures"].append(e["signatures"][0])), "bad_signature", "2 signatures"),
    ("unknown envelope key", _after(lambda e: e.update(note="x")), "malformed", "note"),
    ("not canonical", _after(_reformatted), "not_canonical", "canonical form"),
    ("wrong key", _wrong_key, "unknown_key", "not registered"),
    ("key of another site", lambda m: setattr(m, "pem", OTHER_PEM), "unknown_key", "belongs to site south"),
    ("swapped site", _set("site", to="south"), "unknown_key", "belongs to site north"),
    ("revoked key", _key(revoked=True), "unknown_key", "revoked"),
    ("expired key", _key(until=NOW - timedelta(days=1)), "unknown_key", "expired"),
    ("other federation", _set("federation", to="f" * 64), "other_federation", "ffffffffffff"),
    ("fork", _fork, "fork", "copied or restored"),
    ("gap", _set("sequence", to=4), "gap", "expected is 2"),
    ("wrong predecessor", _set("previous", to=NO_MESSAGE_BEFORE), "gap", "follows 000000000000"),
    ("future clock", _set("sent_at", to="2027-03-01T09:30:00Z"), "clock", "lies in the future"),
    ("clock before the key", _set("sent_at", to="1970-01-01T00:00:00Z"), "clock", "before the key"),
    ("no such day", _set("sent_at", to="2027-02-30T00:00:00Z"), "clock", "no moment"),
    ("old package", _set("package", to="9" * 64), "old_package", "999999999999"),
    ("old assessment", _set("summary", "assessment", to="9" * 64), "old_assessment", "999999999999"),
    ("foreign image", _set("runs", 0, "image", to="sha256:" + "9" * 64), "foreign_image", "net-00"),
    ("carried predictions", _set("runs", 0, "image", to=None), "predictions_not_allowed", "net-00"),
    ("unknown algorithm", _set("runs", 0, "algorithm", to="net-99"), "foreign_image", "net-99"),
    ("other manifest", _set("manifest", to="9" * 64), "other_manifest", "other cases"),
    ("swapped summary", _set("summary", "site", to="south"), "implausible", "its summary of site south"),
    ("too few units", _set("summary", "units", to=9), "implausible", "fewer than the minimum"),
    ("more units than sealed", _set("summary", "units", to=21), "implausible", "sealed were 20"),
    ("edited sum", _sum, "implausible", "no sum of 20 values"),
    ("edited count", _set(*SUMMARY, "cells", 0, "n", to=[21, 20, 20]), "implausible", "21 of 20 units"),
    ("edited covariance", _negative_covariance, "implausible", "negative eigenvalue"),
    ("edited mean", _set(*SUMMARY, "cells", 0, "mean", to=[1.5, 0.5, 0.5]), "implausible", "outside the range"),
    ("case values beside", _case_value, "invalid", "values is no key"),
    ("weaker minimum", _set("summary", "minimum", to=2), "test", "minimum of 2"),
    ("after the end", _ledger(closes_at=NOW - timedelta(hours=1)), "late", "closed"),
]  # fmt: skip


def test_good_message_is_accepted_once_and_recognised_again() -> None:
    message = Message()
    first = message.send()
    assert (first.kind, first.replay) == ("result", False)
    received = Received({1: "d" * 64, 2: first.digest}, SEAL, 20)
    message.ledger = replace(message.ledger, received={"north": received})
    assert message.send().replay


def test_there_are_thirty() -> None:
    assert len(MANIPULATIONS) >= 30


@pytest.mark.parametrize(
    ("change", "code", "words"), [row[1:] for row in MANIPULATIONS], ids=[m[0] for m in MANIPULATIONS]
)
def test_manipulation(change: Callable[[Message], None], code: str, words: str) -> None:
    message = Message()
    message.document = copy.deepcopy(message.document)
    change(message)
    with pytest.raises(Refusal) as refused:
        message.send()
    assert refused.value.code == code
    assert words in str(refused.value)
    assert "\n" not in str(refused.value)


def test_envelope_of_the_reference() -> None:
    vector = VECTORS["dsse"]
    assert (
        pre_authentication("http://example.com/HelloWorld", b"hello world").decode()
        == (vector["pae_of_the_specification"]["pae"])
    )
    keys = {vector["keyid"]: bytes.fromhex(vector["public_key_hex"])}
    opened = open_envelope(json.dumps(vector["envelope"]).encode(), keys)
    assert json.loads(opened.body) == vector["message"]
    assert opened.digest == vector["canonical_sha256"]


def test_manifest_of_the_reference() -> None:
    vector = VECTORS["manifest"]
    secret = bytes.fromhex(vector["secret_hex"])
    assert [leaf(secret, SealedCase(**case)) for case in vector["cases"]] == vector["leaves_in_order_of_cases"]
    manifest = {**vector["manifest"], "leaves": sorted(vector["leaves_in_order_of_cases"])}
    assert digest_of(secret, manifest) == vector["digest"]
