"""Identity of an algorithm: the image and its weights, independent of their packaging."""

from __future__ import annotations

import re
from typing import Final

from evaluation.canonical import sha256

INTERFACE: Final = "podium-exec-1"
SCORER_INTERFACE: Final = "podium-score-1"
GRAND_CHALLENGE: Final = "grand-challenge"
"""Conventions of Grand Challenge, which an adapter keeps to."""
INTERFACES: Final = (INTERFACE, GRAND_CHALLENGE)
"""By which algorithms are run."""
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")


def identity(image: str, model: str | None = None, interface: str = INTERFACE) -> str:
    """Digest that names an algorithm.

    Parameters
    ----------
    image
        Id of the image, ``sha256:`` and 64 hexadecimal digits.
    model
        Digest of the weights' uncompressed archive, or none.
    interface
        By which it is run.

    Raises
    ------
    ValueError
        For a digest of another form.
    """
    for digest in (image, model):
        if digest is not None and not _DIGEST.fullmatch(digest):
            message = f"{digest!r} is no digest: it has to be sha256: and 64 hexadecimal digits"
            raise ValueError(message)
    return "sha256:" + sha256({"image": image, "interface": interface, "model": model})
