"""Acts of taking part: terms, consent, teams, invitations, leaving."""

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from audit.services import record
from challenges import hooks
from challenges.models import Challenge, Invitation, Member, Organizer, Participation, Team, Terms
from challenges.queries.people import organizers_of, terms_of
from challenges.services.challenges import join_with_team
from challenges.services.concerns import find_concerns
from evaluation.canonical import sha256
from notifications.composing import absolute
from notifications.services import mail, notify

INVITATION_DAYS = 14
INVITATIONS_AT_ONCE = 20
State = Participation.State


@transaction.atomic
def set_terms(
    *,
    actor: User,
    challenge: Challenge,
    agreement: str,
    requires_approval: bool,
    team_size: int | None,
    requires_method: bool = False,
) -> Terms:
    """Make a new version of the terms; those who joined before keep the text that they accepted."""
    Challenge.objects.select_for_update().get(pk=challenge.pk)
    current = terms_of(challenge)
    wanted = {
        "agreement": agreement.strip(),
        "requires_approval": requires_approval,
        "team_size": team_size,
        "requires_method": requires_method,
    }
    if current and {key: getattr(current, key) for key in wanted} == wanted:
        return current
    terms = Terms.objects.create(
        challenge=challenge, version=current.version + 1 if current else 1, created_by=actor, **wanted
    )
    record(
        actor=actor,
        act="terms_set",
        subject=terms,
        scope=challenge.slug,
        facts={
            "version": terms.version,
            "agreement_digest": sha256(terms.agreement),
            "requires_approval": requires_approval,
            "team_size": team_size,
            "requires_method": requires_method,
        },
    )
    return terms


@transaction.atomic
def take_part(
    *, user: User, challenge: Challenge, terms: Terms | None, affiliation: str, orcid: str = "", message: str = ""
) -> Participation:
    """Store a person's consent with the texts as they stand; conflicts of interest are looked for at once.

    Raises
    ------
    ValidationError
        When the terms have changed since the person read them, or the organizers have declined.
    """
    if terms != terms_of(challenge):
        raise ValidationError("The terms have changed while you were reading. Please read them again.")
    known = Participation.objects.select_for_update().filter(challenge=challenge, user=user).first()
    if known is not None and known.state == State.DECLINED:
        raise ValidationError(f"The organizers have declined: {known.reason}")
    pending = bool(terms and terms.requires_approval)
    part = known or Participation(challenge=challenge, user=user, state=State.PENDING if pending else State.APPROVED)
    part.terms = terms
    part.rules_text = challenge.rules_text
    part.agreement = terms.agreement if terms else ""
    part.accepted_at = timezone.now()
    part.affiliation, part.orcid, part.message = affiliation, orcid, message
    try:
        with transaction.atomic():
            part.save()
    except IntegrityError as error:
        raise ValidationError("You have accepted the terms at the same moment in another window.") from error
    record(
        actor=user,
        act="terms_accepted",
        subject=part,
        scope=challenge.slug,
        facts={
            "version": terms.version if terms else None,
            "digest": sha256([part.rules_text, part.agreement]),
            "state": part.state,
        },
    )
    find_concerns(challenge=challenge, users=[user])
    if known is None and part.state == State.PENDING:
        notify(
            people=organizers_of(challenge),
            kind="join_request",
            subject=f"{user.display_name} asks to take part in {challenge.title}",
            text=message,
            address=reverse("challenges:people", args=[challenge.slug]),
            scope=challenge.slug,
        )
    return part


@transaction.atomic
def decide_participation(
    *, actor: User, participations: Sequence[Participation], approve: bool, reason: str = ""
) -> int:
    """Let people in, or not, with a reason that they read; returns how many were waiting.

    Raises
    ------
    ValidationError
        For declining without a reason.
    """
    if not approve and not reason.strip():
        raise ValidationError("Say why: the person reads it.")
    rows = Participation.objects.select_for_update(of=("self",)).select_related("challenge", "user")
    waiting = list(rows.filter(pk__in=[row.pk for row in participations], state=State.PENDING))
    for part in waiting:
        part.state = State.APPROVED if approve else State.DECLINED
        part.reason, part.decided_by, part.decided_at = reason.strip()[:500], actor, timezone.now()
        part.save()
        record(
            actor=actor,
            act="participation_approved" if approve else "participation_declined",
            subject=part,
            scope=part.challenge.slug,
            facts={"user": part.user_id},
        )
        notify(
            people=[part.user],
            kind="join_decided",
            subject=f"{part.challenge.title}: {'you may take part' if approve else 'your request was declined'}",
            text="Form a team, or join one by invitation." if approve else part.reason,
            address=reverse("challenges:join", args=[part.challenge.slug]),
            scope=part.challenge.slug,
        )
    return len(waiting)


