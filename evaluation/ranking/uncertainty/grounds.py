"""What a ranking gives to judge by: which method applies, how many units it needs, and why nothing can be said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from evaluation.ranking.uncertainty.budget import FEWEST_DRAWS, drawn_units
from evaluation.ranking.uncertainty.draws import Spread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment import Operator
    from evaluation.ranking.uncertainty.budget import Budget
    from evaluation.ranking.uncertainty.elementary import Ranking
    from evaluation.ranking.uncertainty.units import Units

FEWEST_IN_STRATUM: Final = 5
_WITHOUT_SETS: Final = ("one_algorithm", "not_resampled", "no_evidence", "operator", "too_few_draws", "sampled_groups")


class Grounds:
    """Whether, and by which method, certainty of one ranking can be stated.

    Attributes
    ----------
    plan
        Of the task with the fewest units.
    linear
        Whether the order is that of one weighted mean over cases, so that signs of differences are flipped; otherwise
        resampled scores are inflated.
    spread
        Units and strata, as the inflation needs them.
    units_needed
        Fewest units for rank sets and for a winner.
    reason
        Why rank sets cannot be stated or hold every rank; ``None`` if neither is so.
    """

    def __init__(self, ranking: Ranking, budget: Budget) -> None:
        self.ranking, self.budget = ranking, budget
        self.count = len(ranking.algorithms)
        plans = {part.item.table.task: part.item.plan for part in ranking.elementary}
        self.plan = min(plans.values(), key=lambda plan: plan.units.number)
        self.linear = self._is_linear()
        smallest = min((plan.units for plan in plans.values()), key=lambda units: units.smallest)
        self.spread = Spread(self.plan.units.number, len(self.plan.units.strata), smallest.smallest)
        self.units_needed = self._units_needed()
        self.reason = self._reason([plan.units for plan in plans.values()])

    @property
    def states_sets(self) -> bool:
        """Whether there are rank sets at all, if only such as hold every rank."""
        return self.reason not in _WITHOUT_SETS

    def _is_linear(self) -> bool:
        """Whether the order is that of one weighted mean over cases."""
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
        if self.linear:
            return {"sets": self.budget.units_for_sets, "winner": self.budget.units_for_winner}
        shares = [operator.quantile(higher_is_better=True) for operator in self._operators()]
        return drawn_units(shares, max(self.count, 2), self.budget.total)

    def _reason(self, every: Sequence[Units]) -> str | None:
        """Why rank sets cannot be stated; ``None`` if they can."""
        if self.count < 2:
            return "one_algorithm"
        if self.plan.requested == 0:
            return "not_resampled"
        parts = self.ranking.elementary
        if any(part.item.table.per_dataset and not part.item.resampled for part in parts):
            return "no_evidence"
        if any(part.inside is None and len(part.scores) < 1 + part.item.plan.bootstrap for part in parts):
            return "sampled_groups"
        if not self.linear:
            shares = [operator.quantile(higher_is_better=True) for operator in self._operators()]
            if any(share in (0.0, 1.0) for share in shares):
                return "operator"
            if self.plan.requested < FEWEST_DRAWS:
                return "too_few_draws"
        if any(units.several_strata and units.smallest < FEWEST_IN_STRATUM for units in every):
            return "stratum_too_small"
        if self.plan.units.number < self.units_needed["sets"]:
            return "too_few_units"
        return None

    @property
    def comparable(self) -> bool:
        """Whether pairs can be compared at all, if only to name a winner."""
        if self.reason is None:
            return True
        return self.reason == "too_few_units" and self.plan.units.number >= self.units_needed["winner"]
