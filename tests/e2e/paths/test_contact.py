"""A participant and an organizer exchange private messages."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.paths.clicks import Way

pytestmark = [pytest.mark.browser]


def test_a_private_message_and_its_reply_take_two_clicks_each(platform, page, seen, sign_in):
    sign_in("paula")
    page.goto(f"{platform.url}/challenges/hippocampus/leaderboard/")
    way = Way(page)
    way.link("Contact the organizers")
    seen.check_everywhere()
    page.get_by_label("Subject").fill("Licence of our code")
    page.get_by_label("Message").fill("Can we publish it later?")
    way.button("Send message")
    expect(page.get_by_role("heading", level=1)).to_have_text("Licence of our code")
    address = page.url
    assert way.clicks == 2

    sign_in("olivia")
    page.goto(platform.url)
    way = Way(page)
    way.click(page.get_by_role("link", name=re.compile("Licence of our code")).first)
    page.get_by_label("Your reply").fill("Yes, until the results are released.")
    way.button("Send reply")
    expect(page.get_by_text("Yes, until the results are released.")).to_be_visible()
    seen.check_everywhere()
    assert way.clicks == 2
    page.goto(f"{platform.url}/challenges/hippocampus/organize/messages/")
    expect(page.get_by_role("row", name=re.compile("Licence of our code.*answered"))).to_be_visible()
    seen.check_everywhere()

    seen.expected = ("status of 404",)
    sign_in("peter")
    page.goto(address)
    expect(page.get_by_text("Licence of our code")).to_have_count(0)
