"""Where the apps below contribute to reviews: typed hooks, filled in `AppConfig.ready`.

`together`
    Pairs (one of the first people, one of the second) who took part in a challenge together, or where one took part in a
    challenge of the other; by user ids.
"""

from collections.abc import Callable, Collection

from web.hooks import Hook

Together = Callable[[Collection[int], Collection[int]], set[tuple[int, int]]]

together: Hook[Together] = Hook()


def pairs_together(first: Collection[int], second: Collection[int]) -> set[tuple[int, int]]:
    """All pairs that any app knows of."""
    if not first or not second:
        return set()
    return {pair for provider in together for pair in provider(first, second)}
