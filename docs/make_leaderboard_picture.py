"""Make the picture of a leaderboard for README.md and docs/leaderboards.md from a running example installation.

``make run`` in one shell; in another one, as soon as the preliminary phase of the hippocampus example is ranked,
``PYTHONPATH=platform:. .venv/bin/python -m docs.make_leaderboard_picture http://127.0.0.1:8000``.
"""

# ruff: noqa: INP001

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

BOARD = "/challenges/hippocampus/leaderboard/preliminary/"
PICTURE = Path(__file__).parent / "images" / "leaderboard.png"
WIDTH, LENGTH = 1280, 1960
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def make(address: str) -> None:
    """Take the picture of the board, from its heading to the last team."""
    path = os.environ.get("PODIUM_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": LENGTH})
        page.goto(f"{address.rstrip('/')}{BOARD}", wait_until="networkidle")
        box = page.locator("section:has(> .table-wrap)").bounding_box()
        top = page.locator(".challenge-head").bounding_box()
        if box is None or top is None:
            raise SystemExit("There is no ranking yet: wait until the page shows one.")
        clip = {"x": 0, "y": top["y"] - 16, "width": WIDTH, "height": box["y"] + box["height"] - top["y"] + 32}
        page.screenshot(path=PICTURE, clip=clip, full_page=True)
        browser.close()


if __name__ == "__main__":
    make(sys.argv[1])
