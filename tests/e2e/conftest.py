"""Fixtures of all browser tests; see `helpers`.

`platform` is one installation for all walks of a run: starting one takes longer than most walks. A walk that closes,
kills or stops something that others need starts an installation of its own.
"""

import pytest

from tests.e2e.helpers.browser import chromium, context, page, seen
from tests.e2e.installation import installation

__all__ = ["chromium", "context", "page", "platform", "seen", "sign_in"]


@pytest.fixture(scope="session")
def platform(tmp_path_factory):
    """An installation with the hippocampus challenge and the example accounts."""
    with installation(tmp_path_factory.mktemp("platform"), example="hippocampus") as place:
        yield place


@pytest.fixture
def sign_in(platform, page):
    """Sign in as one of the example accounts."""

    def act(username):
        page.goto(f"{platform.url}/accounts/login/")
        page.fill("#id_login", username)
        page.fill("#id_password", platform.passwords[username])
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{platform.url}/")
        return page

    return act
