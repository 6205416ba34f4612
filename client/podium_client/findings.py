"""Findings of the checks before the upload."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Problem with a case, and its remedy."""

    case: str
    message: str
    remedy: str
