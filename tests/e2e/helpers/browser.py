"""One Chromium for the session, one fresh context for each test."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.e2e.helpers.audit import DESKTOP, Watch, watch

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    """The system's Chromium: `PODIUM_CHROMIUM` or what is on the path."""
    return os.environ.get("PODIUM_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def launch_options() -> dict:
    """Options for `chromium.launch`; skips the test where there is no browser, fails where one has to be (CI)."""
    path = executable()
    if path is None:
        reason = "no Chromium found (PODIUM_CHROMIUM, chromium, google-chrome)"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return {"executable_path": path, "args": list(ARGUMENTS)}


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    options = launch_options()
    # Playwright's synchronous interface runs an event loop in this thread; Django would refuse its database there.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    width, height = DESKTOP
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme="light", locale="en-GB")
    context.set_default_timeout(30_000)
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def seen(page: Page) -> Watch:
    """The watch over `page`; a test ends with `seen.check()` or `seen.check_everywhere()`."""
    return watch(page)
