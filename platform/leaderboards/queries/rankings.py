"""Reads worth naming."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, QuerySet
from django.http import Http404

from challenges.models import Member, Organizer, Phase
from challenges.queries import phase_that_matters
from executions.domain.outcomes import missing_words
from leaderboards.models import Freeze, RankingRequest, RankingVersion, Standing
from leaderboards.queries.current import standings_of
from leaderboards.queries.names import is_open
from submissions.models import Run, Submission
from submissions.queries.methods import levels_of


def freeze_of(phase: Phase) -> Freeze | None:
    """Return the freeze of a phase's public ranking before its end, or None."""
    freeze = Freeze.objects.filter(phase=phase).first()
    if freeze is not None:
        freeze.phase = phase
    return freeze


def every_version(phases: Sequence[Phase]) -> QuerySet[RankingVersion]:
    """Return all versions of the rankings of phases, current or not."""
    return RankingVersion.objects.filter(phase__in=phases)


def last_number(phase: Phase) -> int:
    """Number of the last version made, 0 before the first."""
    return RankingVersion.objects.filter(phase=phase).aggregate(last=Max("number"))["last"] or 0


def last_version(phase: Phase) -> RankingVersion | None:
    """Return number, inputs and document name of the last version made, current or not; None before the first."""
    rows = RankingVersion.objects.filter(phase=phase).only("number", "inputs", "document_name")
    return rows.order_by("number").last()


def was_ranked_before(phase: Phase, moment: datetime) -> bool:
    """Return whether a version was made before a point in time."""
    return RankingVersion.objects.filter(phase=phase, created_at__lt=moment).exists()


def versions_before(version: RankingVersion, *, most: int = 50) -> list[RankingVersion]:
    """The versions of the same phase before one, the latest first."""
    rows = RankingVersion.objects.filter(phase_id=version.phase_id, number__lt=version.number)
    return list(rows.order_by("-number")[:most])


def history(phase: Phase, *, until: datetime | None = None) -> list[Standing]:
    """Return all current and former rankings, the newest first, without the large fields."""
    rows = standings_of(phase, until=until).order_by("-since", "-pk")
    standings = list(rows.defer("version__table", "version__inputs", "version__versions", "version__sentences"))
    for standing in standings:
        standing.phase = standing.version.phase = phase
    return standings


def last_tables(phase: Phase, *, most: int) -> list[tuple[datetime, dict[str, Any]]]:
    """Return start and table of the last `most` rankings, the oldest first."""
    rows = standings_of(phase).order_by("-since", "-pk")
    standings = list(rows.defer("version__versions", "version__sentences")[:most])[::-1]
    for standing in standings:
        standing.version.phase = phase
    return [(standing.since, standing.version.table) for standing in standings if is_open(standing.version)]


def freezes_of(phases: Sequence[Phase]) -> list[tuple[Phase, Freeze]]:
    """Return the freezes of the phases whose public ranking is frozen before its end."""
    rows = Freeze.objects.filter(phase__in=phases).in_bulk(field_name="phase_id")
    for phase in phases:
        if phase.pk in rows:
            rows[phase.pk].phase = phase
    return [(phase, rows[phase.pk]) for phase in phases if phase.pk in rows]


def state_of(phase: Phase) -> tuple[Freeze | None, RankingRequest | None]:
    """Return the freeze of a phase's public ranking and its pending computation, in one query."""
    row = Phase.objects.select_related("freeze", "ranking_request").only("freeze", "ranking_request").get(pk=phase.pk)
    freeze, request = getattr(row, "freeze", None), getattr(row, "ranking_request", None)
    if freeze is not None:
        freeze.phase = phase
    return freeze, request


def teams_that_submitted(phase: Phase) -> int:
    """Return the number of teams with an accepted submission, the only information about a sealed phase."""
    unsuccessful = Submission.UNSUCCESSFUL
    return Submission.objects.filter(phase=phase).exclude(state__in=unsuccessful).values("team").distinct().count()


def entries_of(phase: Phase, runs: Sequence[Run], names: Mapping[UUID, str]) -> dict[str, dict[str, Any]]:
    """Return facts about the ranked teams other than scores: number and time of submissions, and marks.

    Parameters
    ----------
    names
        Label of each run in the ranking, by which the facts are returned.
    """
    submission_counts: dict[int, int] = defaultdict(int)
    late: set[int] = set()
    rows = Submission.objects.filter(phase=phase).exclude(state__in=Submission.UNSUCCESSFUL)
    for team, is_late in rows.values_list("team_id", "is_late"):
        submission_counts[team] += 1
        if is_late:
            late.add(team)
    levels = levels_of(phase) if phase.interaction else {}
    organizers = Organizer.objects.filter(challenge=phase.task.challenge_id).values("user")
    organizer_teams = set(
        Member.objects.filter(challenge=phase.task.challenge_id, user__in=organizers).values_list("team", flat=True)
    )
    return {
        names[run.pk]: {
            "submissions": submission_counts[run.submission.team_id],
            "handed_in": run.submission.created_at.date().isoformat(),
            "marks": [
                *(
                    mark
                    for mark, teams in (("organizer", organizer_teams), ("late", late))
                    if run.submission.team_id in teams
                ),
                *([levels[run.submission.team_id]] if run.submission.team_id in levels else []),
            ],
            # Of an algorithm that was run here: how many cases have no prediction, and why.
            "outcomes": missing_words(outcomes) if (outcomes := run.summary.get("outcomes")) else "",
        }
        for run in runs
    }


def assessments_ranked(phase: Phase) -> list[tuple[str, int]]:
    """Each assessment that a phase was ranked by, the latest first: its digest, and its last version."""
    rows = RankingVersion.objects.filter(phase=phase).values("assessment_digest").annotate(last=Max("number"))
    return [(row["assessment_digest"], row["last"]) for row in rows.order_by("-last")]


def key_of(phase: Phase, phases: Sequence[Phase]) -> str:
    """Return the readable part of the address that names `phase` among the `phases` of its challenge.

    The slug of the phase where that is enough; ``task.phase`` where an earlier task has a phase of the same slug. Adding
    tasks behind the others therefore never changes an address.
    """
    first = next(candidate for candidate in phases if candidate.slug == phase.slug)
    return phase.slug if first.pk == phase.pk else f"{phase.task.slug}.{phase.slug}"


def phase_by_key(phases: Sequence[Phase], key: str | None) -> Phase:
    """Return the phase that an address names; without a name the one of the first task that matters now.

    Raises
    ------
    Http404
        When there is none.
    """
    if key is None:
        chosen = phase_that_matters([phase for phase in phases if phase.task_id == phases[0].task_id])
    else:
        chosen = next((row for row in phases if key in (row.slug, f"{row.task.slug}.{row.slug}")), None)
    if chosen is not None:
        return chosen
    raise Http404("There is no such phase.")
