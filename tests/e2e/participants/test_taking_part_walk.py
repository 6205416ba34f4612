"""Two people meet over a challenge: a question, an answer, an announcement, a token; every page is sound."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser]
CHALLENGE = "/challenges/hippocampus/"


def test_a_question_is_answered_and_told(platform, page, seen, sign_in):
    sign_in("paula")
    page.goto(f"{platform.url}{CHALLENGE}discussion/")
    page.fill("#id_title", "Which spacing?")
    page.fill("#id_text", "The training cases have *1 mm*.")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Which spacing?")
    seen.check_everywhere()
    address = page.url
    for rest in (f"{CHALLENGE}team/", f"{CHALLENGE}news/", "/notifications/preferences/"):
        page.goto(f"{platform.url}{rest}")
        seen.check()
    page.goto(f"{platform.url}/accounts/tokens/")
    page.fill("#id_name", "walk")
    page.get_by_role("button", name="Create token").click()
    expect(page.locator("#token-secret")).to_have_text(re.compile(r"^podium_[\w-]{43}$"))
    seen.check_everywhere()

    sign_in("olivia")
    page.goto(platform.url)
    page.get_by_role("link", name=re.compile("Notifications: .* unread")).click()
    seen.check_everywhere()
    page.get_by_role("link", name=re.compile("Which spacing")).first.click()
    expect(page).to_have_url(address)
    page.fill("#id_text", "The same.")
    page.get_by_role("button", name="Answer", exact=True).click()
    page.get_by_role("button", name="Mark as the answer").click()
    expect(page.get_by_text("answer", exact=True)).to_be_visible()
    for rest in ("organize/people/", "organize/work/", "news/announce/"):
        page.goto(f"{platform.url}{CHALLENGE}{rest}")
        seen.check_everywhere()
    page.fill("#id_title", "One week more")
    page.fill("#id_text", "The phase closes later.")
    page.get_by_role("button", name="Publish and send").click()
    expect(page.get_by_role("heading", name="One week more")).to_be_visible()

    sign_in("paula")
    page.goto(f"{platform.url}/notifications/?show=unread")
    expect(page.get_by_role("link", name=re.compile("One week more"))).to_be_visible()
    page.get_by_role("button", name="Mark all as read").click()
    expect(page.get_by_role("link", name="Notifications", exact=True)).to_be_visible()
