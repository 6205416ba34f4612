"""A kind of task that the platform does not score, from the form to the record: written, filed, reviewed, accepted, registered.

Steps run in order on one installation.
"""

import json
import re

import pytest
from playwright.sync_api import expect

from evaluation.designs.catalogue import shipped
from tests.e2e.helpers.design_form import QUIET, fill_field, saved
from tests.e2e.helpers.people import be
from tests.e2e.reviews import steps
from tests.unit.registry.test_every_category import of_category

pytestmark = pytest.mark.browser
CATEGORY, TITLE = "stitching", "Stitching of microscope images"
WRITTEN = ("task_category", "metrics", "ranking_method")
MADE = """
import json
from accounts.models import User
from designs.services.designs import import_design
from reviews.models import Call
from reviews.services.reviewers import add_reviewer
call = Call.objects.get(slug={call!r})
for name in {reviewers!r}:
    part = "clinical" if name.endswith("clara") else "general"
    add_reviewer(actor=User.objects.get(username={chair!r}), call=call, user=User.objects.get(username=name), part=part)
owner = User.objects.get(username={organizer!r})
design, problems = import_design(actor=owner, title={title!r}, data=json.loads({data!r}))
assert not problems
print(design.slug)
"""


# The review itself is walked in `tests/e2e/reviews`.
REVIEWED = """
from accounts.models import User
from reviews.models import Answer, Assignment, Filing, Outcome, Reviewer
from reviews.services import assigning, reviewing
chair, filing = User.objects.get(username={chair!r}), Filing.objects.get(call__slug={call!r})
for reviewer in Reviewer.objects.filter(call=filing.call):
    part = "clinical" if reviewer.user.username.endswith("clara") else "general"
    assigning.assign(actor=chair, filing=filing, reviewer=reviewer, part=part)
assigning.start_review(actor=chair, filing=filing)
for assignment in Assignment.objects.filter(filing=filing).select_related("filing__call"):
    review = reviewing.begin_review(assignment=assignment)
    Answer.objects.bulk_create(
        Answer(review=review, question=question, score=4 if question.kind == "score" else None,
               judgement="" if question.kind == "score" else "yes")
        for question in reviewing.questions_for(assignment.filing.call, assignment.part)
    )
    reviewing.save_verdict(review=review, recommendation=Outcome.ACCEPT, confidence=4, summary="Clear.")
    reviewing.send_review(review=review)
"""


def without_what_is_written():
    """The design but for the fields that are entered in the browser."""
    data = of_category(CATEGORY)
    data["challenge"] |= {"challenge_name": TITLE, "challenge_acronym": "STITCH"}
    for key in WRITTEN:
        del data["tasks"][0][key]
    return data


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


def test_an_organizer_writes_a_category_that_is_not_scored_and_the_form_says_so(walk, platform, sits_down, seen):
    url = walk["url"]
    walk["call"] = steps.make_call(sits_down(steps.CHAIR), url, "Challenges of every kind")
    code = MADE.format(
        call=walk["call"], chair=steps.CHAIR, reviewers=steps.REVIEWERS, organizer=steps.ORGANIZER, title=TITLE,
        data=json.dumps(without_what_is_written()),
    )  # fmt: skip
    walk["design"] = platform.shell(code).strip().splitlines()[-1]
    page = sits_down(steps.ORGANIZER)
    values = of_category(CATEGORY)["tasks"][0]
    for key in WRITTEN:
        parameter = shipped()[key]
        page.goto(f"{url}/designs/{walk['design']}/form/{parameter.section}/task-1/")
        field = page.locator(f"#f-{key}-task-1")
        assert fill_field(field, parameter, values)
        saved(field)
        page.wait_for_function(QUIET)
    page.goto(f"{url}/designs/{walk['design']}/assessment/")
    expect(page.get_by_text("evaluated elsewhere").first).to_be_visible()
    seen.check()


def test_it_is_filed_and_accepted_like_any_other(walk, platform, sits_down):
    walk["filing"] = steps.file_design(sits_down(steps.ORGANIZER), walk["url"], walk["call"], walk["design"])
    platform.shell(REVIEWED.format(call=walk["call"], chair=steps.CHAIR))
    steps.decide(sits_down(steps.CHAIR), walk["filing"], "Accept")


def test_it_is_registered_and_the_record_says_what_is_not_executed(walk, sits_down, seen):
    page = sits_down(steps.ORGANIZER)
    page.goto(f"{walk['url']}/registry/register/{walk['design']}/")
    page.get_by_role("button", name="Register").click()
    page.wait_for_url(re.compile(r"/registry/[a-z]+-\d{4}-\d{4}/$"))
    expect(page.get_by_text("0 executed").first).to_be_visible()
    page.get_by_text("Registered here, evaluated elsewhere.").first.evaluate(
        "said => { for (let fold = said.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true; }"
    )
    expect(page.get_by_text("Registered here, evaluated elsewhere.").first).to_be_visible()
    seen.check()
