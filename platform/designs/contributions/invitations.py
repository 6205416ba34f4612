"""Invitations to write a design (`accounts.people.hooks.policies`)."""

from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import User
from accounts.notifications.domain import letters_of_invitations
from accounts.people.hooks import Acts, InvitationPolicy, Letter, policies
from accounts.people.models import Invitation
from designs.models import Collaborator, Design


class DesignInvitations(InvitationPolicy[Design]):
    """An owner asks a person to write, comment or own a design; only the invited address may accept."""

    model = Design
    roles = dict(Collaborator.Role.choices)
    acts = Acts(
        sent="design_invitation_sent",
        accepted="design_invitation_accepted",
        declined="design_invitation_declined",
        withdrawn="design_invitation_withdrawn",
    )
    mail_kind = "design_invitation"
    no_such_role = "Owner, editor or reader."

    def scope(self, target: Design) -> str:
        """The design's short name."""
        return target.slug

    def path(self, target: Design, token: str) -> str:  # noqa: ARG002 (the token says which)
        """The page that accepts."""
        return reverse("designs:accept", args=[token])

    def check(self, target: Design, *, email: str, role: str) -> None:  # noqa: ARG002 (one role a person)
        """Reject a person who already writes the design."""
        if target.collaborators.filter(user__email__iexact=email).exists():
            raise ValidationError({"email": "This person is part of the design already."})

    def letter(self, invitation: Invitation, *, target: Design, link: str) -> Letter:
        """Return the e-mail, which names the inviting person, the role and the design."""
        letter = letters_of_invitations.INTO_DESIGN.letter(
            letters_of_invitations.OfInvitation(
                invitation.invited_by.display_name,
                target.title,
                role=self.roles[invitation.role],
                days=self.valid_days,
                only_addressee=self.only_addressee,
            )
        )
        return Letter(letter.subject, context={"text": letter.text, "address": link})

    def admit(self, invitation: Invitation, *, target: Design, user: User) -> Collaborator:
        """Make the person a collaborator, where an existing collaborator keeps the present role."""
        collaborator, _ = Collaborator.objects.get_or_create(
            design=target, user=user, defaults={"role": invitation.role}
        )
        return collaborator


DESIGN_INVITATIONS = policies.register(DesignInvitations())
