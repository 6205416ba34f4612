"""What in a call waits for whom, and until when."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from reviews.models import Call, Filing, State
from reviews.queries.filings import latest_of, review_due
from reviews.queries.reviews import matrix_of

CHAIRS, ORGANIZERS = "chairs", "organizers"


@dataclass(frozen=True)
class Waiting:
    """One thing to do about one design.

    Attributes
    ----------
    whom
        Chairs, organizers, or a reviewer by name.
    due
        Until when it is to be done; nothing where no date is set.
    """

    filing: Filing
    what: str
    whom: str
    due: datetime | None


def waiting_in(call: Call, *, without: Iterable[int] = ()) -> list[Waiting]:
    """Everything that is open, what is due first first; `without` are designs that the chair has a part in."""
    rows = matrix_of(call, without=without).rows
    newest = latest_of(Filing.objects.filter(pk__in=[row.filing.pk for row in rows]))
    found: list[Waiting] = []
    for row in rows:
        filing = row.filing
        match filing.state:
            case State.SUBMITTED:
                what = "Open the review" if row.assigned else "Assign reviewers"
                found.append(Waiting(filing, what, CHAIRS, call.review_at))
            case State.UNDER_REVIEW:
                due = review_due(filing, newest[filing.pk])
                cells = [cell for cell in row.cells if cell is not None and cell.sent is None]
                found += [Waiting(filing, "Review", cell.assignment.reviewer.user.display_name, due) for cell in cells]
                if not cells:
                    found.append(Waiting(filing, "Decide", CHAIRS, None))
            case State.REVISION_REQUIRED:
                found.append(Waiting(filing, "Revise", ORGANIZERS, call.revision_at))
            case State.REVISION_SUBMITTED:
                found.append(Waiting(filing, "Decide about the revision", CHAIRS, None))
            case State.ACCEPTED:
                found.append(Waiting(filing, "Register", ORGANIZERS, call.registration_at))
    return sorted(found, key=lambda one: (one.due is not None, one.due or one.filing.created_at, one.filing.number))
