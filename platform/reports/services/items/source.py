"""Data from which the items are written, with an origin for every statement."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evaluation.assessment import Assessment, parse
from evaluation.designs.catalogue import Catalogue, Parameter, shipped
from evaluation.designs.document import Document, Entry, Values
from evaluation.designs.document.entries import BLANK
from reports.domain.content import Ledger, Origin
from reports.exposure.queries.facts import Facts, PhaseFacts
from reports.exposure.services import Finding

if TYPE_CHECKING:
    from reports.services.benchmark import Benchmark


@dataclass
class Source:
    """Facts, benchmarks of the main phases and the exposure, and the ledger that keeps their origins."""

    facts: Facts
    ledger: Ledger
    benchmarks: "Sequence[Benchmark]" = ()
    exposure: Sequence[Finding] = ()
    catalogue: Catalogue = field(default_factory=shipped)

    @cached_property
    def document(self) -> Document | None:
        """The design, if there is one."""
        return self.facts.design.document if self.facts.design else None

    @cached_property
    def views(self) -> list[Values]:
        """The design as each of its tasks sees it; the challenge alone where it has no task; none without a design."""
        if self.document is None:
            return []
        return list(self.document.each_task()) or [self.document.values()]

    def entry(self, parameter: str, values: Values | None = None) -> Entry:
        """The entry of a parameter: of a task, else of the challenge."""
        if values is not None:
            return values.entry(parameter)
        return self.document.challenge.get(parameter, BLANK) if self.document else BLANK

    def parameter(self, identity: str) -> Parameter | None:
        """A parameter of designs; `None` for those of descriptions and reports."""
        return self.catalogue.parameters.get(identity)

    def registered(self, identity: str) -> Origin:
        """Return the origin of statements of the design about a parameter."""
        design = self.facts.design
        if design is None:
            raise LookupError("without a design nothing is registered")
        parameter = self.catalogue[identity]
        return Origin("parameter", f"{design.label}: {parameter.label} ({identity})", design.digest, design.address)

    def ranking(self, phase: PhaseFacts) -> Origin:
        """Return the origin of statements from a ranking."""
        ranking = phase.ranking
        if ranking is None:
            raise LookupError(f"{phase.name} has no ranking")
        return Origin(
            "ranking", f"Ranking of {self.named(phase)}, version {ranking.number}", ranking.digest, ranking.address
        )

    def assessment(self, phase: PhaseFacts) -> Origin:
        """Return the origin of statements from the executed assessment."""
        return Origin(
            "assessment", f"Assessment of {self.named(phase)}", phase.assessment_digest, phase.assessment_address
        )

    def logged(self, entry: dict[str, Any]) -> Origin:
        """Return the origin of statements from an entry of the log."""
        words = f"Audit log, entry {entry['sequence']}: {entry['act'].replace('_', ' ')}, {entry['time'][:10]}"
        return Origin("audit", words, entry["digest"])

    def counted(self, what: str) -> Origin:
        """The origin of a number that the platform counted."""
        return Origin("platform", f"Counted by the platform: {what}")

    def named(self, phase: PhaseFacts) -> str:
        """A phase with its task where there are several."""
        return self.facts.named(phase)

    def parsed(self, phase: PhaseFacts) -> Assessment:
        """The assessment of a phase."""
        return parse(phase.assessment)

    @property
    def shown(self) -> list[PhaseFacts]:
        """Phases of which the report can show more than their existence."""
        return [phase for phase in self.facts.phases if phase.level != "nothing"]
