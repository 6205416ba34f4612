"""A new account finds challenges, designs and calls with one click each."""

import pytest
from playwright.sync_api import expect

from tests.e2e.paths.clicks import Way
from tests.unit.challenges.world import build

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize(
    ("door", "title"), [("Compete", "Challenges"), ("Organize", "Start a design"), ("Review", "Calls")]
)
def test_each_door_is_one_click(signed_in, site, door, title):
    signed_in.goto(site)
    way = Way(signed_in)
    way.link(door)
    expect(signed_in.get_by_role("heading", level=1)).to_contain_text(title)
    assert way.clicks == 1


def test_a_suggested_challenge_is_one_click(signed_in, seen, site):
    world = build()
    signed_in.goto(site)
    expect(signed_in.get_by_role("heading", name="Suggested challenges")).to_be_visible()
    seen.check_everywhere()
    way = Way(signed_in)
    way.link(world.challenge.title)
    expect(signed_in.get_by_role("heading", level=1)).to_have_text(world.challenge.title)
    assert way.clicks == 1
