"""Invitations to review for a call (`accounts.people.hooks.policies`)."""

from django.core.exceptions import ValidationError
from django.urls import reverse

from accounts.models import User
from accounts.people.hooks import Acts, InvitationPolicy, Letter, policies
from accounts.people.models import Invitation
from reviews.models import Call, Part, Reviewer
from reviews.services import mails, reviewers


class ReviewerInvitations(InvitationPolicy[Call]):
    """A chair asks a person to review; the letter has the call's own text, and declining needs no account."""

    model = Call
    roles = dict(Part.choices)
    acts = Acts(
        sent="reviewer_invited",
        accepted="reviewer_invitation_accepted",
        declined="reviewer_invitation_declined",
        withdrawn="reviewer_invitation_withdrawn",
    )
    mail_kind = "review_invitation"
    valid_days = 21
    no_such_role = "Reviewer, clinical reviewer or statistician."
    not_open = "This invitation is no longer valid. Ask the chairs for a new one."

    def scope(self, target: Call) -> str:
        """The call's short name."""
        return target.slug

    def path(self, target: Call, token: str) -> str:  # noqa: ARG002 (the token says which)
        """The page that accepts."""
        return reverse("reviews:invitation", args=[token])

    def check(self, target: Call, *, email: str, role: str) -> None:
        """Refuse a person who already reviews in this part.

        A different part is an additional role.
        """
        reviewer = target.reviewers.filter(user__email__iexact=email, left_at=None).first()
        if reviewer is not None and role in reviewer.parts:
            raise ValidationError({"email": "This person reviews for the call already."})

    def letter(self, invitation: Invitation, *, target: Call, link: str) -> Letter:
        """The text of the chairs."""
        subject, text = mails.filled(
            target,
            "invitation",
            chair=invitation.invited_by.display_name,
            part=self.roles[invitation.role],
            link=link,
            days=self.valid_days,
        )
        return Letter(subject=subject, template="reviews/mail/letter", context={"text": text, "link": link})

    def facts(self, invitation: Invitation, *, target: Call) -> dict[str, str]:  # noqa: ARG002 (the same for all)
        """Return the part that the invitation offers."""
        return {"part": invitation.role}

    def admit(self, invitation: Invitation, *, target: Call, user: User) -> Reviewer:
        """Make the person a reviewer in this part, besides those that they have."""
        return reviewers.add_reviewer(actor=user, call=target, user=user, part=invitation.role)


REVIEWER_INVITATIONS = policies.register(ReviewerInvitations())
