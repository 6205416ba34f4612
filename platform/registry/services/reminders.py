"""Reminders of the due dates of a registration (REG-7), sent once per person.

A design must be registered before its training data are released, before registration and submissions open, and before
the last day of the call. Critical changes have a last day. A challenge that is over requires a report.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from typing import Any, Final

from django.core.cache import cache
from django.utils import timezone

from accounts.notifications import kinds
from accounts.notifications.domain import letters_of_records
from accounts.notifications.domain.letters_of_records import OfRecord
from accounts.notifications.services import notify
from designs.models import Collaborator, Design, Role
from evaluation.designs.checks.custom.schedule import span
from registry.hooks import links_of
from registry.models import Listing, Registration
from reviews.models import Chair, Filing
from reviews.queries import latest

REGISTER, CHANGES_END, REPORT = "registration_due", "critical_changes_end", "registration_report_due"
# So many days before a date people are reminded; each of them once.
DAYS_BEFORE: Final = (14, 3)
# So long after a date that was missed it is still worth saying.
DAYS_AFTER: Final = 30
# What has to come after the registration.
OPENINGS: Final = ("training_data_release", "registration_open", "submission_open")
HALF_A_YEAR: Final = timedelta(days=183)
# After two years without a report nobody is asked any more: the record shows that there is none.
MOST_ASKED: Final = 4
_ENDED: Final = (Registration.State.WITHDRAWN, Registration.State.ABANDONED)


def register_kinds() -> None:
    """Let people choose how they get these messages."""
    kinds.register(REGISTER, "An accepted design of yours is to be registered soon", order=34, role="organizer")
    kinds.register(
        CHANGES_END, "The last day for critical changes of your registered design is near", order=43, role="organizer"
    )
    kinds.register(REPORT, "A registered challenge of yours is over and has no report", order=44, role="organizer")


def remind_daily() -> int:
    """Send the reminders that are due, once per day.

    A second worker or an emptied cache does not cause duplicate messages.
    """
    today = timezone.now().date()
    if not cache.add(f"registry.reminded.{today.isoformat()}", True, timedelta(days=1).total_seconds()):
        return 0
    return remind_due(today=today)


def remind_due(*, today: date) -> int:
    """Remind of everything that is due on a day; returns how many messages are new."""
    return sum(len(rows) for rows in (*_to_register(today), *_to_change(today), *_to_report(today)))


def stage_of(due: date, today: date) -> str:
    """Return the reminder that is due on the day `today`; empty if none is due.

    Examples
    --------
    >>> [stage_of(date(2026, 5, 20), date(2026, 5, day)) for day in (1, 6, 17, 20, 21)]
    ['', '14', '3', '3', 'over']
    """
    left = (due - today).days
    if left < 0:
        return "over" if -left <= DAYS_AFTER else ""
    return next((str(days) for days in sorted(DAYS_BEFORE) if left <= days), "")


def _to_register(today: date) -> Iterator[list[Any]]:
    for filing in Filing.objects.filter(state=Filing.State.ACCEPTED).select_related("call", "design"):
        due, why = _registered_by(filing)
        stage = stage_of(due, today)
        if not stage:
            continue
        over = stage == "over"
        owners = _people(filing.design, Role.OWNER)
        letter = letters_of_records.TO_REGISTER.letter(
            OfRecord(filing.title, call=filing.call.title, due=due, words=why, is_over=over)
        )
        yield notify(
            people=[*owners, *_chairs(filing)] if over else owners,
            kind=REGISTER,
            subject=letter.subject,
            text=letter.text,
            address=f"/registry/register/{filing.design.slug}/",
            scope=filing.call.slug,
            key=f"{filing.pk}-{due.isoformat()}-{stage}",
        )


def _registered_by(filing: Filing) -> tuple[date, str]:
    """The last day, and what happens on it: the call's, or what opens earlier by the schedule of the accepted design."""
    days = [(filing.call.registration_at.date(), "registration for the call ends")]
    filed = latest(filing)
    words = {
        "training_data_release": "training data are released",
        "registration_open": "registration of participants opens",
        "submission_open": "submission opens",
    }
    for event, day in _scheduled(filed.version.document if filed else {}, OPENINGS, first=True):
        days.append((day, words[event]))
    return min(days)


def _to_change(today: date) -> Iterator[list[Any]]:
    open_ones = Registration.objects.filter(filing__isnull=False).exclude(state__in=_ENDED)
    latest_due = timezone.now() + timedelta(days=max(DAYS_BEFORE) + 1)
    rows = open_ones.filter(
        filing__call__critical_change_at__gt=timezone.now() - timedelta(days=1),
        filing__call__critical_change_at__lt=latest_due,
    )
    for registration in rows.select_related("filing__call", "design"):
        assert registration.filing is not None  # of the filtered ones
        due = registration.filing.call.critical_change_at.date()
        stage = stage_of(due, today)
        if stage in ("", "over"):
            continue
        letter = letters_of_records.CHANGES_END.letter(
            OfRecord(registration.design.title, registration.identifier, due=due)
        )
        yield notify(
            people=_people(registration.design, Role.OWNER, Role.EDITOR),
            kind=CHANGES_END,
            subject=letter.subject,
            text=letter.text,
            address=f"{registration.get_absolute_url()}changes/",
            scope=registration.identifier,
            key=f"{registration.pk}-{due.isoformat()}-{stage}",
        )


def _to_report(today: date) -> Iterator[list[Any]]:
    listings = Listing.everything.exclude(registration__state__in=_ENDED).select_related(
        "registration__design", "version__registration"
    )
    for listing in listings.defer("text", "figures").iterator(chunk_size=100):
        registration = listing.registration
        days = [day for _, day in _scheduled(listing.version.document, ("results_release",), first=False)]
        asked = (today - max(days)) // HALF_A_YEAR if days else 0
        if not 1 <= asked <= MOST_ASKED or any(link.kind == "report" for link in links_of(registration)):
            continue
        letter = letters_of_records.REPORT_DUE.letter(
            OfRecord(registration.design.title, registration.identifier, due=max(days))
        )
        yield notify(
            people=_people(registration.design, Role.OWNER),
            kind=REPORT,
            subject=letter.subject,
            text=letter.text,
            address=registration.get_absolute_url(),
            scope=registration.identifier,
            key=f"{registration.pk}-{max(days).isoformat()}-{asked}",
        )


def _scheduled(document: Mapping[str, Any], events: Iterable[str], *, first: bool) -> Iterator[tuple[str, date]]:
    """Days of events in a document; of a month its first or its last day."""
    for row in document.get("challenge", {}).get("challenge_schedule") or ():
        if row.get("event") in events and row.get("date"):
            day = span(str(row["date"]))[0 if first else 1]
            yield row["event"], day


def _people(design: Design, *roles: str) -> list[Any]:
    parts = Collaborator.objects.filter(design=design, role__in=roles).select_related("user")
    return [part.user for part in parts]


def _chairs(filing: Filing) -> list[Any]:
    return [chair.user for chair in Chair.objects.filter(call=filing.call_id).select_related("user")]
