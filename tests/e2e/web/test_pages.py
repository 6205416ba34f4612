"""Every page of the site itself is sound: policy, console, layout and axe-core, in both themes and widths."""

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers.appearance import faults_everywhere
from tests.e2e.helpers.audit import DESKTOP, PHONE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

OPEN = ["/", "/licences/", "/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
PERSONAL = ["/", "/accounts/email/", "/accounts/password/change/", "/accounts/2fa/", "/accounts/logout/"]


@pytest.mark.parametrize("path", OPEN)
def test_an_open_page_is_sound(page, seen, site, path):
    page.goto(site + path)
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    seen.check_everywhere()


@pytest.mark.parametrize("path", PERSONAL)
def test_a_personal_page_is_sound(seen, signed_in, site, path):
    signed_in.goto(site + path)
    expect(signed_in.get_by_role("heading", level=1)).to_have_count(1)
    seen.check_everywhere()


@pytest.mark.parametrize("status", [400, 403, 404, 413, 429, 500])
def test_an_error_page_is_sound(page, seen, site, status):
    seen.expected = (f"status of {status}",)
    page.goto(f"{site}/design-system/error/{status}/")
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    seen.check_everywhere()
    assert not faults_everywhere(page, seen.settle, sizes=(DESKTOP, PHONE))


def test_the_two_factor_set_up_is_sound(seen, signed_in, site):
    signed_in.goto(f"{site}/accounts/2fa/totp/activate/")
    if signed_in.get_by_role("button", name="Confirm").count():
        signed_in.get_by_label("Password").fill("a long enough password")
        signed_in.get_by_role("button", name="Confirm").click()
    expect(signed_in.locator("img.qr")).to_be_visible()
    seen.check_everywhere()


def test_a_form_that_comes_back_is_sound_and_its_summary_has_the_focus(page, seen, site):
    page.goto(f"{site}/accounts/login/")
    page.get_by_label("Username or e-mail address").fill("nobody")
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_focused()
    seen.check_everywhere()


def test_the_style_guide_is_sound_with_all_its_figures(page, seen, site):
    seen.expected = ("status of 404",)
    page.goto(f"{site}/design-system/")
    figures = page.locator("#plots figure.plot")
    for figure in figures.all():
        figure.scroll_into_view_if_needed()
        expect(figure).to_have_attribute(
            "data-plot-state",
            "failed" if "absent" in (figure.get_attribute("data-plot-src") or "") else "drawn",
        )
    seen.check_everywhere()
    # The header of a table moves with the page below it.
    page.evaluate("scrollTo(0, 0)")
    assert not faults_everywhere(page, seen.settle, sizes=(DESKTOP, PHONE))


def test_one_can_sign_out_from_the_menu(signed_in, site):
    signed_in.goto(site)
    signed_in.locator("details[data-menu] > summary").click()
    signed_in.get_by_role("button", name="Sign out").click()
    expect(signed_in.get_by_role("link", name="Sign in").first).to_be_visible()


def test_paper_gets_the_text_without_the_chrome(page, site):
    page.goto(f"{site}/design-system/")
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.locator(".site-tools")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
