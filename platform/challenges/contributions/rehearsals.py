"""Phases that a design would have after its launch, for its rehearsal (`designs.hooks.phases`)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from challenges.domain.scheduling import STAYS_OPEN
from challenges.models import Phase
from challenges.queries.composed_rules import composed_rules, rules_of_phase
from challenges.queries.planning import PhasePlan, phases_of_document
from designs import hooks
from evaluation.designs.document import Document

if TYPE_CHECKING:
    from challenges.domain.problems import Problem


def register() -> None:
    """Connect the phases to the hook of designs."""
    hooks.phases.register(planned_phases)


def planned_phases(document: Document) -> hooks.PlannedPhases:
    """Return the phases of each task as the launch would create them."""
    problems: list[Problem] = []
    by_task = phases_of_document(document, problems)
    open_points = tuple(dict.fromkeys(str(problem) for problem in problems))
    return hooks.PlannedPhases(
        {key: [_planned(phase, phases) for phase in phases] for key, phases in by_task.items()}, open_points
    )


def _planned(phase: PhasePlan, phases: Sequence[PhasePlan]) -> hooks.PlannedPhase:
    opens = f"{phase.opens_at:%-d %b %Y, %H:%M} UTC"
    closes = "open end" if phase.closes_at >= STAYS_OPEN else f"{phase.closes_at:%-d %b %Y, %H:%M} UTC"
    rules = [
        rule.text
        for rule in composed_rules([rules_of_phase(phase, phase.name, {each.slug: each.name for each in phases})], None)
    ]
    rules.append(f"Teams see: {Phase.Results(phase.results).label}.")
    rules.append(f"Leaderboard: {Phase.Leaderboard(phase.leaderboard).label}.")
    return hooks.PlannedPhase(phase.name, f"{opens} to {closes}", tuple(rules))
