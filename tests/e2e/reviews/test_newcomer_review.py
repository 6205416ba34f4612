"""A newcomer plays a whole review of the example call, with the passwords that the start prints and in the browser alone.

The chair assigns a design that was just filed, reads the letters and opens the review; two general reviewers and a clinical one
answer all their questions and send; the chair reads the letter of the decision, and the organizer what was decided.
"""

import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
CALL = "/calls/example-miccai/"
REVIEWERS = (("rita", "Rita Reviewer", "reviewer"), ("rolf", "Rolf Reviewer", "reviewer"),
             ("clara", "Clara Clinician", "clinical reviewer"))  # fmt: skip
SIZES = ((1280, 900), (390, 844), (320, 640))


@pytest.fixture(scope="module")
def played(platform):
    """Results of the previous steps."""
    return {}


def test_the_chair_finds_what_waits_and_assigns_three_reviewers(platform, played, sign_in, seen):
    page = sign_in("charles")
    page.goto(platform.url)
    expect(page.locator("#next").locator("..")).to_contain_text("Assign reviewers")
    page.goto(f"{platform.url}{CALL}")
    for word in ("Filed", "In review", "Decided", "Waiting for chairs"):
        expect(page.locator(".funnel")).to_contain_text(word)
    seen.check_everywhere(sizes=SIZES)
    page.locator(".waits li", has_text="RobustMIS").get_by_role("link", name="Assign reviewers").click()
    card = page.locator(".review-list > li", has_text="RobustMIS")
    played["number"] = card.get_attribute("id").removeprefix("filing-")
    for _, name, part in REVIEWERS:
        chosen = card.get_by_label("Reviewer", exact=True)
        chosen.select_option(chosen.locator("option", has_text=name).get_attribute("value"))
        card.get_by_label("As", exact=True).select_option(label=part)
        card.get_by_role("button", name="Assign").click()
        expect(card).to_contain_text(f"{name} {part}, not notified yet")
    seen.check_everywhere(sizes=SIZES)


def test_the_chair_reads_the_letters_and_opens_the_review(platform, played, sign_in, seen):
    page = sign_in("charles")
    page.goto(f"{platform.url}{CALL}filings/{played['number']}/")
    page.get_by_role("button", name="Open the review").click()
    expect(page.get_by_role("heading", name="Open the review and send 3 letters")).to_be_visible()
    expect(page.locator(".letter")).to_have_count(3)
    expect(page.locator(".letter", has_text="Clara Clinician")).to_contain_text("assigned to you as clinical reviewer")
    seen.check_everywhere(sizes=SIZES)
    page.get_by_role("button", name="Open the review and send").click()
    expect(page.get_by_text("The review is open.")).to_be_visible()


@pytest.mark.parametrize(("who", "part"), [(name, part) for name, _, part in REVIEWERS])
def test_a_reviewer_answers_all_questions_and_sends(platform, played, sign_in, seen, who, part):
    page = sign_in(who)
    page.goto(platform.url)
    page.locator(".own-section", has_text="My reviews").get_by_role("link", name=re.compile("RobustMIS")).click()
    expect(page.get_by_text(re.compile(rf"^{part}, to others Reviewer"))).to_be_visible()
    page.get_by_role("link", name=re.compile("^Start with")).click()
    while "/verdict/" not in page.url:
        forms = page.locator("form.review-question")
        for form in forms.all():
            form.get_by_role("radio").first.check()
        for form in forms.all():
            expect(form.locator(".design-status__ok")).to_be_visible()
        with page.expect_navigation():
            page.get_by_role("navigation", name="Next section").get_by_role("link").last.click()
    seen.check_everywhere(sizes=SIZES)
    page.get_by_label("Confidence").select_option("4")
    with page.expect_response(lambda answer: "Sound" in (answer.request.post_data or "")):
        page.get_by_label("Summary for the organizers").fill("Sound.")
    with page.expect_response(lambda answer: "recommendation=accept" in (answer.request.post_data or "")):
        page.get_by_label("Recommendation", exact=True).last.select_option("accept")
    page.get_by_role("button", name="Send the review").click()
    expect(page.get_by_text("Your review is sent")).to_be_visible()


def test_the_chair_reads_the_letter_and_decides(platform, played, sign_in, seen):
    page = sign_in("charles")
    page.goto(f"{platform.url}{CALL}filings/{played['number']}/")
    expect(page.locator(".waits")).to_contain_text("Decide")
    seen.check_everywhere(sizes=SIZES)
    page.get_by_role("link", name="Accept", exact=True).click()
    expect(page.get_by_label("Letter")).to_have_value(re.compile("we are glad to accept"))
    seen.check_everywhere(sizes=SIZES)
    page.get_by_role("button", name="Decide and send the letter").click()
    expect(page.get_by_text("Decided; the letter is on its way")).to_be_visible()
    organizer = sign_in("olivia")
    organizer.goto(f"{platform.url}{CALL}filings/{played['number']}/")
    expect(organizer.get_by_text("we are glad to accept")).to_be_visible()
    expect(organizer.get_by_role("link", name="Register the design")).to_be_visible()
    assert "Rita" not in organizer.locator("main").inner_text()
    seen.check_everywhere(sizes=SIZES)
