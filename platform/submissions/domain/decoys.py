"""What was handed in for cases that are asked for and not scored (MAN-22)."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.canonical import sha256
from evaluation.matching import Objects
from evaluation.readers import ReadError, read_label_image
from evaluation.scoring.pieces import Numbers

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


def look_at_objects(objects: Objects) -> dict[str, Any]:
    """Digest of the objects handed in for a case, whatever their order, and how many there are; runs in a child."""
    places = objects.boxes_given if objects.boxes_given is not None else objects.points_given
    rows = [
        [
            *(place.tolist() if places is not None else ()),
            str(objects.classes[number]) if objects.classes is not None else "",
            None if objects.scores is None else float(objects.scores[number]),
        ]
        for number, place in enumerate(places if places is not None else ())
    ]
    return {"digest": sha256(sorted(rows, key=repr)), "labelled": objects.size}


def look_at_answer(answer: Numbers) -> dict[str, Any]:
    """Digest of the scores of all classes handed in for a case; a class alone is the same of many teams and tells nothing."""
    return {"digest": sha256(answer.values), "labelled": 1} if answer.values else {}


def trusted(value: object) -> dict[str, Any]:
    """Take what a child says of a decoy only if it has the form of it."""
    said = value.get("handed") if isinstance(value, Mapping) else None
    if not isinstance(said, Mapping):
        return {}
    digest, labelled = said.get("digest"), said.get("labelled")
    fine = isinstance(digest, str) and len(digest) == _DIGEST_LENGTH and isinstance(labelled, int) and labelled >= 0
    return {"digest": digest, "labelled": labelled} if fine else {}
