"""A challenge with externally measured values: case list, problems, preview, sealing, leaderboard notice."""

import json

import pytest
from playwright.sync_api import expect

from tests.e2e.helpers.people import be
from tests.integration.measurements import outside

pytestmark = pytest.mark.browser
PASSWORD = "a-long-password"
LAUNCHED = """
import json
from accounts.models import User
from allauth.account.models import EmailAddress
from challenges.services import launch
from designs import services as designs
from registry.services import register
owner = User.objects.create_user("seam-owner", "seam-owner@example.org", {password!r})
EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
design, _ = designs.import_design(actor=owner, title="Stitching", data=json.loads({data!r}), slug="seam-walk")
version = register(design_version=designs.freeze_version(actor=owner, design=design, name="Accepted"), actor=owner)
launch(actor=owner, registration=version.registration, slug="seam-walk")
"""
VISIBLE = {"phase_settings": [{"phase": "Final phase", "leaderboard": "public", "results": "cases"}]}


@pytest.fixture(scope="module")
def launched(platform):
    data = outside.world.document({**outside.OPEN, **VISIBLE}, **outside.STITCHING)
    data["challenge"] |= {"challenge_name": "Stitching of slides"}
    platform.shell(LAUNCHED.format(password=PASSWORD, data=json.dumps(data)))
    return f"{platform.url}/challenges/seam-walk"


def sends(page, name, text):
    page.locator("#id_file").set_input_files({"name": name, "mimeType": "text/csv", "buffer": text.encode()})
    page.get_by_role("button", name="Read the").click()


def says_where_from(page):
    for name, words in (
        ("#id_measured_by", "Lab of seams"),
        ("#id_measured_with", "seamstat 2.1"),
        ("#id_measured_when", "May 2026"),
    ):
        page.locator(name).fill(words)


def test_organizers_bring_a_list_of_cases_and_values_and_the_board_says_where_they_are_from(
    launched, platform, page, seen
):
    be(page, platform, "seam-owner", PASSWORD)
    page.goto(f"{launched}/organize/values/")
    page.get_by_role("navigation", name="Phases").get_by_role("link", name="Final phase").click()
    page.wait_for_url("**/organize/values/?phase=*")
    seen.check()
    sends(page, "cases.csv", outside.CASES)
    page.get_by_role("button", name="Seal this list").click()
    expect(page.get_by_text("Sealed content")).to_be_visible()
    page.get_by_role("link", name="All tables of").click()
    says_where_from(page)
    seen.check()
    sends(page, "wrong.csv", "algorithm,case,metric,value\nyew,s01,SV,300\nfir,s99,dsc,1\n")
    expect(page.get_by_text("this table is not used")).to_be_visible()
    seen.check()
    page.get_by_role("link", name="All tables of").click()
    says_where_from(page)
    page.locator("#id_makes_teams").check()
    sends(page, "values.csv", outside.values())
    expect(page.get_by_text("Preview of sealing")).to_be_visible()
    seen.check()
    page.get_by_role("button", name="Seal and rank").click()
    expect(page.get_by_text("Stored content")).to_be_visible()
    seen.check()
    page.goto(f"{launched}/leaderboard/final/")

    def names_the_origin() -> bool:
        page.reload()
        return page.locator("#measured-outside").count() > 0

    platform.wait(names_the_origin, "a board that names the origin of its values", every=1)
    expect(page.locator("#measured-outside")).to_contain_text("seamstat 2.1")
    seen.check()
