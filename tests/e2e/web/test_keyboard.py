"""Keyboard access to every action of a pointer, with the focus always visible."""

import pytest
from playwright.sync_api import expect

from tests.e2e.web.conftest import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

FOCUS = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const shown = element.matches("input[type=file]") ? element.closest(".dropzone") : element;
  const style = getComputedStyle(shown);
  const box = shown.getBoundingClientRect();
  return {
    name: (element.id || element.textContent.trim() || element.name || element.tagName).slice(0, 40),
    outline: style.outlineStyle === "none" ? 0 : parseFloat(style.outlineWidth),
    seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    top: box.top + scrollY,
    inside: element.closest("body > header, body > main, body > footer")?.tagName ?? "other",
  };
}"""


def walk(page, most):
    """Press Tab until the focus leaves the page; what had it on the way."""
    stops = []
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUS)
        if stop is None:
            return stops
        stops.append(stop)
    raise AssertionError(f"still on the page after {most} steps: {stops[-1]}")


def test_the_first_stop_is_a_link_past_the_menus(page, site):
    page.goto(site)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()


@pytest.mark.parametrize("path", ["/", "/accounts/login/", "/design-system/"])
def test_every_stop_is_visible_has_a_ring_and_comes_in_the_order_of_the_page(page, site, path):
    page.emulate_media(reduced_motion="reduce")
    page.goto(site + path)
    stops = walk(page, 250)
    assert len(stops) > 4
    assert [stop["name"] for stop in stops if stop["outline"] < 2] == []
    assert [stop["name"] for stop in stops if not stop["seen"]] == []
    sections = [stop["inside"] for stop in stops if stop["inside"] != "other"]
    assert sections == sorted(sections, key=["HEADER", "MAIN", "FOOTER"].index)


def test_name_tab_password_enter_signs_in(page, site, person):
    page.goto(f"{site}/accounts/login/")
    # A browser moves the focus with the first frame that it draws, which can be after the page has loaded.
    expect(page.locator("[name=login]")).to_be_focused()
    page.keyboard.type(person.username)
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{site}/")
    expect(page.locator("details[data-menu] > summary")).to_contain_text(person.username)


def test_password_managers_know_the_fields_of_the_sign_in(page, site):
    page.goto(f"{site}/accounts/login/")
    expect(page.locator("[name=login]")).to_have_attribute("autocomplete", "username")
    expect(page.locator("[name=password]")).to_have_attribute("autocomplete", "current-password")


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/password/change/", "/accounts/reauthenticate/"])
def test_tab_leads_from_one_field_to_the_next_and_to_the_button(signed_in, site, path):
    if "login" in path:
        signed_in.context.clear_cookies()
    signed_in.goto(site + path)
    controls = signed_in.locator("main form :is(input, button):visible")
    controls.first.focus()
    for control in controls.all():
        expect(control).to_be_focused()
        signed_in.keyboard.press("Tab")
    expect(signed_in.get_by_role("link", name="Forgot your password?")).to_be_focused()


def test_the_account_menu_opens_closes_and_gives_the_focus_back(signed_in, site):
    signed_in.goto(site)
    summary = signed_in.locator("details[data-menu] > summary")
    summary.focus()
    signed_in.keyboard.press("Enter")
    sign_out = signed_in.get_by_role("button", name="Sign out")
    expect(sign_out).to_be_visible()
    signed_in.keyboard.press("Escape")
    expect(sign_out).to_be_hidden()
    expect(summary).to_be_focused()


def test_tabs_are_moved_between_with_arrows_home_and_end(page, site):
    page.goto(f"{site}/design-system/")
    tabs = page.get_by_role("tablist").get_by_role("tab")
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    expect(tabs.nth(1)).to_be_focused()
    expect(tabs.nth(1)).to_have_attribute("aria-selected", "true")
    expect(page.locator("#panel-method")).to_be_visible()
    expect(page.locator("#panel-table")).to_be_hidden()
    page.keyboard.press("End")
    expect(tabs.last).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tabs.first).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#panel-table")).to_be_focused()


def test_a_tab_can_be_linked_to(page, site):
    page.goto(f"{site}/design-system/#tab-method")
    expect(page.locator("#panel-method")).to_be_visible()


def test_a_wide_table_on_a_phone_is_scrolled_with_the_keyboard(page, site):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{site}/design-system/#tables")
    box = page.get_by_role("region", name="Dense, and wider than a phone")
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => [...document.querySelectorAll('.table-wrap')].some((box) => box.scrollLeft > 0)")


def test_a_column_is_sorted_with_the_keyboard_and_says_so(page, site):
    page.goto(f"{site}/design-system/#tables")
    table = page.locator("#tables table").first
    heading = table.locator("th", has_text="DSC")
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    names = table.locator("tbody th")
    expect(names.first).to_contain_text("Aspen")
    page.keyboard.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    expect(names.first).to_contain_text("Hazel")


def test_values_that_are_missing_stay_last_whichever_way_one_sorts(page, site):
    page.goto(f"{site}/design-system/#tables")
    table = page.locator("#tables table").nth(1)
    button = table.locator("th", has_text="NSD").get_by_role("button")
    for _ in range(2):
        button.click()
        cells = [row.locator("td").nth(2).inner_text() for row in table.locator("tbody tr").all()]
        assert cells[-2:] == ["–", "–"]
        assert "–" not in cells[:-2]
