"""An accepted design on its way: registered, launched, open for submissions, and changed too late. Steps run in order.

The review that led to the acceptance is walked in `tests/e2e/reviews`; here the accepted design of the example call
goes on.
"""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers.appearance import faults_everywhere
from tests.e2e.helpers.audit import DESKTOP, PHONE

pytestmark = [pytest.mark.browser, pytest.mark.services]
DESIGN = "hippocampus-segmentation-in-mri-next-edition"
SLUG = "hippocampus-walk"
NAME = "A walk through the registry"  # the running example keeps its name for itself
CASES = ("hippocampus_015", "hippocampus_034")
TEAMS = ("unet-a", "atlas-majority")

# What the organizers would type into the form of the design: another name, and a schedule whose phases are open now.
SCHEDULE = f"""
from datetime import timedelta
from django.utils import timezone
from accounts.models import User
from designs.models import Design
from designs.queries import document_of
from designs.services import save_field
design = Design.objects.get(slug={DESIGN!r})
today = timezone.now().date()
day = lambda days: (today + timedelta(days=days)).isoformat()
names = [row["phase"] for row in document_of(design).values().rows("phase_settings")]
rows = [{{"event": "registration_open", "date": day(0)}}]
for number, name in enumerate(names):
    rows += [{{"event": "submission_open", "date": day(0), "phase": name}},
             {{"event": "submission_deadline", "date": day(30 + number), "phase": name}}]
rows += [{{"event": "results_release", "date": day(40)}}, {{"event": "embargo_end", "date": day(60)}}]
owner = User.objects.get(username="olivia")
save_field(actor=owner, design=design, parameter="challenge_schedule", value=rows)
save_field(actor=owner, design=design, parameter="challenge_name", value={NAME!r})
"""
# A small test set with an algorithm in the place of a second annotator, and two teams that hand in through the services behind the browser's upload.
SUBMISSIONS = f"""
import io
from accounts.models import User
from challenges.models import Phase
from challenges.services import join_with_team
from operations.services.examples import example, predictions
from submissions.services.submitting import create_upload, finish
from datastore.test_sets.services.sealing import create_test_set
from datastore.uploads.services.uploads import append
source = example("hippocampus")
phase = Phase.objects.select_related("task__challenge").get(task__challenge__slug={SLUG!r}, slug="preliminary")
people = {{"1": source.folder / "references", "2": source.folder / "predictions" / "unet-b"}}
create_test_set(phase=phase, references=people["1"], cases={CASES!r}, annotators=people, merge_rule="consensus")
for username, algorithm in zip(("paula", "peter"), [name for name in source.algorithms if name.startswith("unet")]):
    user = User.objects.get(username=username)
    team = join_with_team(user=user, challenge=phase.challenge, team_name=algorithm)
    archive = io.BytesIO(predictions(source, algorithm, {CASES!r}))
    upload = create_upload(user=user, phase=phase, team=team, file_name="a.zip", size=archive.getbuffer().nbytes)
    append(upload=upload, offset=0, read=archive.read)
    finish(upload=upload)
"""
# The days in which those who take part can object have passed.
LATER = """
from datetime import timedelta
from django.utils import timezone
from registry.changes.models import ChangeRequest
ChangeRequest.objects.filter(state="open").update(objections_until=timezone.now() - timedelta(minutes=1))
"""


def request_change(page, url, identifier, labels, reason):
    """An organizer asks for some changes; every other difference stays a draft."""
    page.goto(f"{url}/registry/{identifier}/changes/new/")
    for label in labels:
        change = page.locator("section.card").filter(has=page.get_by_role("heading", name=label))
        change.get_by_label("Request this change").check()
        change.get_by_label("Reason").fill(reason)
        change.get_by_label("Effect on participants").fill("Ranks may change.")
    page.get_by_role("button", name="Request selected changes").click()
    expect(page.get_by_text("Waiting for a decision")).to_be_visible()
    return page.url


def approve(page, address, reason, *, deviation=False):
    """A chair approves every change of a request."""
    page.goto(address)
    for change in page.locator("section.card").all():
        change.get_by_label("Decision", exact=True).select_option("approve")
        change.get_by_label("Reason").fill(reason)
    if deviation:
        page.get_by_role("button", name="Record the decision").click()
        expect(page.get_by_text("possible only as a deviation").first).to_be_visible()
        page.get_by_label("Approve critical changes as a deviation").check()
    page.get_by_role("button", name="Record the decision").click()
    expect(page.get_by_text("The decision is recorded")).to_be_visible()


@pytest.fixture(scope="module")
def made():
    """Results of the previous steps."""
    return {}


