"""Published reviews of a registered design: numbers and summaries, never names (REV-11)."""

import statistics
from collections import Counter
from dataclasses import dataclass

from registry.domain.public_documents import without_contacts
from registry.models import Registration
from reviews.models import Outcome, SentReview


@dataclass(frozen=True)
class ReviewSummary:
    """The reviews of a design in figures, with their written summaries.

    `lowest`, `highest` and `mean` refer to the mean scores of the reviews. They are ``None`` if no score was
    requested.
    """

    call: str
    reviews: int
    recommendations: tuple[tuple[str, int], ...]
    scale: tuple[int, int]
    lowest: float | None
    highest: float | None
    mean: float | None
    summaries: tuple[str, ...]


def review_summary(registration: Registration) -> ReviewSummary | None:
    """The last reviews of each reviewer; ``None`` where the call does not publish them."""
    filing = registration.filing
    if filing is None or not filing.call.publishes_reviews:
        return None
    newest: dict[int, SentReview] = {}
    sent = SentReview.objects.filter(review__assignment__filing=filing, review__assignment__removed_at=None)
    for row in sent.select_related("review").order_by("review__filed__number", "number", "pk"):
        newest[row.review.assignment_id] = row
    # Sorted by their words, so that the place of a summary says nothing about who wrote it.
    rows = sorted(newest.values(), key=lambda row: str(row.content.get("summary", "")))
    scores = [row.score for row in rows if row.score is not None]
    counts = Counter(row.recommendation for row in rows)
    return ReviewSummary(
        call=filing.call.title,
        reviews=len(rows),
        recommendations=tuple((str(outcome.label), counts[outcome]) for outcome in Outcome if counts[outcome]),
        scale=(filing.call.score_min, filing.call.score_max),
        lowest=min(scores, default=None),
        highest=max(scores, default=None),
        mean=statistics.fmean(scores) if scores else None,
        summaries=tuple(
            without_contacts(text) for row in rows if (text := str(row.content.get("summary", "")).strip())
        ),
    )
