"""Contributions of units to the scores of a linear ranking, and what follows from them for the first algorithm."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evaluation.ranking.hierarchy import without_levels
from evaluation.ranking.plans import FIRST_RULES
from evaluation.ranking.resampling import Contributions, contributions
from evaluation.ranking.uncertainty.failures import failed_cases, failure_values
from evaluation.ranking.uncertainty.leads import Lead, Range, confirmed
from evaluation.ranking.uncertainty.score_intervals import UNLIMITED, ScoreInterval, limits_of, score_intervals
from evaluation.ranking.uncertainty.sign_flips import flip_matrix
from evaluation.ranking.uncertainty.studentized import drawn_counts

if TYPE_CHECKING:
    from evaluation.ranking.resampling import Units
    from evaluation.ranking.uncertainty.elementary import Elementary, Ranking

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class LinearPart:
    """A linear elementary ranking as sums over units.

    Attributes
    ----------
    scored
        Algorithms with a score, by their index in the table.
    values
        Averaged values of the scored algorithms, cases × algorithms, where larger is better.
    contributed
        Contributions of units to scores.
    """

    def __init__(self, ranking: Ranking, part: Elementary) -> None:
        self.ranking, self.part, self.plan = ranking, part, part.item.plan
        self.scored: IntArray = np.flatnonzero(np.isfinite(part.scores[0]))
        self.values: FloatArray = ranking.scheme.averaged_values(ranking.values_of(part), ranking.registered)[
            :, self.scored
        ]
        self.inside = np.ones(len(self.plan.cases), dtype=bool) if part.inside is None else part.inside
        self.units: Units = self.plan.units if part.inside is None else self.plan.units.within(part.inside)
        self.contributed: Contributions = self._contributions(self.values, self.units, self.inside)
        self._leads: dict[tuple[int, float, float], Lead] = {}
        self._without_failures: dict[tuple[int, float, float], tuple[Lead, FloatArray] | None] = {}

    def _contributions(self, values: FloatArray, units: Units, inside: BoolArray) -> Contributions:
        hierarchy = self.plan.hierarchy_of(None if inside.all() else inside)
        if self.ranking.scheme.compares_pairs:  # tests compare units, whatever their strata weigh
            hierarchy = without_levels(hierarchy, self.ranking.assessment.aggregation.fixed)
        return contributions(values, units, hierarchy)

    def position(self, algorithm: int) -> int:
        """Return the column of an algorithm among those with a score."""
        return int(np.flatnonzero(self.scored == algorithm)[0])

    def others(self, algorithm: int) -> IntArray:
        """Return all other algorithms with a score, by their index in the table."""
        return np.asarray(self.scored[self.scored != algorithm])

    def differences(self, algorithm: int) -> FloatArray:
        """Return the contributions of units to the differences from all others, units × others."""
        return self._differences(self.contributed, algorithm)

    def _differences(self, contributed: Contributions, algorithm: int) -> FloatArray:
        columns = np.flatnonzero(self.scored != algorithm)
        return contributed.differences(np.full(len(columns), self.position(algorithm)), columns)

    def lead(self, algorithm: int, level: float, margin: float) -> Lead:
        """Return the limits of the lead of an algorithm over all others, at a one-sided level; computed once."""
        key = (algorithm, level, margin)
        if key not in self._leads:
            self._leads[key] = self._lead(*key)
        return self._leads[key]

    def _lead(self, algorithm: int, level: float, margin: float) -> Lead:
        return Lead(
            self.differences(algorithm),
            self.contributed.unit_weights,
            self.units.stratum_of_unit,
            self.plan.signs if self.part.inside is None else self._signs(self.units, self.inside),
            level=level,
            margin=margin,
            counts=self.plan.unit_counts if self.part.inside is None else lambda: self._counts(self.units, self.inside),
            is_look=self._is_shared,
        )

    @property
    def _is_shared(self) -> bool:
        """True if other changes of the field or other rankings use parts of the error as well."""
        share = self.ranking.share
        return self.plan.look is not None or (share is not None and share.tests > 1)

    def _cases(self, inside: BoolArray) -> list[str]:
        return [case for case, is_inside in zip(self.plan.cases, inside, strict=True) if is_inside]

    def _signs(self, units: Units, inside: BoolArray) -> npt.NDArray[np.int8]:
        return flip_matrix(units.number, bootstrap=self.plan.requested, seed=self.plan.seed, cases=self._cases(inside))

    def _counts(self, units: Units, inside: BoolArray) -> list[FloatArray]:
        return list(drawn_counts(units.stratum_of_unit, seed=self.plan.seed, cases=self._cases(inside)))

    # Failures

    @cached_property
    def _failure_values(self) -> FloatArray | None:
        """Value of a failure in each case, in the direction of the averaged values; not a number for the last rank."""
        worst = failure_values(self.part, ranked=self.ranking.scheme.ranks_cases)
        return None if worst is None else worst[self.inside]

    def failed(self, algorithm: int) -> BoolArray:
        """Return the cases on which an algorithm fails."""
        return failed_cases(self.part, algorithm)

    def failure_changes(self, algorithm: int) -> FloatArray | None:
        """Return how the differences from all others change if an algorithm fails in each unit in turn.

        Returns
        -------
        numpy.ndarray or None
            Units × others; ``None`` if a failure has no registered value.
        """
        worst = self._failure_values
        if worst is None:
            return None
        column = self.position(algorithm)
        after = self._values_after_failure(algorithm, worst)
        if after is None:
            return None
        change = np.where(np.isnan(self.values[:, [column]]), 0.0, after - self.values)
        change = np.nan_to_num(change)
        weighted = self.contributed.case_weights * change
        by_unit = np.zeros((self.units.number, weighted.shape[1]))
        np.add.at(by_unit, self.units.unit_of_case, weighted)
        return np.asarray(by_unit[:, [column]] - np.delete(by_unit, column, axis=1))

    def _values_after_failure(self, algorithm: int, worst: FloatArray) -> FloatArray | None:
        """Averaged values of all algorithms if one of them fails on every case."""
        scheme, registered = self.ranking.scheme, self.ranking.registered
        if scheme.aggregates_values:
            signed = worst if self.part.item.table.metric.higher_is_better else -worst
            after = self.values.copy()
            after[:, self.position(algorithm)] = signed
            return after
        if not scheme.ranks_cases:
            return None
        table = self.ranking.values_of(self.part)
        values, last = table.values.copy(), table.last_rank.copy()
        values[:, algorithm], last[:, algorithm] = worst, np.isnan(worst)
        averaged: FloatArray = scheme.averaged_values(replace(table, values=values, last_rank=last), registered)
        return averaged[:, self.scored]

    def without_failures(self, algorithm: int, level: float, margin: float) -> tuple[Lead, FloatArray] | None:
        """Return the lead on the cases in which an algorithm does not fail, and the cost of a failure.

        Returns
        -------
        tuple or None
            The lead, and for each other algorithm the mean difference of its values from the value of a failure.
            ``None`` if a failure has no registered value, or too few units are left.
        """
        key = (algorithm, level, margin)
        if key not in self._without_failures:
            self._without_failures[key] = self._lead_without_failures(*key)
        return self._without_failures[key]

    def _lead_without_failures(self, algorithm: int, level: float, margin: float) -> tuple[Lead, FloatArray] | None:
        worst = self._failure_values
        if worst is None:
            return None
        without_failure = ~self.failed(algorithm)
        after = self._values_after_failure(algorithm, worst)
        if after is None or np.isnan(after).any():
            return None
        if without_failure.all():
            contributed, lead = self.contributed, self.lead(algorithm, level, margin)
        else:
            if without_failure.sum() < 2:
                return None
            inside = self.inside.copy()
            inside[inside] = without_failure
            units = self.plan.units.within(inside)
            if units.number < 2:
                return None
            contributed = self._contributions(self.values[without_failure], units, inside)
            lead = Lead(
                self._differences(contributed, algorithm),
                contributed.unit_weights,
                units.stratum_of_unit,
                self._signs(units, inside),
                level=level,
                margin=margin,
                counts=lambda: self._counts(units, inside),
                is_look=self._is_shared,
            )
        column = self.position(algorithm)
        of_cases = contributed.case_weights[:, [column]]
        mean = (of_cases * after[without_failure]).sum(axis=0)
        costs = np.delete(mean, column) - mean[column]
        return lead, costs

    # Confirmation

    @cached_property
    def value_range(self) -> Range | None:
        """Range of the averaged values; ``None`` if they are unbounded or leave their range."""
        scheme, metric = self.ranking.scheme, self.part.item.table.metric
        if scheme.ranks_cases:
            return Range(-float(len(self.ranking.algorithms)), -1.0)
        if not scheme.aggregates_values or metric.worst is None or metric.best is None:
            return None
        sign = 1.0 if metric.higher_is_better else -1.0
        value_range = Range(sign * metric.worst, sign * metric.best)
        if not np.isfinite(value_range.width) or value_range.width <= 0.0:
            return None
        if not self.values.size:  # no algorithm has a score
            return value_range
        slack = 1e-9 * value_range.width
        low, high = np.nanmin(self.values), np.nanmax(self.values)
        return value_range if low >= value_range.worst - slack and high <= value_range.best + slack else None

    @property
    def _score_limits(self) -> tuple[float, float]:
        """Ends of the range of the averaged values, where larger is better; one may be known alone, as for distances."""
        metric = self.part.item.table.metric
        if metric.higher_is_better:
            return limits_of(metric, self.values)
        low, high = limits_of(metric, -self.values)
        return -high, -low

    def score_intervals(self, level: float) -> dict[int, ScoreInterval]:
        """Return intervals of scores by the index of the algorithm; none with strata, or where a score has none."""
        if not self.ranking.scheme.aggregates_values or self.units.several_strata:
            return {}
        contributed = self.contributed
        columns = contributed.plain.copy()
        if contributed.linearised is not None:
            columns[:, ~contributed.complete] = contributed.linearised[:, ~contributed.complete]
        limits = self._score_limits if self.plan.rules > FIRST_RULES else UNLIMITED
        intervals = score_intervals(self.units.number * columns, level, self.value_range, limits=limits)
        return {
            int(algorithm): interval
            for algorithm, interval in zip(self.scored, intervals, strict=True)
            if interval is not None
        }

    def confirmed(self, algorithm: int, winner_share: float, margin: float) -> float | None:
        """Return the lead of an algorithm that holds whatever rare failures there are; ``None`` if it is not confirmed."""
        if self.value_range is None or self.contributed.linearised is not None:
            return None
        if len(self.scored) < len(self.ranking.algorithms):
            return None
        return confirmed(
            self.contributed,
            self.position(algorithm),
            self.value_range,
            names=[self.ranking.algorithms[j] for j in self.scored],
            margin=margin,
            winner_share=winner_share,
            strata=len(np.unique(self.units.stratum_of_unit)),
            seed=self.plan.seed,
            cases=self._cases(self.inside),
        )
