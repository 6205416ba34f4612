"""A design from the empty form to the bundle of each phase, in a browser: every act is one of the pages."""

import io
import re
import zipfile
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from celery import current_app
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.models import User
from challenges.models import Challenge, Phase
from challenges.queries import phases_of
from confinement.containers import making
from evaluation.designs.catalogue import shipped
from leaderboards.queries.rankings import key_of
from tests.e2e.helpers.design_form import fill_page, start

MOST_TASKS_OF_WORKERS: Final = 2000
SUBMISSION: Final = re.compile(r"/submissions/([0-9a-f-]{36})/$")
REGISTERED: Final = re.compile(r"/registry/([a-z]+-\d{4}-\d{4})/$")


class Workers:
    """Tasks that pages send, and the process that works them off."""

    def __init__(self) -> None:
        self.queue: deque[tuple[str, tuple[Any, ...]]] = deque()

    def send_task(self, name: str, args: Any = (), **_: Any) -> None:
        """Take a message, as a broker does."""
        self.queue.append((name, tuple(args or ())))

    def work(self) -> None:
        """Work off all messages, and those that they lead to."""
        current_app.loader.import_default_modules()
        for _ in range(MOST_TASKS_OF_WORKERS):
            if not self.queue:
                return
            name, args = self.queue.popleft()
            current_app.tasks[name].apply(args=args, throw=True)
        raise AssertionError(f"The tasks never end: {list(self.queue)[:5]}")


@contextmanager
def workers(monkeypatch: Any) -> Iterator[Workers]:
    """Yield workers that take the messages of this process."""
    found = Workers()
    with monkeypatch.context() as patch:
        patch.setattr(current_app._get_current_object(), "send_task", found.send_task)
        yield found


