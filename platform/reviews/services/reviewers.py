"""Who reviews for a call: invitations, parts, bids, declared conflicts."""

import hashlib
import secrets
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from audit.services import record
from reviews import rules
from reviews.models import Bid, Call, Conflict, Filing, Part, Reviewer, ReviewerInvitation
from reviews.services import mails

VALID_DAYS = 21
MAX_EXPERTISE = 20
_FLAGS = {Part.GENERAL: "is_general", Part.CLINICAL: "is_clinical", Part.STATISTICS: "is_statistician"}


def token_hash(token: str) -> str:
    """What is stored of a token: whoever reads the database cannot use the invitation."""
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def invite_reviewer(*, actor: User, call: Call, email: str, part: str, path: str) -> tuple[ReviewerInvitation, bool]:
    """Invite somebody to review; returns the invitation and whether a message goes out.

    Parameters
    ----------
    path
        Path of the page that accepts it, with ``{token}`` where the token goes.

    Raises
    ------
    ValidationError
        For an address that is none, or of somebody who reviews already, or when the actor or the address has had as many
        invitations as a day allows. An open invitation is replaced.
    """
    email = email.strip().lower()
    validate_email(email)
    if part not in Part.values:
        raise ValidationError({"part": "Reviewer, clinical reviewer or statistician."})
    known = call.reviewers.filter(user__email__iexact=email, left_at=None).first()
    if known is not None and getattr(known, _FLAGS[Part(part)]):
        raise ValidationError({"email": "This person reviews for the call already."})
    now = timezone.now()
    call.invitations.filter(email=email, accepted_at=None, closed_at=None).update(closed_at=now)
    token = secrets.token_urlsafe(32)
    invitation = ReviewerInvitation.objects.create(
        call=call,
        email=email,
        part=part,
        token_hash=token_hash(token),
        invited_by=actor,
        expires_at=now + timedelta(days=VALID_DAYS),
    )
    record(actor=actor, act="reviewer_invited", subject=call, scope=call.slug, facts={"part": part})
    goes_out = mails.invite(
        call=call,
        email=email,
        part=part,
        chair=actor,
        path=path.replace("{token}", token),
        days=VALID_DAYS,
    )
    return invitation, goes_out


def open_invitation(token: str) -> ReviewerInvitation | None:
    """The invitation of a token, if it can still be accepted."""
    found = ReviewerInvitation.objects.select_related("call").filter(token_hash=token_hash(token)).first()
    return found if found is not None and found.is_open else None


@transaction.atomic
def accept_invitation(*, user: User, token: str) -> Reviewer:
    """Take up an invitation.

    Raises
    ------
    ValidationError
        When the token is unknown, used, withdrawn or too old, or was meant for another address.
    """
    invitation = (
        ReviewerInvitation.objects.select_for_update(of=("self",))
        .select_related("call")
        .filter(token_hash=token_hash(token))
        .first()
    )
    if invitation is None or not invitation.is_open:
        raise ValidationError("This invitation is not valid any more; ask the chairs for a new one.")
    if user.email.lower() != invitation.email:
        raise ValidationError("This invitation was sent to another e-mail address; sign in with that one.")
    invitation.accepted_at = timezone.now()
    invitation.save(update_fields=["accepted_at"])
    return add_reviewer(actor=user, call=invitation.call, user=user, part=invitation.part)


@transaction.atomic
def close_invitation(*, actor: User | None, invitation: ReviewerInvitation) -> None:
    """Refuse an invitation or withdraw it; its token stops working."""
    if invitation.is_open:
        invitation.closed_at = timezone.now()
        invitation.save(update_fields=["closed_at"])
        record(
            actor=actor,
            act="reviewer_invitation_closed",
            subject=invitation.call,
            scope=invitation.call.slug,
            facts={"part": invitation.part},
        )


