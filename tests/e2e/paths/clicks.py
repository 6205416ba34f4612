"""Count the clicks of a person on their way to a goal."""

from dataclasses import dataclass

from playwright.sync_api import Locator, Page


@dataclass
class Way:
    """A page, and the clicks on it so far: each click, each choice in a list and each tick is one.

    Typing text is not counted.
    """

    page: Page
    clicks: int = 0

    def click(self, target: Locator) -> None:
        """Click a link or button."""
        self.clicks += 1
        target.click()

    def choose(self, label: str, option: str) -> None:
        """Choose an option of a list by its text."""
        self.clicks += 1
        self.page.get_by_label(label, exact=True).select_option(label=option)

    def link(self, name: str) -> None:
        """Click the first link with a name."""
        self.click(self.page.get_by_role("link", name=name).first)

    def button(self, name: str) -> None:
        """Click the first button with a name."""
        self.click(self.page.get_by_role("button", name=name).first)
