"""What checking before the upload finds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """What is wrong with a case, and what to do."""

    case: str
    message: str
    remedy: str
