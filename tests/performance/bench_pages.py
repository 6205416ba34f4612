"""Largest contentful paint (LCP) of pages of the demo, in a new browser each time so that nothing is cached.

The installation is that of `make run` with the hippocampus example, in separate processes. The result is the median of
five loads of each page. The processor is shared with the server, as on a laptop that runs the demo.
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.performance.bench_leaderboard import Timing

PLATFORM = Path(__file__).parents[2] / "platform"
LIMIT = 0.6
LOADS = 5
PAGES = {
    "first page": "/",
    "challenge": "/challenges/hippocampus/",
    "leaderboard, 11 teams": "/challenges/hippocampus/leaderboard/preliminary/",
    "record of a registration": "/registry/podium-2026-0001/",
}
PAINTED = """() => new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({
    type: "largest-contentful-paint", buffered: true,
  });
})"""


def benchmarks() -> Iterator[Timing]:
    """Load each page as a visitor; nothing is measured where there is no Chromium."""
    from playwright.sync_api import sync_playwright

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.path.append(str(PLATFORM))  # its folder is no package
    from tests.e2e.helpers.browser import ARGUMENTS, executable
    from tests.e2e.installation import embedded

    path = executable()
    if path is None:
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        embedded(Path(folder) / "demo", "--example", "hippocampus") as place,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        _wait_for_ranks(browser, place)
        for name, address in PAGES.items():
            seconds = statistics.median(_painted(browser, f"{place.url}{address}") for _ in range(LOADS))
            yield Timing(f"LCP of the {name}", seconds, LIMIT, "– (none)", seconds)
        browser.close()


def _wait_for_ranks(browser, place) -> None:
    page = browser.new_page()

    def ranked() -> bool:
        page.goto(f"{place.url}{PAGES['leaderboard, 11 teams']}")
        return page.locator("table tbody tr").count() == 11

    place.wait(ranked, "the ranking of eleven teams", every=2)
    page.close()


def _painted(browser, address: str) -> float:
    """Return the seconds from the request to the largest paint, in a separate browser context."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address, wait_until="networkidle")
    seconds = page.evaluate(PAINTED) / 1000
    context.close()
    return seconds
