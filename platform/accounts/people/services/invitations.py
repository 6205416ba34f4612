"""Acts of invitations into designs, calls and teams: invite by e-mail, withdraw, accept, decline."""

import secrets
from datetime import timedelta
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from accounts.models import User
from accounts.notifications.services import mail
from accounts.people.hooks import InvitationPolicy, policy_of
from accounts.people.models import Invitation
from accounts.people.queries import digest_of, find_invitation, invitations_into
from core.audit.services import record
from web.addresses import absolute

State = Invitation.State
OTHER_ADDRESS = "This invitation was sent to another e-mail address; sign in with that one."


@transaction.atomic
def invite(*, actor: User, target: Model, email: str, role: str) -> Invitation:
    """Invite a person by a letter with a link.

    Parameters
    ----------
    target
        The target of the invitation. Its app registered a policy for it (`accounts.people.hooks.policies`).
    role
        A role of the policy.

    Returns
    -------
    Invitation
        Its `is_mailed` shows whether a letter is sent. Addresses that unsubscribed from invitations receive none.

    Raises
    ------
    ValidationError
        For an invalid address or one that cannot be invited, for a role that does not exist, and if the actor or
        the address has reached the daily limit of invitations.
    """
    policy = policy_of(target)
    email = email.strip().lower()
    validate_email(email)
    if role not in policy.roles:
        raise ValidationError({"role": policy.no_such_role})
    target = _locked(policy, target.pk)
    policy.check(target, email=email, role=role)
    _make_room(policy, target, actor=actor, email=email)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        target=target,
        email=email,
        role=role,
        token_digest=digest_of(token),
        invited_by=actor,
        expires_at=timezone.now() + timedelta(days=policy.valid_days),
    )
    _record(actor, policy.acts.sent, invitation, policy, target)
    letter = policy.letter(invitation, target=target, link=absolute(policy.path(target, token)))
    letters = mail(
        to=email,
        kind=policy.mail_kind,
        subject=letter.subject,
        template=letter.template,
        context=letter.context,
        key=str(invitation.pk),
        inviter=actor,
    )
    if not letters:
        invitation.is_mailed = False
        invitation.save(update_fields=["is_mailed"])
    return invitation


@transaction.atomic
def withdraw(*, actor: User, invitation: Invitation) -> None:
    """Take an invitation back, so that its link stops working; twice changes nothing."""
    policy, target, invitation = _held(invitation)
    if invitation.state == State.OPEN:
        invitation.close(state=State.WITHDRAWN, by=actor)
        _record(actor, policy.acts.withdrawn, invitation, policy, target)


@transaction.atomic
def accept(*, user: User, token: str, into: type[Model]) -> Any:
    """Accept an invitation; each invitation is answered once.

    Parameters
    ----------
    into
        Model of the targets of the requested page. A link works only on its own page.

    Returns
    -------
    Any
        The row that stores the role.

    Raises
    ------
    ValidationError
        If the link is unknown, used, withdrawn or expired, if it is for another address, or if the person cannot
        have the role.
    """
    policy, target, invitation = _answerable(token, into)
    if policy.only_addressee and user.email.lower() != invitation.email.lower():
        raise ValidationError(OTHER_ADDRESS)
    holder = policy.admit(invitation, target=target, user=user)
    invitation.close(state=State.ACCEPTED, by=user)
    _record(user, policy.acts.accepted, invitation, policy, target)
    policy.answered(invitation, target=target, user=user)
    return holder


@transaction.atomic
def decline(*, user: User | None, token: str, into: type[Model]) -> None:
    """Decline an invitation; anyone who has the link can do this, even without an account.

    Raises
    ------
    ValidationError
        If the link is unknown, used, withdrawn or expired.
    """
    policy, target, invitation = _answerable(token, into)
    invitation.close(state=State.DECLINED, by=user)
    _record(user, policy.acts.declined, invitation, policy, target)
    policy.answered(invitation, target=target, user=user)


def _make_room(policy: InvitationPolicy[Any], target: Model, *, actor: User, email: str) -> None:
    """End earlier invitations that block a new one, or refuse the new one."""
    open_ones = invitations_into(target).filter(state=State.OPEN)
    ended = {"state": State.WITHDRAWN, "closed_at": timezone.now()}
    open_ones.filter(expires_at__lte=timezone.now()).update(**ended)
    same_address = open_ones.filter(email__iexact=email)
    if policy.replaces_open:
        same_address.update(**ended, closed_by=actor)
    elif same_address.exists():
        raise ValidationError({"email": "This address is invited already."})
    if policy.open_at_most is not None and open_ones.count() >= policy.open_at_most:
        raise ValidationError(f"{policy.open_at_most} invitations are open. Withdraw one first.")


def _locked(policy: InvitationPolicy[Any], pk: int) -> Any:
    """The target as it is stored now, held until the transaction ends, so that acts on it come one after the other."""
    rows = policy.model._default_manager.select_for_update(of=("self",), no_key=True)  # noqa: SLF001 (Django's name for it)
    return rows.select_related(*policy.related).get(pk=pk) if policy.related else rows.get(pk=pk)


def _held(invitation: Invitation) -> tuple[InvitationPolicy[Any], Any, Invitation]:
    """Policy, target and invitation as stored now; the target is held first, as everywhere."""
    model = ContentType.objects.get_for_id(invitation.content_type_id).model_class()
    assert model is not None, "the content type protects its model"
    policy = policy_of(model)
    target = _locked(policy, invitation.object_id)
    rows = Invitation.objects.select_for_update(of=("self",), no_key=True).select_related("invited_by")
    return policy, target, rows.get(pk=invitation.pk)


def _answerable(token: str, into: type[Model]) -> tuple[InvitationPolicy[Any], Any, Invitation]:
    invitation = find_invitation(token, into=into)
    if invitation is None:
        raise ValidationError(policy_of(into).not_open)
    policy, target, invitation = _held(invitation)
    if not invitation.is_open:
        raise ValidationError(policy.not_open)
    return policy, target, invitation


def _record(actor: User | None, act: str, invitation: Invitation, policy: InvitationPolicy[Any], target: Any) -> None:
    record(
        actor=actor,
        act=act,
        subject=target,
        scope=policy.scope(target),
        facts=policy.facts(invitation, target=target),
    )
