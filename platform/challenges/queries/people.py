"""Teams, participants and organizers of challenges."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import Case, Prefetch, Q, QuerySet, When

from accounts.models import User
from accounts.people.models import Invitation
from accounts.people.queries import open_invitation
from challenges.models import Challenge, Concern, Member, Organizer, Participation, Task, Team, Terms
from designs.models import Collaborator

PARTICIPANT_COLUMNS = (
    *("user", "name", "email", "affiliation", "orcid", "team", "role", "standing", "state", "terms", "accepted_at"),
)
CONCERN_COLUMNS = ("kind", "state", "user", "team", "evidence", "note", "decided_by", "found_at", "decided_at")


def teams_of(user: Any) -> QuerySet[Team]:
    """Teams that a person belongs to, in all challenges."""
    return Team.objects.filter(pk__in=Member.objects.filter(user=user).values("team"))


def organized_by(user: Any) -> QuerySet[Challenge]:
    """Challenges that a person runs and sees everything of; all for administrators."""
    if user.is_superuser:
        return Challenge.objects.all()
    return Challenge.objects.filter(
        pk__in=Organizer.objects.filter(user=user, role__in=Organizer.TRUSTED).values("challenge")
    )


def writers_without_part(challenge: Challenge) -> list[User]:
    """Return the owners and editors of the design of a challenge who neither organize it nor take part in it; one query."""
    roles = (Collaborator.Role.OWNER, Collaborator.Role.EDITOR)
    writers = User.objects.filter(
        is_active=True,
        design_roles__role__in=roles,
        design_roles__design__registration__projection__challenge=challenge,
    )
    organizing = Organizer.objects.filter(challenge=challenge).values("user")
    taking_part = Member.everybody.filter(challenge=challenge).values("user")
    return list(writers.exclude(pk__in=organizing).exclude(pk__in=taking_part).distinct().order_by("pk"))


def organizers_of(challenge: Challenge, *, roles: tuple[str, ...] = Organizer.TRUSTED) -> list[User]:
    """People who run a challenge, with one of the given roles."""
    rows = Organizer.objects.filter(challenge=challenge, role__in=roles).select_related("user").order_by("pk")
    return [row.user for row in rows]


def participants_of(challenge: Challenge) -> list[User]:
    """All people in a team of a challenge, each once."""
    rows = Member.objects.filter(challenge=challenge).select_related("user").order_by("pk")
    return list(dict.fromkeys(row.user for row in rows))


def invitation_of(challenge: Challenge, token: str) -> Invitation | None:
    """The open invitation of a link into a team of this challenge, with the team as its target."""
    invitation = open_invitation(token, into=Team)
    if invitation is None or invitation.target is None or invitation.target.challenge_id != challenge.pk:
        return None
    return invitation


def terms_of(challenge: Challenge) -> Terms | None:
    """The terms that hold now; none while organizers have set none."""
    return Terms.objects.filter(challenge=challenge).order_by("-version").first()


def participation_of(user: Any, challenge: Challenge) -> Participation | None:
    """A person's consent in a challenge."""
    if not user.is_authenticated:
        return None
    return Participation.objects.filter(challenge=challenge, user=user).select_related("terms").first()


def memberships_of(user: Any, challenge: Challenge) -> list[Member]:
    """A person's places in teams of a challenge, each team with its tasks: several where it has several tasks."""
    rows = Member.objects.filter(challenge=challenge, user=user).select_related("team")
    return list(rows.prefetch_related("team__tasks"))


def free_tasks(user: Any, challenge: Challenge) -> list[Task]:
    """Tasks in which a person has no team and never submitted with one."""
    return list(challenge.tasks.exclude(seats__user=user))


class Counts(NamedTuple):
    """Numbers of people and teams, and of requests and concerns that organizers must handle."""

    participants: int
    teams: int
    requests: int
    concerns: int


