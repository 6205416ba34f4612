"""Invitations into a team (`accounts.people.hooks.policies`)."""

from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import User
from accounts.notifications.domain import letters_of_invitations, letters_of_people
from accounts.notifications.services import notify
from accounts.people.hooks import Acts, InvitationPolicy, Letter, policies
from accounts.people.models import Invitation
from accounts.people.queries import open_invitations_into
from challenges.models import Member, Team
from challenges.services import teams
from challenges.services.concerns import find_concerns


class TeamInvitations(InvitationPolicy[Team]):
    """Invitation by a captain into a team.

    Anyone who has the link may join, after admission to the challenge.
    """

    model = Team
    roles = {str(Member.Role.MEMBER): Member.Role.MEMBER.label}
    acts = Acts(
        sent="team_invitation_sent",
        accepted="team_invitation_accepted",
        declined="team_invitation_declined",
        withdrawn="team_invitation_withdrawn",
    )
    mail_kind = "team_invitation"
    related = ("challenge",)
    # People sign up with another address than the one that their captain knows.
    only_addressee = False
    replaces_open = False
    open_at_most = 20
    no_such_role = "People are invited as members."
    not_open = "This invitation is no longer open."

    def scope(self, target: Team) -> str:
        """The challenge's short name."""
        return target.challenge.slug

    def path(self, target: Team, token: str) -> str:
        """The page that accepts, below its challenge."""
        return reverse("challenges:invitation", args=[target.challenge.slug, token])

    def check(self, target: Team, *, email: str, role: str) -> None:  # noqa: ARG002 (one role)
        """Refuse if the person is already a member, or if the team is full with its open invitations."""
        teams.check_size(target, 1 + open_invitations_into(target).count())
        if target.members.filter(user__email__iexact=email).exists():
            raise ValidationError({"email": "This person is in the team."})

    def letter(self, invitation: Invitation, *, target: Team, link: str) -> Letter:
        """Return an e-mail with the inviting person, the team and the challenge."""
        letter = letters_of_invitations.INTO_TEAM.letter(
            letters_of_invitations.OfInvitation(
                invitation.invited_by.display_name,
                target.name,
                challenge=target.challenge.title,
                days=self.valid_days,
                only_addressee=self.only_addressee,
            )
        )
        return Letter(letter.subject, context={"text": letter.text, "address": link})

    def facts(self, invitation: Invitation, *, target: Team) -> dict[str, str]:  # noqa: ARG002 (the same for all)
        """The team's name, which stays in the log when the team is gone."""
        return {"team": target.name}

    def admit(self, invitation: Invitation, *, target: Team, user: User) -> Member:  # noqa: ARG002 (one role)
        """Make the person a member with a seat in every task of the team."""
        teams.check_admitted(user, target.challenge)
        teams.check_size(target, 1)
        return teams.join(user, target)

    def answered(self, invitation: Invitation, *, target: Team, user: User) -> None:
        """Notify the other members, and look for conflicts of interest of the person who joined."""
        joined = invitation.state == Invitation.State.ACCEPTED
        letter = letters_of_people.ANSWERED.letter(
            letters_of_people.OfPerson(target.challenge.title, user.display_name, target.name, agreed=joined)
        )
        notify(
            people=[row.user for row in target.members.select_related("user") if row.user_id != user.pk],
            kind="team_changed",
            subject=letter.subject,
            text=letter.text,
            address=reverse("challenges:team", args=[target.challenge.slug]),
            scope=target.challenge.slug,
        )
        if joined:
            find_concerns(challenge=target.challenge, users=[user])


TEAM_INVITATIONS = policies.register(TeamInvitations())
