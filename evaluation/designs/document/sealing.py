"""A public commitment to an embargoed value: it proves later what was decided, and tells nothing before.

The digest covers a random nonce beside the value, since short values (one of ten surgery types) could otherwise be
found by trying them all. When the event has come, nonce and value are published and everybody can recompute the digest.
"""

import secrets
from typing import Any

from evaluation.canonical import sha256


def new_nonce() -> str:
    """128 random bits as hexadecimal digits."""
    return secrets.token_hex(16)


def commitment(value: Any, nonce: str) -> str:
    """SHA-256 over the canonical JSON of ``{"nonce": …, "value": …}``.

    Examples
    --------
    >>> commitment("sigmoid resection", "00") == commitment("sigmoid resection", "01")
    False
    """
    return sha256({"nonce": nonce, "value": value})
