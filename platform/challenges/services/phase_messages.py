"""Telling those who take part that a phase opens, is about to close, and has closed."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Final

from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from accounts.notifications.domain import letters
from accounts.notifications.models import Notification
from accounts.notifications.services import notify
from challenges.models import Challenge, Phase
from challenges.queries import label_of
from challenges.queries.people import organizers_of, participants_of
from challenges.queries.timetable import open_at, timetable_of, with_dates
from challenges.rules import FOR_READERS
from web.wording import moment_words

KIND: Final = "phase_moves"
# A platform that stood still tells of what began meanwhile, but not of what is long past.
LOOKS_BACK: Final = timedelta(days=1)
NEAR: Final = timedelta(days=3)


def tell_of_phases() -> int:
    """Notify each person once of every phase that has opened or is about to close.

    Return the number of phases with notifications.
    """
    now = timezone.now()
    public = with_dates(Phase.objects.filter(task__challenge__in=Challenge.objects.filter(FOR_READERS))).select_related(
        "task__challenge"
    )
    opened = public.filter(open_at(now) & Q(starts__gt=now - LOOKS_BACK))
    closing = public.filter(open_at(now) & Q(starts__lte=now - NEAR, ends__lte=now + NEAR), stays_open=False)
    phase_count = sum(_tell(phase, "opened", _opened) for phase in opened)
    return phase_count + sum(_tell_of_closing(phase) for phase in closing)


def _tell_of_closing(phase: Phase) -> bool:
    """Notify that a phase is about to close; again after its deadline has moved."""
    sent = Notification.objects.filter(kind=KIND, key__startswith=f"{phase.pk} closing")
    if sent.filter(subject__endswith=moment_words(phase.ends_at)).exists():
        return False
    return _tell(phase, f"closing {phase.ends_at:%Y-%m-%dT%H:%M}", _closing)


def tell_of_closed_phase(phase_id: int) -> None:
    """Notify people once that a phase is over; call it in the transaction that ends the phase."""
    _tell(Phase.objects.select_related("task__challenge").get(pk=phase_id), "closed", _closed)


def where_of(phase: Phase) -> letters.Where:
    """A phase as messages name it."""
    return letters.Where(phase.challenge.title, label_of(phase))


def _tell(phase: Phase, occasion: str, letter_of: Callable[[Phase], letters.Letter]) -> bool:
    key = f"{phase.pk} {occasion}"
    if Notification.objects.filter(kind=KIND, key=key).exists():
        return False
    letter = letter_of(phase)
    people: Iterable[object] = [*participants_of(phase.challenge), *organizers_of(phase.challenge)]
    notifications = notify(
        people=people,
        kind=KIND,
        subject=letter.subject,
        text=letter.text,
        address=reverse("challenges:detail", args=[phase.challenge.slug]),
        scope=phase.challenge.slug,
        key=key,
    )
    return bool(notifications)


def _opened(phase: Phase) -> letters.Letter:
    return letters.OPENED.letter(letters.OfPhase(where_of(phase), ends=timetable_of(phase).closes))


def _closing(phase: Phase) -> letters.Letter:
    return letters.CLOSING.letter(letters.OfPhase(where_of(phase), ends=timetable_of(phase).closes))


def _closed(phase: Phase) -> letters.Letter:
    timetable = timetable_of(phase)
    reveals = None if timetable.is_published else timetable.published
    return letters.CLOSED.letter(letters.OfPhase(where_of(phase), reveals=reveals))
