"""Basis of the statements on the certainty of a ranking.

It consists of the elementary rankings, the share of error, the applicable method, and the reason why no statement is
possible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.assessment.ranking import EXPLORATORY
from evaluation.ranking.combination import Part, combine
from evaluation.ranking.schemes import Values, get_scheme, rank_scores
from evaluation.ranking.scores import snap
from evaluation.ranking.uncertainty.draws import Spread
from evaluation.ranking.uncertainty.given_errors import GivenErrors

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment import Assessment, Operator, RankingScheme, Step, Uncertainty
    from evaluation.ranking.evaluate import Evaluated
    from evaluation.ranking.resampling import Units
    from evaluation.ranking.schemes import Scheme
    from evaluation.ranking.uncertainty.looks import Look


FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

_ROUNDING = 1e-9
FEWEST_DRAWN_UNITS = 7
FEWEST_DRAWS = 200
_BITS_AT_THE_FEWEST = 11.0
_BITS_OF_MEDIANS, _BITS_OF_QUANTILES = 1.4, 0.87
"""Halvings, at the fewest units and of each further one, of the chance that no draw turns the order of two equal algorithms."""

FEWEST_IN_STRATUM: Final = 5
NEVER: Final = 2**53
"""Number of units that no data set has."""
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


@dataclass(frozen=True)
class Elementary:
    """One ranking of one table, or of some of its cases.

    Attributes
    ----------
    item
        The table with its samples.
    inside
        Mask of the cases that it ranks; ``None`` for all.
    key
        Its value in each dimension that rankings are combined over.
    scores
        Samples × algorithms: the full data, then the bootstrap.
    cases
        Number of cases on which it is based, in every sample.
    """

    item: Evaluated
    inside: BoolArray | None
    key: Mapping[str, str | None]
    scores: FloatArray
    cases: FloatArray

    @property
    def higher_is_better(self) -> bool:
        """Direction of the scores."""
        return self.item.ranked.higher_is_better

    def signed(self) -> FloatArray:
        """The scores, more is better."""
        return self.scores if self.higher_is_better else -self.scores


@dataclass(frozen=True)
class Ranking:
    """One entry of a ranking document while its uncertainty is worked out.

    Attributes
    ----------
    elementary
        The rankings that it is made of; one for an entry of a single metric and region.
    steps
        How they are combined; none for a single one.
    ranks
        Final ranks of the full data and the bootstrap, samples × algorithms.
    share
        Part of the error, where several rankings share it.
    """

    elementary: tuple[Elementary, ...]
    registered: RankingScheme
    assessment: Assessment
    steps: tuple[Step, ...]
    ranks: FloatArray
    scores: FloatArray
    share: FamilyShare | None = None

    @cached_property
    def algorithms(self) -> tuple[str, ...]:
        """Names, in the order of all arrays."""
        return self.elementary[0].item.table.algorithms

    @cached_property
    def scheme(self) -> Scheme:
        """The scheme of all its elementary rankings."""
        return get_scheme(self.registered.scheme)

    @property
    def combined(self) -> bool:
        """True if several rankings were combined into one."""
        return bool(self.steps)

    @property
    def reranked(self) -> bool:
        """True if ranks depend on the other participants."""
        return self.scheme.ranks_cases or self.scheme.compares_pairs or any(step.rerank for step in self.steps)

    def final(self, scores: Sequence[FloatArray]) -> FloatArray:
        """Final ranks from elementary scores, each samples × algorithms in the direction of its metric."""
        # Scores that are averaged themselves are rounded before; of others only the order counts.
        averaged = any(not step.rerank for step in self.steps[:1])
        ranked = [
            rank_scores(
                snap(part_scores) if averaged else part_scores, self.registered, higher_is_better=part.higher_is_better
            )
            for part, part_scores in zip(self.elementary, scores, strict=True)
        ]
        if not self.steps:
            return ranked[0].ranks
        parts = [
            Part(part.key, ranked_part.scores, ranked_part.ranks, np.full(len(ranked_part.ranks), part.cases[0]))
            for part, ranked_part in zip(self.elementary, ranked, strict=True)
        ]
        return combine(parts, self.steps, self.registered.missing_rank)[0].ranks

    def scores_among(self, part: Elementary, columns: IntArray) -> FloatArray:
        """Scores on the full data when only some algorithms take part."""
        scheme = self.scheme
        if part.item.table.per_dataset or not (scheme.ranks_cases or scheme.compares_pairs):
            return np.asarray(part.scores[0, columns])
        table = self.values_of(part)
        some = replace(table, values=table.values[:, columns], last_rank=table.last_rank[:, columns])
        scores, _ = scheme.scores(some, part.item.plan.full_of(part.inside), self.registered)
        return np.asarray(scores[0])

    def values_of(self, part: Elementary) -> Values:
        """Return the values of an elementary ranking in the form that the scheme takes."""
        table, plan = part.item.table, part.item.plan
        every = slice(None) if part.inside is None else part.inside
        return Values(
            table.values[every],
            table.last_rank[every],
            table.metric.higher_is_better,
            self.assessment.aggregation,
            plan.hierarchy_of(part.inside),
        )


@dataclass(frozen=True)
class FamilyShare:
    """Part of the error of one of several rankings of a challenge.

    Attributes
    ----------
    role
        ``primary``, ``secondary`` or ``exploratory``.
    size
        Number of rankings with this role, which share the error. Rank sets use an equal part of it.
    tests
        Divisor of the level at which a winner is named, by Holm's method: the number of rankings of the family without
        those whose winner was named before.
    """

    role: str
    size: int = 1
    tests: int = 1

    @property
    def is_exploratory(self) -> bool:
        """True for a ranking without a statement of significance."""
        return self.role == EXPLORATORY

    @property
    def document(self) -> dict[str, Any]:
        """Entry of a ranking document."""
        return {"role": self.role, "rankings": self.size, "tests": self.tests}


@dataclass(frozen=True)
class Budget:
    """Shares of the error of one ranking.

    Attributes
    ----------
    total
        Maximum share of challenges in which any statement of a board about order is wrong.
    sets
        Share for the rank sets, the letters and all comparisons.
    winner
        Share for naming a winner.
    alpha
        The registered ceiling for naming a winner wrongly.
    """

    total: float
    sets: float
    winner: float
    alpha: float

    @property
    def units_for_sets(self) -> int:
        """The fewest units with which sign flips can show anything."""
        return fewest_units(self.sets)

    @property
    def units_for_winner(self) -> int:
        """The fewest units with which sign flips can name a winner."""
        return fewest_units(self.winner)


def budget(
    uncertainty: Uncertainty, algorithms: int, look: Look | None = None, share: FamilyShare | None = None
) -> Budget:
    """Share the error: with two algorithms there is one comparison and one statement, else a third and two thirds.

    Parameters
    ----------
    look
        The change of the field, for a phase that is still open. It spends only a part of the winner's share.
    share
        Part of the error, where several rankings share it.
    """
    total = round(1.0 - uncertainty.interval, 12)
    ceiling = total if uncertainty.winner_alpha is None else min(total, uncertainty.winner_alpha)
    winner = ceiling if algorithms <= 2 else min(2.0 * total / 3.0, ceiling)
    sets = total if algorithms <= 2 else total / 3.0
    if look is not None:
        winner = look.level(winner)
    if share is not None:
        winner, sets = winner / share.tests, sets / share.size
    return Budget(total, sets, winner, ceiling)


def fewest_units(share: float) -> int:
    """The smallest U with 2**(1 - U) at most a share of the error.

    Examples
    --------
    >>> fewest_units(0.05), fewest_units(0.05 / 3), fewest_units(0.1 / 3)
    (6, 7, 6)
    """
    if share <= 0.0:
        return NEVER
    return math.ceil(1.0 - math.log2(share) - _ROUNDING)


def drawn_units_for_quantile(share: float) -> int:
    """The fewest units with which draws of a quantile can name a winner: its tail has to hold one.

    Examples
    --------
    >>> drawn_units_for_quantile(0.5), drawn_units_for_quantile(0.05), drawn_units_for_quantile(0.9)
    (7, 20, 10)
    """
    return max(FEWEST_DRAWN_UNITS, math.ceil(1.0 / min(share, 1.0 - share) - _ROUNDING))


def drawn_units_for_quantile_sets(share: float, algorithms: int, total: float) -> int:
    """Return the minimum number of units with which draws of a quantile can support rank sets.

    A quantile of few units takes few values. There is then a chance that no draw reverses the order of two equal
    algorithms, even after any widening. Among many pairs, some would therefore be reported wrongly as different. This
    chance falls with the number of units. Simulations determined the rate (docs/correctness/coverage.md): a factor of
    2.6 per unit for medians, and less for other quantiles.

    Examples
    --------
    >>> [drawn_units_for_quantile_sets(0.5, algorithms, 0.05) for algorithms in (3, 10, 14, 20, 50)]
    [7, 7, 8, 9, 11]
    >>> drawn_units_for_quantile_sets(0.05, 10, 0.05), drawn_units_for_quantile_sets(0.05, 20, 0.05)
    (20, 30)
    """
    fewest, tail = drawn_units_for_quantile(share), min(share, 1.0 - share)
    bits = math.log2(algorithms * (algorithms - 1) / total) - _BITS_AT_THE_FEWEST
    rate = _BITS_OF_MEDIANS if math.isclose(tail, 0.5) else _BITS_OF_QUANTILES * math.sqrt(tail)
    return fewest + max(0, math.ceil(bits / rate - _ROUNDING))


def drawn_units(shares: Sequence[float | None], algorithms: int, total: float) -> dict[str, int]:
    """The fewest units for rank sets and for a winner, by draws, whose operators take these quantiles (or none)."""
    inside = [share for share in shares if share is not None and 0.0 < share < 1.0]
    return {
        "sets": max(
            [FEWEST_DRAWN_UNITS, *(drawn_units_for_quantile_sets(share, algorithms, total) for share in inside)]
        ),
        "winner": max([FEWEST_DRAWN_UNITS, *map(drawn_units_for_quantile, inside)]),
    }


def allowed_rows(share: float, rows: int) -> int:
    """Return the number of rows that a share of all rows corresponds to, rounded down."""
    return math.floor(share * rows + _ROUNDING)


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
