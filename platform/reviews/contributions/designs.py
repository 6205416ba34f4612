"""Facts about calls for the design pages: the status of a design in a call, and open calls."""

from collections.abc import Sequence
from typing import Any, Final

from django.urls import reverse
from django.utils import timezone

from designs.hooks import Standing
from designs.models import Collaborator, Design
from reviews.models import OVER, Call, Filing, State
from web.wording import day_words

_WORDS: Final = {
    State.SUBMITTED: ("In review", "info", "It waits for the chairs, who open the review."),
    State.UNDER_REVIEW: ("In review", "info", "It waits for the reviewers, then for the chairs, who decide."),
    State.REVISION_REQUIRED: ("Revision due", "warn", "Change the design, answer the points, then send the revision."),
    State.REVISION_SUBMITTED: ("In review", "info", "It waits for the chairs, who decide about the revision."),
    State.ACCEPTED: ("Registration due", "ok", "The design is accepted; an owner registers it."),
    State.REJECTED: ("Rejected", "muted", "It was rejected before."),
    State.DECLINED: ("Declined", "muted", "It was accepted before, and its challenge declined."),
}


def standings(user: Any, designs: Sequence[Design]) -> dict[int, Standing]:
    """Return the status of the person's own designs in calls, in one query.

    If a design has several filings, the running one counts, otherwise the newest.
    """
    filings = Filing.objects.filter(design__in=Collaborator.objects.filter(user=user.pk).values("design"))
    rows = filings.filter(design__in=designs, state__in=_WORDS).select_related("call")
    return {row.design_id: _standing(row) for row in sorted(rows, key=lambda row: (row.state not in OVER, row.pk))}


def _standing(filing: Filing) -> Standing:
    state, call, url = State(filing.state), filing.call, filing.get_absolute_url()
    words, kind, text = _WORDS[state]
    due = {State.REVISION_REQUIRED: call.revision_at, State.ACCEPTED: call.registration_at}.get(state)
    return Standing(words, call.title, url, kind, text, due, "Go to the filing", url, is_over=state in OVER)


def filing(user: Any, design: Design, essential: int, is_executed: bool) -> Standing:  # noqa: ARG001 (the signature of a hook)
    """The open calls that take a design as it is: the only one, or the list of them."""
    calls = Call.objects.filter(is_public=True, submission_at__gt=timezone.now(), gate__lte=essential)
    calls = calls.exclude(filings__in=Filing.objects.filter(design=design).exclude(state=State.WITHDRAWN))
    takers = list((calls if is_executed else calls.filter(takes_unexecuted=True)).order_by("submission_at")[:2])
    if len(takers) == 1:
        text = f"{takers[0]} accepts it until {day_words(takers[0].submission_at)}."
        url = f"{reverse('reviews:file', args=[takers[0].slug])}?design={design.slug}"
        return Standing("", text=text, act="File it", act_address=url)
    text = "Several calls accept it." if takers else "No open call accepts it as it is."
    return Standing("", text=text, act="See the calls", act_address=reverse("reviews:calls"))
