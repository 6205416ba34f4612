"""An upload whose page was closed goes on where it stopped, when the same file is chosen again."""

import re
import zipfile

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser]
SUBMIT = "/challenges/hippocampus/submit/"
# One piece of an upload, as the page sends it.
PIECE = 8 * 1024**2


def test_an_upload_goes_on_where_it_stopped(platform, page, sign_in, tmp_path):
    archive = tmp_path / "predictions.zip"
    archive.write_bytes(bytes(PIECE + 1000))
    sign_in("peter")
    asked = []

    def lose_the_second(route):
        if is_rest(route.request):
            route.abort()
        else:
            route.continue_()

    def is_rest(request):
        return request.method == "PATCH" and request.headers["upload-offset"] == str(PIECE)

    page.route(re.compile(r"/uploads/[0-9a-f-]{36}/$"), lose_the_second)
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(f"{platform.url}{SUBMIT}")
    page.set_input_files("#id_archive", archive)
    with page.expect_request(is_rest):
        page.get_by_role("button", name="Submit", exact=True).click()
    page.goto(f"{platform.url}{SUBMIT}")
    expect(page.get_by_text("An upload is unfinished")).to_be_visible()
    page.on("request", lambda request: asked.append(request.method) if "/uploads/" in request.url else None)
    page.set_input_files("#id_archive", archive)
    with (
        page.expect_response(lambda response: response.request.method == "HEAD") as stands,
        page.expect_request(is_rest),
    ):
        page.get_by_role("button", name="Submit", exact=True).click()
    assert stands.value.headers["upload-offset"] == str(PIECE)
    # Nothing was begun anew: it asked how far it was and sent the rest.
    assert asked[:2] == ["HEAD", "PATCH"]
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.locator("#upload-progress")).to_be_hidden()


def test_the_same_file_again_opens_the_existing_submission(platform, page, sign_in, tmp_path):
    archive = tmp_path / "same.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("notes.txt", "no predictions")
    sign_in("peter")

    def submit():
        page.goto(f"{platform.url}{SUBMIT}")
        page.set_input_files("#id_archive", archive)
        page.get_by_role("button", name="Submit", exact=True).click()
        expect(page.get_by_role("heading", name="Submission")).to_be_visible()
        return page.url

    first = submit()
    patches = []
    page.on("request", lambda request: patches.append(request.url) if request.method == "PATCH" else None)
    assert submit() == f"{first}?same-file=1"
    expect(page.get_by_text("You submitted this file before")).to_be_visible()
    # The page states the digest, so nothing is sent.
    assert patches == []
    page.get_by_role("link", name="Submit the same file again").click()
    expect(page.get_by_label("Submit the same file again")).to_be_checked()
