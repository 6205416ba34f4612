"""Does the result hang on who else took part? Contests of two, teams left out, and near-duplicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ranking.uncertainty.elementary import Ranking

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
MOST_LEFT_OUT: Final = 100
"""Above so many algorithms nobody is left out in turn."""
MOST_REVERSED: Final = 50
"""So many pairs of one algorithm are kept; a list as long as that may leave out others."""
_FEWEST_FOR_DUPLICATES: Final = 4
_MOST_FOR_DUPLICATES: Final = 200


def head_to_head(ranking: Ranking, first: int) -> list[int]:
    """Algorithms that tie or beat the first when the two alone are ranked."""
    if not ranking.reranked:
        return []
    others = [j for j in range(len(ranking.algorithms)) if j != first]
    pairs = [np.array([first, other]) for other in others]
    given = [np.stack([ranking.scores_among(part, pair) for pair in pairs]) for part in ranking.elementary]
    ranks = ranking.final(given)
    return [other for other, row in zip(others, ranks, strict=True) if row[1] <= row[0]]


def order_among(ranking: Ranking, columns: IntArray) -> FloatArray:
    """Ranks when only some algorithms take part."""
    ranks = ranking.final([ranking.scores_among(part, columns)[None] for part in ranking.elementary])
    return np.asarray(ranks[0])


def teams_left_out(ranking: Ranking) -> list[dict[str, Any]] | None:
    """For each algorithm whose removal changes the first place or the order of two others: what it changes.

    Returns
    -------
    list or None
        At most fifty reversed pairs an algorithm; ``None`` above a hundred algorithms.
    """
    count = len(ranking.algorithms)
    if count < 3 or not ranking.reranked:
        return []
    if count > MOST_LEFT_OUT:
        return None
    names, ranks = np.array(ranking.algorithms), ranking.ranks[0]
    kept = [np.delete(np.arange(count), left) for left in range(count)]
    given = [np.stack([ranking.scores_among(part, columns) for columns in kept]) for part in ranking.elementary]
    after = ranking.final(given)
    found = []
    for left, (columns, now) in enumerate(zip(kept, after, strict=True)):
        before = ranks[columns]
        swapped = (before[:, None] < before[None, :]) & (now[:, None] > now[None, :])
        winners = sorted(names[columns[now == now.min()]].tolist())
        old = sorted(names[columns[before == before.min()]].tolist())
        changes = winners != old
        if changes or swapped.any():
            rows = np.argwhere(swapped)
            order = np.lexsort((ranks[columns[rows[:, 1]]], ranks[columns[rows[:, 0]]]))[:MOST_REVERSED]
            found.append(
                {
                    "without": str(names[left]),
                    "winners": winners,
                    "winner_changes": bool(changes),
                    "reversed": [[str(names[columns[p]]), str(names[columns[q]])] for p, q in rows[order]],
                }
            )
    return found


def near_duplicates(ranking: Ranking, order: Sequence[int]) -> list[list[int]]:
    """Lists of algorithms that are nearly the same, best first; each algorithm in one list at most."""
    count = len(ranking.algorithms)
    if not _FEWEST_FOR_DUPLICATES <= count <= _MOST_FOR_DUPLICATES:
        return []
    votes, rankings = np.zeros((count, count)), 0
    for part in ranking.elementary:
        table = part.item.table
        if table.per_dataset or part.inside is not None:
            continue
        votes += part.item.alike
        rankings += 1
    if not rankings:
        return []
    near = votes >= rankings / 2.0
    lists, taken = [], set()
    for algorithm in order:
        if algorithm in taken:
            continue
        members = [other for other in order if other not in taken and (other == algorithm or near[algorithm, other])]
        if len(members) > 1:
            lists.append(members)
            taken.update(members)
    return lists
