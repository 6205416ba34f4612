"""An organizer imports a finished document and confirms its fields, in a real browser, with a count of all decisions."""

import json
import re
import time

import pytest
from playwright.sync_api import expect

from designs.services.examples import example_document
from evaluation.designs.catalogue import shipped
from tests.e2e.designs.effort import CLICK, PASTE, READ, READING
from tests.e2e.designs.test_design_form import next_words
from tests.e2e.helpers.design_form import QUIET, fill_field, saved
from tests.e2e.helpers.people import be
from tests.e2e.installation import PATIENCE
from tests.e2e.paths.clicks import Way
from tests.unit.designs.description_files import rows, word_file

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PASSWORD = "a password of length"
ACCOUNT = f"""
from accounts.models import User
from allauth.account.models import EmailAddress
user = User.objects.create_user("ines", "ines@example.org", {PASSWORD!r})
EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
"""
MINUTES = 30
SHOWN = "(fields) => fields.filter((field) => field.checkVisibility()).map((field) => field.id)"
# What a finished document of the conference states about a task of the kind that the example has.
ANSWERS = {
    "Task category(ies)": "Segmentation",
    "Data usage agreement": "CC BY-NC. Everybody may use the frames for research and share them under this licence.",
    "Submission method": {
        "a": "Teams upload one archive with a mask for each frame of the test set.",
        "b": "Teams test on a validation dataset.",
    },
    "Training and test case characteristics": {
        "a": "A case is one frame of one examination, with all polyps that are visible in it.",
        "b": "1,200 training cases, 100 validation cases and 300 test cases",
        "c": "More test cases were not available.",
        "d": "Frames are drawn by hospital.",
    },
    "Metric(s)": {
        "a": "The Dice Similarity Coefficient (DSC) per frame.",
        "b": "Overlap is what endoscopists compare when they plan a resection, and the DSC measures it.",
    },
    "Ranking method(s)": {
        "a": "Mean per team.",
        "b": "Missing results are like the worst result.",
        "c": "One metric describes the aim, so that its mean over all cases ranks the teams.",
    },
}


@pytest.fixture(scope="module")
def site(platform):
    platform.shell(ACCOUNT)
    return platform


def import_file(page, site, path):
    """Upload a document, and return the address of its design and the seconds until its fields are shown."""
    page.goto(f"{site.url}/designs/import/")
    page.get_by_label("Or a design document").set_input_files(path)
    began = time.monotonic()
    page.get_by_role("main").get_by_role("button", name="Import").click()
    page.get_by_text("fields decided").wait_for()
    return page.url.removesuffix("import/"), time.monotonic() - began


def accept_sections(way):
    """Accept the fields without a question, section by section; each section is one decision."""
    accept = way.page.get_by_role("button", name=re.compile(r"Accept \d+ fields? without a question"))
    while accept.count():
        way.click(accept.first)
        expect(way.page.get_by_text(re.compile(r"^\d+ fields? accepted")).first).to_be_visible()


def test_the_export_of_a_design_is_imported_without_a_question(site, page, tmp_path):
    be(page, site, "ines", PASSWORD)
    document = example_document("hippocampus")
    document["challenge"]["challenge_name"] = "Exported and imported again"
    (tmp_path / "design.json").write_text(json.dumps(document))
    page.goto(f"{site.url}/designs/import/")
    page.get_by_label("Working title").fill("Exported")
    page.get_by_label("Or a design document").set_input_files(tmp_path / "design.json")
    page.get_by_role("main").get_by_role("button", name="Import").click()
    page.wait_for_url("**/designs/exported*/")
    first = page.url

    def made():
        answer = page.request.get(f"{first}export.pdf")
        assert answer.status in (200, 202)
        return answer.body() if answer.status == 200 else None

    # A worker makes the file.
    (tmp_path / "design.pdf").write_bytes(site.wait(made, "the file", PATIENCE, every=0.3))
    second, _ = import_file(page, site, tmp_path / "design.pdf")
    way = Way(page)
    accept_sections(way)
    expect(page.get_by_text("All fields are decided")).to_be_visible()
    sections = page.locator(".import-section").count()
    assert way.clicks == sections
    designs = [page.request.get(f"{address}export.json").json() for address in (first, second)]
    for design in designs:
        design.pop("exported_at", None)
    assert designs[0]["challenge"] == designs[1]["challenge"]
    assert designs[0]["tasks"] == designs[1]["tasks"]
    page.get_by_role("link", name="Check the design").wait_for()
    page.goto(second)
    expect(next_words(page)).to_have_text("Ready to file")


