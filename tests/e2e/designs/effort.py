"""Measured effort of filling in the design form with prepared texts: `python -m tests.e2e.designs.effort`.

A browser fills every required field of an empty design from the document of an example. It acts like a person who uses
the key for the next open field: texts are pasted, short values typed, choices clicked. Cells of tables are reached with
Tab or, if that takes more than three presses, with the mouse. The page counts keys and scrolling.

The time is the sum of two parts. The first is that of the keystroke-level model (Card, Moran and Newell, "The
keystroke-level model for user performance time with interactive systems", CACM 23(7), 1980, 396-410) with its published
operators. The second is that of reading every word that a required field shows, once, at 238 words per minute
(Brysbaert, "How many words do we read per minute?", Journal of Memory and Language 109, 2019). Neither part includes
the time for deciding what to write, because the person has the texts.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
# Seconds: a key of a typist of 40 words a minute, pointing, a button down and up, a hand to the other device, making up one's mind.
KEY, POINT, BUTTON, HAND, MIND = 0.28, 1.10, 0.20, 0.40, 1.35
CLICK = HAND + POINT + BUTTON + HAND
# To the other window and back, the text marked with the mouse, copied and pasted: twice two keys each, two points, a drag.
PASTE = MIND + 8 * KEY + 2 * HAND + 2 * POINT + BUTTON
# A longer text is at hand elsewhere, a shorter one is typed.
TYPED = 20
READING = 238 / 60
OTHER = "__other__"
FOLDS = 3
TARGET_HOURS = 2.0

COUNT = """
if (!window.__effort) {
  window.__effort = true;
  const add = (name, by) => sessionStorage.setItem(name, Number(sessionStorage.getItem(name)) + by);
  addEventListener("keydown", () => add("keys", 1), true);
  let at = 0;
  addEventListener("scroll", () => { add("scrolled", Math.abs(scrollY - at)); at = scrollY; }, { passive: true });
}
"""
SAVE = "() => document.activeElement.dispatchEvent(new Event('change', { bubbles: true }))"
WHERE = "() => document.activeElement.closest('.design-field')?.id ?? ''"
# Words that stand there to be read; nobody reads all that a list would offer.
READ = """(field) => {
  const walker = document.createTreeWalker(field, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const holder = walker.currentNode.parentElement;
    if (holder.closest("select, textarea, .visually-hidden") || !holder.checkVisibility()) continue;
    count += walker.currentNode.textContent.split(/\\s+/).filter(Boolean).length;
  }
  return count;
}"""
FOCUSED = "() => document.activeElement.name ?? ''"


class Person:
    """A person who fills in the form; `seconds` adds up the modelled time per field."""

    def __init__(self, page: Any, document: dict[str, Any]) -> None:
        self.page, self.document = page, document
        self.seconds: dict[str, float] = defaultdict(float)
        self.steps: Counter[str] = Counter()
        self.field = ""

    def took(self, what: str, seconds: float) -> None:
        self.seconds[self.field] += seconds
        self.steps[what] += 1

    def key(self, name: str) -> None:
        self.page.keyboard.press(name)
        self.took("key", KEY * (1 + name.count("+")))

    def click(self, element: Any) -> None:
        element.scroll_into_view_if_needed()
        element.click()
        self.took("click", MIND + CLICK)

    def write(self, text: str) -> None:
        if len(text) > TYPED or "\n" in text:
            self.page.keyboard.insert_text(text)
            self.took("paste", PASTE)
        else:
            self.page.keyboard.type(text)
            self.took("word typed", MIND + KEY * len(text))

    def to(self, element: Any) -> None:
        """Reach an input with Tab, or with the mouse if Tab takes too long or the input is folded."""
        name = element.get_attribute("name")
        for _ in range(3):
            if self.page.evaluate(FOCUSED) == name:
                return
            self.key("Tab")
        if self.page.evaluate(FOCUSED) == name:
            return
        for _ in range(FOLDS):
            if not element.is_visible():
                self.click(element.locator("xpath=ancestor::details[not(@open)][last()]/summary"))
        # A click on a list would open it, and the next key would mean something else there.
        element.focus()
        self.took("click", MIND + CLICK)

    def choose(self, box: Any, value: str) -> None:
        """Type the beginning of an option, as far as no other begins like it."""
        labels = {
            o["value"]: o["label"]
            for o in box.evaluate("b => [...b.options].map((o) => ({value: o.value, label: o.label}))")
        }
        wanted = labels[value]
        needed = next(
            (n for n in range(1, len(wanted)) if sum(x[:n] == wanted[:n] for x in labels.values()) == 1), len(wanted)
        )
        box.select_option(value)
        self.took("option chosen", MIND + KEY * needed)

    def fill(self, field: Any, parameter: Any, values: dict[str, Any]) -> None:
        """Enter the value of a parameter from the document, with the editor of its type."""
        value, state = values.get(parameter.id), values.get(f"{parameter.id}__state")
        if state is not None:
            self.click(field.get_by_role("button", name="Can’t answer this?"))
            self.click(field.locator(f'[name="state"][value="{state["state"]}"]'))
            if "reason" in state:
                self.to(field.locator('[name="reason"]'))
                self.write(state["reason"])
        elif parameter.type == "list-of-objects":
            for index, row in enumerate(value):
                if index:
                    self.click(field.get_by_role("button", name="Add a row"))
                for key, cell in row.items():
                    if key != "options":
                        self.enter(field, f"row.{index}.{key}", cell)
        elif parameter.type == "object":
            for key, cell in value.items():
                self.enter(field, f"value.{key}", cell)
        elif parameter.type in ("enum", "multi-enum"):
            for item in value if isinstance(value, list) else [value]:
                self.click(field.locator(f'[name="value"][value="{item}"]'))
        else:
            self.to(field.locator('[name="value"]'))
            self.write(words(value))

    def enter(self, field: Any, name: str, value: Any) -> None:
        box = field.locator(f'[name="{name}"]').first
        self.to(box)
        if isinstance(value, dict):
            self.choose(box, OTHER)
            self.to(field.locator(f'[name="{name}.other"]'))
            self.write(value["other"])
        elif box.evaluate("box => box.tagName") == "SELECT":
            self.choose(box, {True: "true", False: "false"}.get(value, value) if isinstance(value, bool) else value)
        else:
            self.page.keyboard.press("Control+a")
            self.write(words(value))


def words(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def walk(person: Person, parameters: Any) -> list[str]:
    """From one needed field to the next until none is open; the fields in the order in which they came."""
    page, done = person.page, []
    while True:
        before = page.url, page.evaluate(WHERE)
        page.keyboard.press("Control+Enter")
        try:
            page.wait_for_function(
                "([url, id]) => location.href !== url || (document.activeElement.closest('.design-field')?.id ?? '') !== id",
                arg=before, timeout=5000,
            )  # fmt: skip
            page.wait_for_function("() => document.activeElement?.closest('.design-field')", timeout=20000)
        except Exception:  # noqa: BLE001 (the end of the form, or a page that does not come: the caller sees which)
            return done
        place = page.evaluate(WHERE).removeprefix("f-")
        if place in done:
            return done
        name, _, task = place.partition("-task-")
        person.field = place
        person.took("next field", MIND + 2 * KEY)
        field = page.locator(f"#f-{place}")
        shown = field.evaluate(READ)
        person.seconds[place] += shown / READING
        person.steps["word read"] += shown
        values = person.document["tasks"][int(task) - 1] if task else person.document["challenge"]
        if values.get(name) is not None or f"{name}__state" in values:
            person.fill(field, parameters[name], values)
            page.evaluate(SAVE)
            field.locator(".design-status__ok").wait_for()
            options = [
                (f"row.{index}.options.{option}", given)
                for index, row in enumerate(values[name] if name == "metrics" else ())
                for option, given in row.get("options", {}).items()
            ]
            # What a metric asks for stands there once the metric is saved.
            for option, given in options:
                field.locator(f'[name="{option}"]').wait_for(state="attached")
                person.enter(field, option, given)
            page.evaluate(SAVE)
            field.locator(".design-status__ok").wait_for()
        done.append(place)


@contextmanager
def place_of(address: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the address of a running installation and the passwords of its example accounts.

    If no address is named, a separate installation is started.
    """
    if address:
        yield address, {"olivia": os.environ["PODIUM_PASSWORD"]}
        return
    from tests.e2e.installation import embedded

    with tempfile.TemporaryDirectory() as folder, embedded(Path(folder) / "form", "--example", "hippocampus") as place:
        yield place.url, place.passwords


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--example", default="hippocampus", help="whose document is the text at hand")
    parser.add_argument("--at", default="", help="an installation that runs; PODIUM_PASSWORD is olivia's")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--fields", type=int, default=10, help="how many of the costliest fields to name")
    asked = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.path.append(str(ROOT / "platform"))  # its folder is no package
    from playwright.sync_api import sync_playwright

    from evaluation.designs.catalogue import shipped
    from tests.e2e.helpers.browser import launch_options

    text = (ROOT / f"evaluation/designs/examples/{asked.example}.json").read_text("utf-8")
    document = json.loads(text)
    with place_of(asked.at) as (url, passwords), sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        page = browser.new_page(viewport={"width": asked.width, "height": 900})
        page.goto(f"{url}/accounts/login/")
        page.fill("#id_login", "olivia")
        page.fill("#id_password", passwords["olivia"])
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{url}/")
        page.goto(f"{url}/designs/")
        page.get_by_role("link", name="Start a design").first.click()
        page.get_by_label("Working title").fill("How long it takes")
        page.get_by_role("main").get_by_role("button", name="Start").click()
        page.wait_for_url("**/designs/*/")
        first = page.locator(".design-places a[href*='/form/']").first.get_attribute("href")
        page.add_init_script(COUNT)
        page.goto(f"{url}{first}")
        page.evaluate("() => document.activeElement.blur()")
        person = Person(page, document)
        done = walk(person, shipped())
        counted = page.evaluate(
            "() => Object.fromEntries(['keys', 'scrolled'].map((n) => [n, Number(sessionStorage.getItem(n))]))"
        )
        left = page.locator("#design-progress").inner_text()
        page.keyboard.press("Control+Enter")
        page.wait_for_timeout(1000)
        left += f", open: {page.evaluate(WHERE)}" if left.split()[0] != left.split()[2] else ""
        browser.close()
    report(person, done, counted, left, asked.fields)


def report(person: Person, done: list[str], counted: dict[str, float], left: str, most: int) -> None:
    read = person.steps["word read"] / READING
    total = sum(person.seconds.values())
    print(f"{len(done)} needed fields, then: {left}")
    print(f"{person.steps['click']} clicks, {counted['keys']:.0f} keys, {counted['scrolled']:.0f} px scrolled")
    print(
        ", ".join(
            f"{count} × {what}" for what, count in person.steps.most_common() if what not in ("word read", "click")
        )
    )
    print(
        f"{total / 60:.0f} min by the model: {(total - read) / 60:.0f} min of hands and mind, {read / 60:.0f} min to read {person.steps['word read']} words"
    )
    for place, seconds in sorted(person.seconds.items(), key=lambda pair: -pair[1])[:most]:
        print(f"  {seconds / 60:5.1f} min  {place}")
    if total > TARGET_HOURS * 3600:
        sys.exit(f"more than {TARGET_HOURS:g} hours")


if __name__ == "__main__":
    main()
