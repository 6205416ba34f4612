"""Sign-in of a person on a page."""

from playwright.sync_api import Page

from tests.e2e.installation import Installation


def be(page: Page, place: Installation, username: str, password: str) -> None:
    """Sign in through the page the first time; later the browser gets the cookies of that session back.

    The address of the page does not change the second time: go somewhere next.
    """
    page.context.clear_cookies()
    if username in place.sessions:
        page.context.add_cookies(place.sessions[username])
        return
    page.goto(f"{place.url}/accounts/login/")
    page.fill("#id_login", username)
    page.fill("#id_password", password)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{place.url}/")
    place.sessions[username] = page.context.cookies()
