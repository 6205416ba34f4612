"""The claims about states of a leaderboard, declared like those about acts."""

from typing import Any, Final

from accounts.notifications.domain.acts import Act, Paragraph, act
from evaluation.claims.catalogue import Catalogue

CATALOGUE: Final = Catalogue()


def state(name: str, titles: list[Paragraph], paragraphs: list[Paragraph]) -> Act[Any]:
    """Register the texts about a state: a title, and every paragraph whose condition is true."""
    return act(name, titles, paragraphs, CATALOGUE)
