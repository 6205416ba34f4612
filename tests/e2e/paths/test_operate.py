"""An administrator makes a chair and sees what is broken."""

import pytest
from playwright.sync_api import expect

from tests.e2e.paths.clicks import Way

pytestmark = [pytest.mark.browser]


def test_a_chair_is_three_clicks_from_any_page(platform, page, seen, sign_in):
    sign_in("admin")
    page.goto(platform.url)
    way = Way(page)
    way.click(page.locator("header summary").last)
    way.click(page.get_by_role("link", name="Operate"))
    expect(page.get_by_role("heading", name="Health")).to_be_visible()
    seen.check_everywhere()
    page.get_by_label("User name or e-mail address").fill("clara")
    way.button("Add chair")
    expect(page.get_by_text("is a chair and can create calls.")).to_be_visible()
    assert way.clicks == 3
    way = Way(page)
    way.link("Run checks")
    expect(page.get_by_role("columnheader", name="Remedy")).to_be_visible()
    seen.check_everywhere()
    assert way.clicks == 1
    page.get_by_role("button", name="Remove chair Clara").click()
