"""Ranking status of a person's teams over all their challenges, in a constant number of queries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from challenges.models import Member, Phase, Team
from challenges.queries import name_phases, phase_that_matters
from challenges.queries.timetable import ENDS_AT, closed_by, open_at, with_dates
from challenges.rules import remember_parts_in
from datastore.test_sets.queries.decoys import remember_decoys
from evaluation.boards.words import number, span
from evaluation.claims.legend import TOO_FEW
from leaderboards.models import RankingVersion
from leaderboards.queries import names, rankings
from leaderboards.queries.current import (
    Tables,
    current_and_previous_tables,
    current_standing,
    current_tables,
    frozen_moments,
)
from submissions.queries.quotas import Quota, quotas


@dataclass(frozen=True)
class Stand:
    """Position of a team in a ranking.

    Attributes
    ----------
    places
        Number of ranks by which the team improved since the ranking before.
        Negative if it is worse, None if it was not ranked.
    is_too_few
        Whether there are too few cases to rule out any rank.
    """

    rank: float
    set_low: int | None
    set_high: int | None
    teams: int
    places: float | None = None
    is_too_few: bool = False

    @property
    def could_be(self) -> str:
        """Text in parentheses after a rank: the rank set, or the reason for its absence.

        It is empty if the rank set is unknown or contains only one rank.
        """
        if self.is_too_few:
            return "too few cases to say more"
        # “3 (could be 3)” would be a riddle.
        return f"could be {self.set_text}" if self.set_low is not None and self.set_low != self.set_high else ""

    @property
    def rank_text(self) -> str:
        return number(self.rank)

    @property
    def set_text(self) -> str:
        return span(self.set_low, self.set_high)

    @property
    def places_text(self) -> str:
        return "" if self.places is None else number(abs(self.places))


@dataclass(frozen=True)
class Taking:
    """Participation of a person in a challenge.

    Contains the relevant phase, the status of the team, and the remaining quota.
    """

    phase: Phase
    team: Team
    key: str
    stand: Stand | None
    quota: Quota | None


def stand_in(table: Mapping[str, Any], team: str, before: Mapping[str, Any] | None = None) -> Stand | None:
    """Return the status of a team in the deciding order of a stored table, or None without a rank there."""
    if team not in table["teams"]:
        return None
    order, index = table["orders"][0], table["teams"].index(team)
    rank = order["rank"][index]
    if rank is None:
        return None
    earlier = stand_in(before, team) if before is not None else None
    return Stand(
        rank,
        order["set_low"][index],
        order["set_high"][index],
        len(table["teams"]),
        None if earlier is None else earlier.rank - rank,
        order.get("sets", {}).get("reason") in TOO_FEW,
    )


def challenges_of(user: Any) -> list[Taking]:
    """One entry for each task in which a person takes part, what closes first on top."""
    members = list(
        Member.objects.filter(user=user, team__standing__isnull=False)
        .select_related("team", "challenge")
        .prefetch_related("seats")
    )
    by_task = {seat.task_id: member for member in members for seat in member.seats.all()}
    challenges = {member.challenge_id: member.challenge for member in members}
    remember_parts_in(user, list(challenges.values()))
    rows = (
        Phase.objects.filter(task__challenge__in=challenges)
        .select_related("task__challenge")
        .order_by("task__position", "position")
    )
    all_phases: dict[int, list[Phase]] = {}
    for phase in rows:
        all_phases.setdefault(phase.task.challenge_id, []).append(phase)
    for group in all_phases.values():
        name_phases(group)
    phases = [
        now
        for task in by_task
        if (now := phase_that_matters([row for group in all_phases.values() for row in group if row.task_id == task]))
        is not None
    ]
    tables, earlier = tables_for(phases, user)
    labels = names.labels_in_tables(phases, [member.team for member in members])
    left = quotas(phases, [member.team for member in members], user)
    entries = []
    for phase in sorted(phases, key=lambda entry: (entry.is_closed, entry.ends_at)):
        team = by_task[phase.task_id].team
        table = tables.get(phase.pk)
        key = rankings.key_of(phase, all_phases[phase.task.challenge_id])
        label = labels[phase.pk, team.pk]
        stand = stand_in(table, label, earlier.get(phase.pk)) if table else None
        entries.append(Taking(phase, team, key, stand, left.get(phase.pk) if phase.is_open else None))
    return entries


def tables_for(phases: Sequence[Phase], user: Any) -> tuple[Tables, Tables]:
    """By phase the table of the current ranking as a person may see it, and of the one before it."""
    visible = _visible(phases, user)
    return current_and_previous_tables(visible, frozen_moments(visible, user))


def tables_of(phases: Sequence[Phase], user: Any) -> Tables:
    """By phase the table of the current ranking as a person may see it."""
    visible = _visible(phases, user)
    return current_tables(visible, frozen_moments(visible, user))


def _visible(phases: Sequence[Phase], user: Any) -> list[Phase]:
    remember_decoys(phases)
    return [phase for phase in phases if user.has_perm("leaderboards.view_ranking", phase)]


def shown_to_visitors(user: Any, *, most: int = 5) -> tuple[Phase, str, RankingVersion] | None:
    """The public ranking that closed last, or where none has closed one that is open; with the part of its address that
    names the phase.
    """
    public = with_dates(Phase.objects.filter(task__challenge__is_public=True, is_dry_run=False)).select_related(
        "task__challenge"
    )
    now = timezone.now()
    closed = public.filter(closed_by(now)).order_by(ENDS_AT.desc())[:most]
    running = public.filter(open_at(now), leaderboard=Phase.Leaderboard.PUBLIC)
    return _first_ranked(user, closed) or _first_ranked(user, running.order_by("task__challenge__created_at")[:most])


def _first_ranked(user: Any, candidates: Iterable[Phase]) -> tuple[Phase, str, RankingVersion] | None:
    """The first phase with a ranking of several teams that the person may see."""
    phases = list(candidates)
    remember_decoys(phases)
    for phase in phases:
        is_open = not phase.is_closed or phase.is_revealed
        if not is_open or not user.has_perm("leaderboards.view_ranking", phase):
            continue
        standing = current_standing(phase)
        if standing is None:
            continue
        standing.version.phase = phase
        if len(standing.version.table["teams"]) > 1 and names.is_open(standing.version):
            siblings = list(Phase.objects.filter(task__challenge=phase.challenge).select_related("task"))
            return phase, rankings.key_of(phase, siblings), names.shown(standing.version)
    return None
