"""Whether a design may be submitted to a call."""

from dataclasses import dataclass

from designs.models import Design
from designs.queries.findings import all_findings
from evaluation.designs.checks.compiling import ELSEWHERE
from evaluation.designs.checks.running import Finding
from evaluation.designs.completeness import GATE, Completeness, completeness
from evaluation.designs.document import Document


@dataclass(frozen=True)
class Gate:
    """What stands before submission: too little filled, or errors.

    `elsewhere` says what is registered here and evaluated elsewhere; it stands in the way only where a call takes designs
    that the platform executes and no others.
    """

    share: float
    completeness: Completeness
    errors: tuple[Finding, ...]
    elsewhere: tuple[Finding, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether the design passes."""
        return self.completeness.passes(self.share) and not self.errors


def gate_of(document: Document, *, design: Design | None = None, share: float = GATE) -> Gate:
    """Measure a design against the share of essential parameters that a call asks for (REV-2)."""
    found = all_findings(document, design=design, phase="submission")
    return Gate(
        share,
        completeness(document),
        tuple(finding for finding in found if finding.blocks),
        tuple(finding for finding in found if finding.check.id.startswith(f"{ELSEWHERE}.")),
    )
