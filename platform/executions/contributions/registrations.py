"""What this app contributes to the pages of a challenge."""


def register() -> None:
    """Nothing yet."""
