"""Typed hooks through which other apps contribute to reviews, filled in `AppConfig.ready`.

`together`
    Pairs of user ids, the first from one group of people and the second from another. The two people took part in a
    challenge together, or one took part in a challenge of the other.
`chair_tabs`
    Pages of a call for its chairs: label and name of the address, which takes the slug of the call.
`for_chairs`
    Pending actions of chairs about filed designs (primary keys), except for the review itself.
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
chair_tabs: Hook[tuple[str, str]] = Hook()
for_chairs: Hook[Callable[[Collection[int]], Iterable[ForChairs]]] = Hook()


def pairs_together(first: Collection[int], second: Collection[int]) -> set[tuple[int, int]]:
    """All pairs that any app knows of."""
    if not first or not second:
        return set()
    return {pair for provider in together for pair in provider(first, second)}
