"""Teams that can submit to a phase: all, or those that an earlier phase ranks."""

from challenges import hooks
from challenges.models import Phase, Team
from challenges.queries.composed_rules import entrants_text


def refusal_of_entry(phase: Phase, team: Team) -> str:
    """Return the reason why a team cannot submit to a phase that is open to teams of an earlier one; empty if it can.

    The final ranking of the earlier phase decides. If a correction changes it, the teams that can submit change as well;
    submissions made before stay. The reason contains no rank, because results may not be released yet.
    """
    if not phase.entrants_from:
        return ""
    source = source_of(phase)
    if source is None:
        return f"{phase.name} is open to teams of a phase that this challenge does not have. Write to the organizers."
    rule = f"{phase.name} is open to {entrants_text(phase, {source.slug: source.name})}."
    ranks = next((provider(source) for provider in hooks.final_ranks), None)
    if ranks is None:
        return f"{rule} They are known when {source.name} has its final ranking."
    final = ranks.get(team.pk)
    if final is None:
        return f"{rule} Your team is not ranked there."
    reached = final.best if phase.entrants_rule == Phase.Entrants.RANK_SET else final.rank
    if phase.entrants_best is not None and min(reached, final.rank) > phase.entrants_best:
        return f"{rule} Your team is not one of them."
    return ""


def source_of(phase: Phase) -> Phase | None:
    """Return the earlier phase whose teams can submit; None where all teams can, or without that phase."""
    if not phase.entrants_from:
        return None
    return Phase.objects.filter(task=phase.task_id, slug=phase.entrants_from).first()
