"""Points raised on a parameter, their answers, and the discussion among reviewers."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse

from core.audit.services import record
from reviews import queries
from reviews.domain.sections import hidden_in_double
from reviews.models import (
    Assignment,
    DiscussionEntry,
    Filing,
    ReviewComment,
    ReviewThread,
    Side,
    State,
)
from reviews.services import mails

MAX_WORDS = 5000
REVIEWING = (State.UNDER_REVIEW,)
_S = ReviewThread.State


@transaction.atomic
def open_thread(
    *,
    actor: Any,
    filing: Filing,
    parameter: str,
    text: str,
    task_key: str = "",
    assignment: Assignment | None = None,
    is_blocking: bool = False,
) -> ReviewThread:
    """Raise a point about a parameter: as a reviewer with an assignment, as a chair without.

    Raises
    ------
    ValidationError
        Without text, outside of a review, or for a parameter or task that the filed version does not have.
    """
    if filing.state not in REVIEWING:
        raise ValidationError("This design is not under review now.")
    filed = queries.latest(filing)
    tasks = {task["key"] for task in filed.version.document["tasks"]}
    unseen = assignment is not None and filing.call.hides_organizers and parameter in hidden_in_double()
    if unseen or not queries.is_place(parameter, task_key, tasks):
        raise ValidationError("There is no such parameter in this design.")
    thread = ReviewThread.objects.create(
        filing=filing,
        filed=filed,
        parameter=parameter,
        task_key=task_key,
        assignment=assignment,
        is_blocking=is_blocking,
    )
    _comment(thread, actor, Side.REVIEWER if assignment else Side.CHAIR, assignment, text)
    _record(actor, "review_point_raised", thread)
    return thread


@transaction.atomic
def add_comment(
    *, actor: Any, thread: ReviewThread, side: str, text: str, assignment: Assignment | None = None
) -> ReviewComment:
    """Add a comment to a thread; a comment of an organizer answers it.

    Raises
    ------
    ValidationError
        Without text, or for organizers outside the time in which their revision is required.
    """
    thread = (
        ReviewThread.objects.select_for_update(of=("self",), no_key=True)
        .select_related("filing__call")
        .get(pk=thread.pk)
    )
    if side == Side.ORGANIZER:
        if thread.filing.state != State.REVISION_REQUIRED:
            raise ValidationError("Points are answered while the revision is awaited.")
        if thread.state == _S.OPEN:
            _set(thread, _S.ANSWERED)
    elif not thread.filing.is_running:
        raise ValidationError("This filing is decided.")
    comment = _comment(thread, actor, side, assignment, text)
    _record(actor, "review_point_commented", thread)
    return comment


@transaction.atomic
def settle(*, actor: Any, thread: ReviewThread, resolved: bool) -> None:
    """Resolve a point, or take it up again; for reviewers and chairs."""
    if not thread.filing.is_running:
        raise ValidationError("This filing is decided.")
    wanted = _S.RESOLVED if resolved else _S.OPEN
    if thread.state != wanted:
        _set(thread, wanted)
        _record(actor, f"review_point_{'resolved' if resolved else 'reopened'}", thread)


@transaction.atomic
def set_blocking(*, actor: Any, thread: ReviewThread, is_blocking: bool) -> None:
    """Set whether a point must be answered before a revision can be sent."""
    if thread.is_blocking != is_blocking:
        thread.is_blocking = is_blocking
        thread.save(update_fields=["is_blocking"])
        _record(actor, f"review_point_made_{'blocking' if is_blocking else 'optional'}", thread)


@transaction.atomic
def discuss(*, actor: Any, filing: Filing, text: str, assignment: Assignment | None = None) -> DiscussionEntry:
    """Add an entry to the discussion of reviewers and chairs.

    Raises
    ------
    ValidationError
        Without text, or if the filing is decided.
    """
    if filing.state not in (State.UNDER_REVIEW, State.REVISION_SUBMITTED):
        raise ValidationError("This design is not under review now.")
    entry = DiscussionEntry.objects.create(filing=filing, author=actor, assignment=assignment, text=_words(text))
    record(actor=actor, act="review_discussed", subject=filing, scope=filing.call.slug)
    others = [
        other.reviewer.user
        for other in queries.active_assignments(filing)
        if other.reviewer.user_id != actor.pk and queries.sees_others(other)
    ]
    mails.discussed(
        filing=filing, people=others, address=reverse("reviews:verdict", args=[filing.call.slug, filing.number])
    )
    return entry


def _comment(thread: ReviewThread, actor: Any, side: str, assignment: Assignment | None, text: str) -> ReviewComment:
    return ReviewComment.objects.create(
        thread=thread, author=actor, side=side, assignment=assignment, text=_words(text)
    )


def _words(text: str) -> str:
    text = text.replace("\x00", "").strip()[:MAX_WORDS]
    if not text:
        raise ValidationError("Write something first.")
    return text


def _set(thread: ReviewThread, state: str) -> None:
    thread.state = state
    thread.save(update_fields=["state"])


def _record(actor: Any, act: str, thread: ReviewThread) -> None:
    record(
        actor=actor,
        act=act,
        subject=thread,
        scope=thread.filing.call.slug,
        facts={"filing": thread.filing.number, "parameter": thread.parameter, "blocking": thread.is_blocking},
    )


def is_open(filing: Filing) -> bool:
    """Return whether points can be raised now."""
    return filing.state in REVIEWING
