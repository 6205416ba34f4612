"""What this app contributes to the pages of a challenge."""

from challenges import hooks
from challenges.rules import is_organizer


def register() -> None:
    """Add the page."""
    hooks.register_organizer_page("Test sets", "test_sets:test_sets", visible=is_organizer, order=25)
