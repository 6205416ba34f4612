"""Who belongs where."""

from typing import Any

from django.db.models import Prefetch, QuerySet

from accounts.models import User
from challenges.models import Challenge, Concern, Member, Organizer, Participation, Team, Terms


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


def organizers_of(challenge: Challenge, *, roles: tuple[str, ...] = Organizer.TRUSTED) -> list[User]:
    """People who run a challenge, with one of the given roles."""
    rows = Organizer.objects.filter(challenge=challenge, role__in=roles).select_related("user").order_by("pk")
    return [row.user for row in rows]


def participants_of(challenge: Challenge) -> list[User]:
    """Everybody who is in a team of a challenge."""
    rows = Member.objects.filter(challenge=challenge).select_related("user").order_by("pk")
    return [row.user for row in rows]


def terms_of(challenge: Challenge) -> Terms | None:
    """The terms that hold now; none while organizers have set none."""
    return Terms.objects.filter(challenge=challenge).order_by("-version").first()


def participation_of(user: Any, challenge: Challenge) -> Participation | None:
    """A person's consent in a challenge."""
    if not user.is_authenticated:
        return None
    return Participation.objects.filter(challenge=challenge, user=user).select_related("terms").first()


def member_of(user: Any, challenge: Challenge) -> Member | None:
    """A person's place in a team."""
    return Member.objects.filter(challenge=challenge, user=user).select_related("team").first()


def teams_for_organizers(challenge: Challenge) -> QuerySet[Team]:
    """Teams with members and open concerns; three queries whatever their number."""
    return (
        Team.objects.filter(challenge=challenge)
        .prefetch_related(
            Prefetch("members", queryset=Member.objects.select_related("user")),
            Prefetch("concerns", queryset=Concern.objects.exclude(state=Concern.State.DISMISSED)),
        )
        .order_by("name")
    )


def participant_rows(challenge: Challenge) -> list[tuple]:
    """Lines of the list of participants; two queries whatever their number."""
    members = {
        member.user_id: member for member in Member.objects.filter(challenge=challenge).select_related("team", "user")
    }
    parts = {part.user_id: part for part in challenge.participations.select_related("user", "terms")}
    lines = []
    for user_id in sorted(members.keys() | parts.keys()):
        member, part = members.get(user_id), parts.get(user_id)
        user = member.user if member else part.user
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
