"""Public commitment to an embargoed value, which proves the decision later and reveals nothing before.

The digest covers a random nonce next to the value. Otherwise short values (one of ten surgery types) could be found
by trying all of them. After the event, nonce and value are published, and anyone can recompute the digest.
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
