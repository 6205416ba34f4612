"""Pages that answer at a glance: positions, page heights, and at most one click to each common question."""

import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.helpers.bars import SCRIPT_BYTES, SCRIPTS_KB, SHIFT, WATCH_SHIFTS
from tests.e2e.installation import ROOT

pytestmark = pytest.mark.browser
CHALLENGE = "/challenges/hippocampus/"
BOARD = f"{CHALLENGE}leaderboard/preliminary/"
DESK, PHONE = (1280, 900), (390, 844)
NARROWEST = (320, 640)
ROW = 62
"""The tallest row of a board on a phone."""


def size(page: Page, wanted: tuple[int, int]) -> None:
    page.set_viewport_size({"width": wanted[0], "height": wanted[1]})


def top(element: Locator) -> float:
    return element.evaluate("(element) => element.getBoundingClientRect().top + scrollY")


@pytest.fixture
def board(platform, page):
    """The board of the first phase, ranked."""

    def ranked() -> bool:
        page.goto(f"{platform.url}{BOARD}")
        return page.locator(".board tbody tr").count() >= 11

    platform.wait(ranked, "a ranking of eleven teams", every=1)
    return page


def in_sight(element: Locator) -> bool:
    """Return whether an element is visible in the current window without scrolling."""
    box, window = element.bounding_box(), element.page.viewport_size
    return box is not None and window is not None and box["y"] >= 0 and box["y"] + box["height"] <= window["height"] + 1


def end_of_content(page: Page) -> float:
    """Return the vertical position of the end of the page content, before its footer."""
    return page.locator("main > :last-child").evaluate("(element) => element.getBoundingClientRect().bottom + scrollY")


@pytest.mark.parametrize(("window", "first", "tallest"), [(DESK, 400, None), (PHONE, 600, 1400)])
def test_the_first_team_stands_near_the_top_and_eleven_are_short(board, window, first, tallest):
    size(board, window)
    board.reload()
    rows = board.locator(".board tbody tr")
    assert top(rows.first) <= first
    if tallest:
        # Not the rows alone: everything that the page of the board holds. Another walk may have added a twelfth team.
        assert 11 <= rows.count() <= 12
        assert end_of_content(board) <= tallest + (rows.count() - 11) * ROW
        heights = {round((row.bounding_box() or {})["height"]) for row in rows.all()}
        assert max(heights) <= ROW


def test_fifty_teams_are_short_on_a_phone(board):
    size(board, PHONE)
    board.reload()
    rows = board.locator(".board tbody tr")
    rows.last.evaluate("""(row) => {
      const body = row.parentElement;
      while (body.rows.length < 50) body.append(row.cloneNode(true));
    }""")
    assert rows.count() == 50
    assert board.evaluate("() => document.documentElement.scrollHeight") <= 4000


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("window", [DESK, PHONE], ids=["desk", "phone"])
def test_the_ranking_on_the_home_page_is_drawn_in_its_rows_and_colours(platform, board, window, theme):
    size(board, window)
    board.emulate_media(color_scheme=theme)
    board.goto(platform.url)
    drawings = board.locator(".hero svg.forest")
    assert drawings.count() > 2
    for drawing in drawings.all():
        assert (drawing.bounding_box() or {})["height"] <= 48
        # A mark without a rule is black.
        for mark in drawing.locator("line, circle, text").all():
            paints = mark.evaluate("(mark) => [getComputedStyle(mark).fill, getComputedStyle(mark).stroke]")
            assert paints != ["rgb(0, 0, 0)", "none"]


@pytest.mark.parametrize(("window", "tallest"), [(DESK, 3600), (PHONE, 5000)])
def test_a_record_of_the_registry_is_folded_to_a_few_screens(platform, page, window, tallest):
    size(page, window)
    page.goto(f"{platform.url}/registry/")
    records = page.locator("main a[href*='/registry/podium-']")
    addresses = set(records.evaluate_all("links => links.map((link) => link.href)"))
    assert addresses
    for address in addresses:
        page.goto(address)
        assert page.evaluate("() => document.documentElement.scrollHeight") <= tallest, address
        # The contents are there for those who have room for them; the folded parts are the contents of a phone.
        expect(page.locator(".registry-nav")).to_be_visible(visible=window == DESK)


