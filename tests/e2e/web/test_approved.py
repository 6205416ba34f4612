"""Ten main pages look as approved, at both widths and in both themes: a change of appearance is a decision.

`make approved` renders them and replaces the pictures in `tests/e2e/approved`. Look at the difference before you commit
it. All data are created here, the clock is fixed, and nothing waits for a worker.
"""

import os
from datetime import UTC, datetime

import pytest
from django.conf import settings
from django.test import Client, override_settings

from accounts.models import User
from leaderboards.models import RankingVersion
from submissions.models import Submission
from tests.e2e.helpers import pictures
from tests.integration.leaderboards import examples, world
from tests.integration.submissions.conftest import broker_of_its_own, private_files, workers

__all__ = ["broker_of_its_own", "private_files", "workers"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
SIZES = {1280: 1000, 390: 1000}
RENEW = bool(os.environ.get("PODIUM_APPROVE"))
"""Replace the approved pictures instead of comparing with them."""
CHALLENGE = "/challenges/liver/"
PAGES = {
    "home": ("", "/"),
    "sign-in": ("", "/accounts/login/"),
    "help": ("", "/help/leaderboards/"),
    "design-system": ("", "/design-system/"),
    "challenge": ("", CHALLENGE),
    "leaderboard": ("", f"{CHALLENGE}leaderboard/open/"),
    "own": ("ada", "/"),
    "submissions": ("ada", f"{CHALLENGE}submissions/"),
    "submission": ("ada", ""),
    "organize": ("olga", f"{CHALLENGE}organize/"),
}
# Wide and narrow letters of both fonts; a page drawn before its fonts came keeps the system's.
HAS_FONTS = """async () => {
  const width = (family) => {
    const probe = document.createElement("span");
    probe.textContent = "mmmmmmmiiiiiii";
    probe.style.cssText = "position:absolute;visibility:hidden;font:600 40px " + family;
    document.body.append(probe);
    const { width: measured } = probe.getBoundingClientRect();
    probe.remove();
    return measured;
  };
  await document.fonts.ready;
  return ["Podium Sans", "Podium Serif"].every((family) => width(`"${family}", monospace`) !== width("monospace"));
}"""


@pytest.fixture
def liver(monkeypatch, private_files, workers, tmp_path, site):
    """A challenge with a ranking of six teams, on a day that does not pass."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: NOW)
    with override_settings(PODIUM_DATA=tmp_path / "data", PODIUM_ADDRESS=site):
        settings.PODIUM_DATA.mkdir()
        # So many that the ranking says how sure it is.
        monkeypatch.setitem(examples.ASSESSMENT["uncertainty"], "bootstrap", 500)
        built = world.build(teams=("Aspen", "Birch", "Cedar", "Elm", "Fir", "Hazel"), ranked=("open",))
        # Their defaults were bound to the clock before it stood.
        Submission.objects.update(created_at=NOW, state_since=NOW)
        RankingVersion.objects.update(created_at=NOW)
        yield built


@pytest.fixture
def open_page(whole_chromium, site):
    """Open a page as a person, patiently until it has the fonts of the project."""
    contexts = {}

    def act(who, path):
        if who not in contexts:
            contexts[who] = whole_chromium.new_context(
                locale="en-GB", timezone_id="UTC", reduced_motion="reduce", device_scale_factor=1
            )
            if who:
                client = Client()
                client.force_login(User.objects.get(username=who))
                name = settings.SESSION_COOKIE_NAME
                contexts[who].add_cookies([{"name": name, "value": client.cookies[name].value, "url": site}])
        page = contexts[who].pages[0] if contexts[who].pages else contexts[who].new_page()
        for _ in range(20):
            page.goto(f"{site}{path}", wait_until="load")
            if page.evaluate(HAS_FONTS):
                return page
        raise AssertionError(f"{path} is drawn without the fonts of the project")

    yield act
    for context in contexts.values():
        context.close()


def shots(page, name):
    """Screenshots of the page at both widths and in both themes."""
    for width, height in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            yield f"{name}-{width}-{theme}", page.screenshot(animations="disabled", caret="hide")


def test_main_pages_look_as_approved(liver, open_page, tmp_path):
    different = []
    for name, (who, path) in PAGES.items():
        if name == "submission":
            path = Submission.objects.filter(team__name="Aspen").first().get_absolute_url()  # noqa: PLW2901
        for picture, shot in shots(open_page(who, path), name):
            if RENEW:
                assert pictures.keep(picture, shot) < pictures.MOST_BYTES, picture
            elif (share := pictures.difference(picture, shot)) > pictures.SHARE:
                (tmp_path / f"{picture}.png").write_bytes(shot)
                different.append(
                    f"{picture}: {share:.2%} differs from tests/e2e/approved, now {tmp_path / picture}.png"
                )
    assert not different, "\n".join([*different, "Run `make approved` if that is as it should be."])


def test_there_is_an_approved_picture_for_each_page_and_no_other():
    kept = {path.stem for path in pictures.FOLDER.glob("*.png")}
    assert kept == {f"{name}-{width}-{theme}" for name in PAGES for width in SIZES for theme in ("light", "dark")}
