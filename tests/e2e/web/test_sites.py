"""Evaluation of a phase at sites in the browser, from the organizer's invitation to a ranking.

A coordinator without an account transfers the files.
"""

import json
import os
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, override_settings
from playwright.sync_api import expect

from challenges.models import Phase
from challenges.services import close_phase
from federation.models import Federation
from tests.e2e.helpers.audit import DESKTOP, PHONE
from tests.integration.federation import world
from tests.integration.federation.sender import Sender
from tests.integration.submissions.conftest import broker_of_its_own, private_files, workers

__all__ = ["broker_of_its_own", "private_files", "workers"]
pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.timeout(900)]
ALGORITHMS = ("mean-atlas", "unet-a")
COMMANDS_UNTIL_READY = 8
"""Each is one line to copy from the page, or one file to carry: what a coordinator does until the site is ready."""


@pytest.fixture
def centre(private_files, workers, tmp_path, site):
    """A challenge with a phase that is not evaluated at sites yet."""
    with override_settings(PODIUM_DATA=tmp_path / "data", PODIUM_ADDRESS=site):
        settings.PODIUM_DATA.mkdir()
        built = world.build(algorithms=())
        Federation.objects.all().delete()
        built.public = tmp_path / "public"
        (tmp_path / "assessment.json").write_text(json.dumps(world.ASSESSMENT))
        built.archive = world.public_cases(built.public, tmp_path / "assessment.json")
        yield built


def look(page, name):
    """Save a screenshot of the page if PODIUM_SHOTS names a folder."""
    folder = os.environ.get("PODIUM_SHOTS")
    if folder:
        for theme in ("light", "dark"):
            for width, height in (DESKTOP, PHONE):
                page.set_viewport_size({"width": width, "height": height})
                page.emulate_media(color_scheme=theme)
                page.screenshot(path=Path(folder) / f"{name}-{width}-{theme}.png", full_page=True)
        page.set_viewport_size({"width": DESKTOP[0], "height": DESKTOP[1]})
        page.emulate_media(color_scheme="light")


def test_from_the_page_sites_to_a_ranking(page, seen, site, centre, tmp_path):
    organizer(page, site, centre)
    page.goto(f"{site}/challenges/hippo/organize/")
    page.get_by_role("navigation", name="Organizers' pages").get_by_role("link", name="Sites", exact=True).click()
    page.wait_for_url(f"{site}/challenges/hippo/organize/sites/")
    look(page, "1-empty")
    page.get_by_role("button", name="Evaluate at sites").click()
    expect(page.get_by_text("is evaluated at sites. Name the algorithms")).to_be_visible()
    for name in ALGORITHMS:
        page.get_by_text("Name an algorithm", exact=True).click()
        page.get_by_label("Name", exact=True).fill(name)
        page.get_by_role("button", name="Add", exact=True).click()
        expect(page.get_by_text(f"{name} is on the list")).to_be_visible()
    page.get_by_text("Upload public cases", exact=True).click()
    page.get_by_label("Public cases (ZIP)").set_input_files(centre.archive)
    page.locator("details[open]").get_by_role("button", name="Upload").click()
    expect(page.get_by_text("The public cases are kept")).to_be_visible()
    page.get_by_role("button", name="Release the package").click()
    expect(page.get_by_text("The package is signed")).to_be_visible()
    page.get_by_label("Name in the challenge").fill("east")
    page.get_by_label("Country").fill("DE")
    page.get_by_role("button", name="Invite", exact=True).click()
    expect(page.get_by_text("Invitation of east")).to_be_visible()
    address = page.locator(".site-address code").inner_text().strip()
    assert address.startswith(f"{site}/challenges/hippo/sites/invitation/")
    look(page, "2-invited")
    seen.check_everywhere()

    page.context.clear_cookies()
    hospital = world.Hospital("east", tmp_path / "east", online=False)
    hospital.home.mkdir()
    page.goto(address)
    expect(page.get_by_role("heading", name="Your site")).to_be_visible()
    assert address in page.locator(".stepper").inner_text()
    look(page, "3-invitation")
    seen.check_everywhere()
    invitation = download(page, "Invitation", hospital.home)
    commands = [hospital.done("join", invitation, hospital.folder, "--confirmed-by", "Dr. Eve", "--yes")]
    commands.append(carry(page, hospital, "1.json"))
    expect(page.get_by_text("Read these digits to them by telephone")).to_be_visible()
    look(page, "4-registered")

    organizer(page, site, centre)
    page.goto(f"{site}/challenges/hippo/organize/sites/")
    page.get_by_label("Fingerprint that the site reads to you").fill("0000 0000 0000 0000 0000")
    page.get_by_role("button", name="Confirm the key of east").click()
    expect(page.get_by_text("These are other digits")).to_be_visible()
    look(page, "5-other-digits")
    page.get_by_label("Fingerprint that the site reads to you").fill(hospital.fingerprint())
    page.get_by_role("button", name="Confirm the key of east").click()
    expect(page.get_by_text("The key of east is confirmed")).to_be_visible()
    commands.append("the fingerprint, by telephone")

    page.context.clear_cookies()
    page.goto(address)
    package = download(page, "Package 1", hospital.home)
    commands.append(hospital.done("fetch", "--from", package))
    hospital.fill(ALGORITHMS)
    commands += [hospital.done("check"), hospital.done("seal"), carry(page, hospital, "2.json")]
    expect(page.get_by_text("tested and ready", exact=True)).to_be_visible()
    assert len(commands) + 1 == COMMANDS_UNTIL_READY  # and installing the command
    look(page, "6-ready")
    hospital.done("run")
    digest = hospital.done("summary").split("digest       ")[1].splitlines()[0]
    carry(page, hospital, "3.json", "--digest", digest)
    expect(page.locator(".badge", has_text="sent")).to_be_visible()
    hospital.done("receipt", download(page, "Receipts", hospital.home))
    assert "Nothing is left to do" in hospital.done("status")
    look(page, "7-sent")
    seen.check_everywhere()

    centre.federation = Federation.objects.get()
    Sender(centre, "north", 24, seed=4).sent()
    page.goto(f"{site}/challenges/hippo/sites/")
    look(page, "8-public")
    close_phase(actor=centre.organizer, phase=Phase.objects.get())
    page.goto(f"{site}/challenges/hippo/leaderboard/final/")
    expect(page.get_by_role("table").first).to_contain_text("mean-atlas")
    look(page, "9-board")
    seen.check_everywhere()
    page.get_by_role("link", name="Sites").last.click()
    expect(page.get_by_role("heading", name="At each site", exact=True)).to_be_visible()
    look(page, "10-over-sites")
    seen.check_everywhere()


def organizer(page, site, centre):
    """Be the organizer from the next page on."""
    client = Client()
    client.force_login(centre.organizer)
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": site}])


def download(page, label, folder):
    """Download a file from the page, as a coordinator does to carry it on a USB stick."""
    with page.expect_download() as waited:
        page.get_by_role("link", name=label, exact=True).click()
    target = folder / waited.value.suggested_filename
    waited.value.save_as(target)
    return target


def carry(page, hospital, name, *words):
    """Write what waits to a file, and upload it on the page of the invitation."""
    said = hospital.done("send", *words, "--output", hospital.home / name)
    page.get_by_label("File of the site").set_input_files(hospital.home / name)
    with page.expect_navigation():
        page.get_by_role("button", name="Upload").click()
    return said
