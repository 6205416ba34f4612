"""Rankings of one challenge that share the error: primary ones, secondary ones, and exploratory ones without a winner.

A challenge with several rankings would name a wrong winner in one of them more often than its level states. The rankings of
a family therefore share the level by Holm's method: a winner is first named at the level divided by the number of rankings,
then, for the rankings that are left, at the level divided by their number, until no further winner is named.

References
----------
Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.assessment.ranking import EXPLORATORY, ROLES, SECONDARY
from evaluation.ranking.plans import FIRST_RULES, RULES
from evaluation.ranking.uncertainty.budgets import FamilyShare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evaluation.assessment.model import Assessment, RankingScheme


@dataclass(frozen=True)
class PendingEntry:
    """An entry of a ranking document whose part of the error is not known yet.

    Attributes
    ----------
    role
        Role of the ranking; ``None`` if the assessment registers no roles.
    compute
        Function that returns the entry for a part of the error; ``None`` stands for the whole error.
    """

    role: str | None
    compute: Callable[[FamilyShare | None], dict[str, Any]]


def role_of_tables(scheme: RankingScheme, *, is_combined: bool, parts: int = 1, rules: int = RULES) -> str | None:
    """Return the role of the rankings of single metrics and regions.

    Where they are combined, the combined ranking has the registered role, and its parts are exploratory. Without a registered
    role the combined ranking is the primary one, and several parts are secondary. By `FIRST_RULES` each had the whole level.

    Parameters
    ----------
    is_combined
        Whether these rankings are combined.
    parts
        Their number. A single one is the same ranking as its combination, and adds no statement.
    """
    if scheme.role is not None:
        return EXPLORATORY if is_combined else scheme.role
    return SECONDARY if is_combined and parts > 1 and rules > FIRST_RULES else None


def share_without_steps(
    scheme: RankingScheme, assessment: Assessment, *, is_part: bool, rules: int = RULES
) -> FamilyShare | None:
    """Return the part of the error of a ranking whose family is not tested in steps: an equal part for each ranking.

    Parameters
    ----------
    is_part
        Whether the ranking is combined with others.
    """
    if scheme.role is None:
        size = sum(_tables_of(one, assessment) for one in assessment.rankings if one.combine is not None)
        return FamilyShare(SECONDARY, size, size) if is_part and size > 1 and rules > FIRST_RULES else None
    if is_part or scheme.role == EXPLORATORY:
        return FamilyShare(EXPLORATORY)
    size = sum(_rankings_of(one, assessment) for one in assessment.rankings if one.role == scheme.role)
    return FamilyShare(scheme.role, size, size)


def _rankings_of(scheme: RankingScheme, assessment: Assessment) -> int:
    """Return the number of rankings of a scheme: one if it combines them, otherwise one per metric and region."""
    return 1 if scheme.combine is not None else _tables_of(scheme, assessment)


def _tables_of(scheme: RankingScheme, assessment: Assessment) -> int:
    """Return the number of metrics and regions that a scheme ranks."""
    metrics = len(assessment.metrics if scheme.metrics is None else scheme.metrics)
    regions = len(assessment.regions if scheme.regions is None else scheme.regions)
    return metrics * max(regions, 1)


def computed_entries(pending: Sequence[PendingEntry]) -> list[dict[str, Any]]:
    """Return the entries, with the error shared in each family by Holm's method.

    Parameters
    ----------
    pending
        All entries of a document, in their order.
    """
    entries: dict[int, dict[str, Any]] = {}
    for role in ROLES:
        entries |= _family([index for index, one in enumerate(pending) if one.role == role], pending, role)
    return [entries[index] if index in entries else one.compute(None) for index, one in enumerate(pending)]


def _family(members: Sequence[int], pending: Sequence[PendingEntry], role: str) -> dict[int, dict[str, Any]]:
    """Return the entries of one family by their index."""
    size, tests = len(members), len(members)
    entries: dict[int, dict[str, Any]] = {}
    remaining = list(members)
    if role == EXPLORATORY:
        return {index: pending[index].compute(FamilyShare(role)) for index in members}
    while remaining:
        share = FamilyShare(role, size, tests)
        entries |= {index: pending[index].compute(share) for index in remaining}
        remaining = [index for index in remaining if not entries[index]["winner"]["named"]]
        if len(remaining) == tests:
            break
        tests = len(remaining)
    return entries
