"""One Chromium and one page for all tests of a process."""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, sync_playwright

from tests.e2e.helpers.audit import DESKTOP, Watch, watch
from tests.e2e.installation import PATIENCE
from tests.run import BROWSERS, WHOLE_BROWSERS, is_demanded

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def executable(names: Iterable[str] = BROWSERS) -> str | None:
    """The system's Chromium: `PODIUM_CHROMIUM`, or the first of these programs on the path."""
    return os.environ.get("PODIUM_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def launch_options(names: Iterable[str] = BROWSERS) -> dict:
    """Options for `chromium.launch`; skips the test where there is no browser, fails where one has to be (CI)."""
    path = executable(names)
    if path is None:
        reason = "no Chromium found (PODIUM_CHROMIUM, chromium, google-chrome)"
        if is_demanded("browser"):
            pytest.fail(reason)
        pytest.skip(reason)
    return {"executable_path": path, "args": list(ARGUMENTS)}


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    # Playwright's synchronous interface runs an event loop in this thread; Django would refuse its database there.
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as started:
        yield started
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    browser = playwright.chromium.launch(**launch_options())
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def whole_chromium(playwright: Playwright) -> Iterator[Browser]:
    """The browser that people use: its letters and lines differ from those of the shell by a few shades."""
    browser = playwright.chromium.launch(**launch_options(WHOLE_BROWSERS))
    yield browser
    browser.close()


class Tab:
    """The single page that all tests of a process use in turn, each as if it were new.

    A separate page for every test would take longer than most tests. The browser would start a process for each page,
    and that process would read and compile every script again.
    """

    def __init__(self, chromium: Browser) -> None:
        self.chromium = chromium
        self.context: BrowserContext | None = None

    def enter(self) -> Page:
        """The page, nowhere yet; patient, since a busy machine takes its time."""
        if self.context is None:
            width, height = DESKTOP
            self.context = self.chromium.new_context(
                viewport={"width": width, "height": height}, color_scheme="light", locale="en-GB"
            )
            self.context.set_default_timeout(PATIENCE / 2 * 1000)
            self.page = self.context.new_page()
            self.watch = watch(self.page)
        self.watch.begin()
        return self.page

    def leave(self) -> None:
        """Forget all that a test has left behind; a page that cannot be tidied up is thrown away."""
        context, page = self.context, self.page
        try:
            context.set_offline(False)
            page.unroute_all(behavior="ignoreErrors")
            if page.url.startswith("http"):
                page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
            for other in context.pages:
                if other is not page:
                    other.close()
            page.goto("about:blank")
            page.mouse.move(0, 0)
            page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
            page.emulate_media(media="null", color_scheme="light", reduced_motion="null")
            context.clear_cookies()
            context.clear_permissions()
        except Error:
            self.context = None
            with suppress(Error):
                context.close()


@pytest.fixture(scope="session")
def tab(chromium: Browser) -> Tab:
    return Tab(chromium)


@pytest.fixture
def page(tab: Tab) -> Iterator[Page]:
    yield tab.enter()
    tab.leave()


@pytest.fixture
def context(page: Page) -> BrowserContext:
    return page.context


@pytest.fixture
def seen(tab: Tab, page: Page) -> Watch:
    """The watch over `page`; a test ends with `seen.check()` or `seen.check_everywhere()`."""
    return tab.watch
