"""Steps from cases to groups of cases, as statements of a procedure."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from evaluation.ranking.procedure.statements import (
    Group,
    Statement,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from evaluation.assessment.model import Aggregation


def groups_of(
    aggregation: Aggregation, *, of_ranks: bool = False, without: Collection[str] = ()
) -> tuple[tuple[Statement, ...], str]:
    """Return the steps from cases to the outermost groups, and the name of what is left.

    Parameters
    ----------
    of_ranks
        Whether ranks are aggregated.
    without
        Levels that are not used.
    """
    levels = [level for level in aggregation.levels if level not in without]
    pairs = itertools.pairwise(levels)
    return tuple(Group(inner, outer, aggregation.operator, of_ranks) for inner, outer in pairs), levels[-1]
