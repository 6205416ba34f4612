"""The walk from one command to a leaderboard that shows its uncertainty; steps run in order on one installation."""

import csv
import io
import json
import re

import pytest
from playwright.sync_api import expect
from pypdf import PdfReader

from tests.e2e.installation import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.services]
TRY_ME = ROOT / "examples" / "hippocampus" / "try-me"
CHALLENGE = "/challenges/hippocampus/"
BOOTSTRAP = 1000
MOST_PAGES = 12


def csv_rows(page, selector):
    with page.expect_download() as download:
        page.locator(selector).click()
    return list(csv.DictReader(io.StringIO(download.value.path().read_text())))


def submit(page, platform, phase, file):
    """Choose the phase, drop the file, submit; returns when the submission's page is there."""
    page.goto(f"{platform.url}{CHALLENGE}submit/")
    page.get_by_role("navigation", name="Phases").get_by_role("link", name=phase).click()
    page.set_input_files("#id_archive", TRY_ME / file)
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))


def test_a_visitor_learns_what_this_is_and_how_the_winner_is_found(platform, page, seen):
    page.goto(platform.url)
    expect(page.get_by_role("heading", level=1)).to_contain_text("challenges")
    seen.check_everywhere()
    page.get_by_role("banner").get_by_role("link", name="Challenges").click()
    seen.check_everywhere()
    page.get_by_role("link", name="Hippocampus segmentation in MRI").click()
    expect(page.get_by_role("heading", name="How the winner is determined")).to_be_visible()
    expect(page.get_by_text("Normalized Surface Distance")).to_be_visible()
    expect(page.get_by_text("CC BY-SA 4.0")).to_be_visible()
    expect(page.locator(".stepper li")).to_have_count(2)
    seen.check_everywhere()


def test_the_scores_of_the_loaded_algorithms_come_in_while_one_watches(platform, page, seen, sign_in):
    sign_in("olivia")
    page.goto(f"{platform.url}{CHALLENGE}organize/submissions/")

    def scored():
        page.reload()
        return page.locator("tbody .badge", has_text="Scored").count() == 22

    platform.wait(scored, "the scores of 22 submissions", every=1)
    seen.check_everywhere()

    def all_ranked():
        page.goto(f"{platform.url}{CHALLENGE}leaderboard/preliminary/")
        return page.locator("tbody th", has_text=re.compile("unet|atlas|forest|trees")).count() >= 11

    platform.wait(all_ranked, "a ranking of eleven teams", every=1)


def test_everyone_reads_the_leaderboard_with_its_uncertainty(platform, page, seen):
    page.goto(f"{platform.url}{CHALLENGE}leaderboard/")
    main = page.get_by_role("main")
    expect(main).to_contain_text("Teams that share a letter")
    expect(main).to_contain_text("identical results in every case")
    rows = main.locator("table tbody tr")
    expect(rows).to_have_count(11)
    assert main.locator("table tbody svg.forest").count() == 11
    ranks = {row.locator("th").first.inner_text(): row.inner_text() for row in rows.all()}
    tied = [text for name, text in ranks.items() if name.startswith("unet-a") and "augment" not in name]
    assert len(tied) == 2
    assert tied[0].replace("unet-a-largest", "unet-a").split() == tied[1].replace("unet-a-largest", "unet-a").split()
    expect(main).to_contain_text("1000 bootstrap samples, seed 1")
    seen.check_everywhere()


@pytest.mark.parametrize("view", ["Stability", "Who beats whom"])
def test_figures_are_drawn_under_the_strict_policy(platform, page, seen, view):
    page.goto(f"{platform.url}{CHALLENGE}leaderboard/")
    page.get_by_role("link", name=view).first.click()
    expect(page.locator("figure.plot .main-svg").first).to_be_visible()
    seen.check_everywhere()


