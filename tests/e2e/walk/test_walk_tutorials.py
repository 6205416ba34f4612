"""The tutorials are performed as they are written.

Each step of a document is one function here, in the same order. Names in bold in a step are what the function selects;
text between backticks is what it enters. Commands are run as the document states them.
"""

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Error, Locator, Page, expect

from tests.e2e.helpers.people import be
from tests.e2e.installation import Installation

ROOT = Path(__file__).parents[3]
TUTORIALS = ROOT / "docs/tutorials"
PICTURES = {name: ROOT / f"docs/images/tutorial-{name}.png" for name in ("submission", "challenge", "review")}
PASSWORD = "a long enough sentence"

pytestmark = pytest.mark.browser


def steps_of(text: str) -> list[list[str]]:
    """Return of each numbered step of a document the names in bold, then the texts between backticks."""
    steps = re.findall(r"^\d+\. (.*(?:\n   .*)*)", text, re.MULTILINE)
    return [re.findall(r"\*\*([^*]+)\*\*", step) + re.findall(r"`([^`]+)`", step) for step in steps]


def commands_of(text: str) -> list[list[str]]:
    """Return the commands of a document as words."""
    return [shlex.split(line) for line in re.findall(r"^ {8}(\.venv/bin/python .*)$", text, re.MULTILINE)]


class Tutorial:
    """The actions that the steps of a tutorial share."""

    def __init__(self, page: Page, platform: Installation, folder: Path) -> None:
        self.page, self.platform, self.folder = page, platform, folder
        self.url = platform.url

    def link(self, name: str) -> None:
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def button(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def sign_in_as(self, username: str) -> None:
        be(self.page, self.platform, username, self.platform.passwords[username])
        self.page.goto(self.url)

    def take_picture(self, name: str, part: Locator | None = None) -> None:
        """Replace a picture of the documents, in a run that approves pictures."""
        if os.environ.get("PODIUM_APPROVE"):
            (part or self.page).screenshot(path=PICTURES[name])

    def reload_until(self, text: str) -> None:
        def is_shown() -> bool:
            try:
                self.page.reload()
            except Error as error:
                # The page reloads itself when the work ends, possibly at the same moment.
                if "Not attached to an active page" not in error.message:
                    raise
                return False
            return self.page.get_by_text(text).count() > 0

        self.platform.wait(is_shown, text, every=1)


class FirstSubmission(Tutorial):
    """The steps of `first-submission.md`."""

    def download(self, name: str) -> Path:
        with self.page.expect_download() as download:
            self.page.get_by_role("link", name=name).click()
        path = self.folder / f"{name}.zip"
        download.value.save_as(path)
        return path

    def sign_up(self, sign_up: str, create: str) -> None:
        self.page.goto(self.url)
        self.link(sign_up)
        self.page.fill("#id_username", "nora")
        self.page.fill("#id_email", "nora@example.org")
        self.page.fill("#id_password1", PASSWORD)
        self.page.fill("#id_password2", PASSWORD)
        self.button(create)

    def confirm(self, confirm: str, mails: str) -> None:
        self.page.get_by_role("main").get_by_role("link", name=mails).click()
        self.page.get_by_text("Confirm your e-mail address to nora@example.org").click()
        self.page.locator("main a[href*='confirm-email']").first.click()
        self.button(confirm)

    def sign_in(self) -> None:
        self.page.goto(f"{self.url}/accounts/login/")
        self.page.fill("#id_login", "nora")
        self.page.fill("#id_password", PASSWORD)
        self.page.get_by_role("main").get_by_role("button", name="Sign in").click()
        self.page.wait_for_url(f"{self.url}/")

    def find(self, challenges: str, title: str) -> None:
        self.link(challenges)
        # Other walks leave challenges with the same title.
        self.page.locator("main a[href='/challenges/hippocampus/']", has_text=title).first.click()

    def read_rules(self, join: str) -> None:
        expect(self.page.get_by_text("How the winner is determined").first).to_be_visible()
        self.link(join)

    def join(self, join: str) -> None:
        self.page.get_by_label("Team name").fill("First steps")
        self.page.get_by_label("I have read and accept the rules").check()
        self.page.get_by_label("I accept the data-usage agreement").check()
        self.button(join)
        expect(self.page.get_by_text("You take part with the team First steps.")).to_be_visible()

    def get_sample(self, sample: str) -> None:
        expect(self.page.get_by_text("No predictions yet? Try a sample")).to_be_visible()
        self.archive = self.download(sample)

    def submit(self, submit: str) -> None:
        self.page.set_input_files("#id_archive", self.archive)
        self.button(submit)
        self.page.wait_for_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))

    def wait(self) -> None:
        def is_ranked() -> bool:
            self.page.reload()
            return self.page.get_by_role("heading", name="Compared with").count() == 1

        self.platform.wait(is_ranked, "the rank of the submission", every=2)

    def read_scores(self) -> None:
        expect(self.page.get_by_text("worst cases").first).to_be_visible()
        self.take_picture("submission")

    def read_board(self, leaderboard: str) -> None:
        self.link(leaderboard)
        expect(self.page.get_by_role("table").filter(has_text="First steps").first).to_be_visible()

    def submit_mistakes(self, submit: str, sample: str) -> None:
        self.link(submit)
        self.archive = self.download(sample)
        self.submit("Submit")

    def withdraw(self, withdraw: str) -> None:
        report = self.page.get_by_role("table").filter(has_text="Remedy").first
        for problem in (
            "expected 42 × 51 × 28 voxels",
            "the label 7",
            "There is no file for",
            "looks as if it were meant",
        ):
            expect(report).to_contain_text(problem)
        expect(self.page.get_by_text("notes.txt")).to_be_visible()
        self.button(withdraw)
        expect(self.page.get_by_text("Withdrawn").first).to_be_visible()

    @property
    def acts(self) -> list[Callable[..., None]]:
        """The steps in the order of the document."""
        return [
            self.sign_up,
            self.confirm,
            self.sign_in,
            self.find,
            self.read_rules,
            self.join,
            self.get_sample,
            self.submit,
            self.wait,
            self.read_scores,
            self.read_board,
            self.submit_mistakes,
            self.withdraw,
        ]


