"""The current ranking of a phase: the one place that decides which stored version is valid, now or at a moment.

A version becomes the ranking of its phase by a `Standing`; the last one is the current ranking. It is withdrawn when no
result counts any more (`RankingRequest.nothing_counts`), for example after all teams were disqualified. A board that was
frozen before continues to show what was current at that moment.

Pages, embeds, the API, reports, mails, publications and exports ask this module and read no `Standing` themselves;
``tests/unit/test_one_place_for_rankings.py`` checks that.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery

from challenges.models import Phase
from leaderboards.models import Freeze, RankingRequest, RankingVersion, Standing

Tables = dict[int, dict[str, Any]]


def current_standing(phase: Phase, *, until: datetime | None = None) -> Standing | None:
    """Return the current ranking of a phase with its version; None where there is none or it was withdrawn.

    Parameters
    ----------
    until
        Return the ranking that was current at this moment, for readers of a frozen board.
    """
    standings = _standings([phase], {} if until is None else {phase.pk: until})
    return standings.select_related("version__analysis").order_by("since", "pk").last()


def last_standing(phase: Phase) -> Standing | None:
    """Return the last ranking of a phase, also after it was withdrawn; for code that stores rankings, never for readers."""
    return Standing.objects.filter(phase=phase).select_related("version__analysis").order_by("since", "pk").last()


def standings_of(phase: Phase, *, until: datetime | None = None) -> QuerySet[Standing]:
    """Return every ranking that was ever current up to a moment, with its version, the oldest first."""
    rows = Standing.objects.filter(phase=phase).select_related("version").order_by("since", "pk")
    return rows if until is None else rows.filter(since__lte=until)


def was_current(version: RankingVersion, until: datetime) -> bool:
    """Return whether a version was the current ranking at some time up to a moment."""
    return Standing.objects.filter(version=version, since__lte=until).exists()


def last_change(phase_id: int) -> datetime | None:
    """Return when the ranking of a phase last changed."""
    moment: datetime | None = Standing.objects.filter(phase=phase_id).aggregate(last=Max("since"))["last"]
    return moment


def current_versions() -> QuerySet[Standing, Any]:
    """Return the primary key of the current version of every phase, as a subquery."""
    last = Standing.objects.filter(phase=OuterRef("phase")).order_by("-since", "-pk").values("pk")[:1]
    return Standing.objects.filter(pk=Subquery(last)).exclude(_withdrawn()).values("version_id")


def versions_of(phases: Iterable[Phase], until: Mapping[int, datetime] | None = None) -> dict[int, list[int]]:
    """Return the versions of each phase in the order in which they became current; phases without a current one are absent.

    Parameters
    ----------
    until
        By phase the moment up to which its reader sees rankings; see `frozen_moments`.
    """
    until = until or {}
    rows = _standings(list(phases), until).order_by("since", "pk").values_list("phase_id", "version_id", "since")
    versions: dict[int, list[int]] = {}
    for phase, version, since in rows:
        if phase not in until or since <= until[phase]:
            versions.setdefault(phase, []).append(version)
    return versions


def current_tables(phases: Iterable[Phase], until: Mapping[int, datetime]) -> Tables:
    """Return by phase the table of the current ranking, or of the one at the moment given for a phase; two queries for all."""
    return _tables({phase: versions[-1] for phase, versions in versions_of(phases, until).items()})


def current_and_previous_tables(phases: Iterable[Phase], until: Mapping[int, datetime]) -> tuple[Tables, Tables]:
    """Return the same, and by phase the table of the ranking before; three queries for all."""
    versions = versions_of(phases, until)
    previous = {phase: rows[-2] for phase, rows in versions.items() if len(rows) > 1}
    return _tables({phase: rows[-1] for phase, rows in versions.items()}), _tables(previous)


def frozen_moments(phases: Sequence[Phase], user: Any) -> dict[int, datetime]:
    """Return by phase the moment of its freeze, of those whose newer rankings a person may not see."""
    rows = Freeze.objects.filter(phase__in=phases).in_bulk(field_name="phase_id")
    moments = {}
    for phase in phases:
        freeze = rows.get(phase.pk)
        if freeze is not None:
            freeze.phase = phase
            if freeze.holds and not user.has_perm("leaderboards.view_frozen", phase):
                moments[phase.pk] = freeze.moment
    return moments


def is_withdrawn(request: RankingRequest | None, frozen_at: datetime | None) -> bool:
    """Return whether the ranking of a phase was withdrawn for a reader who sees it up to a moment."""
    return request is not None and request.nothing_counts and frozen_at is None


@dataclass(frozen=True)
class Checked:
    """A version that something was made from, compared with what is current.

    Attributes
    ----------
    current
        Number of the current version for organizers; None after it was withdrawn.
    public
        The same for visitors, who see less on a frozen board.
    """

    phase: Phase
    number: int
    current: int | None
    public: int | None


def check_versions(versions: Collection[int]) -> dict[int, Checked]:
    """Return by primary key how these versions compare with the current ones of their phases; three queries for all."""
    rows = RankingVersion.objects.filter(pk__in=versions).select_related("phase__task__challenge")
    checked = list(rows.only("number", "phase"))
    phases = {row.phase_id: row.phase for row in checked}
    if not phases:
        return {}
    until = frozen_moments(list(phases.values()), AnonymousUser())
    standings = Standing.objects.filter(phase__in=phases).order_by("since", "pk").annotate(withdrawn=_withdrawn())
    current: dict[int, int | None] = {}
    public: dict[int, int | None] = {}
    for phase, number, since, withdrawn in standings.values_list("phase_id", "version__number", "since", "withdrawn"):
        current[phase] = None if withdrawn else number
        if phase not in until:
            public[phase] = current[phase]
        elif since <= until[phase]:
            public[phase] = number
    return {
        row.pk: Checked(row.phase, row.number, current.get(row.phase_id), public.get(row.phase_id)) for row in checked
    }


def version_by_key(key: int) -> RankingVersion:
    """Return the version that something was made from, which may have been replaced since, with its phase."""
    return RankingVersion.objects.select_related("phase__task__challenge").get(pk=key)


def _withdrawn() -> Exists:
    return Exists(RankingRequest.objects.filter(phase=OuterRef("phase"), nothing_counts=True))


def _standings(phases: Sequence[Phase], until: Mapping[int, datetime]) -> QuerySet[Standing]:
    """Rankings of phases that are not withdrawn; of frozen ones those that may have been current at the moment."""
    rows = Standing.objects.filter(phase__in=phases)
    if len(phases) == 1 and until:
        return rows.filter(since__lte=until[phases[0].pk])
    return rows.exclude(_withdrawn() & ~Q(phase__in=list(until))) if until else rows.exclude(_withdrawn())


def _tables(versions: Mapping[int, int]) -> Tables:
    tables = dict(RankingVersion.objects.filter(pk__in=versions.values()).values_list("pk", "table"))
    return {phase: tables[version] for phase, version in versions.items()}
