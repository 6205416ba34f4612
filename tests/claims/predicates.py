"""What each sentence about a ranking means, read from its words and held against the raw tables.

Nothing here calls what made the sentences. Whatever can be counted or ranked by hand is (`tests.claims.raw`); rank sets and
shares of resamples are read from the ranking document, whose numbers the suite holds to reference vectors elsewhere.
"""

from tests.claims import (  # noqa: F401 (registered on import)
    said_beforehand,
    said_beside,
    said_first,
    said_of_given,
    said_of_resamples,
    said_of_teams,
)
from tests.claims.raw import Raw
from tests.claims.scene import MEANINGS, Scene


def false_sentences(raw: Raw, entry: dict, document: dict, sentences: list[str], *, team: str = "") -> list[str]:
    """Sentences that are not true of a challenge, and those whose meaning nobody has written down."""
    return MEANINGS.false(sentences, Scene(raw, entry, document, team))
