"""A participant mutes one challenge, and pauses all e-mails."""

import pytest
from playwright.sync_api import expect

from tests.e2e.paths.clicks import Way

pytestmark = [pytest.mark.browser]


def test_muting_a_challenge_takes_three_clicks_from_its_page(platform, page, seen, sign_in):
    sign_in("paula")
    page.goto(f"{platform.url}/challenges/hippocampus/")
    way = Way(page)
    way.link("Mute e-mails")
    expect(page.get_by_role("heading", name="As a participant")).to_be_visible()
    expect(page.get_by_role("heading", name="As a chair")).to_have_count(0)
    seen.check_everywhere()
    mute = page.get_by_label("Mute Hippocampus", exact=False)
    way.click(mute)
    way.button("Save")
    expect(page.get_by_text("Your choices are saved.")).to_be_visible()
    expect(mute).to_be_checked()
    assert way.clicks == 3
    way = Way(page)
    way.click(page.get_by_label("Pause all e-mails"))
    way.button("Save")
    expect(page.get_by_label("Pause all e-mails")).to_be_checked()
    assert way.clicks == 2
    page.get_by_label("Pause all e-mails").uncheck()
    mute.uncheck()
    page.get_by_role("button", name="Save").click()
