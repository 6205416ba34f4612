"""A visitor finds an open challenge by modality, with and without JavaScript."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.paths.clicks import Way

pytestmark = [pytest.mark.browser]


def test_an_open_challenge_with_mri_is_four_clicks_away(platform, page, seen):
    page.goto(platform.url)
    way = Way(page)
    way.click(page.get_by_role("navigation").get_by_role("link", name="Challenges").first)
    way.choose("State", "open")
    expect(page).to_have_url(re.compile("state=open"))
    way.choose("Modality", "Magnetic Resonance Imaging (MRI)")
    expect(page).to_have_url(re.compile("modality=mri"))
    expect(page.get_by_role("heading", name="1 challenge")).to_be_visible()
    card = page.locator(".challenge-card")
    for words in ("days left", "Olivia Organizer", "Test cases", "Data", "Teams"):
        expect(card).to_contain_text(words)
    seen.check_everywhere()
    way.click(card.get_by_role("link"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Hippocampus")
    assert way.clicks == 4


def test_a_search_without_results_offers_a_way_back(platform, page, seen):
    page.goto(f"{platform.url}/challenges/")
    page.get_by_label("Search", exact=True).fill("zebra")
    expect(page.get_by_role("heading", name="No results")).to_be_visible()
    seen.check_everywhere()
    way = Way(page)
    way.link("Reset search")
    expect(page.locator(".challenge-card").first).to_be_visible()
    assert way.clicks == 1


def test_the_filters_work_without_javascript(platform, chromium):
    context = chromium.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(f"{platform.url}/challenges/")
        page.get_by_label("Search", exact=True).fill("hippocampus mri")
        page.get_by_label("State", exact=True).select_option("open")
        page.get_by_role("main").get_by_role("button", name="Search").click()
        expect(page.locator(".challenge-card")).to_have_count(1)
        assert "state=open" in page.url
    finally:
        context.close()
