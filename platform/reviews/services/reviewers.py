"""Reviewers of a call: parts, bids, declared conflicts."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from core.audit.services import record
from reviews import rules
from reviews.models import Bid, Call, Conflict, Filing, Part, Reviewer

MAX_EXPERTISE = 20
_FLAGS = {Part.GENERAL: "is_general", Part.CLINICAL: "is_clinical", Part.STATISTICS: "is_statistician"}


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
    """Store the bid of a reviewer for a design; `None` withdraws it.

    Raises
    ------
    ValidationError
        If bids are over, or the design is not part of the call.
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
