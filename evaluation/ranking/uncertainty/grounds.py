"""Basis of the statements on the certainty of a ranking.

It consists of the elementary rankings, the share of error, the applicable method, and the reason why no statement is
possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.uncertainty.budgets import (
    FEWEST_DRAWS,
    FEWEST_IN_STRATUM,
    NEVER,
    Budget,
    drawn_units,
)
from evaluation.ranking.uncertainty.draws import Spread
from evaluation.ranking.uncertainty.given_errors import GivenErrors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Operator
    from evaluation.ranking.plans import Evaluated
    from evaluation.ranking.resampling import Units
    from evaluation.ranking.uncertainty.elementary import Ranking


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


NOTHING: Final = "nothing"
"""Marker of a table measured elsewhere without any information on its uncertainty.

See `evaluation.scoring.given_evidence`.
"""
_WITHOUT_GIVEN_ERRORS: Final = 2
"""Last schema of ranking documents in which given standard errors were used through draws alone."""
_WITHOUT_CLUSTERS: Final = 2
"""Last schema of ranking documents in which possible clusters did not prevent a winner."""
_WITHOUT_SETS: Final = (
    "one_algorithm", "not_resampled", "not_given", "no_evidence", "drawn_apart", "operator", "too_few_draws", "sampled_groups",
)  # fmt: skip


def are_drawn_apart(items: Sequence[Evaluated]) -> bool:
    """Return whether the items were resampled in different systems.

    The dependence between the errors of its parts is then unknown.
    """
    return len({item.drawn_by for item in items}) > 1


class Grounds:
    """Possibility and method of statements on the certainty of one ranking.

    Attributes
    ----------
    plan
        Plan of the task with the fewest units.
    units
        Units of the elementary ranking with the fewest units.
    linear
        Whether the order is that of one weighted mean over cases. If so, signs of differences are flipped; otherwise
        resampled scores are inflated.
    spread
        Numbers of units and strata that determine the inflation.
    given
        Values with given standard errors, if the ranking is by one of them; otherwise ``None``.
    units_needed
        Minimum numbers of units for rank sets and for a winner.
    reason
        Reason why rank sets cannot be stated or contain every rank; ``None`` if neither applies.
    """

    def __init__(self, ranking: Ranking, budget: Budget) -> None:
        self.ranking, self.budget = ranking, budget
        self.count = len(ranking.algorithms)
        plans = {part.item.table.task: part.item.plan for part in ranking.elementary}
        self.plan = min(plans.values(), key=lambda plan: plan.units.number)
        every = [part.item.units for part in ranking.elementary]
        self.units = min(every, key=lambda units: units.number)
        self.linear = self._is_linear()
        smallest = min(every, key=lambda units: units.smallest)
        self.given = self._given()
        are_given = all(part.item.standard_errors is not None for part in ranking.elementary)
        # Errors that are given are taken as they are, whatever the number of listed cases.
        self.spread = (
            Spread(NEVER, 0, NEVER)
            if are_given and self._takes_errors
            else Spread(self.units.number, len(self.units.strata), smallest.smallest)
        )
        self.units_needed = self._units_needed()
        self.reason = self._reason(every)

    @property
    def states_sets(self) -> bool:
        """True if there are rank sets at all, even if they contain every rank."""
        return self.reason not in _WITHOUT_SETS

    @property
    def _takes_errors(self) -> bool:
        """True for rankings of the present schema: earlier ones drew from given errors."""
        return self.plan.schema > _WITHOUT_GIVEN_ERRORS

    def _given(self) -> GivenErrors | None:
        """Values with given standard errors, of a ranking by one of them; ``None`` otherwise."""
        parts = self.ranking.elementary
        errors = parts[0].item.standard_errors
        if len(parts) != 1 or errors is None or not self._takes_errors or self.ranking.scheme.compares_pairs:
            return None
        scores = parts[0].signed()[0]
        return GivenErrors(scores, errors) if np.isfinite(scores).all() else None

    def _is_linear(self) -> bool:
        """Return whether the order is that of one weighted mean over cases."""
        parts = self.ranking.elementary
        if len(parts) != 1 or parts[0].item.table.per_dataset or parts[0].inside is not None:
            return False
        if not self.ranking.scheme.is_linear(self.ranking.registered):
            return False
        return parts[0].item.plan.hierarchy is None or self.ranking.assessment.aggregation.operator.kind == "mean"

    def _operators(self) -> list[Operator]:
        operators = [self.ranking.registered.operator] if self.ranking.scheme.takes_operator else []
        if self.plan.hierarchy is not None:
            operators.append(self.ranking.assessment.aggregation.operator)
        return operators

    def _units_needed(self) -> dict[str, int]:
        if self.spread.units == NEVER:
            return {"sets": 1, "winner": 1}
        if self.linear:
            return {"sets": self.budget.units_for_sets, "winner": self.budget.units_for_winner}
        shares = [operator.quantile(higher_is_better=True) for operator in self._operators()]
        return drawn_units(shares, max(self.count, 2), self.budget.total)

    def _reason(self, every: Sequence[Units]) -> str | None:
        """Return the reason why rank sets cannot be stated; ``None`` if they can."""
        if self.count < 2:
            return "one_algorithm"
        parts = self.ranking.elementary
        if any(part.item.drawn_by == NOTHING for part in parts):
            return "not_given"
        if self.plan.requested == 0:
            return "not_resampled"
        if any(part.item.table.per_dataset and not part.item.resampled for part in parts):
            return "no_evidence"
        if are_drawn_apart([part.item for part in parts]):
            return "drawn_apart"
        if any(part.inside is None and len(part.scores) < 1 + part.item.plan.bootstrap for part in parts):
            return "sampled_groups"
        if not self.linear:
            shares = [operator.quantile(higher_is_better=True) for operator in self._operators()]
            if any(share in (0.0, 1.0) for share in shares):
                return "operator"
            if self.plan.requested < FEWEST_DRAWS and self.given is None:
                return "too_few_draws"
        if any(units.several_strata and units.smallest < FEWEST_IN_STRATUM for units in every):
            return "stratum_too_small"
        plans = [part.item.plan for part in parts if part.item.plan.schema > _WITHOUT_CLUSTERS]
        if any(warning["code"] == "possible_clusters" for plan in plans for warning in plan.warnings):
            return "possible_clusters"
        if self.units.number < self.units_needed["sets"]:
            return "too_few_units"
        return None

    @property
    def comparable(self) -> bool:
        """True if pairs can be compared at all, even if only to name a winner."""
        if self.reason is None:
            return True
        return self.reason == "too_few_units" and self.units.number >= self.units_needed["winner"]
