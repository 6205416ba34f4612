"""Registry of the meanings of messages about acts, and parsing of moments and days."""

from datetime import date, datetime

from tests.claims.meanings import Meanings

MEANINGS = Meanings()
means = MEANINGS.means
MOMENT = r"(\d+ \w+ \d{4}, \d\d:\d\d UTC)"
DAY = r"(\d+ \w+ \d{4})"


def at(text: str, moment: datetime | None) -> bool:
    return moment is not None and text == f"{moment.day} {moment:%B %Y, %H:%M} UTC"


def on(text: str, day: date) -> bool:
    return text == f"{day.day} {day:%B %Y}"
