"""Readiness of a design: open required fields, errors, and eligibility for a call."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Final

from django.core.cache import cache

from designs.models import Design
from designs.queries.documents import document_of
from designs.queries.findings import all_findings
from evaluation.designs.catalogue import Parameter, shipped
from evaluation.designs.checks.compiling import ELSEWHERE
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import GATE, completeness, is_required
from evaluation.designs.document import Document, State, Values

_KEPT_SECONDS: Final = 7 * 24 * 3600
_ESSENTIAL: Final = round(100 * GATE)


@dataclass(frozen=True)
class Progress:
    """Number of required fields that are answered, and their total number."""

    filled: int
    total: int


@dataclass(frozen=True)
class Readiness:
    """Remaining work before a design can be filed in a call.

    Attributes
    ----------
    percent
        Share of the published parameters that are filled, of the task with the lowest share.
    essential
        Share of the essential parameters in percent, rounded down, which the gate of a call requires.
    errors
        Number of errors at fields that contain a value.
    to_fill
        Number of errors at fields that are still empty.
    open_fields
        Number of required fields without an answer.
    is_executed
        Whether the platform executes the design, as opposed to an evaluation elsewhere.
    """

    percent: int
    essential: int
    errors: int
    to_fill: int
    open_fields: int
    is_executed: bool

    @property
    def words(self) -> str:
        """The next step, as a sentence without its full stop."""
        if self.errors:
            return f"Fix {self.errors} error{'' if self.errors == 1 else 's'} before you file it"
        if self.open_fields:
            return f"Complete {self.open_fields} required field{'' if self.open_fields == 1 else 's'}"
        if self.to_fill:
            return f"Complete {self.to_fill} empty field{'' if self.to_fill == 1 else 's'} before you file it"
        if self.essential < _ESSENTIAL:
            return f"{self.essential} % of the essential fields are filled; calls ask for {_ESSENTIAL} % as a rule"
        return "Ready to file"

    @property
    def is_ready(self) -> bool:
        """True if nothing remains to be done before the design is filed."""
        return not (self.errors or self.open_fields or self.to_fill) and self.essential >= _ESSENTIAL


def readiness(document: Document, findings: list[Finding]) -> Readiness:
    """Measure a document with its findings."""
    measured, progress, numbers = completeness(document), progress_of(document), count(findings, document)
    return Readiness(
        percent=measured.lowest.design.percent,
        essential=measured.gate.percent,
        errors=numbers["errors"],
        to_fill=numbers["to_fill"],
        open_fields=progress.total - progress.filled,
        is_executed=not any(finding.check.id.startswith(f"{ELSEWHERE}.") for finding in findings),
    )


def readiness_of(designs: Iterable[Design]) -> dict[int, Readiness]:
    """Return the readiness of designs, by key.

    Each design is measured once after a change, because its checks take time.
    """
    keys = {_key(design): design for design in designs}
    measurements = cache.get_many(keys)
    fresh = {}
    for key, design in keys.items():
        if key not in measurements:
            document = document_of(design)
            fresh[key] = astuple(readiness(document, all_findings(document, design=design)))
    if fresh:
        cache.set_many(fresh, _KEPT_SECONDS)
    measurements |= fresh
    return {design.pk: Readiness(*measurements[key]) for key, design in keys.items()}


def _key(design: Design) -> str:
    return f"design-readiness:{shipped().version}:{design.pk}:{design.changed_at.timestamp()}"


def progress_of(document: Document) -> Progress:
    """Count over the challenge and all tasks."""
    filled = total = 0
    for task in (None, *document.tasks):
        values = document.values(task)
        asked = needed([p for p in shipped().parameters.values() if p.is_task == bool(task)], values)
        total += len(asked)
        filled += len(asked) - len(unanswered(asked, values))
    return Progress(filled, total)


def needed(parameters: list[Parameter], values: Values) -> list[Parameter]:
    """Those that are needed here."""
    return [p for p in parameters if is_required(p, values)]


def unanswered(parameters: list[Parameter], values: Values) -> list[Parameter]:
    """Those without an answer."""
    return [p for p in parameters if not (values.entry(p.id).is_filled or values.entry(p.id).is_declared)]


def is_untouched(finding: Finding, document: Document) -> bool:
    """Return whether the field of a finding is still empty."""
    return document.values(finding.task).entry(finding.check.parameter).state is State.BLANK


def count(findings: list[Finding], document: Document) -> dict[str, int]:
    """Numbers of errors, warnings, hints and answers; an error at a field without a word is one to fill in."""
    errors = [finding for finding in findings if finding.severity == "error"]
    to_fill = sum(is_untouched(finding, document) for finding in errors)
    return {
        "errors": len(errors) - to_fill,
        "to_fill": to_fill,
        "warnings": sum(finding.severity == "warning" and not finding.is_answered for finding in findings),
        "hints": sum(finding.severity == "info" and not finding.is_answered for finding in findings),
        "answered": sum(finding.is_answered for finding in findings),
    }