class Browser:
    """The acts of organizers and teams on the pages of a running platform."""

    def __init__(self, page: Page, url: str, workers: Workers, folder: Path) -> None:
        self.page, self.url, self.workers, self.folder = page, url, workers, folder

    def be(self, user: User) -> None:
        """Continue as another person, who is signed in."""
        client = Client()
        client.force_login(user)
        self.page.context.clear_cookies()
        cookie = client.cookies["sessionid"]
        self.page.context.add_cookies([{"name": "sessionid", "value": cookie.value, "url": self.url}])

    def go(self, address: str) -> None:
        """Open an address, after workers have done what waits for them."""
        self.workers.work()
        # The same address again would be no navigation.
        self.page.goto("about:blank")
        answer = self.page.goto(f"{self.url}{address}")
        assert answer is not None
        assert answer.ok, (address, answer.status)

    def button(self, name: str | re.Pattern[str]) -> None:
        """Select a button of the page, and wait for the answer of the platform."""
        self.page.get_by_role("main").get_by_role("button", name=name).first.click()
        self.page.wait_for_load_state("networkidle")

    def write(self, document: Mapping[str, Any], title: str) -> str:
        """Fill in the empty form, page by page, and return the slug of the design."""
        tasks = document["tasks"]
        slug = start(self.page, self.url, title, tasks="\n".join(task["task_name"] for task in tasks))
        parts = [("", document["challenge"]), *((f"task-{n}", task) for n, task in enumerate(tasks, 1))]
        written: set[tuple[str, str]] = set()
        for section in shipped().sections:
            for task, values in parts:
                if any(each.is_task == bool(task) for each in shipped().in_section(section.key)):
                    self.go(f"/designs/{slug}/form/{section.key}/{task}{'/' if task else ''}")
                    written |= {(task, each.id) for each in fill_page(self.page, section.key, values, task)}
        wanted = {(task, name) for task, values in parts for name in values if "__" not in name and values[name]}
        assert wanted <= written, wanted - written
        return slug

    def exported(self, slug: str) -> dict[str, Any]:
        """Return the document of a design as its page exports it."""
        document: dict[str, Any] = self.page.request.get(f"{self.url}/designs/{slug}/export.json").json()
        return document

    def rehearse(self, slug: str) -> None:
        self.go(f"/designs/{slug}/rehearsal/")
        self.button("Rehearse")
        self.go(f"/designs/{slug}/rehearsal/")
        expect(self.page.get_by_text("Passed", exact=True).first).to_be_visible()

    def register(self, slug: str) -> str:
        """Register a design, and return the identifier of its record."""
        self.go(f"/registry/register/{slug}/")
        self.button("Register")
        self.page.wait_for_url(REGISTERED)
        found = REGISTERED.search(self.page.url)
        assert found is not None
        return found[1]

    def launch(self, identifier: str, slug: str) -> Challenge:
        self.go(f"/challenges/launch/{identifier}/")
        self.page.get_by_label("Address").fill(slug)
        self.button("Launch the challenge")
        self.page.wait_for_url(f"**/challenges/{slug}/organize/")
        return Challenge.objects.get(slug=slug)

    def seal(self, phase: Phase, archive: Path) -> None:
        """Upload the references of a phase, answer what the check found, and seal them."""
        place = f"/challenges/{phase.challenge.slug}/organize/test-sets/?phase={phase.pk}"
        self.go(place)
        self.page.set_input_files("#id_archive", archive)
        with self.page.expect_navigation():
            self.button("Upload and check")
        self.go(place)
        while (review := self.page.get_by_role("link", name="Review findings")).count():
            review.click()
            self._accept_findings()
            self.go(place)
        self.button(re.compile(r"^Seal \d+ cases?$"))
        self.go(place)
        expect(self.page.get_by_text("in use").first).to_be_visible()

    def _accept_findings(self) -> None:
        everything = self.page.locator("#answer-all")
        if everything.count():
            everything.fill("This is generated sample data.")
            self.button(re.compile(r"^Accept \d+ findings$"))
        else:
            self.button(re.compile(r"^Accept"))

    def join(self, challenge: Challenge, team: str) -> None:
        self.go(f"/challenges/{challenge.slug}/join/")
        self.page.get_by_label("Team name").fill(team)
        for label in ("I have read and accept the rules", "I accept the data-usage agreement"):
            if (box := self.page.get_by_label(label)).count():
                box.check()
        self.button("Take part")
        self.page.wait_for_url(lambda url: "/join/" not in url)

    def send_image(self, phase: Phase, team: str) -> tuple[str, str]:
        """Send a container image and submit it; returns the id of the image, and that of the submission."""
        layer = making.layer([making.Entry("opt/team", team.encode(), 0o755)])
        image = making.image([layer], entrypoint=["/opt/team"])
        path = self.folder / f"{team}-{phase.pk}.tar"
        making.write(path, image, kind="docker")
        place = f"/challenges/{phase.challenge.slug}/submit/?phase={phase.pk}"
        self.go(place)
        self.page.set_input_files("#id_archive", path)
        self.button("Send")
        self.page.locator("[data-archive]").first.wait_for()
        self.go(place)
        self.page.locator("#hand-in-form").get_by_role("button").click()
        return image.image_id, self._submission()

    def send_archive(self, phase: Phase, archive: Path) -> str:
        """Upload predictions, and return the id of the submission."""
        self.go(f"/challenges/{phase.challenge.slug}/submit/?phase={phase.pk}")
        self.page.set_input_files("#id_archive", archive)
        self.button("Submit")
        return self._submission()

    def _submission(self) -> str:
        self.page.wait_for_url(SUBMISSION)
        found = SUBMISSION.search(self.page.url)
        assert found is not None
        return found[1]

    def close(self, phase: Phase) -> None:
        self.go(f"/challenges/{phase.challenge.slug}/organize/phases/{phase.pk}/close/")
        self.page.get_by_label(re.compile("to confirm")).fill(phase.slug)
        self.button("Close the phase")
        self.page.wait_for_url("**/organize/")
        self.workers.work()

    def report(self, challenge: Challenge) -> None:
        self.go(f"/challenges/{challenge.slug}/report/desk/")
        self.button("Create internal report")
        self.go(f"/challenges/{challenge.slug}/report/desk/")

    def bundle(self, phase: Phase) -> bytes:
        """Download the bundle of the final ranking from its page."""
        key = key_of(phase, phases_of(phase.challenge))
        self.go(f"/challenges/{phase.challenge.slug}/leaderboard/{key}/")
        address = self.page.locator("a[href$='bundle.zip']").first.get_attribute("href")
        answer = self.page.request.get(f"{self.url}{address}")
        assert answer.ok, answer.status
        return answer.body()


def packed(folder: Path, target: Path, *, under: str = "") -> Path:
    """Write the files of a folder as a ZIP archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{under}{path.relative_to(folder).as_posix()}")
    target.write_bytes(buffer.getvalue())
    return target
