"""Who writes a design: invitations by e-mail, roles."""

import hashlib
import secrets
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from audit.services import record
from designs.models import Collaborator, Design, Invitation
from notifications.services import mail
from web.addresses import absolute

VALID_DAYS = 14


def token_hash(token: str) -> str:
    """What is stored of a token: whoever reads the database cannot use the invitation."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def invite(*, actor: User, design: Design, email: str, role: str, path: str) -> Invitation:
    """Invite a person by e-mail.

    Parameters
    ----------
    path
        Path of the page that accepts it, with ``{token}`` where the token goes.

    Raises
    ------
    ValidationError
        For an address that is none, or of somebody who takes part already, or when the actor or the address has had as
        many invitations as a day allows. An open invitation is replaced.
    """
    email = email.strip().lower()
    validate_email(email)
    if role not in Collaborator.Role.values:
        raise ValidationError({"role": "Owner, editor or reader."})
    if design.collaborators.filter(user__email__iexact=email).exists():
        raise ValidationError({"email": "This person is part of the design already."})
    now = timezone.now()
    design.invitations.filter(email=email, accepted_at=None, withdrawn_at=None).update(withdrawn_at=now)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        design=design,
        email=email,
        role=role,
        token_hash=token_hash(token),
        invited_by=actor,
        expires_at=now + timedelta(days=VALID_DAYS),
    )
    record(actor=actor, act="design_invitation_sent", subject=design, scope=design.slug, facts={"role": role})
    mail(
        to=email,
        kind="design_invitation",
        subject=f"{actor.display_name} asks you to work on the design “{design.title}”",
        template="designs/mail/invitation",
        context={
            "actor": actor.display_name,
            "role": invitation.get_role_display(),
            "design": design.title,
            "days": VALID_DAYS,
            "address": absolute(path.replace("{token}", token)),
        },
        key=str(invitation.pk),
        inviter=actor,
    )
    return invitation


@transaction.atomic
def accept_invitation(*, user: User, token: str) -> Collaborator:
    """Take up an invitation.

    Raises
    ------
    ValidationError
        When the token is unknown, used, withdrawn or too old, or was meant for another address.
    """
    invitation = (
        Invitation.objects.select_for_update(of=("self",))
        .select_related("design")
        .filter(token_hash=token_hash(token))
        .first()
    )
    if invitation is None or not invitation.is_open:
        raise ValidationError("This invitation is not valid any more; ask for a new one.")
    if user.email.lower() != invitation.email:
        raise ValidationError("This invitation was sent to another e-mail address; sign in with that one.")
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_at"])
    collaborator, _ = Collaborator.objects.get_or_create(
        design=invitation.design, user=user, defaults={"role": invitation.role}
    )
    record(
        actor=user,
        act="design_invitation_accepted",
        subject=invitation.design,
        scope=invitation.design.slug,
        facts={"role": collaborator.role},
    )
    return collaborator


@transaction.atomic
def withdraw_invitation(*, actor: User, invitation: Invitation) -> None:
    """Withdraw an open invitation; its token stops working."""
    if invitation.is_open:
        invitation.withdrawn_at = timezone.now()
        invitation.save(update_fields=["withdrawn_at"])
        record(
            actor=actor,
            act="design_invitation_withdrawn",
            subject=invitation.design,
            scope=invitation.design.slug,
            facts={"role": invitation.role},
        )


@transaction.atomic
def change_role(*, actor: User, collaborator: Collaborator, role: str) -> None:
    """Give a person another role.

    Raises
    ------
    ValidationError
        When the design would be left without an owner.
    """
    if role not in Collaborator.Role.values:
        raise ValidationError("Owner, editor or reader.")
    _keep_an_owner(collaborator, leaves=role != Collaborator.Role.OWNER)
    before, collaborator.role = collaborator.role, role
    collaborator.save(update_fields=["role"])
    record(
        actor=actor,
        act="design_role_changed",
        subject=collaborator.design,
        scope=collaborator.design.slug,
        facts={"user": collaborator.user_id, "from": before, "to": role},
    )


@transaction.atomic
def remove_collaborator(*, actor: User, collaborator: Collaborator) -> None:
    """End a person's part in the design.

    Raises
    ------
    ValidationError
        When the design would be left without an owner.
    """
    _keep_an_owner(collaborator, leaves=True)
    design, user_id = collaborator.design, collaborator.user_id
    collaborator.delete()
    record(actor=actor, act="design_collaborator_removed", subject=design, scope=design.slug, facts={"user": user_id})


def _keep_an_owner(collaborator: Collaborator, *, leaves: bool) -> None:
    Design.objects.select_for_update().get(pk=collaborator.design_id)
    if collaborator.role == Collaborator.Role.OWNER and leaves:
        others = Collaborator.objects.filter(design=collaborator.design, role=Collaborator.Role.OWNER)
        if not others.exclude(pk=collaborator.pk).exists():
            raise ValidationError("A design needs an owner; make another person owner first.")