def test_an_accepted_design_is_registered(platform, page, seen, sign_in, made):
    sign_in("olivia")
    page.goto(f"{platform.url}/registry/register/{DESIGN}/")
    seen.check()
    page.get_by_role("button", name="Register").click()
    page.wait_for_url(re.compile(r"/registry/[a-z]+-\d{4}-\d{4}/$"))
    made["identifier"] = page.url.rstrip("/").rsplit("/", 1)[-1]
    expect(page.get_by_text("Version 1.0").first).to_be_visible()


def test_the_challenge_is_launched_by_one_act(platform, page, seen, sign_in, made):
    sign_in("olivia")
    page.goto(f"{platform.url}/registry/{made['identifier']}/")
    page.get_by_role("link", name="Launch", exact=True).click()
    expect(page.get_by_text("The launch gate is open")).to_be_visible()
    seen.check_everywhere()
    page.get_by_label("Address").fill(SLUG)
    page.get_by_role("button", name="Launch the challenge").click()
    expect(page.get_by_text("is launched")).to_be_visible()
    expect(page.get_by_role("heading", name="Registration")).to_be_visible()
    expect(page.get_by_text("to come")).to_have_count(2)
    seen.check_everywhere()


def test_a_change_before_the_first_submission_becomes_version_two_and_opens_the_phases(
    platform, page, seen, sign_in, made
):
    platform.shell(SCHEDULE)
    sign_in("olivia")
    address = request_change(page, platform.url, made["identifier"], ("Challenge name", "Schedule"), "The event moved.")
    seen.check()
    sign_in("charles")
    approve(page, address, "Agreed.")
    expect(page.get_by_role("link", name="version 2.0")).to_be_visible()
    seen.check()
    page.goto(f"{platform.url}/challenges/{SLUG}/")
    expect(page.locator(".stepper").get_by_text("open", exact=True)).to_have_count(2)
    expect(page.get_by_text("version 2.0")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_text(NAME)


def test_submissions_are_scored_and_ranked_by_the_registered_assessment(platform, page, made):
    platform.shell(SUBMISSIONS)

    def ranked():
        page.goto(f"{platform.url}/challenges/{SLUG}/leaderboard/preliminary/")
        return page.locator("table tbody tr").count() == len(TEAMS)

    platform.wait(ranked, "a ranking of two teams", every=1)
    expect(page.locator("[data-deviation]")).to_have_count(0)


def test_everyone_reads_the_ranking_against_one_annotator(platform, page, seen):
    def offered():
        page.goto(f"{platform.url}/challenges/{SLUG}/leaderboard/preliminary/")
        return page.get_by_label("References of").count() == 1

    platform.wait(offered, "the ranking against each annotator", every=1)
    page.locator(".board-menu > summary").click()
    page.get_by_label("References of").select_option("annotator 2")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".board__part")).to_contain_text(
        "annotator 2 alone (2 cases). The merged references determine the ranking."
    )
    seen.check_everywhere()


def test_a_critical_change_after_the_first_submission_becomes_a_marked_deviation(platform, page, seen, sign_in, made):
    sign_in("olivia")
    page.goto(f"{platform.url}/designs/{DESIGN}/form/assessment_method/task-1/")
    form = page.locator('form[data-field^="tie_handling"]')
    form.locator('input[name="value"][value="dense"]').check()
    expect(page.locator("#s-tie_handling-task-1 .design-status__ok")).to_be_visible()
    address = request_change(
        page, platform.url, made["identifier"], ("Tied positions",), "The rule was copied wrongly."
    )
    expect(page.get_by_text("can object until")).to_be_visible()
    platform.shell(LATER)
    sign_in("charles")
    seen.expected = ("status of 422",)
    approve(page, address, "An honest mistake.", deviation=True)
    expect(page.get_by_text("Deviation: decided after the first submission")).to_be_visible()
    seen.check_everywhere()


def test_both_rankings_stand_side_by_side_and_every_page_says_so(platform, page, seen):
    def both():
        page.goto(f"{platform.url}/challenges/{SLUG}/leaderboard/preliminary/both-ways/")
        return page.get_by_text("not ranked yet").count() == 0 and page.locator("tbody tr").count() == len(TEAMS)

    platform.wait(both, "both rankings", every=1)
    expect(page.get_by_role("columnheader", name=re.compile("Registered"))).to_be_visible()
    seen.check_everywhere()
    assert not faults_everywhere(page, seen.settle, sizes=(DESKTOP, PHONE))
    for place in ("", "embed/", "history/"):
        page.goto(f"{platform.url}/challenges/{SLUG}/leaderboard/preliminary/{place}")
        expect(page.locator('[data-deviation="approved"]')).to_contain_text("The rule was copied wrongly.")
