"""Meanings of the sentences about a ranking, read from their text and compared with the raw tables.

Nothing here calls the code that made the sentences. Everything that can be counted or ranked by hand is
(`tests.claims.raw`). Rank sets and shares of resamples are read from the ranking document, whose numbers
the suite compares with reference vectors elsewhere.
"""

from tests.claims import (  # noqa: F401 (registered on import)
    said_beforehand,
    said_beside,
    said_first,
    said_of_given,
    said_of_leads,
    said_of_resamples,
    said_of_teams,
)
from tests.claims.raw import Raw
from tests.claims.scene import MEANINGS, Scene


def false_sentences(raw: Raw, entry: dict, document: dict, sentences: list[str], *, team: str = "") -> list[str]:
    """Return the sentences that are false for a challenge, and those without a registered meaning."""
    return MEANINGS.false(sentences, Scene(raw, entry, document, team))
