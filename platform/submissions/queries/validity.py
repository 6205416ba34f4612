"""Validity of scored submissions for a ranking, and reasons why others are not valid.

The one decision about validity: rankings, the pages of teams and the review before a closing read it here.
"""

from dataclasses import dataclass
from enum import StrEnum

from challenges.models import Phase, Team
from submissions.models import Run, Submission
from submissions.queries.methods import described_teams, description_needed, teams_of_other_levels


class Obstacle(StrEnum):
    """A reason why a scored submission is not valid for a ranking."""

    LATE = "late"
    NOT_SCORED = "not_scored"
    UNRANKED = "unranked"
    BASELINE = "baseline"
    DISQUALIFIED = "disqualified"
    NO_METHOD = "no_method"
    OTHER_LEVEL = "other_level"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True)
class Validity:
    """The conditions of a ranking of a phase, read once.

    Attributes
    ----------
    is_final
        Whether the conditions of the final ranking apply.
    described
        Teams with the method description that the final ranking needs; None where it needs none.
    other_levels
        Teams whose method has a level of interaction that is not ranked finally.
    """

    phase: Phase
    is_final: bool
    described: frozenset[int] | None
    other_levels: frozenset[int]

    @classmethod
    def of(cls, phase: Phase, *, is_final: bool | None = None) -> "Validity":
        """Read the conditions of a phase.

        Parameters
        ----------
        is_final
            By default, whether the ranking is final now. True before the close: who would be ranked if the phase
            closed now.
        """
        final = phase.ranks_finally if is_final is None else is_final
        return cls(
            phase=phase,
            is_final=final,
            described=frozenset(described_teams(phase)) if final and description_needed(phase) else None,
            other_levels=frozenset(teams_of_other_levels(phase)) if final and phase.interaction_levels else frozenset(),
        )

    def obstacle(self, run: Run) -> Obstacle | None:
        """Return why a run with a result is not valid for the ranking; None for a valid one."""
        submission = run.submission
        if submission.state != Submission.State.SCORED:
            return Obstacle.NOT_SCORED
        if submission.is_late:
            return Obstacle.LATE
        if submission.team.standing in Team.OUTSIDE:
            return Obstacle(submission.team.standing)
        if self.described is not None and submission.team_id not in self.described:
            return Obstacle.NO_METHOD
        if submission.team_id in self.other_levels:
            return Obstacle.OTHER_LEVEL
        return Obstacle.INCOMPLETE if lacks_too_much(self.phase, run, is_final=self.is_final) else None


def lacks_too_much(phase: Phase, run: Run, *, is_final: bool | None = None) -> bool:
    """Return whether a result covers fewer cases than the registered design requires for the final ranking."""
    final = phase.ranks_finally if is_final is None else is_final
    if phase.least_share is None or not final:
        return False
    cases = run.summary["cases"]
    return cases - run.summary["missing_cases"] < phase.least_share * cases
