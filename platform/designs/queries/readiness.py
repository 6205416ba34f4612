"""How far a design is: fields that are needed and open, errors that stand in the way, and whether a call could take it."""

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
    """How many of the needed fields are answered."""

    filled: int
    total: int


@dataclass(frozen=True)
class Readiness:
    """What stands between a design and a call.

    Attributes
    ----------
    percent
        Share of the published parameters that are filled, of the lowest task.
    essential
        Share of the essential parameters in percent, rounded down: what the gate of a call asks for.
    errors
        Errors at fields that hold something.
    to_fill
        Errors at fields in which nobody has written yet.
    open_fields
        Needed fields without an answer.
    is_executed
        Whether the platform executes what is written, rather than that it is evaluated elsewhere.
    """

    percent: int
    essential: int
    errors: int
    to_fill: int
    open_fields: int
    is_executed: bool

    @property
    def words(self) -> str:
        """What comes next, as a sentence without its full stop."""
        if self.errors:
            return f"{self.errors} error{' keeps' if self.errors == 1 else 's keep'} it from being filed"
        if self.open_fields:
            return f"{self.open_fields} needed field{' is' if self.open_fields == 1 else 's are'} open"
        if self.to_fill:
            return f"{self.to_fill} empty field{' keeps' if self.to_fill == 1 else 's keep'} it from being filed"
        if self.essential < _ESSENTIAL:
            return f"{self.essential} % of the essential fields are filled; calls ask for {_ESSENTIAL} % as a rule"
        return "Nothing keeps it from being filed"

    @property
    def is_ready(self) -> bool:
        """Whether nothing is left to do before it is filed."""
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
    """How far designs are, by key; each is measured once after a change, since its checks take their time."""
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
    """Whether nobody has written at the field of a finding yet."""
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
