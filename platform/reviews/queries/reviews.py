"""Reviews: who has sent what, who sees what."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from statistics import pstdev
from typing import Any, Final

from django.db.models import Count, Prefetch, Q, QuerySet

from evaluation.designs.catalogue import shipped
from reviews.domain.sections import hidden_in_double
from reviews.models import (
    Assignment,
    Call,
    FiledVersion,
    Filing,
    Outcome,
    Review,
    ReviewComment,
    Reviewer,
    ReviewThread,
    SentReview,
    Showing,
    State,
)
from reviews.queries.anonymity import masks_of
from reviews.queries.filings import decided_version_ids, latest, latest_of, review_due

# Recommendations on a line, so that their distance says how far apart reviewers are.
LADDER: Final = {str(outcome): at for at, outcome in enumerate(Outcome)}
# Two steps apart (accept and major, minor and reject) is a disagreement, as is half of the scale between mean scores.
APART: Final = 2
HALF: Final = 0.5


def is_place(parameter: str, task_key: str, tasks: Collection[str]) -> bool:
    """Return whether a parameter belongs to the challenge or to a task of the design."""
    definition = shipped().parameters.get(parameter)
    if definition is None or (task_key and task_key not in tasks):
        return False
    return bool(task_key) or not definition.is_task


def has_sent(assignment: Assignment) -> bool:
    """Return whether the reviewer has sent a review of the version filed last."""
    return Review.objects.filter(assignment=assignment, filed=latest(assignment.filing), sent_at__isnull=False).exists()


def sees_others(assignment: Assignment) -> bool:
    """Return whether a reviewer can see the other reviews of this design."""
    match assignment.filing.call.showing:
        case Showing.ALWAYS:
            return True
        case Showing.NEVER:
            return False
    return has_sent(assignment)


def newest_sent(filing: Filing, filed: FiledVersion) -> list[SentReview]:
    """The newest of what each reviewer sent about a version; only of those who still review."""
    rows = (
        SentReview.objects.filter(
            review__assignment__filing=filing, review__assignment__removed_at=None, review__filed=filed
        )
        .select_related("review__assignment__reviewer__user")
        .order_by("review__assignment__label", "number")
    )
    return list({row.review_id: row for row in rows}.values())


def threads_for_reviewer(assignment: Assignment) -> QuerySet[ReviewThread]:
    """Points that a reviewer sees: own ones, those that organizers were sent, and all once they see the others."""
    threads = threads_of(assignment.filing)
    if assignment.filing.call.hides_organizers:
        threads = threads.exclude(parameter__in=hidden_in_double())
    if sees_others(assignment):
        return threads
    return threads.filter(Q(assignment=assignment) | Q(filed__in=decided_version_ids(assignment.filing)))


def threads_for_organizers(filing: Filing) -> QuerySet[ReviewThread]:
    """Points that organizers were sent: raised on a version that has been decided about."""
    return threads_of(filing).filter(filed__in=decided_version_ids(filing))


def threads_of(filing: Filing) -> QuerySet[ReviewThread]:
    """Return all points with their comments, in a constant number of queries."""
    comments = ReviewComment.objects.select_related("author", "assignment")
    return (
        ReviewThread.objects.filter(filing=filing)
        .select_related("assignment__reviewer__user", "filed")
        .prefetch_related(Prefetch("comments", queryset=comments))
    )


# --- The chair's matrix ------------------------------------------------------------------------------------------
@dataclass
class Cell:
    """The assignment of a reviewer to a design, with the sent review if there is one."""

    assignment: Assignment
    sent: SentReview | None = None


@dataclass
class MatrixRow:
    """A design with the reviews of the version filed last."""

    filing: Filing
    cells: list[Cell | None] = field(default_factory=list)
    blocking: int = 0
    scale: int = 1

    @property
    def sent(self) -> list[SentReview]:
        """Reviews that were sent."""
        return [cell.sent for cell in self.cells if cell is not None and cell.sent is not None]

    @property
    def assigned(self) -> int:
        """Number of reviewers of the design."""
        return sum(cell is not None for cell in self.cells)

    @property
    def scores(self) -> list[float]:
        """Mean scores that reviewers gave."""
        return [sent.score for sent in self.sent if sent.score is not None]

    @property
    def mean(self) -> float | None:
        """Mean over the reviewers, each as much as they are sure; none without a score."""
        weights = [sent.confidence for sent in self.sent if sent.score is not None]
        return sum(s * w for s, w in zip(self.scores, weights, strict=True)) / sum(weights) if weights else None

    @property
    def spread(self) -> float | None:
        """Standard deviation of the reviewers' mean scores; none with fewer than two."""
        return pstdev(self.scores) if len(self.scores) > 1 else None

    @property
    def distance(self) -> int:
        """Steps between the kindest and the strictest recommendation."""
        steps = [LADDER[sent.recommendation] for sent in self.sent]
        return max(steps) - min(steps) if steps else 0

    @property
    def disagrees(self) -> bool:
        """True if the reviews disagree and need the attention of the chair.

        This applies to recommendations two steps apart, or scores half of the scale apart.
        """
        wide = bool(self.scores) and max(self.scores) - min(self.scores) >= HALF * self.scale
        return self.distance >= APART or wide


