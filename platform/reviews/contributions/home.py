"""What the home page shows of reviews, of calls that a person runs, and of revisions that they owe."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from accounts.requests import SignedInRequest
from reviews.models import Assignment, Call, Filing, State
from reviews.queries import anonymity, review_due, reviewing_of
from web.home import Next

DECIDED = (State.ACCEPTED, State.REGISTERED, State.REJECTED, State.DECLINED)
WAITING = {
    State.SUBMITTED: "chair: assign reviewers",
    State.UNDER_REVIEW: "reviewers",
    State.REVISION_REQUIRED: "organizers: revision",
    State.REVISION_SUBMITTED: "chair: decide about the revision",
}
"""For whom a filing waits in each state, in their order."""


def _open_reviews(request: HttpRequest) -> list[Assignment]:
    """Reviews that the person has not sent yet, with `title` and `due`; kept for the time of the request."""
    found: list[Assignment] | None = getattr(request, "open_reviews", None)
    if found is None:
        rows = [row for row in reviewing_of(request.user) if row.filing.state == State.UNDER_REVIEW]
        found = [row for row in rows if row.review is None or row.review.sent_at is None]
        hidden = [row.filing for row in found if row.filing.call.hides_organizers]
        masks = anonymity.masks_of(hidden) if hidden else {}
        for row in found:
            mask = masks.get(row.filing_id)
            row.title = mask.text(row.filing.title) if mask else row.filing.title
            row.due = review_due(row.filing, row.filed)
        request.open_reviews = found  # type: ignore[attr-defined]  # two sections of one page
    return found


def what_to_review_next(request: SignedInRequest) -> Iterator[Next]:
    """Reviews that are due, revisions that the person's designs owe, and what waits for them as a chair."""
    for row in _open_reviews(request):
        address = reverse("reviews:review", args=[row.filing.call.slug, row.filing.number])
        yield Next("Review due", f"{row.title}, {row.filing.call.title}", address, row.due)
    revisions = Filing.objects.filter(design__collaborators__user=request.user, state=State.REVISION_REQUIRED)
    for filing in revisions.select_related("call").distinct():
        yield Next(
            "Revision due", f"{filing.title}, {filing.call.title}", filing.get_absolute_url(), filing.call.revision_at
        )
    for funnel in _funnels(request):
        call = funnel.call
        if number := funnel.states[State.SUBMITTED]:
            yield Next(
                f"Assign reviewers to {number} design{'' if number == 1 else 's'}",
                call.title,
                reverse("reviews:assignments", args=[call.slug]),
                call.review_at if call.review_at > timezone.now() else None,
            )
        if number := funnel.states[State.REVISION_SUBMITTED]:
            yield Next(
                f"Decide about {number} revision{'' if number == 1 else 's'}",
                call.title,
                reverse("reviews:matrix", args=[call.slug]),
            )


def my_reviews(request: HttpRequest) -> str | None:
    """The reviews that are still to be sent, as HTML; nothing while there is none."""
    rows = _open_reviews(request)
    return render_to_string("reviews/home_reviews.html", {"rows": rows}, request) if rows else None


@dataclass(frozen=True)
class Funnel:
    """How the designs of a call stand.

    Attributes
    ----------
    states
        Number of designs in each state.
    late
        Reviews under way that are not sent.
    """

    call: Call
    states: Counter[str]
    late: int

    @property
    def filed(self) -> int:
        """All designs that were ever filed and not withdrawn."""
        return sum(self.states[state] for state in (*WAITING, *DECIDED))

    @property
    def in_review(self) -> int:
        return sum(self.states[state] for state in WAITING)

    @property
    def decided(self) -> int:
        return sum(self.states[state] for state in DECIDED)

    @property
    def waiting(self) -> list[tuple[str, int]]:
        """For whom designs wait, and how many."""
        return [(words, self.states[state]) for state, words in WAITING.items() if self.states[state]]


def _funnels(request: SignedInRequest) -> list[Funnel]:
    """The calls that the person chairs, three queries for all; kept for the time of the request."""
    found: list[Funnel] | None = getattr(request, "funnels", None)
    if found is None:
        calls = list(Call.objects.filter(chairs__user=request.user))
        states: dict[int, Counter[str]] = defaultdict(Counter)
        rows = Filing.objects.filter(call__in=calls).order_by().values_list("call", "state").annotate(Count("pk"))
        for call, state, number in rows:
            states[call][state] = number
        sent = Assignment.objects.filter(pk=OuterRef("pk"), reviews__sent_at__isnull=False)
        unsent = Assignment.objects.filter(
            ~Exists(sent), filing__call__in=calls, filing__state=State.UNDER_REVIEW, removed_at=None
        )
        late = dict(unsent.order_by().values_list("filing__call").annotate(Count("pk")))
        found = [Funnel(call, states[call.pk], late.get(call.pk, 0)) for call in calls]
        request.funnels = found  # type: ignore[attr-defined]  # two sections of one page
    return found


def my_calls(request: SignedInRequest) -> str | None:
    """The calls that the person chairs, as HTML; nothing while there is none."""
    funnels = _funnels(request)
    return render_to_string("reviews/home_calls.html", {"funnels": funnels}, request) if funnels else None
