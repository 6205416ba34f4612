"""What was handed in for cases that are asked for and not scored (MAN-22)."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.readers import ReadError, read_label_image

_DIGEST_LENGTH = 64


def look(path: Path) -> dict[str, Any]:
    """Digest of the labels of a prediction, whatever its format, and how many voxels are labelled; runs in a child."""
    try:
        labels = read_label_image(path).labels
    except ReadError:
        return {}
    plain = np.ascontiguousarray(labels, dtype=np.uint32)
    digest = hashlib.sha256(repr(plain.shape).encode() + plain.tobytes()).hexdigest()
    return {"digest": digest, "labelled": int(np.count_nonzero(plain))}


def trusted(value: object) -> dict[str, Any]:
    """Take what a child says of a decoy only if it has the form of it."""
    said = value.get("handed") if isinstance(value, Mapping) else None
    if not isinstance(said, Mapping):
        return {}
    digest, labelled = said.get("digest"), said.get("labelled")
    fine = isinstance(digest, str) and len(digest) == _DIGEST_LENGTH and isinstance(labelled, int) and labelled >= 0
    return {"digest": digest, "labelled": labelled} if fine else {}
