"""The same predictions from several teams: shown to organizers, who decide what that means (MAN-10)."""

from collections.abc import Iterable

from challenges.models import Concern
from submissions.models import Run, Submission

# More equal results than this are told by their first ones.
LOOKED_AT = 50


def find_doubles(*, run: Run, submission: Submission) -> list[Concern]:
    """Compare a new result with those of other teams in the phase: equal digests are equal values in every case.

    Call it in the transaction that stores the result.
    """
    same = (
        Run.objects.filter(counts=True, submission__phase=submission.phase_id, result_digest=run.result_digest)
        .exclude(submission__team=submission.team_id)
        .select_related("submission__team")
        .order_by("submission__created_at")
    )
    return show_doubles(
        submission,
        (
            (
                other.submission.team_id,
                f"has the same result in every case as submission {other.submission.number} of {other.submission.team.name}",
            )
            for other in same[:LOOKED_AT]
        ),
    )


def show_doubles(submission: Submission, others: Iterable[tuple[int, str]]) -> list[Concern]:
    """Show organizers what a submission has in common with those of other teams; each pair of teams and phase once.

    Parameters
    ----------
    others
        Number of a team, and what the submission has in common with one of its, behind “submission 3 …”.
    """
    phase = submission.phase
    found: dict[str, Concern] = {}
    for team, what in others:
        teams = sorted((submission.team_id, team))
        key = f"phase {phase.pk} teams {teams[0]} {teams[1]}"
        evidence = f"{phase.name}: submission {submission.number} {what}"[:500]
        concern = Concern(
            challenge=submission.challenge,
            kind=Concern.Kind.PREDICTIONS,
            team=submission.team,
            key=key,
            evidence=evidence,
        )
        found.setdefault(key, concern)
    return Concern.objects.bulk_create(found.values(), ignore_conflicts=True)
