"""Acts of organizers on people: who runs the challenge with them, and how teams take part in rankings."""

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse

from accounts.models import User
from accounts.notifications.domain import letters_of_people
from accounts.notifications.services import notify
from accounts.people.services.roles import keep_a_holder
from challenges import hooks
from challenges.models import Challenge, Member, Organizer, Team
from challenges.services.teams import join_with_team
from core.audit.services import record


@transaction.atomic
def set_role(*, actor: User, challenge: Challenge, user: User, role: str | None) -> None:
    """Give a person a part in running the challenge, another one, or none.

    Raises
    ------
    ValidationError
        For the last owner, and for a person who takes part.
    """
    Challenge.objects.select_for_update(no_key=True).get(pk=challenge.pk)
    row = Organizer.objects.filter(challenge=challenge, user=user).first()
    if role != Organizer.Role.OWNER:
        owners = Organizer.objects.filter(challenge=challenge, role=Organizer.Role.OWNER)
        message = "A challenge needs an owner. Make another person an owner first."
        keep_a_holder(challenge, owners, leaving=user.pk, message=message)
    taking_part = Member.everybody.filter(challenge=challenge, user=user).exclude(team__standing=Team.Standing.BASELINE)
    if role is not None and taking_part.exists():
        raise ValidationError("Who takes part in a challenge does not organize it.")
    if role is None:
        if row:
            row.delete()
    else:
        Organizer.objects.update_or_create(challenge=challenge, user=user, defaults={"role": Organizer.Role(role)})
    record(
        actor=actor,
        act="organizer_role_set",
        subject=challenge,
        scope=challenge.slug,
        facts={"user": user.pk, "role": role},
    )
    if role is not None and user != actor:
        letter = letters_of_people.ORGANIZES.letter(
            letters_of_people.OfPerson(challenge.title, actor.display_name, role=role)
        )
        notify(
            people=[user],
            kind="join_decided",
            subject=letter.subject,
            text=letter.text,
            address=challenge.get_absolute_url(),
            scope=challenge.slug,
        )


@transaction.atomic
def set_standing(*, actor: User, teams: Sequence[Team], standing: str, reason: str) -> int:
    """Set how teams take part in rankings, disqualification included; return how many changed.

    The rankings concerned are recomputed.

    Raises
    ------
    ValidationError
        Without a reason, unless the teams are ranked again like all others. For a baseline, which keeps its status, and
        for a team that shall become one: its name would be public.
    """
    standing = Team.Standing(standing)
    if standing not in Team.ASSIGNED:
        raise ValidationError("A team cannot become a baseline. Add a baseline instead.")
    if standing != Team.Standing.RANKED and not reason.strip():
        raise ValidationError("Say why: the team reads it.")
    changed = 0
    rows = Team.objects.select_for_update(of=("self",), no_key=True).select_related("challenge").order_by("pk")
    for team in rows.filter(pk__in=[team.pk for team in teams]):
        if team.standing == standing and team.standing_reason == reason.strip():
            continue
        if team.standing == Team.Standing.BASELINE:
            raise ValidationError(f"{team.name} is a baseline and keeps this status.")
        before, team.standing, team.standing_reason = team.standing, standing, reason.strip()[:500]
        team.save(update_fields=["standing", "standing_reason"])
        changed += 1
        record(
            actor=actor,
            act="team_standing_set",
            subject=team,
            scope=team.challenge.slug,
            facts={"team": team.name, "before": before, "after": standing, "reason": team.standing_reason},
        )
        letter = letters_of_people.STANDING.letter(
            letters_of_people.OfPerson(
                team.challenge.title,
                team=team.name,
                standing=team.get_standing_display(),
                reason=team.standing_reason,
            )
        )
        notify(
            people=[member.user for member in team.members.select_related("user")],
            kind="team_changed",
            subject=letter.subject,
            text=letter.text,
            address=reverse("challenges:team", args=[team.challenge.slug]),
            scope=team.challenge.slug,
        )
        for callback in hooks.standing_changed:
            callback(team.pk)
    return changed


@transaction.atomic
def add_baseline(*, actor: User, challenge: Challenge, team_name: str, method: str) -> Team:
    """Make a team of the organizer whose submissions are compared with the ranked teams and have no rank.

    Parameters
    ----------
    method
        Description of the method, shown with the status of the team.

    Raises
    ------
    ValidationError
        Without a description, for an unusable name, and for a person with a team in one of the tasks.
    """
    if not method.strip():
        raise ValidationError("Describe the method, for example with its publication.")
    team = join_with_team(user=actor, challenge=challenge, team_name=team_name)
    team.standing, team.standing_reason = Team.Standing.BASELINE, method.strip()[:500]
    team.save(update_fields=["standing", "standing_reason"])
    record(
        actor=actor,
        act="team_standing_set",
        subject=team,
        scope=challenge.slug,
        facts={
            "team": team.name,
            "before": Team.Standing.RANKED,
            "after": Team.Standing.BASELINE,
            "reason": team.standing_reason,
        },
    )
    return team
