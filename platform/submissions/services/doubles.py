"""The same predictions from several teams: shown to organizers, who decide what that means (MAN-10)."""

from challenges.models import Concern
from submissions.models import Run, Submission

# More equal results than this are told by their first ones.
LOOKED_AT = 50


def find_doubles(*, run: Run, submission: Submission) -> list[Concern]:
    """Compare a new result with those of other teams in the phase: equal digests are equal values in every case.

    Call it in the transaction that stores the result; each pair of teams and phase is found once.
    """
    same = (
        Run.objects.filter(counts=True, submission__phase=submission.phase_id, result_digest=run.result_digest)
        .exclude(submission__team=submission.team_id)
        .select_related("submission__team")
        .order_by("submission__created_at")
    )
    found = {}
    for other in same[:LOOKED_AT]:
        teams = sorted((submission.team_id, other.submission.team_id))
        key = f"phase {submission.phase_id} teams {teams[0]} {teams[1]}"
        found.setdefault(
            key,
            Concern(
                challenge=submission.challenge,
                kind=Concern.Kind.PREDICTIONS,
                team=submission.team,
                key=key,
                evidence=(
                    f"{submission.phase.name}: submission {submission.number} has the same result in every case as "
                    f"submission {other.submission.number} of {other.submission.team.name}"
                )[:500],
            ),
        )
    return Concern.objects.bulk_create(found.values(), ignore_conflicts=True)
