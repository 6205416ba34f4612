"""Report of a validation, stored with the submission and shown to the team."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Final

from evaluation.canonical import sha256
from evaluation.checking import Finding as Question
from evaluation.checking import Severity
from evaluation.checking.sentences import OF_EVERY_CASE
from evaluation.claims.catalogue import Said
from evaluation.claims.legend import VALIDATED, Checked


class Status(StrEnum):
    """Validation status of an expected case."""

    VALID = "valid"
    MISSING = "missing"
    INVALID = "invalid"


@dataclass(frozen=True)
class Finding:
    """One expected case: whether it can be scored, else why not and what to do."""

    case: str
    status: Status
    kind: str = ""
    file: str = ""
    message: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Extra:
    """A file that belongs to no expected case."""

    file: str
    hint: str = ""


SHIFT_BINS: Final = (
    (0.0, "no shift"),
    (0.1, "up to 0.1 voxels"),
    (0.25, "0.1 to 0.25 voxels"),
    (0.5, "0.25 to 0.5 voxels"),
    (float("inf"), "0.5 voxels or more, explained by a quaternion"),
)
"""Upper ends and names of the groups in which displacements of grids are counted."""


def fingerprint_of(features: Mapping[str, Mapping[str, Any]], valid: int) -> str:
    """Return a digest of label images from their checksums; empty unless each of the valid cases has one.

    Parameters
    ----------
    features
        By case, from `evaluation.checking.label_images.features_of`.
    valid
        Number of valid cases.

    Examples
    --------
    >>> fingerprint_of({"a": {"checksum": 1}}, 2), len(fingerprint_of({"a": {"checksum": 1}}, 1))
    ('', 64)
    """
    checksums = {case: each["checksum"] for case, each in features.items() if "checksum" in each}
    return sha256(checksums) if checksums and len(checksums) == valid else ""


@dataclass
class Report:
    """Complete report of a validation.

    Attributes
    ----------
    problem
        Reason why the archive as a whole is rejected, or empty.
    is_charged
        Whether a rejected archive counts as an attempt of its sender.
    members
        Case → path of its single file in the archive, for the cases whose file was found.
    table
        Path of the table next to the files, or empty.
    findings
        One per case; fewer than expected while the validation runs.
    fingerprint
        Digest of the predictions of all cases, independent of archive and compression; empty if it is not known.
    shifts
        Displacement of the grid in voxels and in mm, by case; only of cases whose grid is displaced.
    features
        What questions about all predictions need from each case; see `evaluation.problems.plausibility`.
    questions
        Questions and notes about all predictions together.
    extra, extra_total
        Files that belong to no expected case; only the first are listed.
    """

    problem: str = ""
    is_charged: bool = False
    inspected: bool = False
    members: dict[str, str] = field(default_factory=dict)
    table: str = ""
    findings: dict[str, Finding] = field(default_factory=dict)
    fingerprint: str = ""
    shifts: dict[str, list[float]] = field(default_factory=dict)
    features: dict[str, dict[str, Any]] = field(default_factory=dict)
    questions: list[Question] = field(default_factory=list)
    extra: list[Extra] = field(default_factory=list)
    extra_total: int = 0

    @property
    def asked(self) -> list[Question]:
        """The questions that the team must answer before the submission is scored."""
        return [question for question in self.questions if question.severity is Severity.HOLD]

    @property
    def asks_of_every_case(self) -> bool:
        """True if a question is about a fault of every case, so that the team can submit it although no case is valid."""
        return any(question.id in OF_EVERY_CASE for question in self.asked)

    def count(self, status: Status) -> int:
        """Number of cases with a status."""
        return sum(finding.status == status for finding in self.findings.values())

    @property
    def valid(self) -> int:
        return self.count(Status.VALID)

    @property
    def missing(self) -> int:
        return self.count(Status.MISSING)

    @property
    def invalid(self) -> int:
        return self.count(Status.INVALID)

    @property
    def in_numbers(self) -> Said:
        """Numbers of the findings, in a sentence."""
        return VALIDATED.first(Checked(self.valid, self.missing, self.invalid, self.extra_total))

    @property
    def remarked(self) -> int:
        """Number of valid cases with a message, for example an answer that lacks a part."""
        return sum(finding.status == Status.VALID and bool(finding.message) for finding in self.findings.values())

    @property
    def troubled(self) -> list[Finding]:
        """The cases that cannot be scored."""
        return [finding for finding in self.findings.values() if finding.status != Status.VALID]

    @property
    def in_order(self) -> list[Finding]:
        """All findings, what needs attention first."""
        order = {Status.INVALID: 0, Status.MISSING: 1, Status.VALID: 2}
        return sorted(self.findings.values(), key=lambda finding: (order[finding.status], finding.case))

    @property
    def shift_counts(self) -> list[tuple[str, int]]:
        """Number of valid cases by the displacement of their grids, in the order of `SHIFT_BINS`; empty without any."""
        if not self.shifts:
            return []
        voxels = [0.0] * (self.valid - len(self.shifts)) + [shift[0] for shift in self.shifts.values()]
        lows = [-1.0, *(high for high, _ in SHIFT_BINS[:-1])]
        return [
            (words, sum(low < shift <= high for shift in voxels))
            for low, (high, words) in zip(lows, SHIFT_BINS, strict=True)
        ]

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return {
            "schema": 1,
            "problem": self.problem,
            "is_charged": self.is_charged,
            "inspected": self.inspected,
            "members": self.members,
            "table": self.table,
            "findings": [asdict(finding) for finding in self.findings.values()],
            "fingerprint": self.fingerprint,
            "shifts": self.shifts,
            "features": self.features,
            "questions": [question.document for question in self.questions],
            "extra": [asdict(extra) for extra in self.extra],
            "extra_total": self.extra_total,
        }

    @classmethod
    def of(cls, document: dict[str, Any]) -> "Report":
        """Return the report that `document` wrote; an empty document is the report before validation."""
        if not document:
            return cls()
        findings = [Finding(**{**finding, "status": Status(finding["status"])}) for finding in document["findings"]]
        return cls(
            problem=document["problem"],
            is_charged=bool(document.get("is_charged")),
            inspected=document["inspected"],
            members=document["members"],
            table=document.get("table", ""),
            findings={finding.case: finding for finding in findings},
            fingerprint=document.get("fingerprint", ""),
            shifts=document.get("shifts", {}),
            features=document.get("features", {}),
            questions=[Question.of(question) for question in document.get("questions", [])],
            extra=[Extra(**extra) for extra in document["extra"]],
            extra_total=document["extra_total"],
        )