class FirstChallenge(Tutorial):
    """The steps of `first-challenge.md`."""

    commands = commands_of((TUTORIALS / "first-challenge.md").read_text("utf-8"))

    def open_template(self, designs: str, title: str) -> None:
        self.link(designs)
        self.page.get_by_role("main").get_by_role("link", name=title, exact=True).click()

    def duplicate(self, menu: str, duplicate: str) -> None:
        self.page.locator("summary", has_text=menu).click()
        self.button(duplicate)
        expect(self.page.get_by_role("heading", name="Fix 1 error before you file it")).to_be_visible()

    def rename(self, errors: str, place: str, name: str) -> None:
        self.link(errors)
        self.link(place)
        field = self.page.locator("#f-challenge_name")
        expect(field).to_contain_text("already carries this name")
        field.locator('[name="value"]').fill(name)
        expect(field.locator(".design-status__ok")).to_be_visible()
        expect(field).not_to_contain_text("already carries this name")

    def read_procedure(self, tab: str) -> None:
        self.link(tab)
        expect(self.page.get_by_text("invented teams").first).to_be_visible()

    def rehearse(self, tab: str, rehearse: str) -> None:
        self.link(tab)
        self.button(rehearse)
        expect(self.page.get_by_text("Passed", exact=True).first).to_be_visible()

    def register(self, form: str, without_call: str, register: str) -> None:
        self.link(form)
        self.link(without_call)
        expect(self.page.get_by_role("heading", name="Published content")).to_be_visible()
        self.button(register)
        self.page.wait_for_url(re.compile(r"/registry/[a-z]+-\d{4}-\d{4}/$"))

    def launch(self, launch: str, button: str, address: str) -> None:
        self.link(launch)
        expect(self.page.get_by_role("table").filter(has_text="Preliminary phase")).to_be_visible()
        self.page.get_by_label("Address").fill(address)
        self.button(button)
        self.page.wait_for_url(f"{self.url}/challenges/{address}/organize/")

    def read_checklist(self) -> None:
        checklist = self.page.locator("section", has=self.page.get_by_role("heading", name="Checklist"))
        expect(checklist.get_by_role("row", name="Challenge launched")).to_contain_text("done")
        self.take_picture("challenge", checklist)

    def pack(self) -> None:
        """Run the next command of the document, with `folder` in place of `/tmp`."""
        program, *words = self.commands[self.packed]
        self.packed += 1
        assert (ROOT / program).name == "python"
        words = [word.replace("/tmp", str(self.folder)) for word in words]
        subprocess.run([sys.executable, *words], cwd=ROOT, check=True)

    packed = 0

    def upload(self, test_sets: str, button: str, archive: str) -> None:
        self.link(test_sets)
        self.page.set_input_files("#id_archive", self.folder / Path(archive).name)
        self.button(button)
        expect(self.page.get_by_role("link", name="Review findings")).to_be_visible()

    def accept_findings(self, review: str, accept: str) -> None:
        expect(self.page.locator("dd", has_text="60").first).to_be_visible()
        self.link(review)
        self.page.get_by_label("Answer for all 2 open findings").fill("The hole is part of the annotation.")
        self.button(accept)

    def seal(self, back: str, button: str) -> None:
        self.link(back)
        self.button(button)
        self.reload_until("Version 1 in use")

    def join_as_participant(self, challenges: str, title: str, join: str, username: str) -> None:
        self.sign_in_as(username)
        self.link(challenges)
        self.page.get_by_role("main").get_by_role("link", name=title).first.click()
        self.link(join)

    def join(self, join: str) -> None:
        self.page.get_by_label("Team name").fill("Test team")
        self.page.get_by_label("I have read and accept the rules").check()
        self.page.get_by_label("I accept the data-usage agreement").check()
        self.button(join)
        expect(self.page.get_by_text("You take part with the team Test team.")).to_be_visible()

    def submit(self, submit: str, archive: str) -> None:
        self.page.set_input_files("#id_archive", self.folder / Path(archive).name)
        self.button(submit)
        self.page.wait_for_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))
        self.reload_until("You rank 1 of 1")

    def read_board(self, leaderboard: str) -> None:
        self.link(leaderboard)
        expect(self.page.get_by_text("Test team is the only algorithm so far.")).to_be_visible()

    @property
    def acts(self) -> list[Callable[..., None]]:
        """The steps in the order of the document."""
        return [
            self.sign_in_as,
            self.open_template,
            self.duplicate,
            self.rename,
            self.read_procedure,
            self.rehearse,
            self.register,
            self.launch,
            self.read_checklist,
            self.pack,
            self.upload,
            self.accept_findings,
            self.seal,
            self.pack,
            self.join_as_participant,
            self.join,
            self.submit,
            self.read_board,
        ]


