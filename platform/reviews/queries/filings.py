"""Queries for filings, their versions and assignments."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max, QuerySet

from designs.models import Design
from reviews.models import (
    Assignment,
    FiledVersion,
    Filing,
    Part,
    Review,
    ReviewThread,
    State,
    Transition,
)

# Reviewers of a revision have this long from the day on which it came.
REVISION_DAYS: Final = 14


def review_due(filing: Filing, filed: FiledVersion) -> datetime:
    """Return the due date of reviews of a filed version."""
    return filing.call.review_at if filed.number == 1 else filed.filed_at + timedelta(days=REVISION_DAYS)


def accepted_filing(design: Design) -> Filing | None:
    """The filing in which a design was accepted, registered since or not."""
    return (
        Filing.objects.filter(design=design, state__in=[State.ACCEPTED, State.REGISTERED])
        .select_related("call", "design")
        .order_by("-pk")
        .first()
    )


def last_transition(filing: Filing) -> Transition | None:
    """The newest change of state."""
    return filing.transitions.filter(successor=None).first()


def latest(filing: Filing) -> FiledVersion:
    """The version that counts now: the submission or its newest revision."""
    return filing.versions.select_related("version").order_by("-number").first()  # type: ignore[return-value]


def latest_of(filings: QuerySet[Filing]) -> dict[int, FiledVersion]:
    """The newest filed version of each filing, in one query."""
    newest = filings.annotate(last=Max("versions__number")).values_list("pk", "last")
    wanted = dict(newest)
    rows = FiledVersion.objects.filter(filing__in=wanted).select_related("version")
    return {row.filing_id: row for row in rows if row.number == wanted[row.filing_id]}


def have_sent(filed: Iterable[FiledVersion]) -> set[int]:
    """Assignments with a sent review of one of some filed versions."""
    reviews = Review.objects.filter(filed__in=list(filed), sent_at__isnull=False)
    return set(reviews.values_list("assignment", flat=True))


def active_assignments(filing: Filing) -> QuerySet[Assignment]:
    """Return the current assignments of a filing."""
    return filing.assignments.filter(removed_at=None).select_related("reviewer__user")


def numbers_wanted(filing: Filing) -> dict[str, int]:
    """Return the required number of reviewers per part.

    They must be assigned before a review starts, and must have sent their reviews before the decision.
    """
    return {str(Part.GENERAL): filing.call.reviewers_min, str(Part.CLINICAL): filing.call.clinical_reviewers}


def still_wanted(filing: Filing, assigned: Iterable[Assignment]) -> dict[str, int]:
    """Return the number of reviewers per part that are missing from the required number."""
    parts = Counter(one.part for one in assigned)
    wanted = numbers_wanted(filing)
    return {part: number - parts[part] for part, number in wanted.items() if parts[part] < number}


def sent_reviews(filing: Filing, filed: FiledVersion | None = None) -> QuerySet[Review]:
    """Reviews that were sent, of one version or of any, by reviewers who are still assigned."""
    reviews = Review.objects.filter(assignment__filing=filing, assignment__removed_at=None, sent_at__isnull=False)
    return reviews if filed is None else reviews.filter(filed=filed)


def blocking_threads(filing: Filing) -> QuerySet[ReviewThread]:
    """Blocking points that are not resolved."""
    return filing.threads.filter(is_blocking=True).exclude(state=ReviewThread.State.RESOLVED)


def decided_version_ids(filing: Filing) -> set[int]:
    """Versions that were decided about: their threads are the organizers' to see."""
    return set(filing.decisions.values_list("filed_id", flat=True))


def due_for_reminder(now: datetime) -> list[Assignment]:
    """Assignments without a sent review that are due soon or overdue and have not been reminded of that yet."""
    under_review = Assignment.objects.filter(removed_at=None, filing__state=State.UNDER_REVIEW)
    rows = list(under_review.select_related("filing__call", "filing__design", "reviewer__user"))
    newest = latest_of(Filing.objects.filter(pk__in=[row.filing_id for row in rows]))
    sent = have_sent(newest.values())
    due = []
    for row in (one for one in rows if one.pk not in sent):
        due_at = review_due(row.filing, newest[row.filing_id])
        turn = due_at if now >= due_at else due_at - timedelta(days=row.filing.call.remind_days)
        if now >= turn and (row.reminded_at is None or row.reminded_at < turn):
            due.append(row)
    return due
