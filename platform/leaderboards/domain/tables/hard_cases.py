"""The cases on which the field did badly, as text."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leaderboards.domain.tables.words import score


@dataclass(frozen=True)
class HardCase:
    """A case on which the field did badly."""

    case: str
    median: str
    best: str
    best_team: str
    worst: str
    worst_team: str


def hard_case(found: Mapping[str, Any], decimals: int) -> HardCase:
    """A case as `evaluation.analyses.exploring.hardest` found it, its values as text."""
    (best, best_team), (worst, worst_team) = found["best"], found["worst"]
    return HardCase(
        case=found["case"],
        median=score(found["median"], decimals),
        best=score(best, decimals),
        best_team=best_team,
        worst=score(worst, decimals),
        worst_team=worst_team,
    )
