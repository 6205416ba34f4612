"""Two people at once: one decides, one launches. Needs a database with row locks."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils import timezone

from challenges.models import Challenge, Projection
from challenges.services import launch
from registry.changes.models import ChangeDecision, ChangeRequest
from registry.changes.services import Verdict, decide, request_change
from registry.models import RegistrationVersion
from tests.integration.changes.world import build, wanted

pytestmark = [
    pytest.mark.services,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time"),
]


def at_once(*acts: Callable[[], object]) -> list[str]:
    """Run all acts at the same moment; returns what refused, and nothing for what went through."""
    barrier, answers = threading.Barrier(len(acts)), []

    def run(act: Callable[[], object]) -> None:
        try:
            barrier.wait()
            act()
            answers.append("")
        except ValidationError as error:
            answers.append(error.messages[0])
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(answers)


def test_two_chairs_cannot_both_decide():
    world = build()
    world.draft("tie_handling", "dense")
    request = request_change(actor=world.organizer, registration=world.registration, wanted=[wanted("tie_handling")])
    ChangeRequest.objects.update(objections_until=timezone.now() - timedelta(minutes=1))
    change = request.changes.get().pk

    def act(chair, *, approve):
        return lambda: decide(
            actor=chair, request=request, verdicts={change: Verdict(approve=approve, reason="My view.")}
        )

    answers = at_once(act(world.chair, approve=True), act(world.second_chair, approve=False))
    assert answers[0] == ""
    assert "decided" in answers[1]
    decision = ChangeDecision.objects.get()
    assert RegistrationVersion.objects.count() == (2 if decision.outcome == "approved" else 1)


def test_two_organizers_cannot_both_launch():
    world = build(launched=False)
    answers = at_once(
        *(
            lambda slug=slug: launch(actor=world.organizer, registration=world.registration, slug=slug)
            for slug in ("one", "two")
        )
    )
    assert answers[0] == ""
    assert "launched" in answers[1]
    assert (Challenge.objects.count(), Projection.objects.count()) == (1, 1)


def test_one_request_is_open_at_a_time():
    world = build()
    world.draft("tie_handling", "dense")
    ask = lambda: request_change(  # noqa: E731 (an act like the others)
        actor=world.organizer, registration=world.registration, wanted=[wanted("tie_handling")]
    )
    answers = at_once(ask, ask)
    assert answers[0] == ""
    assert "Another change request" in answers[1]
    assert ChangeRequest.objects.count() == 1
