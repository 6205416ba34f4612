"""Home page sections about reviews, calls that a person chairs, and due revisions."""

from collections import defaultdict
from collections.abc import Iterator

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.requests import SignedInRequest
from reviews import queries
from reviews.models import Assignment, Call, Filing, State
from web.home import Next


def _open_reviews(request: HttpRequest) -> list[Assignment]:
    """Reviews that the person has not sent yet; kept for the time of the request."""
    assignments: list[Assignment] | None = getattr(request, "open_reviews", None)
    if assignments is None:
        assignments = [row for row in queries.reviewing_of(request.user) if row.is_to_be_sent]
        request.open_reviews = assignments  # type: ignore[attr-defined]  # two sections of one page
    return assignments


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
        yield from _for_chairs(funnel)


def _for_chairs(funnel: queries.Funnel) -> Iterator[Next]:
    """Yield the pending actions for the chairs of a call, one line per kind of action.

    If only one design is affected, the line links to it.
    """
    rows: dict[str, list[queries.Waiting]] = defaultdict(list)
    for row in funnel.waiting:
        if row.whom == queries.CHAIRS:
            rows[row.what].append(row)
    call = funnel.call
    for what, of in rows.items():
        first, number = of[0], len(of)
        page = "matrix" if first.page == "filing" else first.page
        several = reverse(f"reviews:{page}", args=[call.slug]) if page else call.get_absolute_url()
        yield Next(
            what if number == 1 else f"{what}: {number} designs",
            f"{first.filing.title}, {call.title}" if number == 1 else call.title,
            first.address if number == 1 else several,
            first.due,
        )


def my_reviews(request: HttpRequest) -> str | None:
    """The reviews that are still to be sent, as HTML; nothing while there is none."""
    rows = _open_reviews(request)
    return render_to_string("reviews/home_reviews.html", {"rows": rows}, request) if rows else None


def _funnels(request: SignedInRequest) -> list[queries.Funnel]:
    """The calls that the person chairs; kept for the time of the request."""
    funnels: list[queries.Funnel] | None = getattr(request, "funnels", None)
    if funnels is None:
        calls = list(Call.objects.filter(chairs__user=request.user))
        designs_of_chair = request.user.design_roles.values_list("design_id", flat=True)
        funnels = queries.funnels_of(calls, without=designs_of_chair) if calls else []
        request.funnels = funnels  # type: ignore[attr-defined]  # two sections of one page
    return funnels


def my_calls(request: SignedInRequest) -> str | None:
    """The calls that the person chairs, as HTML; nothing while there is none."""
    funnels = _funnels(request)
    return render_to_string("reviews/home_calls.html", {"funnels": funnels}, request) if funnels else None
