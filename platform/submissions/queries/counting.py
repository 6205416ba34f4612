"""Explanations for a team of which of its submissions counts in a ranking."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from challenges.models import Phase, Team
from datastore.test_sets.queries.decoys import keeps_decoys
from submissions.models import Run, Submission
from submissions.queries.methods import described_teams, description_needed, teams_of_other_levels
from submissions.queries.results import left_out, method_words, standing_of
from submissions.queries.validity import lacks_too_much

OTHER_LEVEL: Final = "its method description names a level of interaction that the registered design does not rank."


@dataclass(frozen=True)
class Counting:
    """Status of a submission in the ranking: whether it counts, and the reason as text.

    The text is empty if there is nothing to report yet.
    """

    counts: bool
    words: str


def tells_which(phase: Phase) -> bool:
    """Return whether a team may know which of its submissions counts.

    Knowing the best submission would reveal how hidden scores compare.
    """
    if phase.counts != Phase.Counts.BEST or phase.is_revealed:
        return True
    return phase.tells_exact_values and not keeps_decoys(phase)


def standing_submissions(teams: Collection[Team]) -> set[UUID]:
    """Return the submissions that count for one of the teams, in phases that may reveal it; one query."""
    submission_ids = set()
    for runs in _scored(Run.objects.filter(submission__team__in=teams)).values():
        phase = runs[0].submission.phase
        if tells_which(phase):
            submission_ids |= {run.submission_id for run in standing_of(phase, runs)}
    return submission_ids


def counting(submission: Submission, *, for_team: bool = True) -> Counting:
    """Return whether a scored submission counts, and why; three small queries at most.

    Parameters
    ----------
    for_team
        True if the reader belongs to the team; other readers see the team's name.
    """
    phase, team = submission.phase, submission.team
    whose = "Your team" if for_team else f"The team {team.name}"
    if submission.is_late:
        return Counting(False, "It arrived after the phase closed and does not take part in the ranking.")
    if phase.is_dry_run:
        return Counting(
            False, "This is a dry run: its ranking is for trying out, and no award or final rank depends on it."
        )
    if team.standing in Team.OUTSIDE:
        return Counting(False, f"{whose} is not ranked ({team.get_standing_display()}): {team.standing_reason}")
    within_team = _within_team(submission, "your team" if for_team else team.name)
    if team.pk in teams_of_other_levels(phase):
        text = f"The final ranking leaves {whose.lower() if for_team else team.name} out: {OTHER_LEVEL}"
        return (
            Counting(False, text)
            if phase.ranks_finally
            else Counting(within_team.counts, f"{within_team.words} {text}".strip())
        )
    if description_needed(phase) and team.pk not in described_teams(phase):
        until = "until one of its submissions to this task has a complete method description"
        until += ", with the address of the code." if phase.requires_code else "."
        if phase.ranks_finally:
            return Counting(False, f"The ranking leaves {whose.lower() if for_team else team.name} out {until}")
        return Counting(
            within_team.counts,
            f"{within_team.words} The final ranking leaves {whose.lower() if for_team else team.name} out {until}".strip(),
        )
    if phase.least_share is not None and within_team.counts and lacks_too_much(phase, _counted(submission)):
        text = f"The final ranking leaves it out: it has answers to less than {phase.least_share:.0%} of the cases."
        return Counting(False, text)
    return within_team


def _counted(submission: Submission) -> Run:
    return submission.runs.get(counts=True)


def _within_team(submission: Submission, team_name: str) -> Counting:
    """Return whether this submission of the team counts, apart from reasons that exclude the whole team."""
    phase, team = submission.phase, submission.team
    if not tells_which(phase):
        return Counting(
            False, f"The best submission of {team_name} counts; which one that is stays hidden as the scores do."
        )
    runs = _scored(Run.objects.filter(submission__team=team, submission__phase=phase)).get((team.pk, phase.pk))
    if not runs:
        return Counting(False, "")
    # Only where a result is against an earlier version can one have been left out; no query else.
    if any(not run.test_set.is_active for run in runs):
        missing = [entry for entry in left_out(phase) if entry.team == team.pk]
        if missing:
            return Counting(False, f"Submission {missing[0].number}: {missing[0].reason}")
    counting_runs = standing_of(phase, runs)
    counted = next((run for run in counting_runs if run.submission_id == submission.pk), counting_runs[0]).submission
    rule = {
        Phase.Counts.LAST: f"it is the last of {team_name} that was scored",
        Phase.Counts.BEST: f"it is the best of {team_name}",
        Phase.Counts.CHOSEN: f"{team_name} chose it"
        if counted.is_chosen
        else f"{team_name} chose none, so the last one counts",
    }[Phase.Counts(phase.counts)]
    if counted.pk == submission.pk:
        return Counting(True, f"This submission counts{method_words(phase, counted)}: {rule}.")
    return Counting(False, f"Submission {counted.number} counts instead: {rule}.")


def _scored(rows) -> dict[tuple[int, int], list[Run]]:
    """Runs with a result that may be ranked, by team and phase, in the order of their submissions."""
    rows = (
        rows.filter(counts=True, submission__is_late=False, submission__state=Submission.State.SCORED)
        .select_related("submission__phase__task", "submission__team", "test_set")
        .defer("log", "case_notes", "provenance")
        .order_by("submission__number")
    )
    grouped_runs: dict[tuple[int, int], list[Run]] = defaultdict(list)
    for run in rows:
        grouped_runs[run.submission.team_id, run.submission.phase_id].append(run)
    return grouped_runs