def test_a_record_is_whole_on_paper_and_for_those_who_search_in_it(platform, page):
    page.goto(f"{platform.url}/registry/podium-2026-0001/")
    folded = page.locator(".registry-part:not([open]) > div")
    assert folded.count() >= 10
    expect(folded.first).to_be_hidden()
    # A link to a part, like a search in the page, opens it.
    page.goto(f"{page.url}#about")
    expect(page.locator("#about")).to_be_visible()
    page.emulate_media(media="print")
    for part in folded.all():
        assert (part.bounding_box() or {})["height"] > 0


def test_a_tap_opens_the_scores_of_a_team(board):
    size(board, PHONE)
    row = board.locator(".board tbody tr").first
    expect(row.locator("td.score")).to_be_hidden()
    row.get_by_role("button", name="Scores of").click()
    expect(row.locator("td.score")).to_be_visible()
    expect(row.get_by_role("button")).to_have_attribute("aria-expanded", "true")


@pytest.mark.parametrize("who", [None, "paula", "olivia"])
def test_nothing_sticks_out_or_jumps_and_scripts_are_small(platform, page, sign_in, board, who):
    if who:
        sign_in(who)
    addresses = ["/", BOARD, f"{BOARD}?show=ranks&columns=dsc%2Fanterior"]
    addresses += [f"{CHALLENGE}submissions/", f"{CHALLENGE}submit/"] if who == "paula" else []
    page.add_init_script(WATCH_SHIFTS)
    for address in addresses:
        for window in (NARROWEST, PHONE, DESK):
            size(page, window)
            page.goto(f"{platform.url}{address}", wait_until="load")
            page.wait_for_timeout(200)
            wide = page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, (address, window)
            assert page.evaluate("() => window.__shift") < SHIFT, (address, window)
        assert page.evaluate(SCRIPT_BYTES) <= SCRIPTS_KB * 1000, address


def test_tabs_that_do_not_fit_say_so(board):
    size(board, PHONE)
    board.reload()
    expect(board.locator("#ranking-tabs .tabs")).to_have_class(re.compile("has-more-after"))


@dataclass(frozen=True)
class Question:
    """A question with its person, start page, single permitted click, and the element that contains the answer."""

    start: str
    answer: str
    click: str = ""
    who: str = ""


# Clicks are counted where they happen, over all pages of a tab, and once also where several tests share the tab.
COUNT_CLICKS = """
if (!window.__counted) addEventListener("click", () => sessionStorage.setItem("clicks", Number(sessionStorage.getItem("clicks")) + 1), true);
window.__counted = true;
"""
SCORED, HELD = "a scored submission", "a held submission"
QUESTIONS = {
    "who won": Question(BOARD, ".verdict__says"),
    "is it sure": Question(BOARD, "#answer-1 li", "role=button[name='Is it sure']"),
    "who is tied": Question(BOARD, "#answer-2 li", "role=button[name='Who is tied']"),
    "what would change it": Question(BOARD, "#answer-4 h3", "role=button[name='What would change it']"),
    "what next": Question("/", "#next", who="paula"),
    "deadline": Question("/", ".own-section .deadline", who="paula"),
    "how to submit": Question(CHALLENGE, ".dropzone", "main nav >> text=/^Submit$/", "paula"),
    "where is the data": Question(CHALLENGE, "main section h2:has-text('Images of')", "main nav >> text=/^Data$/"),
    "where is my score": Question(SCORED, ".placed", who="paula"),
    "how do I compare with the first": Question(SCORED, "table.gaps tbody tr", who="paula"),
    "why refused": Question(HELD, ".side-by-side tbody tr", who="peter"),
}


@pytest.mark.parametrize("window", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_question_is_answered_on_the_first_screen_after_one_click_at_most(
    platform, page, sign_in, board, question, window
):
    asked = QUESTIONS[question]
    size(page, window)
    if asked.who:
        sign_in(asked.who)
    if asked.start == SCORED:
        scored_submission(platform, page)
    elif asked.start == HELD:
        held_submission(platform, page)
    else:
        page.goto(f"{platform.url}{asked.start}")
    page.add_init_script(COUNT_CLICKS)
    page.reload()
    page.evaluate("() => sessionStorage.setItem('clicks', 0)")
    if asked.click:
        page.locator(asked.click).first.click()
    answer = page.locator(asked.answer).first
    expect(answer).to_be_visible()
    assert in_sight(answer)
    assert int(page.evaluate("() => sessionStorage.getItem('clicks')")) == bool(asked.click)
    if asked.start == HELD:
        page.get_by_role("button", name="Withdraw").click()
        page.wait_for_url(re.compile(r"/submit/"))


def held_submission(platform, page):
    """The page of an archive that was held, right after it was sent."""
    page.goto(f"{platform.url}{CHALLENGE}submit/")
    page.get_by_role("navigation", name="Phases").get_by_role("link", name="Preliminary phase").click()
    page.set_input_files("#id_archive", ROOT / "examples/hippocampus/try-me/broken-preliminary.zip")
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))
    expect(page.locator("[data-state='held']")).to_be_visible()
    expect(page.locator(".side-by-side tbody tr").first.locator("[data-label='Expected']")).to_contain_text("voxels")


