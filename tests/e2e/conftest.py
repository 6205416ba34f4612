"""Fixtures of all browser tests; see `helpers`.

`platform` is one installation for all walks of a run, because starting one takes longer than most walks. A walk that
closes, kills or stops something that others need starts a separate installation.
"""

import pytest
from playwright.sync_api import expect
from xdist.scheduler import LoadScopeScheduling

from tests.e2e.helpers.browser import chromium, context, page, playwright, seen, tab, whole_chromium
from tests.e2e.helpers.people import be
from tests.e2e.installation import PATIENCE, installation

__all__ = ["chromium", "context", "page", "platform", "playwright", "seen", "sign_in", "tab", "whole_chromium"]
# These do not use the installation that the others share.
ALONE = ("tests/e2e/web/", "tests/e2e/test_run_command.py")

# A busy machine takes its time; only what never comes is a fault.
expect.set_options(timeout=PATIENCE / 2 * 1000)


def pytest_itemcollected(item):
    """Starting an installation counts as part of the first test that needs it."""
    item.add_marker(pytest.mark.timeout(3 * PATIENCE))


class ByInstallation(LoadScopeScheduling):
    """Scheduler that keeps tests with a shared installation in one process when tests run in parallel.

    The tests run in their usual order (`pytest -n 2`).
    """

    def _split_scope(self, nodeid):
        if nodeid.startswith("tests/e2e/") and not nodeid.startswith(ALONE):
            return "platform"
        return next((part for part in ALONE if nodeid.startswith(part)), nodeid.partition("::")[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    return ByInstallation(config, log)


@pytest.fixture(scope="session")
def platform(tmp_path_factory):
    """An installation with the hippocampus challenge and the example accounts."""
    with installation(tmp_path_factory.mktemp("platform"), example="hippocampus") as place:
        yield place


@pytest.fixture
def sign_in(platform, page):
    """Be one of the example accounts from the next page on."""

    def act(username):
        be(page, platform, username, platform.passwords[username])
        return page

    return act
