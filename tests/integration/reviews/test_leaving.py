"""Reasons that keep a person from closing their account while others depend on them in a call."""

import pytest

from accounts.services.rights import obstacles
from reviews.models import Chair

pytestmark = pytest.mark.django_db


def test_the_only_chair_of_a_call_with_open_filings_is_told_which_call_it_is(world):
    world.file()
    [chair] = Chair.objects.filter(call=world.call)
    said = obstacles(chair.user)
    assert (
        f"You are the only chair of the call “{world.call.title}”, which has open filings. Add another chair first."
        in said
    )


def test_a_second_chair_lets_the_first_go(world, people):
    world.file()
    first = Chair.objects.get(call=world.call).user
    people(world)
    assert not [line for line in obstacles(first) if "only chair" in line]
