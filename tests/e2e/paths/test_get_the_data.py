"""A visitor sees where training, validation and test data are."""

import pytest
from playwright.sync_api import expect

from tests.e2e.paths.clicks import Way

pytestmark = [pytest.mark.browser]


def test_the_places_of_all_data_are_one_click_from_the_challenge(platform, page, seen):
    page.goto(f"{platform.url}/challenges/hippocampus/")
    way = Way(page)
    way.click(page.get_by_role("navigation").get_by_role("link", name="Data", exact=True))
    section = page.get_by_role("region", name="Where the data are")
    for words in ("Training data", "Validation data", "Test data"):
        expect(section).to_contain_text(words)
    seen.check_everywhere()
    assert way.clicks == 1