def form_team(*, user: User, challenge: Challenge, team_name: str) -> Team:
    """Make a team whose captain is `user`, who takes part already.

    Raises
    ------
    ValidationError
        As `join_with_team`, and for a person who is not admitted.
    """
    _check_admitted(user, challenge)
    return join_with_team(user=user, challenge=challenge, team_name=team_name)


@transaction.atomic
def invite(*, actor: User, team: Team, email: str) -> Invitation:
    """Ask a person into the team by a link that is sent to the address alone.

    Raises
    ------
    ValidationError
        When the team is full, the person is in it, or is invited already.
    """
    team = Team.objects.select_for_update(of=("self",)).select_related("challenge").get(pk=team.pk)
    _check_size(team, 1 + team.invitations.filter(state=Invitation.State.OPEN, expires_at__gt=timezone.now()).count())
    if team.members.filter(user__email__iexact=email).exists():
        raise ValidationError({"email": "This person is in the team."})
    open_ones = team.invitations.filter(state=Invitation.State.OPEN)
    open_ones.filter(expires_at__lte=timezone.now()).update(state=Invitation.State.WITHDRAWN)
    if open_ones.filter(email__iexact=email).exists():
        raise ValidationError({"email": "This address is invited already."})
    if open_ones.count() >= INVITATIONS_AT_ONCE:
        raise ValidationError(f"{INVITATIONS_AT_ONCE} invitations are open. Withdraw one first.")
    secret = secrets.token_urlsafe(24)
    invitation = Invitation.objects.create(
        team=team,
        email=email,
        digest=_digest(secret),
        invited_by=actor,
        expires_at=timezone.now() + timedelta(days=INVITATION_DAYS),
    )
    record(
        actor=actor,
        act="team_invitation_sent",
        subject=invitation,
        scope=team.challenge.slug,
        facts={"team": team.name},
    )
    mail(
        to=email,
        kind="team_invitation",
        subject=f"{actor.display_name} invites you to the team {team.name} in {team.challenge.title}",
        template="challenges/mail/invitation",
        context={
            "actor": actor.display_name,
            "team": team.name,
            "challenge": team.challenge.title,
            "days": INVITATION_DAYS,
            "address": absolute(reverse("challenges:invitation", args=[team.challenge.slug, secret])),
        },
        key=str(invitation.pk),
    )
    return invitation


def invitation_of(challenge: Challenge, secret: str) -> Invitation | None:
    """Return the open invitation with this link; none for anything else."""
    rows = Invitation.objects.select_related("team__challenge", "invited_by")
    found = rows.filter(digest=_digest(secret), team__challenge=challenge).first()
    return found if found is not None and found.is_open else None


@transaction.atomic
def answer_invitation(*, user: User, invitation: Invitation, accept: bool) -> Team | None:
    """Join the team, or not; each invitation is answered once.

    Raises
    ------
    ValidationError
        When it is no longer open, the person is not admitted to the challenge, is in a team, or the team is full.
    """
    team = Team.objects.select_for_update(of=("self",)).select_related("challenge").get(pk=invitation.team_id)
    invitation = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if not invitation.is_open:
        raise ValidationError("This invitation is no longer open.")
    if accept:
        _check_admitted(user, team.challenge)
        _check_size(team, 1)
        try:
            with transaction.atomic():
                Member.objects.create(team=team, challenge=team.challenge, user=user, role=Member.Role.MEMBER)
        except IntegrityError as error:
            raise ValidationError(
                "You belong or belonged to a team of this challenge: each person submits with one team only."
            ) from error
    invitation.state = Invitation.State.ACCEPTED if accept else Invitation.State.DECLINED
    invitation.answered_by = user
    invitation.save()
    record(
        actor=user,
        act="team_invitation_accepted" if accept else "team_invitation_declined",
        subject=invitation,
        scope=team.challenge.slug,
        facts={"team": team.name},
    )
    notify(
        people=[member.user for member in team.members.select_related("user") if member.user_id != user.pk],
        kind="team_changed",
        subject=f"{user.display_name} {'is now in' if accept else 'does not join'} the team {team.name}",
        text="",
        address=reverse("challenges:team", args=[team.challenge.slug]),
        scope=team.challenge.slug,
    )
    if accept:
        find_concerns(challenge=team.challenge, users=[user])
    return team if accept else None


@transaction.atomic
def withdraw_invitation(*, actor: User, invitation: Invitation) -> None:
    """Take an invitation back; doing so twice changes nothing."""
    changed = Invitation.objects.filter(pk=invitation.pk, state=Invitation.State.OPEN).update(
        state=Invitation.State.WITHDRAWN
    )
    if changed:
        record(actor=actor, act="team_invitation_withdrawn", subject=invitation, scope=invitation.team.challenge.slug)


