"""The rules of a challenge, as its page shows them."""

from collections.abc import Sequence

from challenges.models import Challenge, Phase
from challenges.queries.composed_rules import Rule, composed_rules, rules_of_phase
from challenges.queries.projections import projection_of
from registry.domain.public_documents import parsed


def rules_of(challenge: Challenge, phases: Sequence[Phase]) -> list[Rule]:
    """Return the answers to the questions of people who want to take part.

    Questions without a registered or configured answer are absent, as are phases of removed tasks.
    """
    projection = projection_of(challenge)
    values = parsed(projection.version.document).values() if projection is not None else None
    present = [phase for phase in phases if not phase.task.removed_at]
    names: dict[int, dict[str, str]] = {}
    for phase in present if any(phase.entrants_from for phase in present) else ():
        names.setdefault(phase.task_id, {})[phase.slug] = phase.name
    rules = [rules_of_phase(phase, phase.label, names[phase.task_id] if names else None) for phase in present]
    return composed_rules(rules, values)
