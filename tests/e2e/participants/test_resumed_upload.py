"""An upload whose page was closed goes on where it stopped, when the same file is chosen again."""

import re

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
