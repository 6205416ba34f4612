"""Contributions of this app to the pages of a challenge."""

from challenges import hooks


def register() -> None:
    """Add the tab that comes first after the overview."""
    hooks.register_tab("Data", "datasets:data", order=5)
