"""The key with which this installation signs packages, invitations and receipts; sites pin it."""

from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from datastore.test_sets.vault import derived_secret
from evaluation.canonical import canonical_json
from evaluation.federation import envelope

_PURPOSE = "podium-sites-1"


def signed(document: dict[str, Any]) -> str:
    """Put a document into a signed envelope."""
    return canonical_json(envelope.sign(document, _key()))


def public_key() -> str:
    """The public half, hexadecimal."""
    return envelope.public_bytes(_key()).hex()


def _key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(derived_secret(_PURPOSE))
