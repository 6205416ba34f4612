"""Challenges, phases and teams."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Count, Prefetch, Q, QuerySet
from django.http import Http404

from challenges.models import Challenge, Member, Organizer, Phase, Task, Team
from challenges.rules import readable_by, remember_parts

# From where a challenge is run stands on most of its pages; the registered document does not.
PROJECTION = ("projection__registration", "projection__version")
HEAVY = ("projection__version__canonical", "projection__version__sealed", "projection__version__changes")


def visible_challenge(user: Any, slug: str) -> Challenge:
    """Return the challenge if `user` may see it.

    Raises
    ------
    Http404
        Also for a challenge that exists but is not public: its existence is not revealed.
    """
    challenge = Challenge.objects.select_related(*PROJECTION).defer(*HEAVY).filter(slug=slug).first()
    if challenge is not None:
        remember_parts(user, challenge)
    if challenge is None or not user.has_perm("challenges.view_challenge", challenge):
        raise Http404("There is no such challenge.")
    return challenge


def seen_by(user: Any) -> QuerySet[Challenge]:
    """Return the challenges that a person may see: those that they may read, and those in whose organization they have a part."""
    if user.is_superuser:
        return Challenge.objects.all()
    return Challenge.objects.filter(
        readable_by(user) | Q(pk__in=Organizer.objects.filter(user=user).values("challenge"))
    )


def part_of(user: Any) -> QuerySet[Challenge]:
    """Return the challenges in which a person takes part or which they organize."""
    return Challenge.objects.filter(
        Q(pk__in=Organizer.objects.filter(user=user).values("challenge"))
        | Q(pk__in=Member.objects.filter(user=user).values("challenge"))
    )


def public_challenges() -> QuerySet[Challenge]:
    """Public challenges with their phases and number of teams, for lists; three queries for any number."""
    return _with_phases(Challenge.objects.filter(is_public=True))


def readable_challenges(user: Any) -> QuerySet[Challenge]:
    """Return the same for public challenges and closed ones that admit a person."""
    return _with_phases(Challenge.objects.filter(readable_by(user)))


def _with_phases(challenges: QuerySet[Challenge]) -> QuerySet[Challenge]:
    return challenges.annotate(
        team_count=Count("teams", distinct=True),
    ).prefetch_related(
        Prefetch("tasks", queryset=Task.objects.prefetch_related("phases")),
    )


def phases_of(challenge: Challenge) -> list[Phase]:
    """All phases of a challenge, in order of task and position, with the labels that distinguish them."""
    phases = list(
        Phase.objects.filter(task__challenge=challenge)
        .select_related("task__challenge", *(f"task__challenge__{path}" for path in PROJECTION))
        .defer(*(f"task__challenge__{path}" for path in HEAVY))
        .order_by("task__position", "position")
    )
    name_phases(phases)
    return phases


def name_phases(phases: Sequence[Phase]) -> None:
    """Set the labels of all phases of a challenge: their names, after those of their tasks where there are several."""
    several = len({phase.task_id for phase in phases}) > 1
    for phase in phases:
        phase.label = str(phase) if several else phase.name


def label_of(phase: Phase) -> str:
    """Return the name of a phase, with its task where the challenge has several; one query for each challenge object."""
    if not phase.label:
        phase.label = str(phase) if phase.challenge.has_several_tasks else phase.name
    return phase.label


def phase_that_matters(phases: Sequence[Phase]) -> Phase | None:
    """The open phase that closes first, else the one that closed last, else the next to open; a dry run only where nothing else is."""
    phases = [phase for phase in phases if not phase.is_dry_run] or phases
    opened = [phase for phase in phases if phase.is_open]
    if opened:
        return min(opened, key=lambda phase: phase.ends_at)
    closed = [phase for phase in phases if phase.is_closed]
    if closed:
        return max(closed, key=lambda phase: phase.ends_at)
    return min(phases, key=lambda phase: phase.starts_at, default=None)


def team_of(user: Any, challenge: Challenge) -> Team | None:
    """A team through which `user` takes part, if any."""
    if not user.is_authenticated:
        return None
    member = Member.objects.filter(challenge=challenge, user=user).select_related("team").first()
    return member.team if member else None


def key_of(phase: Phase) -> str:
    """The name of a phase in names of files: phases of two tasks may be called alike."""
    return f"{phase.task.slug}-{phase.slug}"
