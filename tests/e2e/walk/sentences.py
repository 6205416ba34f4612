"""Walk challenges in a browser from the empty form to the verified bundle and print every sentence.

    python -m tests.e2e.walk.sentences --out sentences.txt [classification detection segmentation]
    python -m tests.e2e.walk.sentences --out sentences.txt every

Without a name those three are walked. `every` walks one challenge of each kind of problem, created by the kind itself.

A line is printed where it first appears. Faults that a program can detect are listed at the end: pages that fail, a
sentence repeated in a paragraph, numbers that do not agree with their noun, a bundle that does not verify. The rest is
for human readers.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from playwright.sync_api import Page, sync_playwright

from tests.e2e.helpers.browser import launch_options
from tests.e2e.installation import ROOT, Installation, embedded
from tests.e2e.walk.kinds_of_problems import names

KINDS = ("classification", "detection", "segmentation")
OWNER, MEMBER = "walking-owner", "walking-bo"
WRONG = {
    "a noun does not agree": re.compile(r"(?<![\d.,–-])1 (words|cases|teams|submissions|rankings|resamples|days)\b"),
    "a value of the program": re.compile(r"= None\b|\bnan\b|\[object"),
    "a number without its digits": re.compile(r"\b0 of 0\b"),
}
READ = """() => {
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
  return document.title + "\\n" + (document.querySelector("main") ?? document.body).innerText;
}"""
LINKS = "(links, part) => [...new Set(links.map((a) => a.getAttribute('href').split('#')[0]))].filter((a) => a.includes(part))"


class Walk:
    """One browser, who sits before it, and what was read."""

    def __init__(self, place: Installation, page: Page, out: TextIO) -> None:
        self.place, self.page, self.out = place, page, out
        self.who, self.read_before, self.faults = "", set[str](), list[str]()

    def ask(self, name: str, *arguments: Any) -> Any:
        """Have a function of `acts_inside` run inside the installation."""
        code = f"from tests.e2e.walk import acts_inside; acts_inside.answer({name!r}, *{arguments!r})"
        return json.loads(self.place.shell(code).splitlines()[-1])

    def be(self, who: str) -> None:
        """Sign in as a person; an empty name means a visitor."""
        self.who = who
        self.page.context.clear_cookies()
        if who:
            code = f"from tests.e2e.walk import everything as e; e.person({who!r}); print(*e.cookie({who!r}))"
            name, value = self.place.shell(code).split()[-2:]
            self.page.context.add_cookies([{"name": name, "value": value, "url": self.place.url}])

    def read(self, path: str = "", *, when: str = "", refused: bool = False) -> None:
        """Write down the lines of a page that were not read before."""
        status = 200
        if path:
            answer = self.page.goto(self.place.url + path)
            status = answer.status if answer else 0
        where = self.page.url.removeprefix(self.place.url)
        if (status >= 400) != refused:
            self.faults.append(f"{where} answers {status} to {self.who or 'a visitor'}")
        self.note(f"\n##### {self.who or 'visitor'} {where} {when}")
        for line in self.page.evaluate(READ).splitlines():
            self.line(" ".join(line.split()), where)

    def line(self, line: str, where: str) -> None:
        """A line that was not read before, with what a machine finds wrong."""
        if not line or line in self.read_before:
            return
        self.read_before.add(line)
        self.note(line)
        self.faults += [f"{where}: {what}: {line}" for what, pattern in WRONG.items() if pattern.search(line)]
        said = [sentence for sentence in re.split(r"(?<=[.?!]) (?=[A-Z])", line) if len(sentence.split()) > 4]
        self.faults += [f"{where}: said twice: {one}" for one in {one for one in said if said.count(one) > 1}]

    def note(self, text: str) -> None:
        self.out.write(f"{text}\n")
        self.out.flush()

    def links(self, part: str) -> list[str]:
        return self.page.eval_on_selector_all("main a[href]", LINKS, part)


def walk(walked: Walk, kind: str) -> None:
    """One challenge from the empty form to the verified bundle."""
    base = f"/challenges/walk-{kind}/"
    identifier = design(walked, kind)
    launch(walked, kind, identifier)
    for part in ("", "organize/", "organize/test-sets/", "organize/submissions/", "leaderboard/", "report/desk/"):
        walked.read(base + part, when="before the test set")
    walked.read(f"{base}submit/", refused=True)
    walked.ask("seal", kind)
    for part in ("organize/", "organize/test-sets/"):
        walked.read(base + part, when="sealed")
    walked.ask("join", kind)
    walked.be(MEMBER)
    for part in ("", "submit/", "submissions/", "leaderboard/", "team/"):
        walked.read(base + part, when="before the first submission")
    submissions(walked, kind)
    results(walked, kind, "open")
    walked.ask("close", kind)
    walked.place.wait(lambda: walked.ask("is_ranked", kind), "the final ranking", every=1)
    results(walked, kind, "closed")
    report(walked, kind)
    bundles(walked, kind)


def design(walked: Walk, kind: str) -> str:
    """An empty design, and one that is filled in; returns the identifier of its registration."""
    walked.be(OWNER)
    page, leads = walked.page, re.compile(r"/designs/(?!new|import)[\w-]+/$")
    walked.read("/designs/new/")
    page.fill("#id_title", f"An empty {kind}")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(leads)
    walked.read(when="empty")
    here = page.url.removeprefix(walked.place.url)
    for address in walked.links("/form/") if kind == KINDS[0] else ():
        walked.read(address, when="empty")
    for part in ("checks/", "assessment/", "advice/", "versions/"):
        walked.read(here + part, when="empty")
    walked.read("/designs/import/")
    page.fill("#id_title", f"A filled {kind}")
    content = json.dumps(walked.ask("design", kind)).encode()
    page.set_input_files("input[type=file]", {"name": "design.json", "mimeType": "application/json", "buffer": content})
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url(leads)
    walked.read(when="filled")
    here = page.url.removeprefix(walked.place.url)
    asked = [*walked.links("/form/assessment"), *(here + part for part in ("checks/", "assessment/", "advice/"))]
    for address in asked:
        walked.read(address, when="filled")
    return walked.ask("registered", here.strip("/").split("/")[-1])


def launch(walked: Walk, kind: str, identifier: str) -> None:
    """From the record to the challenge, by the page."""
    walked.read(f"/registry/{identifier}/")
    walked.read(f"/challenges/launch/{identifier}/")
    walked.page.get_by_label("Address").fill(f"walk-{kind}")
    walked.page.get_by_role("button", name="Launch the challenge").click()
    walked.page.wait_for_url(re.compile(rf"/challenges/walk-{kind}/"))
    walked.read(when="launched")


def submissions(walked: Walk, kind: str) -> None:
    """Three teams hand in; what lacks cases waits for its team."""
    walked.ask("hand_in", kind)
    number = 6 if kind == "segmentation" else 3

    def settled() -> bool:
        held = walked.ask("submissions", kind, "held")
        return len(held) + len(walked.ask("submissions", kind, "scored")) == number

    walked.place.wait(settled, "the submissions", every=1)
    walked.be("walking-cy")
    for address in walked.ask("submissions", kind, "held"):
        walked.read(address, when="waits for its team")
    walked.ask("go_on", kind)
    walked.place.wait(lambda: len(walked.ask("submissions", kind, "scored")) == number, "the scores", every=1)
    walked.place.wait(lambda: walked.ask("is_ranked", kind), "the ranking", every=1)


def results(walked: Walk, kind: str, when: str) -> None:
    """Read the pages on which a visitor, a team and an organizer see results."""
    base = f"/challenges/walk-{kind}/"
    own = {
        "": ("report/", "report/exposure/"),
        MEMBER: ("submissions/", "submissions/history/", "submit/"),
        OWNER: ("organize/", "organize/submissions/", "organize/work/", "report/desk/", "report/exposure/"),
    }
    for who, parts in own.items():
        walked.be(who)
        walked.read(base, when=when)
        for part in parts:
            walked.read(base + part, when=when)
        for address, _ in walked.ask("bundles", kind):
            board = re.sub(r"v/\d+/bundle\.zip$", "", address)
            for part in ("", "embed/", "history/") if not who else ("",):
                walked.read(board + part, when=when)
            if who == MEMBER:
                walked.read(board.replace("/leaderboard/", "/report/team/"), when=when)
        if who == MEMBER:
            walked.page.goto(f"{walked.place.url}{base}submissions/")
            for address in walked.links(f"{base}submissions/"):
                if re.search(r"[0-9a-f-]{36}/$", address):
                    walked.read(address, when=when)


def report(walked: Walk, kind: str) -> None:
    """The public report: its pages and the paper."""
    number = walked.ask("ask_for_report", kind)
    walked.place.wait(lambda: walked.ask("is_made", kind), "the report", every=2)
    here = f"/challenges/walk-{kind}/report/v/{number}/"
    walked.read(here)
    for address in [f"{here}paper/", *walked.links(here)]:
        if address.endswith("/"):
            walked.read(address)


def bundles(walked: Walk, kind: str) -> None:
    """The bundle of each ranking is computed again, against the digest on its page."""
    for (address, digest), folder in zip(walked.ask("bundles", kind), _folders(), strict=False):
        answer = walked.page.context.request.get(walked.place.url + address)
        path = folder / "bundle.zip"
        path.write_bytes(answer.body())
        command = [sys.executable, "-m", "evaluation", "verify", str(path), "--digest", digest]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        walked.note(f"\n##### verify {address}\n{done.stdout}{done.stderr}")
        if done.returncode:
            walked.faults.append(f"{address} does not verify")


def _folders() -> Iterator[Path]:
    while True:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)


def main() -> int:
    """Walk the challenges and report all faults that a program can detect."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.walk.sentences", description=__doc__)
    parser.add_argument(
        "kinds", nargs="*", metavar="KIND", help=f"a name of a kind, or every; {', '.join(KINDS)} without any"
    )
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    walks = names() if chosen.kinds == ["every"] else chosen.kinds or KINDS
    if unknown := set(walks) - set(names()):
        parser.error(f"no walk is called {', '.join(sorted(unknown))}; known are {', '.join(names())}, or every")
    with (
        tempfile.TemporaryDirectory() as folder,
        embedded(Path(folder) / "data") as place,
        sync_playwright() as playwright,
        chosen.out.open("w", encoding="utf-8") as out,
    ):
        browser = playwright.chromium.launch(**launch_options())
        walked = Walk(place, browser.new_page(locale="en-GB"), out)
        for kind in walks:
            started = time.monotonic()
            walk(walked, kind)
            sys.stdout.write(f"{kind}: walked in {time.monotonic() - started:.0f} s\n")
            sys.stdout.flush()
        for number, mail in enumerate(walked.ask("mails")):
            walked.note(f"\n##### mail {number}")
            for line in mail.splitlines():
                walked.line(line, f"mail {number}")
        browser.close()
    sys.stdout.write(f"{len(walked.read_before):,} lines read, {len(walked.faults)} faults\n")
    sys.stdout.write("".join(f"{fault}\n" for fault in walked.faults))
    return 1 if walked.faults else 0


if __name__ == "__main__":
    sys.exit(main())
