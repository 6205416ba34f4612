"""Where the meanings of sentences in a report are kept."""

from tests.claims.meanings import Meanings

MEANINGS = Meanings()
means = MEANINGS.means