class FirstReview(Tutorial):
    """The steps of `first-review.md`."""

    def open_review(self, title: str) -> None:
        section = self.page.locator(".own-section", has_text="My reviews")
        section.get_by_role("link", name=title, exact=True).click()
        expect(self.page.get_by_text("questions answered")).to_be_visible()

    def begin(self, conflict: str, begin: str) -> None:
        expect(self.page.locator("summary", has_text=conflict)).to_be_visible()
        with self.page.expect_navigation():
            self.link(begin)

    def answer(self) -> None:
        questions = self.page.locator("form.review-question")
        for question in questions.all():
            question.get_by_role("radio").first.check()
        for question in questions.all():
            expect(question.locator(".design-status__ok")).to_be_visible()

    def comment(self) -> None:
        question = self.page.locator("form.review-question").first
        question.get_by_label("partly", exact=True).check()
        with self.page.expect_response(lambda answer: "Split" in (answer.request.post_data or "")):
            question.get_by_role("textbox").fill("Split the sentence: it states two aims.")

    def raise_point(self, point: str, button: str) -> None:
        field = self.page.locator(
            "section.design-field", has=self.page.get_by_role("heading", name="Challenge cohort", exact=True)
        )
        field.get_by_text(point).click()
        field.get_by_label("What should change?").fill("State the number of laboratories.")
        field.get_by_role("button", name=button).click()
        expect(field.locator(".review-thread")).to_contain_text("State the number of laboratories.")
        field.scroll_into_view_if_needed()
        self.take_picture("review")

    def continue_to_recommendation(self, following: str) -> None:
        with self.page.expect_navigation():
            self.link(following)
        while "/verdict/" not in self.page.url:
            self.answer()
            with self.page.expect_navigation():
                self.page.get_by_role("navigation", name="Next section").get_by_role("link").last.click()

    def recommend(self) -> None:
        self.page.get_by_label("Confidence").select_option("3")
        with self.page.expect_response(lambda answer: "Sound" in (answer.request.post_data or "")):
            self.page.get_by_label("Summary for the organizers").fill("Sound, with one open point.")
        with self.page.expect_response(lambda answer: "recommendation=minor" in (answer.request.post_data or "")):
            self.page.get_by_label("Recommendation", exact=True).last.select_option(label="minor revision")

    def send(self, button: str) -> None:
        self.button(button)
        expect(self.page.get_by_text("Your review is sent")).to_be_visible()

    def read_others(self, answers: str) -> None:
        expect(self.page.get_by_role("heading", name="The other reviews")).to_be_visible()
        self.page.locator("summary", has_text=answers).first.click()
        expect(self.page.get_by_role("heading", name="Discussion")).to_be_visible()

    @property
    def acts(self) -> list[Callable[..., None]]:
        """The steps in the order of the document."""
        return [
            self.sign_in_as,
            self.open_review,
            self.begin,
            self.answer,
            self.comment,
            self.raise_point,
            self.continue_to_recommendation,
            self.recommend,
            self.send,
            self.read_others,
        ]


# Machine time alone, in minutes: what is promised includes reading.
@pytest.mark.parametrize(
    ("document", "tutorial", "minutes"),
    [
        ("first-submission.md", FirstSubmission, 10),
        ("first-challenge.md", FirstChallenge, 30),
        ("first-review.md", FirstReview, 15),
    ],
)
def test_a_tutorial_is_performed_as_written(platform, page, seen, tmp_path, document, tutorial, minutes):
    walk = tutorial(page, platform, tmp_path)
    text = (TUTORIALS / document).read_text("utf-8")
    assert f"Time: {minutes} minutes." in text
    steps = steps_of(text)
    assert len(steps) == len(walk.acts)
    begun = time.monotonic()
    for names, act in zip(steps, walk.acts, strict=True):
        act(*names)
    assert time.monotonic() - begun < 60 * minutes
    seen.check_everywhere()


def test_the_pictures_of_the_tutorials_exist():
    assert all(picture.is_file() for picture in PICTURES.values())
