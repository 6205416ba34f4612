"""Line-by-line view of a case for kinds without pictures.

It shows the answer of a table, and next to it the reference for people who may see it.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOTHING: Final = "–"
LINES: Final = 60
"""Maximum number of lines of an answer that are shown."""


class CaseAnswer(NamedTuple):
    """One line: its subject, the prediction, the reference, and the difference between the two."""

    what: str
    prediction: str
    reference: str = ""
    difference: str = ""


@dataclass(frozen=True)
class CaseAnswers:
    """The answer to a case.

    Attributes
    ----------
    what
        Heading of the first column.
    lines
        In the order of the task.
    difference
        Heading of the last column; empty where nothing is subtracted.
    more
        How many further lines there are.
    """

    what: str
    lines: tuple[CaseAnswer, ...]
    difference: str = ""
    more: int = 0

    @classmethod
    def of(cls, what: str, lines: Sequence[CaseAnswer], difference: str = "") -> CaseAnswers:
        """The first lines, and how many follow."""
        return cls(what, tuple(lines[:LINES]), difference, max(0, len(lines) - LINES))

    def document(self, *, with_reference: bool) -> dict[str, Any]:
        """Return the answer as JSON values.

        Without `with_reference`, the content of the reference is omitted, for people who may not see it.
        """
        if with_reference:
            return asdict(self) | {"has_reference": any(line.reference for line in self.lines)}
        bare = [CaseAnswer(line.what, line.prediction) for line in self.lines]
        return {"what": self.what, "lines": bare, "difference": "", "more": self.more, "has_reference": False}


def number(value: float | None, unit: str = "") -> str:
    """A number for people; a dash where there is none.

    Examples
    --------
    >>> number(0.123456), number(12.0, "mm"), number(None), number(float("nan"))
    ('0.1235', '12 mm', '–', '–')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{value:.4g} {unit}".rstrip()


def unit_of(settings: Mapping[str, Any], target: str) -> str:
    """Unit of a target, where the settings of an assessment name it."""
    targets = settings.get("targets") or {}
    return str((targets.get(target) or {}).get("unit") or "")
