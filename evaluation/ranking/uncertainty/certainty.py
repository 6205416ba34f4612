"""Certainty of one ranking, by the rules of the schema of its document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.schema_2 import StatementsOfSchema2
from evaluation.ranking.uncertainty.statements import Decision, Statements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.ranking.uncertainty.elementary import Ranking


IntArray = npt.NDArray[np.int64]


def statements(
    ranking: Ranking, order: IntArray, *, failed: Sequence[int | None]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the certainty statements of a ranking, and those of each algorithm in the requested order.

    Parameters
    ----------
    ranking
        The ranking with its elementary rankings.
    order
        Algorithms by displayed rank, then name.
    failed
        Failed cases of each algorithm, ``None`` where their number is not known.
    """
    return _of_schema(ranking)(ranking, order, failed).documents()


def decide(ranking: Ranking) -> Decision:
    """Only the winner and the rank sets of a ranking, for simulations that need nothing else."""
    order = np.lexsort((np.array(ranking.algorithms), ranking.ranks[0]))
    return _of_schema(ranking)(ranking, order, ranking.elementary[0].item.missing).decision()


def _of_schema(ranking: Ranking) -> type[Statements]:
    """Return the rules of the schema of the document."""
    if ranking.elementary[0].item.plan.schema > 2:
        return Statements
    return StatementsOfSchema2