def counts_of(challenge: Challenge) -> Counts:
    """Count people, teams, requests and open concerns; four queries."""
    return Counts(
        Member.objects.filter(challenge=challenge).values("user").distinct().count(),
        challenge.teams.count(),
        requests_of(challenge).count(),
        challenge.concerns.filter(state=Concern.State.OPEN).count(),
    )


def requests_of(challenge: Challenge) -> QuerySet[Participation]:
    """Requests to take part that wait for a decision, the oldest first."""
    waiting = challenge.participations.filter(state=Participation.State.PENDING)
    return waiting.select_related("user").order_by("accepted_at", "pk")


def concerns_of(challenge: Challenge) -> QuerySet[Concern]:
    """Everything that was found about people and teams, what is open first."""
    rank = Case(When(state=Concern.State.OPEN, then=0), default=1)
    return challenge.concerns.select_related("user", "team", "decided_by").order_by(rank, "-found_at", "-pk")


def concern_rows(challenge: Challenge) -> Iterator[tuple]:
    """Lines of the list of concerns."""
    for concern in concerns_of(challenge):
        yield (
            concern.kind,
            concern.state,
            concern.user.username if concern.user else "",
            concern.team.name if concern.team else "",
            concern.evidence,
            concern.note,
            concern.decided_by.username if concern.decided_by else "",
            concern.found_at,
            concern.decided_at,
        )


def teams_for_organizers(challenge: Challenge, *, words: str = "") -> QuerySet[Team]:
    """Teams with members and open concerns, filtered by `words` in their name or a member's.

    The function makes three queries.
    """
    rows = Team.objects.filter(challenge=challenge)
    if words:
        named = Q(user__username__icontains=words) | Q(user__first_name__icontains=words)
        named |= Q(user__last_name__icontains=words) | Q(user__email__iexact=words)
        members = Member.objects.filter(named, challenge=challenge).values("team")
        rows = rows.filter(Q(name__icontains=words) | Q(pk__in=members))
    return rows.prefetch_related(
        Prefetch("members", queryset=Member.objects.select_related("user")),
        Prefetch("concerns", queryset=Concern.objects.exclude(state=Concern.State.DISMISSED)),
    ).order_by("name")


def participant_rows(challenge: Challenge) -> list[tuple]:
    """Lines of the list of participants, one per person and team; two queries for any number."""
    members: dict[int, list[Member]] = {}
    for row in Member.objects.filter(challenge=challenge).select_related("team", "user"):
        members.setdefault(row.user_id, []).append(row)
    parts = {part.user_id: part for part in challenge.participations.select_related("user", "terms")}
    people = {part.user_id: part.user for part in parts.values()}
    people |= {user_id: rows[0].user for user_id, rows in members.items()}
    lines = []
    for user_id in sorted(members.keys() | parts.keys()):
        part = parts.get(user_id)
        entries: list[Member | None] = [*members.get(user_id, [])] or [None]
        for member in entries:
            user = people[user_id]
            lines.append(
                (
                    user.username,
                    user.get_full_name(),
                    user.email,
                    (part.affiliation if part else "") or user.affiliation,
                    (part.orcid if part else "") or user.orcid,
                    member.team.name if member else "",
                    member.role if member else "",
                    member.team.standing if member else "",
                    part.state if part else Participation.State.APPROVED,
                    part.terms.version if part and part.terms else "",
                    part.accepted_at.isoformat() if part else "",
                )
            )
    return lines


def has_agreed(user: Any, challenge: Challenge) -> bool:
    """Return whether a person takes part and has agreed to the current data usage agreement, if any."""
    if not user.is_authenticated:
        return False
    part, terms = participation_of(user, challenge), terms_of(challenge)
    if part is not None and part.state != Participation.State.APPROVED:
        return False
    if terms is None or not terms.agreement:
        return part is not None or Member.objects.filter(challenge=challenge, user=user).exists()
    return part is not None and part.agreement == terms.agreement
