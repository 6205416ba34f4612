"""Facts of a challenge, computed without the code that writes the exposure report."""

from datetime import datetime
from typing import Any

from reports.exposure.queries.audience import Level
from reports.exposure.queries.facts import Facts, PhaseFacts
from tests.claims.meanings import Meanings

MEANINGS = Meanings()
"""Of the conclusions of exposure reports."""
means = MEANINGS.means
PHASE = r"((?:Main, |Other, )?Phase \d)"


def begun(facts: Facts) -> list[PhaseFacts]:
    """Phases of which there is anything that could be manipulated."""
    return [phase for phase in facts.phases if phase.test_sets or phase.ranking is not None]


def ranked(facts: Facts) -> list[PhaseFacts]:
    return [phase for phase in begun(facts) if phase.ranking is not None and phase.level != Level.NOTHING]


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def first(facts: Facts) -> datetime | None:
    return min((moment(phase.first_submission) for phase in facts.phases if phase.first_submission), default=None)


def in_design(facts: Facts, parameter: str) -> Any:
    if facts.design is None:
        return None
    data = facts.design.data
    return next((part[parameter] for part in (*data["tasks"], data["challenge"]) if part.get(parameter)), None)


def registered_for_all(facts: Facts) -> datetime | None:
    """Return the time since which every running assessment is in the registration; None without a registration."""
    if facts.design is None or facts.design.kind != "registration":
        return None
    return max(
        [moment(phase.assessment_since or facts.design.since) for phase in begun(facts) or facts.phases]
        or [moment(facts.design.since)]
    )


def registered_before_first(facts: Facts) -> bool:
    since, began = registered_for_all(facts), first(facts)
    return since is not None and (began is None or since <= began)


def other_assessment(facts: Facts) -> bool:
    executed = any(
        entry["executed_digest"] != entry["registered_digest"]
        for phase in facts.phases
        for entry in phase.deviations
        if entry["kind"] != "schedule"
    )
    return executed or any(len(set(phase.ranking.assessments_used)) > 1 for phase in ranked(facts))


def elsewhere(facts: Facts) -> bool:
    return any(phase.assessment["problem"] in ("table", "external") for phase in begun(facts))


def left_out(phase: PhaseFacts) -> bool:
    return any(metric.get("policy", {}).get("missing") == "exclude" for metric in phase.assessment["metrics"])


def taken_out(facts: Facts) -> int:
    return sum(len(phase.assessment.get("exclusions", {}).get("cases", ())) for phase in begun(facts))


def called(facts: Facts, phase: PhaseFacts) -> str:
    """A phase as it is called where another task may have one of the same name."""
    several = any(other.task != phase.task for other in facts.phases)
    return f"{phase.task_name}, {phase.name}" if several else phase.name
