"""Runs that no machine can run: organizers and operators are notified within 15 minutes."""

from datetime import timedelta

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from accounts.notifications.domain.letters_of_runs import WAITING_RUNS, OfWaitingRuns
from accounts.notifications.services import notify
from challenges.queries.people import organizers_of
from executions.models import Execution
from executions.runners.queries import Waiting, waiting_words

KIND = "runs_without_a_machine"
PATIENCE = timedelta(minutes=10)
"""Time after which waiting runs without a machine are reported; the sweep looks every 30 seconds."""


def report_stuck() -> int:
    """Notify organizers and operators of each phase whose runs no machine can run; returns the number of phases."""
    until = timezone.now() - PATIENCE
    stuck = [entry for entry in waiting_words(None) if entry.reason and entry.since < until]
    for entry in stuck:
        _notify(entry)
    return len(stuck)


@transaction.atomic
def _notify(entry: Waiting) -> None:
    challenge = entry.phase.challenge
    letter = WAITING_RUNS.letter(OfWaitingRuns(challenge.title, entry.phase.name, entry.number, entry.reason))
    first = Execution.objects.filter(phase=entry.phase, state=Execution.State.QUEUED).earliest("queued_at")
    operators = User.objects.filter(is_superuser=True, is_active=True)
    common = {
        "kind": KIND,
        "subject": letter.subject,
        "text": letter.text,
        "scope": challenge.slug,
        "key": str(first.pk),
    }
    organizers = list(organizers_of(challenge))
    notify(people=organizers, address=reverse("runners:challenge", args=[challenge.slug]), **common)
    others = [person for person in operators if person.pk not in {person.pk for person in organizers}]
    notify(people=others, address=reverse("runners:installation"), **common)