@transaction.atomic
def leave(*, user: User, member: Member, actor: User | None = None) -> None:
    """Leave a team, or be removed from it by its captain.

    As long as the team has not submitted, the person is free to join another; afterwards the row stays, so that nobody
    submits with two teams. A captain hands the team over first; the last one takes a team that never submitted along.

    Raises
    ------
    ValidationError
        For a captain who leaves others behind, and for the last member of a team that has submitted.
    """
    team = Team.objects.select_for_update(of=("self",)).select_related("challenge").get(pk=member.team_id)
    member = Member.objects.select_for_update().get(pk=member.pk)
    others = team.members.exclude(pk=member.pk)
    submitted = hooks.has_submitted(team)
    if member.role == Member.Role.CAPTAIN and others.exists():
        raise ValidationError("Hand the team over to another member before you leave it.")
    if submitted and not others.exists():
        raise ValidationError("Somebody has to answer for what the team has submitted: the last member cannot leave.")
    record(
        actor=actor or user,
        act="team_left",
        subject=team,
        scope=team.challenge.slug,
        facts={"team": team.name, "user": user.pk, "submitted": submitted},
    )
    if submitted:
        member.left_at = timezone.now()
        member.save(update_fields=["left_at"])
    else:
        member.delete()
        if not others.exists():
            team.delete()


@transaction.atomic
def hand_over(*, actor: User, team: Team, member: Member) -> None:
    """Make another member the captain."""
    rows = {row.pk: row for row in Member.objects.select_for_update().filter(team=team)}
    if member.pk not in rows:
        raise ValidationError("This person is no longer in the team.")
    for row in rows.values():
        role = Member.Role.CAPTAIN if row.pk == member.pk else Member.Role.MEMBER
        if row.role != role:
            row.role = role
            row.save(update_fields=["role"])
    record(
        actor=actor,
        act="team_handed_over",
        subject=team,
        scope=team.challenge.slug,
        facts={"team": team.name, "captain": member.user_id},
    )


@transaction.atomic
def set_role(*, actor: User, challenge: Challenge, user: User, role: str | None) -> None:
    """Give a person a part in running the challenge, another one, or none.

    Raises
    ------
    ValidationError
        For the last owner, and for a person who takes part.
    """
    Challenge.objects.select_for_update().get(pk=challenge.pk)
    row = Organizer.objects.filter(challenge=challenge, user=user).first()
    others = Organizer.objects.filter(challenge=challenge, role=Organizer.Role.OWNER).exclude(user=user)
    if role != Organizer.Role.OWNER and not others.exists():
        raise ValidationError("A challenge needs an owner. Make somebody else an owner first.")
    if role is not None and Member.everybody.filter(challenge=challenge, user=user).exists():
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
        notify(
            people=[user],
            kind="join_decided",
            subject=f"You organize {challenge.title} as {role}",
            text="",
            address=challenge.get_absolute_url(),
            scope=challenge.slug,
        )


@transaction.atomic
def set_standing(*, actor: User, teams: Sequence[Team], standing: str, reason: str) -> int:
    """Decide how teams take part in rankings, disqualification included; returns how many changed.

    Rankings that are concerned are computed anew.

    Raises
    ------
    ValidationError
        Without a reason, unless the teams are ranked again like all others.
    """
    standing = Team.Standing(standing)
    if standing != Team.Standing.RANKED and not reason.strip():
        raise ValidationError("Say why: the team reads it.")
    changed = 0
    rows = Team.objects.select_for_update(of=("self",)).select_related("challenge").order_by("pk")
    for team in rows.filter(pk__in=[team.pk for team in teams]):
        if team.standing == standing and team.standing_reason == reason.strip():
            continue
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
        notify(
            people=[member.user for member in team.members.select_related("user")],
            kind="team_changed",
            subject=f"{team.challenge.title}: the team {team.name} is now “{team.get_standing_display()}”",
            text=team.standing_reason,
            address=reverse("challenges:team", args=[team.challenge.slug]),
            scope=team.challenge.slug,
        )
        for callback in hooks.standing_changed:
            callback(team.pk)
    return changed


def _check_admitted(user: User, challenge: Challenge) -> None:
    part: Any = Participation.objects.filter(challenge=challenge, user=user).first()
    if part is None or part.state != State.APPROVED:
        raise ValidationError("Accept the terms of this challenge first; where organizers admit people, wait for them.")


def _check_size(team: Team, more: int) -> None:
    terms = terms_of(team.challenge)
    if terms and terms.team_size and team.members.count() + more > terms.team_size:
        raise ValidationError(
            f"A team of this challenge has at most {terms.team_size} members, open invitations included."
        )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
