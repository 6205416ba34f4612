"""Samples of a task, and a table with its ranks in all of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from evaluation.ranking.drawn import Drawn, Samples
from evaluation.ranking.resampling import Design, Units, multiplicities
from evaluation.ranking.scores import spread_around_median
from evaluation.ranking.similar_values import alike
from evaluation.ranking.uncertainty.sign_flips import SignArray, flip_matrix
from evaluation.ranking.uncertainty.studentized import drawn_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evaluation.aggregation import Table
    from evaluation.ranking.hierarchy import Hierarchy
    from evaluation.ranking.schemes import Ranked
    from evaluation.ranking.uncertainty.looks import Look


FloatArray = npt.NDArray[np.float64]
SCHEMA: Final = 3
"""Schema of the ranking documents that are written."""
SCHEMA_BEFORE: Final = 2
"""Schema whose rules are kept, by which older bundles are verified."""
RULES: Final = 2
"""Revision of the rules within `SCHEMA`; a document without a revision is by the first."""
FIRST_RULES: Final = 1
"""First revision: intervals of scores may leave a range with one end, and parts of a combined ranking without a role name winners."""
MOST_KEPT_UNITS: Final = 2000
"""Up to this number of units, the resamples for bootstrap-t are kept in memory for all tables of a task."""


@dataclass(frozen=True)
class Plan:
    """The samples of one task, shared by all of its tables.

    Attributes
    ----------
    bootstrap, left_out
        Number of bootstrap samples and of leave-one-out samples; both 0 if there is only one unit to resample.
    units
        The units that are regarded as a sample, in their strata.
    seed, requested
        Seed, and number of bootstrap samples that were requested.
    warnings
        Warnings about the units, each with a ``code``.
    schema
        Schema of the ranking document, which decides by which rules winners are named.
    look
        The change of the field, for a phase that is still open; ``None`` for a ranking that is computed once.
    rules
        Revision of the rules within the schema.
    """

    cases: tuple[str, ...]
    design: Design
    hierarchy: Hierarchy | None
    columns: Mapping[str, npt.NDArray[Any]]
    bootstrap: int
    left_out: int
    drawn: Drawn
    units: Units
    seed: int
    requested: int
    warnings: tuple[Mapping[str, Any], ...] = ()
    schema: int = SCHEMA
    look: Look | None = None
    rules: int = RULES

    @property
    def number(self) -> int:
        """Number of all samples: the full data, the bootstrap, and the leave-one-out samples."""
        return 1 + self.bootstrap + self.left_out

    @cached_property
    def samples(self) -> Samples:
        """Samples in the form that the schemes take."""
        return Samples(multiplicities(self.drawn, len(self.cases), self.number), self.drawn)

    @cached_property
    def full(self) -> Samples:
        """The full data alone."""
        drawn = self.design.full()
        return Samples(np.ones((len(self.cases), 1)), drawn)

    @cached_property
    def signs(self) -> SignArray:
        """Sign flips of the units, shared by all tables of the task."""
        return flip_matrix(self.units.number, bootstrap=self.requested, seed=self.seed, cases=self.cases)

    def unit_counts(self) -> Iterable[FloatArray]:
        """Resamples of the units for bootstrap-t, in blocks of resamples × units, shared by all tables of the task."""
        if self.units.number > MOST_KEPT_UNITS:
            return drawn_counts(self.units.stratum_of_unit, seed=self.seed, cases=self.cases)
        return self._kept_counts

    @cached_property
    def _kept_counts(self) -> list[FloatArray]:
        return list(drawn_counts(self.units.stratum_of_unit, seed=self.seed, cases=self.cases))

    def hierarchy_of(self, inside: npt.NDArray[np.bool_] | None) -> Hierarchy | None:
        """The levels of some of the cases."""
        if self.hierarchy is None or inside is None:
            return self.hierarchy
        return replace(self.hierarchy, groups={name: group[inside] for name, group in self.hierarchy.groups.items()})

    def full_of(self, inside: npt.NDArray[np.bool_] | None) -> Samples:
        """Some of the cases, once."""
        if inside is None:
            return self.full
        drawn = self.design.full()
        number = np.cumsum(inside) - 1
        draws_inside = inside[drawn.cases]
        local = Drawn(
            number[drawn.cases[draws_inside]],
            drawn.samples[draws_inside],
            {name: copy[draws_inside] for name, copy in drawn.copies.items()},
        )
        return Samples(np.ones((int(inside.sum()), 1)), local)

    def left_out_cases(self, sample: int) -> list[str]:
        """Return the cases that are missing in a leave-one-out sample, by its number among these samples."""
        return [case for case, unit in zip(self.cases, self.design.units, strict=True) if unit == sample]


@dataclass(frozen=True)
class Evaluated:
    """A table with its ranks in every sample; one row if it cannot be resampled.

    Attributes
    ----------
    missing
        Number of cases without a usable prediction, for each algorithm.
    tells_missing
        Whether `missing` counts cases; a value of the whole data set may be one row without information on them.
    inside
        Cases of the plan from which the values are computed, where they belong to one of several data sets; ``None`` for all.
    drawn_by
        Source of the uncertainty of values measured elsewhere (`evaluation.scoring.given_evidence.SOURCES`); empty where
        cases are resampled here.
    standard_errors
        Standard errors of the values measured elsewhere; ``None`` if they are not what is known of the uncertainty.
    trials
        For each value of the whole data set that is 0 or 1, the number of independent trials behind it; 0 for other values, and
        empty where none is known.
    """

    table: Table
    plan: Plan
    ranked: Ranked
    missing: tuple[int, ...]
    tells_missing: bool = True
    inside: npt.NDArray[np.bool_] | None = None
    drawn_by: str = ""
    standard_errors: FloatArray | None = None
    trials: tuple[int, ...] = ()

    @property
    def cases(self) -> int:
        """Number of cases from which its values are computed."""
        if self.inside is not None:
            return int(self.inside.sum())
        return len(self.plan.cases) if self.table.per_dataset else len(self.table.cases)

    @cached_property
    def units(self) -> Units:
        """The units that its values are made of."""
        return self.plan.units if self.inside is None else self.plan.units.within(self.inside)

    @cached_property
    def alike(self) -> npt.NDArray[np.bool_]:
        """Pairs of algorithms whose values are nearly the same."""
        values: FloatArray = self.table.values
        return alike(values)

    @cached_property
    def spread_of_draws(self) -> FloatArray:
        """Mean square of each score's bootstrap deviation from the median deviation of all algorithms."""
        scores = self.ranked.scores
        return spread_around_median(scores[1 : 1 + self.plan.bootstrap] - scores[0])

    @property
    def resampled(self) -> bool:
        """True if there are bootstrap samples."""
        return self.plan.bootstrap > 0 and len(self.ranked.ranks) > 1
