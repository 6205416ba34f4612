"""One finding of a check: what was found where, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Severity(StrEnum):
    """Consequence of a finding."""

    NOTE = "accept with note"
    HOLD = "hold and ask"
    REJECT = "reject"


@dataclass(frozen=True)
class Finding:
    """Finding about a submission, a file, a case or a row.

    Attributes
    ----------
    id
        Stable identifier; a key of `evaluation.checking.sentences.SENTENCES`.
    severity
        Consequence for the case, or for the whole submission where no case is named.
    reason
        What was found, in words.
    remedy
        Instruction for the participant; empty where there is nothing to do.
    file, case, row, value
        Location and value; empty, and ``None`` for the row, where they do not apply. The header is row 1.
    """

    id: str
    severity: Severity
    reason: str
    remedy: str = ""
    file: str = ""
    case: str = ""
    row: int | None = None
    value: str = ""

    @property
    def sentence(self) -> str:
        """Reason and remedy in one line.

        Examples
        --------
        >>> Finding("x", Severity.NOTE, "a.png is empty", "Add labels.").sentence
        'a.png is empty. Add labels.'
        """
        return f"{self.reason.rstrip('.')}. {self.remedy}".strip()

    @property
    def document(self) -> dict[str, Any]:
        """The finding as JSON values."""
        return {
            "id": self.id,
            "severity": str(self.severity),
            "reason": self.reason,
            "remedy": self.remedy,
            "sentence": self.sentence,
            "file": self.file,
            "case": self.case,
            "row": self.row,
            "value": self.value,
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Finding:
        """Return the finding that `document` describes.

        Examples
        --------
        >>> finding = Finding("x", Severity.HOLD, "odd", row=3)
        >>> Finding.of(finding.document) == finding
        True
        """
        fields = {name: value for name, value in document.items() if name != "sentence"}
        return cls(**{**fields, "severity": Severity(document["severity"])})