def test_a_finished_structured_description_is_a_complete_draft_within_half_an_hour(site, page, seen, tmp_path):
    """Reading takes 238 words per minute, a click and a pasted text take the times of the keystroke-level model."""
    be(page, site, "ines", PASSWORD)
    example = example_document("hippocampus")
    answers = {"": example["challenge"], "task-1": example["tasks"][0]}
    design, machine = import_file(
        page, site, word_file(tmp_path / "polyps.docx", rows(challenge={"Year": "2026"}, answers={0: ANSWERS}))
    )
    words = page.get_by_role("main").evaluate(READ)
    seen.check_everywhere()
    way, entered = Way(page), 0
    total = int(page.locator("#import-progress progress").get_attribute("max"))
    accept_sections(way)
    questions = page.locator(".import-field--question")
    asked = questions.count()
    assert 0 < asked <= 16
    for place in [item.get_attribute("id") for item in questions.all()]:
        item = page.locator(f"#{place}")
        question = item.locator(".import-field__question").inner_text()
        if "Confirm that" in question:
            way.click(item.get_by_role("button", name="Accept"))
            expect(item.locator(".import-field__status")).to_have_text("Accepted")
            continue
        way.click(item.get_by_role("button", name=re.compile("^(Edit|Enter value)")))
        field = item.locator(".design-field")
        field.wait_for()
        entered += fill(field, answers)
        words += field.evaluate(READ)
    seen.check()
    page.wait_for_function(QUIET)
    # The count follows what was entered, without a new page.
    expect(page.locator("#import-progress")).to_contain_text(f"{total} of {total}")
    way.link("Complete the design")
    # Some answers make a field of another kind needed, which the next round shows.
    for _ in range(2):
        entered, words = complete(page, design, answers, entered, words)
    page.goto(design)
    expect(next_words(page)).to_have_text("Ready to file")
    minutes = (machine + way.clicks * CLICK + entered * (CLICK + PASTE) + words / READING) / 60
    print(
        f"{total} fields, {asked} questions, {way.clicks} clicks, {entered} fields entered, {words} words read:"
        f" {minutes:.1f} minutes, {machine:.0f} s of them by the machine"
    )
    assert way.clicks <= 30
    assert minutes < MINUTES


def fill(field, answers):
    """Enter the answer of the example in a field, and return 1 if it has one."""
    identity, _, task = field.get_attribute("id").removeprefix("f-").partition("-task-")
    filled = fill_field(field, shipped()[identity], answers["task-1" if task else ""])
    if filled:
        saved(field)
    return int(filled)


def complete(page, design, answers, entered, words):
    """Enter the needed fields that the document did not state, section by section."""
    for section in shipped().sections:
        for task in ("", "task-1"):
            if not any(p.is_task == bool(task) for p in shipped().in_section(section.key)):
                continue
            page.goto(f"{design}form/{section.key}/{task}{'/' if task else ''}?only=needed")
            done = set()
            # An answer can make another field needed.
            while places := [place for place in page.locator(".design-field").evaluate_all(SHOWN) if place not in done]:
                done.add(places[0])
                field = page.locator(f"#{places[0]}")
                entered += fill(field, answers)
                words += field.evaluate(READ)
            page.wait_for_function(QUIET)
    return entered, words
