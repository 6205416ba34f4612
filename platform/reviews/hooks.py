"""Where the apps below contribute to reviews: typed hooks, filled in `AppConfig.ready`.

`together`
    Pairs (one of the first people, one of the second) who took part in a challenge together, or where one took part in a
    challenge of the other; by user ids.
`for_chairs`
    Pending actions of chairs about filed designs (primary keys), apart from the review itself.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from web.hooks import Hook


@dataclass(frozen=True)
class ForChairs:
    """Something that chairs have to do about a filed design, which another app knows of.

    Attributes
    ----------
    filing
        Primary key of the filing.
    address
        The page where a chair does it.
    opens
        From when on it can be done; None: now.
    """

    filing: int
    what: str
    address: str
    opens: datetime | None = None


Together = Callable[[Collection[int], Collection[int]], set[tuple[int, int]]]

together: Hook[Together] = Hook()
for_chairs: Hook[Callable[[Collection[int]], Iterable[ForChairs]]] = Hook()


def pairs_together(first: Collection[int], second: Collection[int]) -> set[tuple[int, int]]:
    """All pairs that any app knows of."""
    if not first or not second:
        return set()
    return {pair for provider in together for pair in provider(first, second)}
