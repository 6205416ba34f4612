"""A new organizer goes from nothing to a design that passes the gate, in a real browser."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from designs.services.examples import example_document
from evaluation.assessment import parse
from evaluation.designs.catalogue import shipped
from tests.e2e.helpers import design_form
from tests.e2e.helpers.design_form import fill_input, fill_page, saved
from tests.e2e.helpers.people import be

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROOT = Path(__file__).resolve().parents[3]
PASSWORD = "a password of length"
ACCOUNT = f"""
from accounts.models import User
from allauth.account.models import EmailAddress
for name in ("ada", "bo"):
    user = User.objects.create_user(name, name + "@example.org", {PASSWORD!r})
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
"""


@pytest.fixture(scope="module")
def site(platform):
    platform.shell(ACCOUNT)
    return platform


def start(page, site, title):
    """Start an empty design; returns its slug."""
    return design_form.start(page, site.url, title)


def next_words(page):
    """Return the first heading of the overview of a design."""
    return page.locator(".design-step h2")


def test_a_new_organizer_writes_the_design_of_the_example_challenge(site, page, seen):
    document = example_document("hippocampus")
    # The example itself may be registered here, and a name is registered once a year.
    document["challenge"] |= {"challenge_name": "Hippocampus of a New Organizer 2026", "challenge_acronym": "HIPPO-NEW"}
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Hippocampus 2026")
    expect(next_words(page)).to_contain_text("required fields")
    page.get_by_role("link", name="Go to the next one").click()
    assert re.search(r"/form/summary/(task-1/)?#f-", page.url)
    page.goto(f"{site.url}/designs/{slug}/versions/")
    assert page.get_by_text("The design is not ready for submission").is_visible()
    for section in shipped().sections:
        for values, task in ((document["challenge"], ""), (document["tasks"][0], "task-1")):
            if not [p for p in shipped().in_section(section.key) if p.is_task == bool(task)]:
                continue
            page.goto(f"{site.url}/designs/{slug}/form/{section.key}/{task}{'/' if task else ''}")
            fill_page(page, section.key, values, task)
            seen.check(axe=section.key in ("summary", "assessment_method"))
    page.goto(f"{site.url}/designs/{slug}/versions/")
    # What still stands before the gate is in the message of a failure.
    expect(page.locator("section[aria-labelledby=freeze-title] .notice")).to_contain_text(
        "The design is ready for submission"
    )
    for name in ("", "advice/", "simulation/task-1/", "checks/", "assessment/", "versions/", "compare/", "people/"):
        page.goto(f"{site.url}/designs/{slug}/{name}")
        seen.check()
    page.goto(f"{site.url}/designs/{slug}/")
    expect(next_words(page)).to_have_text("Ready to file")
    page.goto(f"{site.url}/designs/")
    seen.check_everywhere()
    expect(page.get_by_role("row", name="Hippocampus 2026")).to_contain_text("Not filed")
    executed = json.loads((ROOT / "examples/hippocampus/challenge.json").read_text())["assessment"]
    answer = page.request.get(f"{site.url}/designs/{slug}/assessment/task-1.json")
    assert parse(answer.json()).digest == parse(executed).digest


def test_a_row_that_is_added_while_a_save_is_under_way_stays(site, page):
    """The answer brings the table with what the server knows of each metric; it must not replace what came after."""
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Quick")
    page.goto(f"{site.url}/designs/{slug}/form/assessment_method/task-1/")
    field = page.locator("#f-metrics-task-1")
    add = field.get_by_role("button", name="Add a row")
    held, is_slow = [], True

    def slow(route):
        if is_slow:
            held.append(route)
        else:
            route.continue_()

    page.route("**/save/", slow)
    with page.expect_request("**/save/"):
        fill_input(field, "row.0.metric", "dsc")
        field.locator("form.design-form").dispatch_event("change")
    add.click()
    is_slow = False
    for route in held:
        route.continue_()
    saved(field)
    assert field.locator('[name="row.1.metric"]').count() == 1
    assert field.locator('[name="row.0.metric"]').input_value() == "dsc"


def test_what_a_save_brings_leaves_hand_and_folds_where_they_are(site, page):
    """The first save of a metric adds options while the user keeps writing in a fold of its row."""
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Under the hand")
    page.goto(f"{site.url}/designs/{slug}/form/assessment_method/task-1/")
    field = page.locator("#f-metrics-task-1")
    row = field.locator("[data-row]").first
    fold = row.locator("details.design-sub").first
    fold.locator("summary").first.click()
    written = fold.locator("input:visible").first
    name = written.get_attribute("name")
    field.locator('[name="row.0.metric"]').select_option("nsd")
    written.focus()
    field.locator('[name="row.0.options.tolerance"]').wait_for(state="attached")
    assert page.evaluate("() => document.activeElement.name") == name
    assert field.locator(f'[name="{name}"]').is_visible()


def test_the_settings_of_a_kind_of_problem_appear_when_it_is_chosen(site, page, seen):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Time to recurrence")
    page.goto(f"{site.url}/designs/{slug}/form/assessment_method/task-1/")
    field = page.locator("#f-problem_settings-task-1")
    field.evaluate(
        "field => { for (const fold of field.closest('details') ? [field.closest('details')] : []) fold.open = true; }"
    )
    kind = field.locator('[name="value.kind"]')
    kind.select_option("survival")
    field.locator('[name="value.settings.unit"]').wait_for(state="attached")
    saved(field)
    kind.select_option("landmarks")
    field.locator('[name="value.settings.spacing"]').wait_for(state="attached")
    assert kind.input_value() == "landmarks"
    seen.settle()


def test_nothing_is_lost_when_the_network_drops(site, page, context):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Offline")
    page.goto(f"{site.url}/designs/{slug}/form/summary/")
    field = page.locator("#f-primary_objective")
    context.set_offline(True)
    field.locator("textarea").fill("Written without a network")
    field.get_by_text("Not saved: no connection").wait_for()
    context.set_offline(False)
    saved(field)
    page.reload()
    assert field.locator("textarea").input_value() == "Written without a network"


def test_text_that_never_arrived_is_offered_at_the_next_visit(site, page, context):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Signed out")
    address = f"{site.url}/designs/{slug}/form/summary/"
    page.goto(address)
    field = page.locator("#f-primary_objective")
    context.clear_cookies(name="sessionid")
    field.locator("textarea").fill("Written after the session had ended")
    field.get_by_text("you are signed out").wait_for()
    page.once("dialog", lambda dialog: dialog.accept())
    del site.sessions["ada"]
    be(page, site, "ada", PASSWORD)
    page.goto(address)
    field.get_by_role("button", name="Put it back").click()
    saved(field)
    page.reload()
    assert field.locator("textarea").input_value() == "Written after the session had ended"


def test_two_organizers_at_one_field_merge_it(site, chromium, page, context):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Together")
    address = f"{site.url}/designs/{slug}/form/summary/"
    page.goto(address)
    other = context.new_page()
    other.goto(address)
    other.locator("#f-primary_objective textarea").fill("Find the fastest method")
    saved(other.locator("#f-primary_objective"))
    field = page.locator("#f-primary_objective")
    field.locator("textarea").fill("Find the best method")
    field.get_by_text("changed this field").wait_for()
    assert field.locator("textarea").input_value() == "Find the best method"
    field.get_by_role("button", name="Keep mine").click()
    saved(field)
    other.reload()
    assert other.locator("#f-primary_objective textarea").input_value() == "Find the best method"


def pages_of(page, site, slug):
    """Addresses of all pages of the form."""
    page.goto(f"{site.url}/designs/{slug}/")
    found = page.locator(".design-places a").evaluate_all("links => links.map((link) => link.href)")
    return list(dict.fromkeys(address for address in found if "/form/" in address))


SCROLLED = 30_000
HEIGHT = "() => document.documentElement.scrollHeight"
WIDER = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize(("width", "tallest"), [(1280, 36_000), (390, 50_000)])
def test_all_pages_of_an_empty_form_are_half_as_tall_as_they_were_under_a_low_head(site, page, width, tallest):
    """They were 67,844 and 81,808 px, with the first field at 618 and 795 px."""
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, f"Measured {width}")
    addresses = pages_of(page, site, slug)
    page.set_viewport_size({"width": width, "height": 900})
    total = 0
    for address in addresses:
        page.goto(address)
        assert page.locator(".design-head").bounding_box()["height"] <= 96, address
        assert page.evaluate(WIDER) <= 0, address
        total += page.evaluate(HEIGHT)
    print(f"{width} px wide: {total} px tall over {len(addresses)} pages")
    assert total <= tallest


def test_the_key_leads_through_all_needed_fields_without_a_click(site, page):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "By key")
    addresses = pages_of(page, site, slug)
    needed = set()
    for address in addresses:
        page.goto(address)
        needed |= set(
            page.locator(".design-dot--needed").evaluate_all("items => items.map((item) => item.id.slice(2))")
        )
    page.goto(addresses[0])
    page.evaluate("() => document.activeElement.blur()")
    reached, scrolled, ready = [], 0, 0
    for _ in needed:
        before = page.url, page.evaluate("() => document.activeElement.closest('.design-field')?.id")
        height = page.evaluate("() => scrollY")
        page.keyboard.press("Control+Enter")
        page.wait_for_function(
            "([url, id]) => location.href !== url || document.activeElement.closest('.design-field')?.id !== id",
            arg=before,
        )
        page.wait_for_function("() => document.activeElement.closest('.design-field')")
        reached.append(page.evaluate("() => document.activeElement.closest('.design-field').id.slice(2)"))
        # A new page begins at its top.
        scrolled += abs(page.evaluate("() => scrollY") - (height if page.url == before[0] else 0))
        ready += page.evaluate("() => document.activeElement.matches('input, textarea, select')")
    print(
        f"{len(needed)} needed fields: {len(reached)} presses of a key, no click, {scrolled:.0f} px scrolled by the page"
    )
    assert set(reached) == needed
    assert len(needed) >= 75
    # One may write or choose at once.
    assert ready == len(needed)
    assert scrolled <= SCROLLED


def test_the_key_that_leads_to_another_page_waits_for_what_was_just_written(site, page):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Last words")
    first, *_ = pages_of(page, site, slug)
    page.goto(first)
    last = page.locator(".design-field").filter(has=page.locator("textarea[name=value]:visible")).last
    key = last.get_attribute("id")
    # Nothing else is open below it, so the key leaves the page.
    page.evaluate(
        "(id) => { const all = [...document.querySelectorAll('.design-field')];"
        " all.slice(all.findIndex((one) => one.id === id) + 1).forEach((one) => one.remove()); }",
        key,
    )
    last.locator("textarea[name=value]").focus()
    page.keyboard.insert_text("Written at the last moment")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url.partition("#")[0] != first)
    page.goto(first)
    assert page.locator(f"#{key} textarea[name=value]").input_value() == "Written at the last moment"


def test_nothing_is_called_wrong_before_somebody_was_at_it(site, page):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Neutral")
    page.goto(f"{site.url}/designs/{slug}/form/summary/")
    errors = page.locator(".design-finding--error")
    assert errors.count() > 0
    assert not [error for error in errors.all() if error.is_visible()]
    field = page.locator("#f-primary_objective")
    field.locator("textarea[name=value]").focus()
    page.locator("#f-challenge_name input[name=value]").focus()
    expect(field.locator(".design-finding--error").first).to_be_visible()
    # The filter for what is needed shows what keeps the design from being filed.
    page.goto(f"{site.url}/designs/{slug}/form/summary/?only=needed")
    expect(errors.first).to_be_visible()


def test_an_answer_takes_its_field_from_the_needed_ones_at_once(site, page):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "At once")
    page.goto(f"{site.url}/designs/{slug}/form/summary/?only=needed")
    before = int(page.locator("#design-progress").inner_text().split()[0])
    field = page.locator("#f-challenge_name")
    field.locator("input[name=value]").fill("A Challenge of Its Own")
    saved(field)
    expect(page.locator("#n-challenge_name")).to_have_attribute("data-mark", "done")
    expect(page.locator("#design-progress")).to_have_text(re.compile(f"^{before + 1} of"))
    # It stays under the hand that has just written in it.
    assert field.is_visible()
    expect(page.locator("[data-saved]")).to_have_text("Saved just now")


def test_a_folded_field_says_that_an_answer_made_it_apply(site, page):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Unfolds")
    page.goto(f"{site.url}/designs/{slug}/form/challenge_organization/")
    field = page.locator("#f-ethics_approval_details")
    expect(field.locator("form.design-form")).to_be_hidden()
    page.locator('#f-ethics_status [name="value"]').first.check()
    expect(field.locator("summary").first).to_contain_text("applies now")
    # It is needed from now on: the key leads there, too, without a new page.
    page.keyboard.press("Control+Enter")
    assert page.evaluate("() => document.activeElement.closest('.design-field').id") == "f-ethics_approval_details"
    field.locator("details.design-idle > summary").click()
    expect(field.locator("form.design-form")).to_be_hidden()
    field.locator("details.design-idle > summary").click()
    expect(field.locator("form.design-form")).to_be_visible()


def test_a_date_is_taken_as_people_write_it_and_one_wrong_cell_loses_no_row(site, page):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Dates")
    page.goto(f"{site.url}/designs/{slug}/form/challenge_organization/")
    field = page.locator("#f-challenge_schedule")
    fill_input(field, "row.0.event", "submission_deadline")
    fill_input(field, "row.0.date", "1 May 2026")
    field.get_by_role("button", name="Add a row").click()
    fill_input(field, "row.1.event", "event_day")
    fill_input(field, "row.1.date", "03/04/2026")
    page.keyboard.press("Tab")
    expect(field.locator(".design-status__bad")).to_contain_text("3 April 2026 or 4 March 2026")
    # What was wrong stands as it was typed, to be mended.
    assert field.locator('[name="row.1.date"]').input_value() == "03/04/2026"
    fill_input(field, "row.1.date", "3.4.2026")
    page.keyboard.press("Tab")
    expect(field.locator('[name="row.1.date"]')).to_have_value("2026-04-03")
    expect(field.locator('[name="row.0.date"]')).to_have_value("2026-05-01")


def test_the_form_is_sound_in_both_themes(site, page, seen):
    be(page, site, "ada", PASSWORD)
    slug = start(page, site, "Sound")
    page.goto(f"{site.url}/designs/{slug}/form/assessment_method/task-1/")
    for name in ("Explanation", "Can’t answer this?", "Comments"):
        page.locator("#f-metrics-task-1").get_by_role("button", name=name).click()
    page.locator("#c-metrics-task-1 textarea").wait_for()
    seen.check_everywhere()
