"""Two people at the same moment, each with a connection of their own."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from reviews.models import Decision, Filing, Transition
from reviews.services import assigning, deciding
from tests.unit.reviews.world import build, person

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer at a time"),
]


def at_once(*acts):
    """Run acts in threads that start together; returns what each returned or raised."""
    start = Barrier(len(acts))

    def run(act):
        try:
            start.wait()
            return act()
        except ValidationError as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def test_two_chairs_decide_at_once_and_one_of_them_has_decided():
    world = build()
    world.under_review()
    for name in ("r1", "r2", "clara"):
        world.send(name)
    second = person("second_chair")
    world.call.chairs.create(user=second)

    def decide(actor, outcome):
        filing = Filing.objects.select_related("call", "design").get(pk=world.filing.pk)
        return lambda: deciding.decide(actor=actor, filing=filing, outcome=outcome, letter="Dear all")

    answers = at_once(decide(world.chair, "accept"), decide(second, "reject"))
    assert sorted(isinstance(answer, ValidationError) for answer in answers) == [False, True]
    (decision,) = Decision.objects.all()
    world.filing.refresh_from_db()
    assert world.filing.state == {"accept": "accepted", "reject": "rejected"}[decision.outcome]
    assert Transition.objects.filter(filing=world.filing).count() == 3


def test_two_chairs_assign_the_last_place_at_once_and_one_gets_it():
    world = build(reviewers_max=2)
    world.file()
    world.assign("r1", "clara")

    def assign(name):
        return lambda: assigning.assign(
            actor=world.chair, filing=world.filing, reviewer=world.panel[name], part="general"
        )

    answers = at_once(assign("r2"), assign("r3"))
    assert sorted(isinstance(answer, ValidationError) for answer in answers) == [False, True]
    assert world.filing.assignments.filter(removed_at=None, part="general").count() == 2