def test_a_participant_submits_and_reads_own_results(platform, page, seen, sign_in):
    sign_in("paula")
    page.goto(f"{platform.url}{CHALLENGE}submit/")
    seen.check_everywhere()
    submit(page, platform, "Preliminary phase", "unet-ensemble-preliminary.zip")
    expect(page.locator("#live .notice__title").first).to_contain_text("Scored")
    table = page.locator("#case-results")
    expect(table.locator("tbody tr")).to_have_count(15)
    first = table.locator("tbody th").first.inner_text()
    table.get_by_role("button", name="Case").click()
    assert table.locator("tbody th").first.inner_text() == "hippocampus_015"
    rows = csv_rows(page, "a[href$='results.csv']")
    assert len(rows) == 15 * 4 * 2
    assert {row["outcome"] for row in rows} == {"ok"}
    assert first in {row["case"] for row in rows}
    seen.check_everywhere()


def test_the_new_leader_stands_on_the_leaderboard(platform, page):
    def leads():
        page.goto(f"{platform.url}{CHALLENGE}leaderboard/")
        return "voxel-works" in page.locator("table tbody tr").first.inner_text()

    platform.wait(leads, "voxel-works in the lead", every=1)


def test_validation_names_every_fault_and_leaves_the_choice(platform, page, seen, sign_in):
    sign_in("peter")
    submit(page, platform, "Preliminary phase", "broken-preliminary.zip")
    expect(page.locator("[data-state='held']")).to_be_visible()
    report = page.get_by_role("main")
    for words in ("hippocampus_015", "hippocampus_034", "hippocampus_051", "hippocampus_093", "notes.txt"):
        expect(report).to_contain_text(words)
    expect(report).to_contain_text("7")
    seen.check_everywhere()
    page.get_by_role("button", name="Withdraw").click()
    page.wait_for_url(re.compile(r"/submit/"))
    expect(page.get_by_text("0 of 5 used")).to_be_visible()


def test_the_final_ranking_is_sealed_for_all_but_organizers(platform, page, context, seen, sign_in):
    document = f"{platform.url}{CHALLENGE}leaderboard/final/v/1/ranking.json"
    page.goto(f"{platform.url}{CHALLENGE}leaderboard/final/")
    expect(page.get_by_text("This ranking is sealed")).to_be_visible()
    assert context.request.get(document).status == 403
    seen.check_everywhere()
    sign_in("paula")
    submit(page, platform, "Final phase", "unet-ensemble-final.zip")
    expect(page.locator("#live .notice__title").first).to_contain_text("Scored")
    expect(page.get_by_text("The scores are not shown yet")).to_be_visible()
    assert page.locator("#case-results").count() == 0
    assert context.request.get(document).status == 403


@pytest.mark.parametrize(("window", "first"), [((1280, 900), 400), ((390, 844), 600)])
def test_the_first_team_of_a_sealed_board_stands_as_near_the_top_as_of_any_other(
    platform, page, sign_in, window, first
):
    sign_in("olivia")
    page.set_viewport_size({"width": window[0], "height": window[1]})

    def is_near() -> bool:
        """Return whether the first team is near the top, after the notice of a newer submission has disappeared."""
        page.goto(f"{platform.url}{CHALLENGE}leaderboard/final/")
        team = page.locator(".board tbody tr:first-child")
        return team.count() and team.evaluate("(element) => element.getBoundingClientRect().top + scrollY") <= first

    platform.wait(is_near, "the first team near the top", every=1)
    expect(page.get_by_role("link", name="Sealed: you see this as an organizer")).to_be_visible()
    expect(page.locator("#sealed")).to_contain_text("Teams and the public see only how many teams have submitted")


