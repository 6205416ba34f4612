"""Row locks of actions: none keeps other transactions from referencing the row."""

import re
from pathlib import Path

PLATFORM = Path(__file__).resolve().parents[3] / "platform"
LOCK = re.compile(r"select_for_update\(([^\n]*)")


def test_a_locked_row_can_still_be_named_by_others():
    """PostgreSQL lets a row that names another (a foreign key) wait for that one's full lock.

    Handing in locks a team and then asks for the chain; a ranking holds the chain and stores rows that name the team.
    With full locks, each waits for the other until the database ends one. A lock without the key keeps out other holders
    of the same lock just as well.
    """
    found = [
        f"{file.relative_to(PLATFORM)}: {match[0]}"
        for file in PLATFORM.rglob("*.py")
        for match in LOCK.finditer(file.read_text())
        if "no_key=True" not in match[1]
    ]
    assert not found
