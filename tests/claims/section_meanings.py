"""Registry of the meanings of sentences in a report."""

from tests.claims.meanings import Meanings

MEANINGS = Meanings()
means = MEANINGS.means
