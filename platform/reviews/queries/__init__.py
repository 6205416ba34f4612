"""Reads worth naming."""

from reviews.queries.calls import briefs_of, calls_for, own_filings
from reviews.queries.conflicts import Found, conflicts_of
from reviews.queries.filings import (
    accepted_filing,
    active_assignments,
    blocking_threads,
    decided_version_ids,
    due_for_reminder,
    last_transition,
    latest,
    latest_of,
    numbers_wanted,
    review_due,
    sent_reviews,
)
from reviews.queries.reviews import (
    has_sent,
    is_place,
    loads_of,
    matrix_of,
    newest_sent,
    reviewing_of,
    sees_others,
    threads_for_organizers,
    threads_for_reviewer,
    threads_of,
)
from reviews.queries.waiting import Waiting, waiting_in

__all__ = [
    "Found",
    "Waiting",
    "accepted_filing",
    "active_assignments",
    "blocking_threads",
    "briefs_of",
    "calls_for",
    "conflicts_of",
    "decided_version_ids",
    "due_for_reminder",
    "has_sent",
    "is_place",
    "last_transition",
    "latest",
    "latest_of",
    "loads_of",
    "matrix_of",
    "newest_sent",
    "numbers_wanted",
    "own_filings",
    "review_due",
    "reviewing_of",
    "sees_others",
    "sent_reviews",
    "threads_for_organizers",
    "threads_for_reviewer",
    "threads_of",
    "waiting_in",
]