@transaction.atomic
def add_reviewer(*, actor: User, call: Call, user: User, part: str = Part.GENERAL, **facts: Any) -> Reviewer:
    """Make a person a reviewer of the call in one part, besides those that they have."""
    flag = _FLAGS[Part(part)]
    reviewer, created = Reviewer.objects.get_or_create(
        call=call, user=user, defaults={**dict.fromkeys(_FLAGS.values(), False), flag: True, **facts}
    )
    if not created:
        setattr(reviewer, flag, True)
        reviewer.left_at = None
        reviewer.save()
    rules.forget(user)
    record(
        actor=actor,
        act="reviewer_joined",
        subject=reviewer,
        scope=call.slug,
        facts={"user": user.pk, "part": str(part)},
    )
    return reviewer


@transaction.atomic
def change_reviewer(*, actor: User, reviewer: Reviewer, **fields: Any) -> Reviewer:
    """Change parts, expertise and load of a reviewer; done by the person or a chair."""
    if "expertise" in fields:
        words = dict.fromkeys(" ".join(str(word).split())[:60] for word in fields["expertise"])
        fields["expertise"] = [word for word in words if word][:MAX_EXPERTISE]
    changed = [name for name, value in fields.items() if getattr(reviewer, name) != value]
    for name in changed:
        setattr(reviewer, name, fields[name])
    if not reviewer.parts:
        raise ValidationError("A reviewer has at least one part.")
    reviewer.save()
    if changed:
        record(
            actor=actor, act="reviewer_changed", subject=reviewer, scope=reviewer.call.slug, facts={"changed": changed}
        )
    return reviewer


@transaction.atomic
def remove_reviewer(*, actor: User, reviewer: Reviewer) -> None:
    """End a person's part in the call.

    Raises
    ------
    ValidationError
        As long as designs are assigned to them.
    """
    if reviewer.assignments.filter(removed_at=None, filing__state__in=["submitted", "under_review"]).exists():
        raise ValidationError("Assign the person's designs to others first.")
    reviewer.left_at = timezone.now()
    reviewer.save(update_fields=["left_at"])
    rules.forget(reviewer.user)
    record(
        actor=actor, act="reviewer_left", subject=reviewer, scope=reviewer.call.slug, facts={"user": reviewer.user_id}
    )


@transaction.atomic
def bid(*, reviewer: Reviewer, filing: Filing, wish: int | None) -> None:
    """Say how gladly one would review a design; `None` takes the word back.

    Raises
    ------
    ValidationError
        When bids are over, or the design is not of the call.
    """
    if filing.call_id != reviewer.call_id:
        raise ValidationError("This design is not part of the call.")
    if not reviewer.call.takes_bids:
        raise ValidationError("Bids are not taken now.")
    if wish is None:
        Bid.objects.filter(reviewer=reviewer, filing=filing).delete()
    elif wish in Bid.Wish.values:
        Bid.objects.update_or_create(reviewer=reviewer, filing=filing, defaults={"wish": wish})
    else:
        raise ValidationError("Gladly, can, or rather not.")
    record(
        actor=reviewer.user,
        act="review_bid",
        subject=filing,
        scope=reviewer.call.slug,
        facts={"reviewer": reviewer.pk, "wish": wish},
    )


@transaction.atomic
def declare_conflict(*, actor: User, reviewer: Reviewer, filing: Filing, reason: str) -> Conflict:
    """Declare a conflict of interest: by the reviewer, or by a chair about them. An assignment ends with it."""
    reason = " ".join(reason.replace("\x00", "").split())[:300]
    if not reason:
        raise ValidationError("Say in a few words what the conflict is.")
    if filing.call_id != reviewer.call_id:
        raise ValidationError("This design is not part of the call.")
    conflict, _ = Conflict.objects.update_or_create(
        reviewer=reviewer, filing=filing, defaults={"reason": reason, "declared_by": actor}
    )
    now = timezone.now()
    for assignment in filing.assignments.filter(reviewer=reviewer, removed_at=None):
        assignment.removed_at = now
        assignment.save(update_fields=["removed_at"])
    rules.forget(reviewer.user)
    record(
        actor=actor,
        act="conflict_declared",
        subject=filing,
        scope=filing.call.slug,
        facts={"reviewer": reviewer.pk},
    )
    return conflict
