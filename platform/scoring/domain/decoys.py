"""What was handed in for cases that are asked for and not scored (MAN-22)."""

from collections.abc import Mapping
from typing import Any

_DIGEST_LENGTH = 64


def trusted(value: object) -> dict[str, Any]:
    """Take what a child says of a decoy only if it has the form of it."""
    said = value.get("handed") if isinstance(value, Mapping) else None
    if not isinstance(said, Mapping):
        return {}
    digest, labelled = said.get("digest"), said.get("labelled")
    fine = isinstance(digest, str) and len(digest) == _DIGEST_LENGTH and isinstance(labelled, int) and labelled >= 0
    return {"digest": digest, "labelled": labelled} if fine else {}
