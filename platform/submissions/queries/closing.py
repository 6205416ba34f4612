"""Teams that would be ranked if a phase closed now, and reasons why others would not."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from challenges.hooks import Entrant
from challenges.models import Phase, Team
from datastore.test_sets.queries.decoys import keeps_decoys
from federation.queries.federations import of_phase
from submissions.models import Run, Submission
from submissions.queries.methods import missing_facts
from submissions.queries.results import decided
from submissions.queries.validity import Obstacle

MOST_FACTS: Final = 3
RANKED, PENDING, NOT_RANKED = "ranked", "pending", "not_ranked"
HELD, REFUSED, WITHDRAWN, FAILED, NO_SUBMISSION = "held", "refused", "withdrawn", "failed", "no_submission"
NOT_RESCORED: Final = "not_rescored"
WORDS: Final = {
    Obstacle.LATE: "The submission arrived after the phase closed.",
    Obstacle.NOT_SCORED: "The submission is not scored.",
    Obstacle.NO_METHOD: "No submission to this task has a complete method description.",
    Obstacle.OTHER_LEVEL: "The method description names a level of interaction that the registered design does not rank.",
    HELD: "The submission waits for a decision of the team.",
    REFUSED: "The last submission was refused.",
    WITHDRAWN: "The team withdrew its submission.",
    FAILED: "The submission could not be scored.",
    NO_SUBMISSION: "The team has not submitted anything.",
}
REMINDED: Final = (Obstacle.NO_METHOD, Obstacle.INCOMPLETE, HELD, REFUSED, WITHDRAWN, FAILED, NO_SUBMISSION)
"""Reasons about which a team can do something before the close."""


def entrants(phase: Phase) -> list[Entrant]:
    """Return every team of the task of a phase as the ranking at its close would treat it, in the order of names.

    Uses `results.decided`, by which the phase is ranked. Empty for a phase that is evaluated at sites: its ranking is
    computed from what sites send.
    """
    if of_phase(phase) is not None:
        return []
    decision = decided(phase, is_final=True)
    ranked: dict[int, list[Run]] = defaultdict(list)
    invalid: dict[int, list[tuple[Run, Obstacle]]] = defaultdict(list)
    last: dict[int, Submission] = {}
    for run in decision.ranked:
        ranked[run.submission.team_id].append(run)
    for run, obstacle in decision.invalid:
        invalid[run.submission.team_id].append((run, obstacle))
    for submission in (
        Submission.objects.filter(phase=phase).only("team", "number", "state", "phase").order_by("number")
    ):
        last[submission.team_id] = submission
    failed = {entry.team: entry for entry in decision.failed}
    undescribed = {run.submission.team for run, obstacle in decision.invalid if obstacle == Obstacle.NO_METHOD}
    facts = missing_facts(phase, undescribed) if undescribed else {}
    teams = Team.objects.filter(challenge=phase.challenge).filter(tasks=phase.task) | Team.objects.filter(
        pk__in=[*last]
    )
    rows = []
    for team in teams.distinct().order_by("name"):
        if team.pk in ranked:
            numbers = tuple(f"Submission {run.submission.number}" for run in ranked[team.pk])
            rows.append(Entrant(team.pk, team.name, RANKED, submissions=numbers))
        elif team.pk in failed:
            entry = failed[team.pk]
            reason = f"Scoring against version {entry.version} of the test set failed. {entry.reason}".strip()
            rows.append(_out(team, NOT_RESCORED, reason, entry.number))
        else:
            rows.append(_unranked(phase, team, invalid[team.pk], last.get(team.pk), facts.get(team.pk, [])))
    return rows


def _unranked(
    phase: Phase, team: Team, invalid: list[tuple[Run, Obstacle]], last: Submission | None, facts: Sequence[str]
) -> Entrant:
    """A team without a valid result: what keeps it out, or what is still under way."""
    if team.standing in Team.OUTSIDE:
        reason = f"{team.get_standing_display().capitalize()}: {team.standing_reason}"
        return _out(team, team.standing, reason, last.number if last else None)
    if last is None:
        return _out(team, NO_SUBMISSION, WORDS[NO_SUBMISSION])
    if last.state in Submission.UNDER_WAY:
        reason = "Being processed. It is ranked if it is scored and meets every condition."
        return Entrant(team.pk, team.name, PENDING, last.state, reason, (f"Submission {last.number}",))
    judged = [(run, obstacle) for run, obstacle in invalid if obstacle != Obstacle.NOT_SCORED]
    if judged:
        run, obstacle = judged[-1]
        entry = _out(team, obstacle, _words(phase, obstacle, facts), run.submission.number)
        # How much of the scored cases is answered would help to find the decoys.
        may_tell = obstacle != Obstacle.INCOMPLETE or not keeps_decoys(phase)
        return replace(entry, can_remind=entry.can_remind and may_tell)
    code = {
        Submission.State.HELD: HELD,
        Submission.State.REFUSED: REFUSED,
        Submission.State.WITHDRAWN: WITHDRAWN,
        Submission.State.FAILED: FAILED,
    }.get(Submission.State(last.state), str(Obstacle.NOT_SCORED))
    return _out(team, code, WORDS.get(code, WORDS[Obstacle.NOT_SCORED]), last.number)


def _words(phase: Phase, obstacle: Obstacle, facts: Sequence[str]) -> str:
    if obstacle == Obstacle.INCOMPLETE:
        return f"It has answers to less than {phase.least_share or 0:.0%} of the cases."
    if obstacle == Obstacle.NO_METHOD and facts:
        more = f" and {len(facts) - MOST_FACTS} more" if len(facts) > MOST_FACTS else ""
        return f"{WORDS[obstacle]} Missing: {', '.join(facts[:MOST_FACTS])}{more}."
    return WORDS[obstacle]


def _out(team: Team, code: str, reason: str, number: int | None = None) -> Entrant:
    submissions = () if number is None else (f"Submission {number}",)
    return Entrant(team.pk, team.name, NOT_RANKED, str(code), reason, submissions, code in REMINDED)
