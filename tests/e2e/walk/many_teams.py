"""Look at a board of very many teams in a browser: how tall it is, how soon it is there, and who can be found on it.

    python -m tests.e2e.walk.many_teams [--teams 1000] [--shots FOLDER]

The teams come into a challenge with values from outside by one sealed table, as organizers bring it. Prints what was measured, and
fails where a board does not hold what smaller ones do: the first row near the top, nothing wider than the window, no row without a rank and what is drawn of its
range, every team found by its name.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.e2e.helpers.browser import launch_options
from tests.e2e.installation import embedded
from tests.e2e.walk.sentences import Walk, design, launch

KIND = "external"
BOARD = f"/challenges/walk-{KIND}/leaderboard/"
WINDOWS = {"desk": ((1280, 900), 400), "phone": ((390, 844), 600)}
"""Width and height of each window by name, and the maximum position of the first row, all in pixels."""


def measured(page: Page) -> dict[str, float]:
    """Measure the position of the first row, the number of rows, the page height and the horizontal overflow."""
    return page.evaluate("""() => {
      const rows = [...document.querySelectorAll(".board tbody tr")];
      return {
        first: rows[0].getBoundingClientRect().top + scrollY,
        rows: rows.length,
        height: document.documentElement.scrollHeight,
        over: document.documentElement.scrollWidth - innerWidth,
        bare: rows.filter((row) => !/^\\d/.test(row.cells[0].innerText.trim()) || !row.querySelector("svg line, svg rect, svg path")).length,
      };
    }""")


def look(walked: Walk, teams: int, shots: Path | None) -> list[str]:
    """Return the requirements that the leaderboard of `teams` teams does not meet."""
    page, wrong = walked.page, []
    for name, (window, top) in WINDOWS.items():
        page.set_viewport_size({"width": window[0], "height": window[1]})
        started = time.monotonic()
        page.goto(walked.place.url + BOARD)
        page.locator(".board tbody tr").first.wait_for()
        took, found = time.monotonic() - started, measured(page)
        sys.stdout.write(
            f"{name}: {found['rows']} of {teams} rows, first at y = {found['first']:.0f}, {found['height']} px, {took:.2f} s\n"
        )
        if shots:
            page.screenshot(path=shots / f"{teams}-teams-{name}.png", full_page=True)
        wrong += [f"{name}: the first row stands at y = {found['first']:.0f}"] if found["first"] > top else []
        wrong += [f"{name}: {found['over']} px do not fit"] if found["over"] > 0 else []
        wrong += [f"{name}: {found['bare']} rows without a rank or its range"] if found["bare"] else []
    last = f"team-{teams - 1:04d}"
    page.goto(f"{walked.place.url}{BOARD}?team={last}")
    if page.locator(".board tbody tr", has_text=last).count() != 1:
        wrong.append(f"{last} is not found by its name")
    return wrong


def main() -> int:
    """Bring the teams, wait for the ranking, and look."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.walk.many_teams", description=__doc__)
    parser.add_argument("--teams", type=int, default=1000)
    parser.add_argument("--shots", type=Path)
    chosen = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        embedded(Path(folder) / "data") as place,
        sync_playwright() as playwright,
        (Path(folder) / "read.txt").open("w", encoding="utf-8") as out,
    ):
        browser = playwright.chromium.launch(**launch_options())
        walked = Walk(place, browser.new_page(locale="en-GB"), out)
        launch(walked, KIND, design(walked, KIND))
        walked.ask("seal", KIND)
        started = time.monotonic()
        walked.ask("bring_teams", KIND, chosen.teams)
        place.wait(lambda: walked.ask("teams_ranked", KIND) == chosen.teams, "the ranking", every=1)
        sys.stdout.write(f"ranked after {time.monotonic() - started:.0f} s\n")
        wrong = look(walked, chosen.teams, chosen.shots)
        browser.close()
    sys.stdout.write("".join(f"{line}\n" for line in wrong) or "all holds\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
