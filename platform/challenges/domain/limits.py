"""Limits on the submissions of a team, as text."""

from typing import Final

NO_LIMIT: Final = "no limit"


def limit_words(per_day: int | None, in_total: int | None) -> str:
    """Return the limits of a phase, as all pages, messages and reports show them.

    Examples
    --------
    >>> limit_words(5, 20), limit_words(None, 1), limit_words(None, None)
    ('5 per day, 20 in total', '1 in total', 'no limit')
    """
    parts = [f"{per_day} per day" if per_day else "", f"{in_total} in total" if in_total else ""]
    return ", ".join(filter(None, parts)) or NO_LIMIT
