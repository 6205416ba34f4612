"""Pending actions in calls, with the responsible people and due dates."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from reviews import hooks
from reviews.models import Assignment, Call, FiledVersion, Filing, State
from reviews.queries.filings import have_sent, latest_of, review_due, still_wanted

CHAIRS, REVIEWERS, ORGANIZERS = "chairs", "reviewers", "organizers"
IN_REVIEW: Final = (State.SUBMITTED, State.UNDER_REVIEW, State.REVISION_REQUIRED, State.REVISION_SUBMITTED)
DECIDED: Final = (State.ACCEPTED, State.REGISTERED, State.REJECTED, State.DECLINED)


@dataclass(frozen=True)
class Waiting:
    """One thing to do about one design.

    Attributes
    ----------
    whom
        Chairs, reviewers or organizers.
    name
        Of the reviewer; empty for the others, any of whom may do it.
    due
        Until when it is to be done; nothing where no date is set.
    page
        Name of the page of the call or of the filing where a chair sees to it.
    own_address
        The page of another app where a chair does it.
    opens
        From when on it can be done; None: now.
    """

    filing: Filing
    what: str
    whom: str
    due: datetime | None
    name: str = ""
    page: str = "filing"
    own_address: str = ""
    opens: datetime | None = None

    @property
    def address(self) -> str:
        """Address of the page where a chair handles the action."""
        if self.own_address:
            return self.own_address
        if self.page == "filing":
            return self.filing.get_absolute_url()
        return f"{reverse(f'reviews:{self.page}', args=[self.filing.call.slug])}#filing-{self.filing.number}"

    @property
    def is_late(self) -> bool:
        """True if the due date has passed."""
        return self.due is not None and self.due < timezone.now()


@dataclass(frozen=True)
class WaitsFor:
    """Number of pending actions for chairs, reviewers or organizers, and their first due date."""

    whom: str
    number: int
    due: datetime | None


@dataclass(frozen=True)
class Funnel:
    """Progress of the designs of a call.

    Attributes
    ----------
    states
        Number of designs in each state.
    waiting
        Pending actions, without the designs that the chair works on.
    """

    call: Call
    states: Counter[str] = field(default_factory=Counter)
    waiting: list[Waiting] = field(default_factory=list)

    @property
    def filed(self) -> int:
        """All designs that were filed and not withdrawn."""
        return self.in_review + self.decided

    @property
    def in_review(self) -> int:
        """Designs that are not decided about for good."""
        return sum(self.states[state] for state in IN_REVIEW)

    @property
    def decided(self) -> int:
        """Designs that were accepted or rejected."""
        return sum(self.states[state] for state in DECIDED)

    @property
    def waits_for(self) -> list[WaitsFor]:
        """For whom something waits."""
        waiting_groups = []
        for whom in (CHAIRS, REVIEWERS, ORGANIZERS):
            rows = [row for row in self.waiting if row.whom == whom]
            if rows:
                dates = [row.due for row in rows if row.due is not None]
                waiting_groups.append(WaitsFor(whom, len(rows), min(dates, default=None)))
        return waiting_groups


def waiting_in(call: Call, *, without: Iterable[int] = ()) -> list[Waiting]:
    """Everything that is open in a call, what is due first first; `without` are designs that the chair has a part in."""
    return funnels_of([call], without=without)[0].waiting


def funnels_of(calls: Iterable[Call], *, without: Iterable[int] = ()) -> list[Funnel]:
    """Return the progress of the designs of some calls, in a constant number of queries.

    Parameters
    ----------
    without
        Designs that the chair works on. Only their state is shown.
    """
    funnels = {call.pk: Funnel(call) for call in calls}
    filings = list(Filing.objects.filter(call__in=funnels).select_related("call", "design"))
    for filing in filings:
        funnels[filing.call_id].states[filing.state] += 1
    hidden = set(without)
    visible_filings = [filing for filing in filings if filing.design_id not in hidden]
    newest = latest_of(Filing.objects.filter(pk__in=[filing.pk for filing in visible_filings]))
    assigned: dict[int, list[Assignment]] = defaultdict(list)
    for one in _assignments(visible_filings):
        assigned[one.filing_id].append(one)
    sent = have_sent(newest.values())
    for filing in visible_filings:
        funnels[filing.call_id].waiting.extend(_open(filing, newest[filing.pk], assigned[filing.pk], sent))
    by_key = {filing.pk: filing for filing in visible_filings}
    for provider in hooks.for_chairs if by_key else ():
        for pending in provider(by_key.keys()):
            filing = by_key[pending.filing]
            row = Waiting(filing, pending.what, CHAIRS, None, page="", own_address=pending.address, opens=pending.opens)
            funnels[filing.call_id].waiting.append(row)
    for funnel in funnels.values():
        funnel.waiting.sort(key=lambda row: (row.due is not None, row.due or row.filing.created_at, row.filing.number))
    return list(funnels.values())


def _assignments(filings: Iterable[Filing]) -> QuerySet[Assignment]:
    return Assignment.objects.filter(filing__in=list(filings), removed_at=None).select_related("reviewer__user")


def _open(filing: Filing, filed: FiledVersion, assigned: list[Assignment], sent: set[int]) -> Iterator[Waiting]:
    """Yield the pending actions for a design."""
    call = filing.call
    match filing.state:
        case State.SUBMITTED:
            if not still_wanted(filing, assigned):
                yield Waiting(filing, "Open the review", CHAIRS, call.review_at)
            else:
                yield Waiting(filing, "Assign reviewers", CHAIRS, call.review_at, page="assignments")
        case State.UNDER_REVIEW:
            if untold := sum(one.told_at is None for one in assigned):
                letters = f"{untold} letter{'' if untold == 1 else 's'}"
                yield Waiting(filing, f"Send {letters} of assignment", CHAIRS, None, page="letters")
            if not still_wanted(filing, [one for one in assigned if one.pk in sent]):
                yield Waiting(filing, "Decide", CHAIRS, None)
            elif still_wanted(filing, assigned):
                yield Waiting(filing, "Assign reviewers", CHAIRS, None, page="assignments")
            due = review_due(filing, filed)
            for one in assigned:
                if one.pk not in sent:
                    yield Waiting(filing, "Review", REVIEWERS, due, one.reviewer.user.display_name)
        case State.REVISION_REQUIRED:
            yield Waiting(filing, "Revise", ORGANIZERS, call.revision_at)
        case State.REVISION_SUBMITTED:
            yield Waiting(filing, "Decide about the revision", CHAIRS, None)
        case State.ACCEPTED:
            yield Waiting(filing, "Register", ORGANIZERS, call.registration_at)
