"""Scripts of the components: theme, figures, copying, choosing files, messages."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def figure_of(page, name):
    return page.locator(f'figure[data-plot-src$="/{name}.json"]')


def draw(page, site, name):
    page.goto(f"{site}/design-system/")
    figure = figure_of(page, name)
    figure.scroll_into_view_if_needed()
    expect(figure).to_have_attribute("data-plot-state", "drawn")
    return figure


def test_the_chosen_theme_holds_on_the_next_page_and_before_it_is_painted(page, site):
    page.goto(site)
    button = page.locator("[data-theme-toggle]")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    button.click()
    button.click()
    expect(button).to_contain_text("Colours: dark")
    dark = page.evaluate(ground)
    assert dark != light
    page.goto(f"{site}/licences/", wait_until="commit")
    page.wait_for_selector("body", state="attached")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(ground) == dark
    page.locator("[data-theme-toggle]").click()
    expect(page.locator("[data-theme-toggle]")).to_contain_text("system setting")
    assert page.evaluate(ground) == light


def test_a_page_without_figures_never_fetches_plotly(page, site):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.goto(site)
    page.wait_for_load_state("networkidle")
    assert not [url for url in fetched if "plotly" in url and url.endswith(".min.js")]


def test_a_figure_is_drawn_in_the_colours_of_the_theme_and_redrawn_when_it_changes(page, seen, site):
    seen.expected = ("status of 404",)
    figure = draw(page, site, "blob")
    fill = "(figure) => figure.querySelector('.points path').style.fill"
    assert figure.evaluate(fill) == "rgb(11, 91, 103)"
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(
        "() => document.querySelector('figure[data-plot-src$=\"/blob.json\"] .points path').style.fill === 'rgb(127, 200, 210)'"
    )
    seen.check(axe=False)


@pytest.mark.parametrize(("button", "suffix", "start"), [("SVG", "svg", b"<svg"), ("PNG", "png", b"\x89PNG")])
def test_a_figure_is_saved_as_a_picture_without_breaking_the_policy(page, seen, site, button, suffix, start):
    seen.expected = ("status of 404",)
    figure = draw(page, site, "box")
    with page.expect_download() as waiting:
        figure.get_by_role("button", name=f"Download as {button}").click()
    assert waiting.value.suggested_filename == f"box.{suffix}"
    assert waiting.value.path().read_bytes().startswith(start)
    seen.check(axe=False)


def test_the_data_of_a_figure_are_a_link_away(page, site):
    figure = draw(page, site, "heat")
    with page.expect_download() as waiting:
        figure.get_by_role("link", name="Data (CSV)").click()
    assert waiting.value.path().read_text().splitlines()[0] == "trace,x,y,z"


def test_a_figure_that_could_not_be_loaded_is_tried_again_on_demand(page, site):
    attempts = []

    def first_time_fails(route):
        attempts.append(route.request.url)
        if len(attempts) == 1:
            route.abort()
        else:
            route.continue_()

    page.route("**/plot/violin.json", first_time_fails)
    page.goto(f"{site}/design-system/")
    figure = figure_of(page, "violin")
    figure.scroll_into_view_if_needed()
    expect(figure).to_contain_text("could not be loaded")
    figure.get_by_role("button", name="Try again").click()
    expect(figure).to_have_attribute("data-plot-state", "drawn")


def test_a_figure_that_does_not_exist_says_so_without_a_useless_button(page, site):
    page.goto(f"{site}/design-system/")
    figure = figure_of(page, "absent")
    figure.scroll_into_view_if_needed()
    expect(figure).to_contain_text("This figure is not available.")
    expect(figure.get_by_role("button")).to_have_count(0)


def test_a_figure_fits_its_box_on_a_phone(page, site):
    page.set_viewport_size({"width": 390, "height": 844})
    figure = draw(page, site, "bar")
    inner = figure.locator(".main-svg").first.bounding_box()
    outer = figure.bounding_box()
    assert outer["x"] <= inner["x"]
    assert inner["x"] + inner["width"] <= outer["x"] + outer["width"]


def test_a_digest_is_copied(context, page, site):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{site}/design-system/")
    page.get_by_role("button", name="Copy the digest").click()
    expect(page.locator("#toasts")).to_contain_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == "sha256:9f2c41d0"


def test_a_chosen_file_is_named_with_its_size_and_announced(page, site):
    page.goto(f"{site}/design-system/")
    page.evaluate(
        "document.addEventListener('podium:files', (event) => { window.chosen = event.detail.files.length; })"
    )
    zone = page.locator("[data-dropzone]").first
    zone.locator("input").set_input_files(
        {"name": "predictions.zip", "mimeType": "application/zip", "buffer": b"x" * 2500}
    )
    expect(zone).to_contain_text("predictions.zip (2.5 kB)")
    assert page.evaluate("window.chosen") == 1


def test_a_message_can_be_dismissed(page, site):
    page.goto(f"{site}/design-system/")
    message = page.locator("#notices .message")
    message.get_by_role("button", name="Dismiss this message").click()
    expect(message).to_have_count(0)


def test_a_moment_tells_the_readers_own_time(page, site):
    page.goto(f"{site}/design-system/")
    moment = page.locator("time[data-moment]").first
    expect(moment).to_have_text("1 March 2026, 23:59 UTC")
    expect(moment).to_have_attribute("title", re.compile("2026"))


def test_nothing_moves_for_those_who_asked_for_that(page, site):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/design-system/")
    seconds = page.locator("button[aria-busy=true]").evaluate(
        "(button) => parseFloat(getComputedStyle(button, '::before').animationDuration)"
    )
    assert seconds < 0.001


def test_a_live_status_renews_itself_until_it_is_done_and_then_stops(page, seen, site):
    seen.expected = ("status of 404",)
    page.goto(f"{site}/design-system/")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/live/" in request.url else None)
    page.get_by_role("button", name="Start a live status").click()
    live = page.locator("#live")
    expect(live).to_contain_text("15 of 45")
    expect(live).to_contain_text("Scored")
    expect(page.locator("#toasts")).to_contain_text("All cases are scored.")
    page.wait_for_timeout(1000)
    assert len(asked) == 4
    seen.check(axe=False)


def test_what_arrives_later_works_like_what_was_there(page, site):
    page.goto(f"{site}/design-system/")
    page.evaluate(
        """() => {
          const place = document.createElement("div");
          place.innerHTML = '<div class="table-wrap"><table class="table" data-sortable><thead><tr>' +
            '<th data-sort="number">n</th></tr></thead><tbody><tr><td>2</td></tr><tr><td>1</td></tr></tbody></table></div>';
          place.id = "late";
          document.querySelector("main").append(place);
          htmx.process(place);
          htmx.trigger(place, "htmx:load", { elt: place });
        }"""
    )
    page.locator("#late th button").click()
    expect(page.locator("#late td").first).to_have_text("1")


def test_a_table_that_replaces_another_one_is_measured_like_it(page, site, seen):
    page.goto(f"{site}/design-system/")
    wrap = page.locator(".table-wrap:not(.table-wrap--tall):visible").first
    wrap.evaluate("wrap => { wrap.id = 'replaced'; }")
    expect(wrap).to_have_class(re.compile("is-fitting"))
    page.evaluate(
        """() => {
          const wrap = document.getElementById("replaced");
          const table = wrap.querySelector("table").cloneNode(true);
          wrap.querySelector("table").replaceWith(table);
          htmx.trigger(table, "htmx:load", { elt: table });
          requestAnimationFrame(() => { table.style.minWidth = "4000px"; });
        }"""
    )
    expect(page.locator("#replaced")).not_to_have_class(re.compile("is-fitting"))
    expect(page.locator("#replaced")).to_have_attribute("tabindex", "0")
    seen.check(axe=False)