def test_organizers_see_what_is_sealed_and_repeat_a_run(platform, page, seen, sign_in):
    sign_in("olivia")
    page.goto(f"{platform.url}{CHALLENGE}leaderboard/final/")
    expect(page.get_by_role("main")).to_contain_text("sealed")
    expect(page.locator("table tbody tr").first).to_be_visible()
    seen.check_everywhere()
    page.goto(f"{platform.url}{CHALLENGE}organize/submissions/")
    page.get_by_role("link", name="unet-b.zip").first.click()
    before = page.locator("dt:text-is('Result') + dd").first.inner_text()
    page.get_by_role("button", name="Run again").click()
    expect(page.get_by_text("Run 2: scored")).to_be_visible()
    assert page.locator("dt:text-is('Result') + dd").first.inner_text() == before
    seen.check_everywhere()
    page.locator("#case-results tbody a").first.click()
    expect(page.locator("[data-viewer-state='drawn'] canvas").first).to_be_visible()
    seen.check_everywhere()
    page.goto(f"{platform.url}{CHALLENGE}organize/")
    seen.check_everywhere()
    page.goto(f"{platform.url}{CHALLENGE}report/desk/")
    seen.check()


def test_closing_the_phase_opens_the_ranking(platform, page, seen, context):
    assert "is closed" in platform.manage("close_phase", "hippocampus", "final")

    def public():
        page.goto(f"{platform.url}{CHALLENGE}leaderboard/final/")
        return page.locator("table tbody tr").count() == 12

    platform.wait(public, "the public ranking of the final phase", every=1)
    expect(page.get_by_role("main")).to_contain_text("voxel-works")
    link = page.locator("a[href$='ranking.json']").first.get_attribute("href")
    ranking = json.loads(context.request.get(f"{platform.url}{link}").text())
    assert ranking["bootstrap"] == BOOTSTRAP
    names = {entry["name"]: entry for entry in ranking["overall"]["algorithms"]}
    same = ("rank", "score", "rank_interval", "share_first")
    assert [names["unet-a"][key] for key in same] == [names["unet-a-largest"][key] for key in same]
    seen.check_everywhere()


def test_after_the_close_a_team_sees_its_cases_beside_the_references(platform, page, seen, sign_in):
    sign_in("paula")
    page.goto(f"{platform.url}{CHALLENGE}submissions/")
    seen.check_everywhere()
    page.get_by_role("link", name="unet-ensemble-final.zip").click()
    expect(page.locator("#case-results tbody tr")).to_have_count(45)
    page.locator("#case-results tbody a").first.click()
    expect(page.locator("main canvas").first).to_be_visible()
    seen.check_everywhere()
    for place in ("report/team/final/", "report/exposure/"):
        page.goto(f"{platform.url}{CHALLENGE}{place}")
        seen.check()


@pytest.mark.any_database("It draws and typesets what other tests read from both databases.")
def test_the_report_of_the_challenge_is_a_paper_of_at_most_twelve_pages(platform, page, seen, sign_in, context):
    sign_in("olivia")
    page.goto(f"{platform.url}{CHALLENGE}report/desk/")
    page.get_by_role("button", name="Create internal report").click()
    page.get_by_role("link", name="Read the report").click()
    expect(page.get_by_text("65 of 79")).to_be_visible()
    address = page.get_by_role("link", name="PDF", exact=True).get_attribute("href")
    pdf = PdfReader(io.BytesIO(context.request.get(f"{platform.url}{address}").body()))
    assert len(pdf.pages) <= MOST_PAGES
    page.get_by_role("link", name="Open report").click()
    expect(page.get_by_role("heading", name="Limitations")).to_be_visible()
    seen.check_everywhere()


def test_the_documentation_of_the_interface_works_under_the_policy(platform, page, seen):
    page.goto(f"{platform.url}/api/v1/docs/")
    page.locator("summary", has_text="Challenges").click()
    expect(page.get_by_role("cell", name="/api/v1/challenges/{slug}/", exact=True)).to_be_visible()
    # The forms below draw operations as one scrolls to them.
    expect(page.get_by_role("link", name="/api/v1/analyses/", exact=True).first).to_be_visible()
    seen.check(axe=False)


def test_all_parts_report_that_they_are_well(platform):
    platform.wait(lambda: (platform.health() or {}).get("status") == "ok", "a healthy installation")
