"""An organizer gives participants one more week."""

import pytest
from playwright.sync_api import expect

from tests.e2e.paths.clicks import Way

pytestmark = [pytest.mark.browser]


def test_a_week_more_takes_three_clicks_from_the_page_of_organizers(platform, page, seen, sign_in):
    sign_in("olivia")
    page.goto(f"{platform.url}/challenges/hippocampus/organize/")
    way = Way(page)
    way.link("Change dates")
    seen.check_everywhere()
    way.button("1 week later")
    expect(page.get_by_text("The new dates apply at once, to every team.")).to_be_visible()
    seen.check_everywhere()
    way.button("Change dates")
    expect(page.get_by_text("Participants are notified.")).to_be_visible()
    assert way.clicks == 3
