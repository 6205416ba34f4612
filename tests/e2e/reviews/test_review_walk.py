"""A design on its way: filed, assigned, reviewed by three people and a clinical one, revised, accepted.

Steps run in order on one installation.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers.people import be
from tests.e2e.reviews import steps

pytestmark = [pytest.mark.browser, pytest.mark.services]
TITLE = "Hippocampus of the walk"


@pytest.fixture(scope="module")
def walk(platform):
    """Results of the previous steps."""
    platform.shell(steps.ACCOUNTS)
    return {"url": platform.url}


@pytest.fixture
def sits_down(platform, page):
    """Return a function that signs in another person and returns the page."""

    def act(name):
        be(page, platform, name, steps.PASSWORD)
        return page

    return act


def test_a_chair_makes_a_call_and_an_organizer_files(walk, platform, sits_down, seen):
    url = walk["url"]
    chair = sits_down(steps.CHAIR)
    walk["call"] = steps.make_call(chair, url, "Challenges of the walk")
    walk["design"] = steps.add_panel_and_design(platform, walk["call"], TITLE)
    organizer = sits_down(steps.ORGANIZER)
    walk["filing"] = steps.file_design(organizer, url, walk["call"], walk["design"])
    expect(organizer.get_by_role("heading", level=1)).to_have_text(TITLE)
    seen.check()


def test_the_chair_has_reviewers_assigned(walk, sits_down, seen):
    chair = sits_down(steps.CHAIR)
    chair.goto(f"{walk['url']}/calls/{walk['call']}/assignments/")
    seen.check_everywhere()
    steps.assign_and_open(chair, walk["url"], walk["call"])


def test_three_reviewers_and_a_clinical_one_review(walk, platform, sits_down, seen):
    filing = walk["filing"]
    first = sits_down(steps.REVIEWERS[0])
    assert steps.answer_section(first, filing, "mission") == 5
    expect(first.locator(".review-nav")).to_contain_text("0/5")  # what the page was loaded with
    first.reload()
    expect(first.locator(".review-nav")).to_contain_text("5/5")
    seen.check_everywhere()
    steps.raise_point(first, filing, "mission", "primary_objective", "Say it in one sentence.")
    platform.shell(steps.ANSWERS.format(call=walk["call"]))
    for name in steps.REVIEWERS:
        page = sits_down(name)
        steps.send_review(page, filing, "major" if name == steps.REVIEWERS[0] else "accept")
    last = page
    expect(last.get_by_role("heading", name="The other reviews")).to_be_visible()
    expect(last.get_by_text("Reviewer 1").first).to_be_visible()
    expect(last.get_by_text("Between us.")).to_have_count(1)  # one's own, in the form
    seen.check()


def test_the_chair_sees_the_disagreement_and_asks_for_a_major_revision(walk, sits_down, seen):
    filing = walk["filing"]
    chair = sits_down(steps.CHAIR)
    chair.goto(f"{walk['url']}/calls/{walk['call']}/matrix/")
    expect(chair.get_by_text("disagree", exact=True)).to_be_visible()
    seen.check_everywhere()
    steps.decide(chair, filing, "Major revision", says="Say it in one sentence.")


def test_the_organizer_answers_with_a_revision_that_shows_its_differences(walk, sits_down, seen):
    filing = walk["filing"]
    organizer = sits_down(steps.ORGANIZER)
    steps.change_text(
        organizer, walk["url"], walk["design"], "summary", "primary_objective",
        "Find the hippocampus in one sentence, and say how sure the order of the algorithms is.",
    )  # fmt: skip
    organizer.goto(f"{filing}revision/")
    expect(organizer.locator(".design-diff ins").first).to_be_visible()
    seen.check_everywhere()
    steps.send_revision(organizer, filing, {"Say it in one sentence.": "It is one sentence now."})


def test_the_chair_reads_what_changed_and_accepts(walk, sits_down, seen):
    filing = walk["filing"]
    chair = sits_down(steps.CHAIR)
    chair.goto(f"{filing}changes/")
    expect(chair.locator(".design-diff ins").first).to_be_visible()
    expect(chair.get_by_text("It is one sentence now.")).to_be_visible()
    chair.get_by_role("button", name="Resolve").click()
    expect(chair.locator(".review-thread")).to_contain_text("Resolved")
    steps.decide(chair, filing, "Accept")
    organizer = sits_down(steps.ORGANIZER)
    organizer.goto(filing)
    expect(organizer.locator(".badge", has_text=re.compile("^Accepted$")).first).to_be_visible()
    seen.check()