def scored_submission(platform, page):
    """The page of a scored submission of the person who looks; they submit one where there is none yet."""
    rows = page.locator("#own-submissions tbody tr", has_text="Scored")
    page.goto(f"{platform.url}{CHALLENGE}submissions/")
    if not rows.count():
        page.goto(f"{platform.url}{CHALLENGE}submit/")
        page.get_by_role("navigation", name="Phases").get_by_role("link", name="Preliminary phase").click()
        page.set_input_files("#id_archive", ROOT / "examples/hippocampus/try-me/logistic-voxels-preliminary.zip")
        page.get_by_role("button", name="Submit", exact=True).click()
        page.wait_for_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))

    def is_ranked() -> bool:
        page.goto(f"{platform.url}{CHALLENGE}submissions/")
        if not rows.count():
            return False
        rows.last.get_by_role("link").first.click()
        return page.locator(".placed").count() > 0

    platform.wait(is_ranked, "a ranked submission", every=1)


@pytest.mark.parametrize("who", [None, "rita", "paula"])
def test_a_phone_shows_dates_and_the_ways_in_within_two_screens(platform, page, sign_in, who):
    if who:
        sign_in(who)
    size(page, PHONE)
    page.goto(f"{platform.url}{CHALLENGE}")
    wanted = [page.locator(".stepper__dates").last, page.locator(f"a[href='{CHALLENGE}data/']").first]
    # Whoever has a team submits, all others join.
    wanted.append(page.locator(f"a.btn[href*='{CHALLENGE}{'submit' if who == 'paula' else 'join'}/']").first)
    for element in wanted:
        assert 0 <= top(element) <= 2 * PHONE[1]


@pytest.mark.parametrize("who", ["paula", "charles"])
def test_the_own_page_is_sound_in_both_themes(platform, page, seen, sign_in, who):
    sign_in(who)
    page.goto(platform.url)
    expect(page.get_by_role("heading", name="Next")).to_be_visible()
    seen.check_everywhere()


def test_the_board_is_sound_with_everything_open(platform, board, seen):
    board.goto(f"{platform.url}{BOARD}?failures=1&range=1")
    board.get_by_role("button", name="Is it sure").click()
    board.locator(".board-menu > summary").click()
    seen.check()
    size(board, PHONE)
    board.reload()
    board.locator(".board tbody tr").first.get_by_role("button", name="Scores of").click()
    seen.check()


def test_the_page_for_paper_draws_every_figure_whether_it_is_in_sight_or_not(platform, board):
    board.goto(f"{platform.url}{BOARD}?view=all")
    figures = board.locator("figure.plot")
    assert figures.count() >= 6
    board.wait_for_function(
        "() => [...document.querySelectorAll('figure.plot')].every((plot) => plot.dataset.plotState === 'drawn')"
    )


@pytest.mark.parametrize(
    "address",
    [
        "/help/?q=rank+set",
        "/help/leaderboards/",
        "/help/metrics/masks/",
        "/about/",
        "/imprint/",
        "/privacy/",
        "/notifications/mails/",
    ],
)
def test_help_and_what_stands_in_the_footer_are_sound_in_both_themes_and_fit(platform, page, seen, address):
    page.goto(f"{platform.url}{address}")
    seen.check_everywhere(sizes=(DESK, PHONE, NARROWEST))


def test_the_question_leads_to_its_answer_in_the_help(platform, board):
    board.locator(".board-legend > summary").click()
    board.get_by_role("link", name="What is a rank set?").click()
    expect(board.get_by_role("heading", level=1)).to_have_text("Leaderboards")
