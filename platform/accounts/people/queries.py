"""Reads: the invitation of a link, and the invitations into something."""

import hashlib

from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, QuerySet
from django.utils import timezone

from accounts.people.models import Invitation


def digest_of(token: str) -> str:
    """Return the digest of a token, as stored in the database."""
    return hashlib.sha256(token.encode()).hexdigest()


def invitations_into(target: Model) -> QuerySet[Invitation]:
    """Invitations into something, the newest first."""
    return Invitation.objects.filter(content_type=ContentType.objects.get_for_model(target), object_id=target.pk)


def open_invitations_into(target: Model) -> QuerySet[Invitation]:
    """Invitations into something that can still be accepted."""
    return invitations_into(target).filter(state=Invitation.State.OPEN, expires_at__gt=timezone.now())


def find_invitation(token: str, *, into: type[Model]) -> Invitation | None:
    """Return the invitation of a link into a target of the model `into`, in any state."""
    rows = Invitation.objects.select_related("invited_by").filter(content_type=ContentType.objects.get_for_model(into))
    return rows.filter(token_digest=digest_of(token)).first()


def open_invitation(token: str, *, into: type[Model]) -> Invitation | None:
    """The invitation of a link, if it can still be accepted."""
    invitation = find_invitation(token, into=into)
    return invitation if invitation is not None and invitation.is_open else None
