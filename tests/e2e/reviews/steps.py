"""Steps that take a design through a call in the browser; each step takes a page of a signed-in person."""

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

PASSWORD = "a password of length"
REVIEWERS = ("walk_rolf", "walk_ruth", "walk_rene", "walk_clara")
ORGANIZER, CHAIR = "walk_orla", "walk_chair"
DAYS = {"submission_at": 10, "review_at": 20, "revision_at": 30, "registration_at": 40, "critical_change_at": 50}

ACCOUNTS = f"""
from accounts.models import User
from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
secret = make_password({PASSWORD!r})
for name in {(ORGANIZER, CHAIR, *REVIEWERS)!r}:
    if User.objects.filter(username=name).exists():
        continue
    user = User(username=name, email=f"{{name}}@{{name.replace('_', '-')}}.example.net", password=secret,
                first_name=name.removeprefix("walk_").capitalize(), last_name="Walker")
    user.save()
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
User.objects.get(username={CHAIR!r}).groups.add(Group.objects.get_or_create(name="chairs")[0])
"""
PANEL = """
from accounts.models import User
from designs.services.examples import load_example_design
from reviews.models import Call
from operations.services.example_call import next_edition
from reviews.services.reviewers import add_reviewer
call = Call.objects.get(slug={call!r})
chair = User.objects.get(username={chair!r})
for name in {reviewers!r}:
    part = "clinical" if name.endswith("clara") else "general"
    add_reviewer(actor=chair, call=call, user=User.objects.get(username=name), part=part)
owner = User.objects.get(username={organizer!r})
design, _ = load_example_design(name="hippocampus", owner=None)
made = next_edition(actor=owner, design=design, call=call, title={title!r})
print(made.slug)
"""
ANSWERS = """
from reviews.models import Answer, Assignment, Question
from reviews.services import reviewing
for one in Assignment.objects.filter(filing__call__slug={call!r}).select_related("filing__call"):
    review = reviewing.begin_review(assignment=one)
    answered = set(review.answers.values_list("question", flat=True))
    Answer.objects.bulk_create(
        Answer(review=review, question=q, score=4 if q.kind == "score" else None,
               judgement="" if q.kind == "score" else "yes")
        for q in reviewing.questions_for(one.filing.call, one.part) if q.pk not in answered
    )
"""


def make_call(page, url, title):
    """A chair makes a call; returns its slug."""
    page.goto(f"{url}/calls/")
    page.get_by_role("link", name="Create a call").click()
    page.get_by_label("Title").fill(title)
    now = datetime.now(UTC)
    for name, days in DAYS.items():
        page.locator(f"#id_{name}").fill((now + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M"))
    page.get_by_label("published", exact=False).first.check()
    page.get_by_role("button", name="Create call").click()
    expect(page.get_by_text("The call is made")).to_be_visible()
    return page.url.rstrip("/").rsplit("/", 1)[-1]


def add_panel_and_design(platform, call, title):
    """Reviewers who accepted, and a design that passes the gate; returns the design's slug."""
    code = PANEL.format(call=call, chair=CHAIR, reviewers=REVIEWERS, organizer=ORGANIZER, title=title)
    return platform.shell(code).strip().splitlines()[-1]


def file_design(page, url, call, design):
    """An organizer files a design; returns the address of the filing."""
    page.goto(f"{url}/calls/{call}/")
    page.get_by_role("link", name="File a design").first.click()
    page.get_by_label("Your design").select_option(design)
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_text("The design is ready for submission")).to_be_visible()
    page.get_by_role("button", name=re.compile("^File “")).click()
    page.wait_for_url(re.compile(r"/filings/\d+/$"))
    return page.url


def assign_and_open(page, url, call):
    """A chair has the reviewers assigned by the optimiser, and opens the review."""
    page.goto(f"{url}/calls/{call}/assignments/")
    page.get_by_role("button", name="Assign automatically").click()
    expect(page.get_by_text("4 reviewers assigned by the optimiser")).to_be_visible()
    expect(page.get_by_text("4 assigned reviewers have not been notified")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Open the review")).click()
    expect(page.locator(".letter")).to_have_count(4)
    page.get_by_role("button", name="Open the review and send").click()
    expect(page.get_by_text("The review is open")).to_be_visible()


def answer_section(page, filing, key, answer="yes"):
    """A reviewer answers every question of a section, and each answer saves itself."""
    page.goto(f"{filing}review/{key}/")
    questions = page.locator("form.review-question")
    for form in questions.all():
        form.get_by_label(answer, exact=True).check()
        expect(form.locator(".design-status__ok")).to_be_visible()
    return questions.count()


def raise_point(page, filing, key, field, text):
    """Raise a blocking point on a parameter as a reviewer; `field` is the id of the parameter's element."""
    page.goto(f"{filing}review/{key}/")
    place = page.locator(f"#f-{field}")
    place.get_by_text("Raise a point").click()
    place.get_by_label("What should change?").fill(text)
    place.get_by_label("A revision cannot be sent without an answer").check()
    place.get_by_role("button", name="Raise the point").click()
    expect(place.locator(".review-thread")).to_contain_text(text)


def send_review(page, filing, recommendation):
    """A reviewer recommends and sends."""
    page.goto(f"{filing}review/verdict/")
    status = page.locator("#s-verdict .design-status__ok")
    page.get_by_label("Confidence").select_option("4")
    page.get_by_label("Summary for the organizers").fill(f"We recommend: {recommendation}.")
    page.get_by_label("Confidential note to the chairs").fill("Between us.")

    def saved(response):
        """Not the answer to one of the saves before."""
        return "/verdict/save/" in response.url and f"recommendation={recommendation}" in response.request.post_data

    with page.expect_response(saved):
        page.get_by_label("Recommendation", exact=True).last.select_option(recommendation)
    expect(status).to_be_visible()
    page.get_by_role("button", name="Send the review").click()
    expect(page.get_by_text("Your review is sent")).to_be_visible()


def decide(page, filing, outcome, *, says=""):
    """A chair decides with the letter from the template."""
    page.goto(filing)
    page.get_by_role("link", name=outcome, exact=True).click()
    if says:
        expect(page.get_by_label("Letter")).to_have_value(re.compile(re.escape(says)))
    page.get_by_role("button", name="Decide and send the letter").click()
    expect(page.get_by_text("Decided; the letter is on its way")).to_be_visible()


def change_text(page, url, design, section, parameter, text):
    """An organizer changes a field of the challenge in the form of the design."""
    page.goto(f"{url}/designs/{design}/form/{section}/")
    field = page.locator(f"#f-{parameter}")
    field.locator('[name="value"]').fill(text)
    field.locator(".design-status__ok").wait_for()


def send_revision(page, filing, answers):
    """An organizer answers the points (by a word of each) and sends the revision."""
    page.goto(f"{filing}revision/")
    page.get_by_role("button", name="Send revision").click()
    expect(page.get_by_text("has no answer yet")).to_be_visible()
    for word, text in answers.items():
        point = page.locator(".review-thread", has_text=word)
        point.locator("textarea").fill(text)
        point.get_by_role("button", name="Answer").click()
        expect(page.locator(".review-thread", has_text=word)).to_contain_text("Answered")
    page.get_by_label("To the reviewers as a whole").fill("Thank you.")
    page.get_by_role("button", name="Send revision").click()
    expect(page.get_by_text("The revision is sent")).to_be_visible()
