"""Statements about costs of running.

They cover the measured values, the undisclosed costs of single cases, and the algorithms that are both good and
cheap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evaluation.claims.catalogue import CATALOGUE, Claim
from evaluation.running.pareto import pareto
from evaluation.wording import joined

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import Assessment
    from evaluation.claims.catalogue import Said

MEASURED: Final = CATALOGUE.group(
    Claim(
        "costs.measured",
        "Some metrics of an assessment are costs of running; their values were ranked again and not measured again.",
        bool,
        lambda names: (
            f"The values of {joined(names)} were measured while the algorithms ran. They are used as measured and were not "
            "computed again."
        ),
        "The values of Wall time were measured while the algorithms ran. They are used as measured and were not computed again.",
    ),
)
"""Statements about values that a recomputed ranking adopts, for the names of these metrics."""

KEPT: Final = CATALOGUE.group(
    Claim(
        "costs.kept",
        "Costs of single cases are not shown to the reader, because the cases are hidden.",
        bool,
        lambda names: (
            f"Costs of single cases ({joined(sorted(names))}) are not shown: a program could reveal hidden images through them."
        ),
        "Costs of single cases (Wall time) are not shown: a program could reveal hidden images through them.",
    ),
)
"""Statement that costs of single cases are excluded, for the names of these metrics."""

NO_GROUPS: Final = CATALOGUE.group(
    Claim(
        "costs.no_groups",
        "Groups of cases are left out for the same reason.",
        bool,
        lambda _: (
            "Groups of cases are not shown either: with costs in the ranking, small groups would reveal single cases."
        ),
        "Groups of cases are not shown either: with costs in the ranking, small groups would reveal single cases.",
    ),
)


@dataclass(frozen=True)
class Plane:
    """Quality against cost: the values of all algorithms by both.

    Attributes
    ----------
    points
        By algorithm its quality and its cost; ``None`` where it has no value.
    higher
        Whether a higher quality is better.
    """

    points: Mapping[str, tuple[float | None, float | None]]
    higher: bool

    @property
    def shown(self) -> dict[str, tuple[float, float]]:
        """The algorithms with both values."""
        return {
            name: (quality, cost)
            for name, (quality, cost) in self.points.items()
            if quality is not None and cost is not None
        }

    @property
    def without(self) -> list[str]:
        """The others."""
        return [name for name in self.points if name not in self.shown]

    @property
    def unbeaten(self) -> list[str]:
        """Return the algorithms that no other algorithm beats.

        No other is at least as good by both values and better by at least one.
        """
        return list(pareto(self.shown, ("higher" if self.higher else "lower", "lower")).members)

    @property
    def are_equal(self) -> bool:
        """Return whether all algorithms have the same values."""
        return len(set(self.shown.values())) == 1


def _several(plane: Plane) -> bool:
    return len(plane.shown) > 1 and not plane.are_equal


def _some(plane: Plane) -> str:
    others = len(plane.shown) - len(plane.unbeaten)
    of_others = "the other algorithm" if others == 1 else f"each of the other {others} algorithms"
    return (
        f"{joined(plane.unbeaten)} are beaten by none; {of_others} is beaten by one of these, which is at least as good by both, "
        "and better by at least one."
    )


FRONT: Final = CATALOGUE.group(
    Claim(
        "costs.equal",
        "There are several algorithms, and all have the same quality and the same cost.",
        lambda plane: len(plane.shown) > 1 and plane.are_equal,
        lambda _: "All algorithms have the same values by both.",
        "All algorithms have the same values by both.",
    ),
    Claim(
        "costs.one_unbeaten",
        "Of several algorithms one is beaten by no other.",
        lambda plane: _several(plane) and len(plane.unbeaten) == 1,
        lambda plane: (
            f"{plane.unbeaten[0]} is at least as good as every other algorithm by both, and better by at least one."
        ),
        "unet is at least as good as every other algorithm by both, and better by at least one.",
    ),
    Claim(
        "costs.some_unbeaten",
        "Of several algorithms some, but not all, are beaten by no other.",
        lambda plane: _several(plane) and 1 < len(plane.unbeaten) < len(plane.shown),
        _some,
        "unet and vnet are beaten by none; each of the other 3 algorithms is beaten by one of these, which is at least as good by "
        "both, and better by at least one.",
    ),
    Claim(
        "costs.all_unbeaten",
        "No algorithm is beaten by another, and not all are equal.",
        lambda plane: _several(plane) and len(plane.unbeaten) == len(plane.shown),
        lambda _: (
            "No algorithm is beaten by both: of two algorithms that differ, the one that is better by one is worse by the other."
        ),
        "No algorithm is beaten by both: of two algorithms that differ, the one that is better by one is worse by the other.",
    ),
    Claim(
        "costs.as_they_stand",
        "There are several algorithms with both values.",
        lambda plane: len(plane.shown) > 1,
        lambda _: "These are scores as they stand: whether others would be ahead on other cases is not compared here.",
        "These are scores as they stand: whether others would be ahead on other cases is not compared here.",
    ),
    Claim(
        "costs.no_point",
        "Algorithms lack a value by one of both.",
        lambda plane: bool(plane.without),
        lambda plane: f"Without a point, since a value is missing: {joined(plane.without)}.",
        "Without a point, since a value is missing: wnet.",
    ),
)
"""Statements about the algorithms that are both good and cheap, in a plane of quality against cost."""


def measured(assessment: Assessment) -> Sequence[Said]:
    """Return a statement about metrics measured while algorithms ran, which are not computed again.

    It is empty if there are no such metrics.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> memory = {"id": "run_peak_memory", "by": "run", "worst": 1024}
    >>> document = {"problem": "semantic_segmentation", "regions": [{"name": "liver", "labels": [1]}], "metrics": [{"id": "dsc"}, memory]}
    >>> measured(parse(document))
    ['The values of Peak memory were measured while the algorithms ran. They are used as measured and were not computed again.']
    """
    return MEASURED.all([metric.name for metric in assessment.by_run])
