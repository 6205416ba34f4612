"""The same predictions from several teams: shown to organizers, who decide what that means (MAN-10)."""

from collections.abc import Iterable

from django.db.models import QuerySet

from challenges.models import Concern
from submissions.models import Run, Submission

# More equal results than this are told by their first ones.
LOOKED_AT = 50


def show_same_results(submission: Submission, same: QuerySet[Run]) -> list[Concern]:
    """Show organizers the results of other teams that have the same value in every case.

    Call it in the transaction that stores the result.
    """
    same = same.select_related("submission__team").order_by("submission__created_at")
    return show_duplicates(
        submission,
        (
            (
                other.submission.team_id,
                f"has the same result in every case as submission {other.submission.number} of {other.submission.team.name}",
            )
            for other in same[:LOOKED_AT]
        ),
    )


def show_duplicates(submission: Submission, others: Iterable[tuple[int, str]]) -> list[Concern]:
    """Show organizers what a submission has in common with those of other teams; each pair of teams and phase once.

    Parameters
    ----------
    others
        Number of a team, and what the submission has in common with one of its, behind “submission 3 …”.
    """
    phase = submission.phase
    concerns: dict[str, Concern] = {}
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
        concerns.setdefault(key, concern)
    return Concern.objects.bulk_create(concerns.values(), ignore_conflicts=True)
