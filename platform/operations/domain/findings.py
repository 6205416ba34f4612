"""Findings of a check of the installation."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """Severity of a finding."""

    FINE = "fine"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """One sentence about one part, and what to do about it unless it is fine."""

    part: str
    level: Level
    said: str
    remedy: str = ""


def fine(part: str, sentence: str) -> Finding:
    """Return a finding that asks for nothing."""
    return Finding(part, Level.FINE, sentence)


def warning(part: str, sentence: str, remedy: str) -> Finding:
    """Return a finding of what works and is not as it should be."""
    return Finding(part, Level.WARNING, sentence, remedy)


def error(part: str, sentence: str, remedy: str) -> Finding:
    """Return a finding of what does not work."""
    return Finding(part, Level.ERROR, sentence, remedy)
