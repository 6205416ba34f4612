"""Heights of the main pages and positions of their first row.

Run it with `python -m tests.e2e.walk.heights [--keep FOLDER]`. It starts the demo with the hippocampus example, waits
for its ranking, and prints one row per page for docs/design-system.md. With a folder it keeps a picture of each page at
both widths, light and dark. `--at ADDRESS --passwords FILE` measures a running installation, of an earlier commit for
example.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLATFORM = Path(__file__).parents[3] / "platform"
SIZES = ((1280, 900), (390, 844))
CHALLENGE = "/challenges/hippocampus/"
BOARD = f"{CHALLENGE}leaderboard/preliminary/"
# Who looks, where, and what a person comes for.
PAGES = {
    "first page, visitor": ("", "/", "main h1"),
    "own page, participant": ("paula", "/", "#my-challenges"),
    "own page, chair": ("charles", "/", "#next"),
    "challenge": ("", CHALLENGE, ".stepper__dates"),
    "leaderboard": ("", BOARD, ".board tbody tr"),
    "leaderboard for paper": ("", f"{BOARD}?view=all", ".board tbody tr"),
    "submit": ("paula", f"{CHALLENGE}submit/", ".dropzone"),
    "organize": ("olivia", f"{CHALLENGE}organize/", "main .facts"),
    "registry": ("", "/registry/", "main a[href*='/registry/podium-']"),
    "record": ("", "/registry/podium-2026-0001/", ".registry-facts"),
}
HEIGHT = "() => document.documentElement.scrollHeight"
TOP = "(element) => Math.round(element.getBoundingClientRect().top + scrollY)"


@contextmanager
def place_of(address: str, passwords: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the address of a running installation and its example passwords, read from `passwords`.

    If no address is named, a separate installation is started.
    """
    import json

    from tests.e2e.installation import embedded

    if address:
        yield address, json.loads(Path(passwords).read_text("utf-8"))
        return
    with tempfile.TemporaryDirectory() as folder, embedded(Path(folder) / "demo", "--example", "hippocampus") as place:
        yield place.url, place.passwords


def begins(page: "Page", answer: str) -> str:
    """Return the vertical position of the answer, or of the first table row if the page has no such element."""
    for place in (answer, "main table tbody tr"):
        if page.locator(place).count():
            return f"{page.locator(place).first.evaluate(TOP):,}"
    return "–"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, help="folder for the pictures")
    parser.add_argument("--at", default="", help="an installation that runs")
    parser.add_argument("--passwords", default="", help="its run/example-accounts.json")
    asked = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.path.append(str(PLATFORM))  # its folder is no package
    from playwright.sync_api import sync_playwright

    from tests.e2e.helpers.browser import launch_options

    with place_of(asked.at, asked.passwords) as (url, passwords), sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options())
        page = browser.new_page()
        # An earlier version may have its rows elsewhere; a dash stands where it has nothing of the kind.
        while page.goto(f"{url}{BOARD}") and page.locator("main table tbody tr").count() < 11:
            page.wait_for_timeout(1000)
        print("| page | height at 1280 | at 390 | begins at 1280 | at 390 |\n|---|---|---|---|---|")
        for name, (who, path, answer) in PAGES.items():
            page.context.clear_cookies()
            if who:
                page.goto(f"{url}/accounts/login/")
                page.fill("#id_login", who)
                page.fill("#id_password", passwords[who])
                page.get_by_role("main").get_by_role("button", name="Sign in").click()
                page.wait_for_url(f"{url}/")
            heights, tops = [], []
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                for theme in ("light", "dark"):
                    page.emulate_media(color_scheme=theme)
                    page.goto(f"{url}{path}", wait_until="networkidle")
                    if asked.keep:
                        asked.keep.mkdir(parents=True, exist_ok=True)
                        page.screenshot(
                            path=asked.keep / f"{name.replace(' ', '-')}-{width}-{theme}.png", full_page=True
                        )
                heights.append(page.evaluate(HEIGHT))
                tops.append(begins(page, answer))
            print(f"| {name} | {heights[0]:,} | {heights[1]:,} | {tops[0]} | {tops[1]} |", flush=True)
        browser.close()


if __name__ == "__main__":
    main()
