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


_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def distance_words(moment: datetime, now: datetime) -> str:
    """Return the distance to a moment in the largest unit with a count of at least two.

    A single minute is shown as well. Rounded down, so that no one is late.

    Examples
    --------
    >>> now = datetime(2027, 1, 21, 12, 0, tzinfo=UTC)
    >>> distance_words(datetime(2027, 3, 22, 23, 59, tzinfo=UTC), now)
    'in 60 days'
    >>> distance_words(datetime(2027, 1, 22, 11, 0, tzinfo=UTC), now), distance_words(datetime(2027, 1, 21, 12, 1, tzinfo=UTC), now)
    ('in 23 hours', 'in 1 minute')
    >>> distance_words(datetime(2027, 1, 18, 12, 0, tzinfo=UTC), now), distance_words(now, now)
    ('3 days ago', 'now')
    """
    seconds = (moment - now).total_seconds()
    for unit, size in _UNITS:
        count = int(abs(seconds) // size)
        if count >= 2 or (count and unit == "minute"):
            words = f"{count} {unit}{'' if count == 1 else 's'}"
            return f"in {words}" if seconds > 0 else f"{words} ago"
    return "now"


def day_words(moment: datetime) -> str:
    """Write a moment short, with its day of the week and its zone.

    Examples
    --------
    >>> day_words(datetime(2027, 1, 21, 23, 59, tzinfo=UTC))
    'Thu 21 Jan 2027, 23:59 UTC'
    """
    return f"{moment.astimezone(UTC):%a %-d %b %Y, %H:%M} UTC"


def left_words(moment: datetime, now: datetime) -> str:
    """Write the time until a deadline, for cards.

    Examples
    --------
    >>> now = datetime(2027, 1, 21, 12, 0, tzinfo=UTC)
    >>> left_words(datetime(2027, 3, 22, 23, 59, tzinfo=UTC), now), left_words(now, now)
    ('60 days left', '')
    """
    words = distance_words(moment, now).removeprefix("in ")
    return f"{words} left" if moment > now and words != "now" else ""
