"""Moments in sentences, the same everywhere: with their zone, since readers are in all of them."""

from datetime import UTC, datetime


def moment_words(moment: datetime) -> str:
    """Write a moment as a sentence has it.

    Examples
    --------
    >>> moment_words(datetime(2027, 1, 21, 14, 0, tzinfo=UTC))
    '21 January 2027, 14:00 UTC'
    """
    return f"{moment.astimezone(UTC):%-d %B %Y, %H:%M} UTC"
