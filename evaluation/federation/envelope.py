"""Signed envelopes: DSSE 1.0.2 with Ed25519.

References
----------
DSSE specification 1.0.2, 2024. Josefsson, Liusvaara, "Edwards-Curve Digital Signature Algorithm (EdDSA)", RFC 8032, 2017.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.canonical import canonical_json
from evaluation.federation.errors import FederationError, Refusal
from evaluation.federation.reading import check_form, read_json
from evaluation.federation.schemas import ENVELOPE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_TYPE: Final = "application/vnd.podium.{}.v1+json"
_DOCUMENT_TYPE: Final = re.compile(r"podium\.([a-z-]{1,60})/1")
MOST_BYTES: Final = 7 * 2**20
"""Of an envelope: a message of 5 MiB in base64."""


def pre_authentication(payload_type: str, body: bytes) -> bytes:
    """Return the bytes to be signed: type and body with their lengths in bytes.

    Examples
    --------
    >>> pre_authentication("http://example.com/HelloWorld", b"hello world")
    b'DSSEv1 29 http://example.com/HelloWorld 11 hello world'
    """
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(body), body)


def keyid_of(public: bytes) -> str:
    """``sha256:`` and the digest of the 32 bytes of a public key."""
    return "sha256:" + hashlib.sha256(public).hexdigest()


def fingerprint(public: bytes) -> str:
    """Return a fingerprint that two people can compare by telephone.

    It has 20 hexadecimal digits in groups of four.

    Examples
    --------
    >>> fingerprint(bytes(32))
    '6668 7aad f862 bd77 6c8f'
    """
    digits = hashlib.sha256(public).hexdigest()[:20]
    return " ".join(digits[start : start + 4] for start in range(0, 20, 4))


def new_key() -> tuple[bytes, bytes]:
    """A new key: PKCS#8 PEM without a passphrase, and the 32 bytes of its public half."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return pem, public_bytes(key)


def load_key(pem: bytes) -> Ed25519PrivateKey:
    """Read a private key.

    Raises
    ------
    FederationError
        If it is no Ed25519 key in PKCS#8 PEM without a passphrase.
    """
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        message = "the key file holds no Ed25519 key in PEM without a passphrase"
        raise FederationError(message)
    return key


def public_bytes(key: Ed25519PrivateKey) -> bytes:
    """The 32 bytes of its public half."""
    return key.public_key().public_bytes_raw()


def sign(document: Mapping[str, Any], key: Ed25519PrivateKey) -> dict[str, Any]:
    """Put a document, which names its form under ``schema``, into an envelope.

    Raises
    ------
    FederationError
        If ``schema`` is no form of this protocol.
    """
    match = _DOCUMENT_TYPE.fullmatch(str(document.get("schema")))
    if match is None:
        message = f"{document.get('schema')!r} is no form of message"
        raise FederationError(message)
    kind, body = _TYPE.format(match[1]), canonical_json(document).encode()
    return {
        "payload": base64.b64encode(body).decode(),
        "payloadType": kind,
        "signatures": [
            {
                "keyid": keyid_of(public_bytes(key)),
                "sig": base64.b64encode(key.sign(pre_authentication(kind, body))).decode(),
            }
        ],
    }


@dataclass(frozen=True)
class Opened:
    """The contents of an envelope whose signature is good.

    Attributes
    ----------
    kind
        The word in its type, ``result`` of ``application/vnd.podium.result.v1+json``.
    body
        The signed bytes, not yet read.
    digest
        SHA-256 of `body`, 64 hexadecimal digits.
    """

    kind: str
    body: bytes
    keyid: str

    @property
    def digest(self) -> str:
        """SHA-256 of the signed bytes."""
        return hashlib.sha256(self.body).hexdigest()


def open_envelope(data: bytes, keys: Mapping[str, bytes]) -> Opened:
    """Verify over the bytes as they were received; nothing of the body is parsed.

    Parameters
    ----------
    data
        An envelope.
    keys
        Public keys that are accepted, 32 bytes each, by their id.

    Raises
    ------
    Refusal
        ``malformed``, ``unknown_key`` or ``bad_signature``.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    envelope = read_json(data, most=MOST_BYTES)
    try:
        check_form(envelope, ENVELOPE)
    except Refusal as refusal:
        raise Refusal("malformed", f"this is no signed envelope: {refusal}") from None
    if len(envelope["signatures"]) != 1:
        raise Refusal("bad_signature", "the envelope has 2 signatures; this kind of message has exactly one")
    body = _base64(envelope["payload"], "the payload")
    signature = _base64(envelope["signatures"][0]["sig"], "the signature")
    keyid = envelope["signatures"][0]["keyid"]
    if keyid not in keys:
        raise Refusal("unknown_key", f"the key {keyid[:27]} is not registered for any site of this federation")
    try:
        Ed25519PublicKey.from_public_bytes(keys[keyid]).verify(
            signature, pre_authentication(envelope["payloadType"], body)
        )
    except InvalidSignature:
        raise Refusal(
            "bad_signature", "the signature does not fit: payload, type or signature were changed after signing"
        ) from None
    match = re.fullmatch(r"application/vnd\.podium\.([a-z-]{1,60})\.v(\d{1,4})\+json", envelope["payloadType"])
    if match is None:
        raise Refusal("not_canonical", f"{envelope['payloadType'][:80]!r} is no type of message of this protocol")
    if match[2] != "1":
        raise Refusal("invalid", f"version {match[2]} of {match[1]} is not understood; version 1 is")
    return Opened(match[1], body, keyid)


def _base64(text: str, what: str) -> bytes:
    """Standard base64 with padding and nothing else; one text for one sequence of bytes."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Refusal("malformed", f"{what} is not standard base64 with padding") from None
    if base64.b64encode(data).decode() != text:
        raise Refusal("malformed", f"{what} is not standard base64 with padding")
    return data