@dataclass
class Matrix:
    """Designs against reviewers."""

    reviewers: list[Reviewer]
    rows: list[MatrixRow]


def matrix_of(call: Call, *, without: Iterable[int] = ()) -> Matrix:
    """The matrix of a call, in a constant number of queries; `without` are designs that the chair has a part in."""
    filings = list(call.filings.exclude(design__in=list(without)).select_related("call", "design"))
    newest = latest_of(Filing.objects.filter(pk__in=[filing.pk for filing in filings]))
    assignments = list(
        Assignment.objects.filter(filing__in=filings, removed_at=None).select_related("reviewer__user", "filing")
    )
    reviewers = list({one.reviewer_id: one.reviewer for one in assignments}.values())
    reviewers.sort(key=lambda one: (one.user.last_name.lower(), one.user.username))
    sent: dict[int, SentReview] = {}
    rows = SentReview.objects.filter(
        review__assignment__in=assignments, review__filed__in=list(newest.values())
    ).select_related("review")
    for row in rows.order_by("number"):
        sent[row.review.assignment_id] = row
    blocking = dict(
        ReviewThread.objects.filter(filing__in=filings, is_blocking=True)
        .exclude(state=ReviewThread.State.RESOLVED)
        .values_list("filing")
        .annotate(number=Count("pk"))
    )
    by_filing: dict[int, dict[int, Assignment]] = defaultdict(dict)
    for one in assignments:
        by_filing[one.filing_id][one.reviewer_id] = one
    return Matrix(
        reviewers,
        [
            MatrixRow(
                filing,
                [
                    Cell(assignment, sent.get(assignment.pk))
                    if (assignment := by_filing[filing.pk].get(person.pk))
                    else None
                    for person in reviewers
                ],
                blocking.get(filing.pk, 0),
                call.score_max - call.score_min,
            )
            for filing in filings
        ],
    )


def loads_of(call: Call) -> list[Reviewer]:
    """Reviewers of a call with `assigned`, `sent` and `waiting`: their load at a glance, in a constant number of queries."""
    people = list(call.reviewers.filter(left_at=None).select_related("user", "call"))
    filings = call.filings.all()
    newest = {filed.pk for filed in latest_of(filings).values()}
    assigned: dict[int, int] = defaultdict(int)
    done: dict[int, int] = defaultdict(int)
    open_: dict[int, int] = defaultdict(int)
    rows = Assignment.objects.filter(filing__call=call, removed_at=None).select_related("filing")
    finished = set(Review.objects.filter(filed__in=newest, sent_at__isnull=False).values_list("assignment", flat=True))
    for row in rows:
        assigned[row.reviewer_id] += 1
        if row.pk in finished:
            done[row.reviewer_id] += 1
        elif row.filing.state == State.UNDER_REVIEW:
            open_[row.reviewer_id] += 1
    for person in people:
        person.assigned, person.sent, person.waiting = assigned[person.pk], done[person.pk], open_[person.pk]
    return people


def reviewing_of(user: Any, call: Call | None = None) -> list[Assignment]:
    """Return the assignments of a person in a call, or in all calls.

    Each has the `review` of the version `filed` last, the `title` as reviewers can read it, and the date `due`.
    Reviews that must still be sent come first, by their due date.
    """
    assignments = Assignment.objects.filter(reviewer__user=user, removed_at=None)
    if call is not None:
        assignments = assignments.filter(filing__call=call)
    rows = list(assignments.select_related("filing__call", "filing__design", "reviewer").order_by("filing__number"))
    newest = latest_of(Filing.objects.filter(pk__in=[row.filing_id for row in rows]))
    reviews = {
        review.assignment_id: review
        for review in Review.objects.filter(assignment__in=rows, filed__in=list(newest.values()))
    }
    hidden = [row.filing for row in rows if row.filing.call.hides_organizers]
    masks = masks_of(hidden) if hidden else {}
    for row in rows:
        row.review, row.filed = reviews.get(row.pk), newest[row.filing_id]
        mask = masks.get(row.filing_id)
        row.title = mask.text(row.filing.title) if mask else row.filing.title
        row.due = review_due(row.filing, row.filed)
    return sorted(rows, key=lambda row: (not row.is_to_be_sent, row.due))
