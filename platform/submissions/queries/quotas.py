"""Remaining submissions of a team and of a person in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import cast

from django.db.models import Count, Q
from django.utils import timezone

from accounts.models import User
from challenges.models import Phase, Team
from challenges.queries.entry import refusal_of_entry
from datastore.uploads.storage import upload_limits
from submissions.models import Submission


@dataclass(frozen=True)
class Used:
    """Use of a phase's limits: submissions that count today and in total, and unsuccessful ones of today."""

    today: int
    in_total: int
    unsuccessful_today: int


@dataclass(frozen=True)
class Quota:
    """Use of a phase's limits by a team and one of its members; None if there is no limit.

    The same limits apply to a team and to a person. A person who changes the team keeps the count of what
    they submitted with the earlier team.

    Attributes
    ----------
    entry
        Reason why the team cannot submit to a phase that is open to teams of an earlier one; empty if it can.
    """

    per_day: int | None
    in_total: int | None
    unsuccessful_per_day: int
    team: Used
    person: Used
    day_ends_at: datetime
    entry: str = ""

    @property
    def used_today(self) -> int:
        """Number of submissions that count today, of the team or the person, the larger of the two."""
        return max(self.team.today, self.person.today)

    @property
    def used_in_total(self) -> int:
        """Number of submissions that count in total, of the team or the person, the larger of the two."""
        return max(self.team.in_total, self.person.in_total)

    @property
    def unsuccessful_today(self) -> int:
        """Number of unsuccessful submissions today, of the team or the person, the larger of the two.

        Unsuccessful submissions were refused, withdrawn or failed, or wait for a decision of the team.
        """
        return max(self.team.unsuccessful_today, self.person.unsuccessful_today)

    @property
    def left(self) -> int | None:
        """Number of submissions that are possible now; None without a limit."""
        left = [
            limit - used
            for limit, used in ((self.per_day, self.used_today), (self.in_total, self.used_in_total))
            if limit is not None
        ]
        return max(0, min(left)) if left else None

    @property
    def counts_earlier_team(self) -> bool:
        """True if the person has used more than the team, by submitting with an earlier team."""
        return self.person.today > self.team.today or self.person.in_total > self.team.in_total

    @property
    def exhausted(self) -> str:
        """Reason for the participant why no submission is possible now; empty if one is possible."""
        if self.entry or self.used_up:
            return self.entry or self.used_up
        for used, whose in ((self.team, "of your team"), (self.person, "that you sent with this and other teams")):
            if used.unsuccessful_today >= self.unsuccessful_per_day:
                return (
                    f"{self.unsuccessful_per_day} submissions {whose} are held, or were refused, withdrawn or failed today; "
                    "the next day begins at 00:00 UTC."
                )
        return ""

    @property
    def used_up(self) -> str:
        """Reason for the participant why no other submission can count; empty if one can."""
        is_today = self.day_ends_at > timezone.now()
        of_day = "today" if is_today else f"{self.day_ends_at - timedelta(days=1):%-d %B %Y}"
        next_day = "; the next day begins at 00:00 UTC" if is_today else ""
        for used, who in ((self.team, "Your team has used its"), (self.person, "You yourself have used your")):
            if self.in_total is not None and used.in_total >= self.in_total:
                return f"{who} {_times(self.in_total)} in this phase{_earlier(used, self)}."
            if self.per_day is not None and used.today >= self.per_day:
                return f"{who} {_times(self.per_day)} of {of_day}{_earlier(used, self)}{next_day}."
        return ""


def quota(phase: Phase, team: Team, user: User, *, day: datetime | None = None) -> Quota:
    """Count what `team` and `user` have used on a day, today by default, and in total.

    Held, refused, withdrawn and failed submissions have a cap of their own. Those that are charged count towards both.
    """
    day, counted = _counts(Q(team=team), user, day)
    used = Submission.objects.filter(Q(team=team) | Q(user=user), phase=phase).aggregate(**counted)
    return _quota(phase, used, day, refusal_of_entry(phase, team))


def _counts(of_team: Q, user: User, moment: datetime | None = None) -> tuple[datetime, dict[str, Count]]:
    """The beginning of the day of a moment, and what is counted of a team and a person."""
    day = (moment or timezone.now()).astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    unsuccessful = Q(state__in=Submission.UNCOUNTED)
    used_up = ~unsuccessful | Q(is_charged=True)
    today = Q(created_at__gte=day, created_at__lt=day + timedelta(days=1))
    counted: dict[str, Count] = {}
    for who, condition in (("team", of_team), ("person", Q(user=user))):
        counted |= {
            f"{who}_today": Count("pk", filter=condition & today & used_up),
            f"{who}_in_total": Count("pk", filter=condition & used_up),
            f"{who}_unsuccessful_today": Count("pk", filter=condition & today & unsuccessful),
        }
    return day, counted


def _quota(phase: Phase, used: dict[str, int], day: datetime, entry: str = "") -> Quota:
    return Quota(
        per_day=phase.submissions_per_day,
        in_total=phase.submissions_in_total,
        unsuccessful_per_day=upload_limits().unsuccessful_per_day,
        team=_used(used, "team"),
        person=_used(used, "person"),
        day_ends_at=day + timedelta(days=1),
        entry=entry,
    )


def quotas(phases: Sequence[Phase], teams: Sequence[Team], user: User) -> dict[int, Quota]:
    """Return what a person and their teams have used of the limits of several phases, by phase; one query.

    Parameters
    ----------
    teams
        The person's teams; in each phase one of them takes part.
    """
    day, counted = _counts(Q(team__in=teams), user)
    own_submissions = Submission.objects.filter(Q(team__in=teams) | Q(user=user), phase__in=phases)
    rows = {
        row["phase"]: cast("dict[str, int]", row)
        for row in own_submissions.order_by().values("phase").annotate(**counted)
    }
    none = dict.fromkeys(counted, 0)
    return {phase.pk: _quota(phase, rows.get(phase.pk) or none, day, _entry(phase, teams)) for phase in phases}


def _entry(phase: Phase, teams: Sequence[Team]) -> str:
    """Return the reason why none of a person's teams can submit to a phase; empty if one can."""
    refusals = [refusal_of_entry(phase, team) for team in teams] if phase.entrants_from else []
    return refusals[0] if refusals and all(refusals) else ""


def _used(row: dict[str, int], who: str) -> Used:
    return Used(row[f"{who}_today"], row[f"{who}_in_total"], row[f"{who}_unsuccessful_today"])


def _earlier(used: Used, phase_quota: Quota) -> str:
    return ", those with an earlier team included" if used is phase_quota.person else ""


def _times(number: int) -> str:
    return "one submission" if number == 1 else f"{number} submissions"
