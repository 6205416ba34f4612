"""Invented values of metrics that a rehearsal cannot compute: costs of runs, values of scoring images and of outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evaluation.outcomes import Outcome
from evaluation.scoring.rows import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.assessment.model import Assessment, MetricUse


def invented_rows(
    assessment: Assessment, algorithms: Sequence[str], cases: Sequence[str], *, complete: bool = False
) -> list[Row]:
    """Return values for costs of runs and for metrics of a scoring image.

    Parameters
    ----------
    complete
        Whether the last algorithm has the last case, too.
    """
    regions = [region.name for region in assessment.regions] or [""]
    rows = _rows(assessment.by_run, [""], algorithms, cases, complete=complete)
    return rows + _rows(assessment.by_scorer, regions, algorithms, cases, complete=complete)


def invented_results(assessment: Assessment, algorithms: Sequence[str], cases: Sequence[str]) -> list[Row]:
    """Return values for all metrics of an assessment of values that are measured outside."""
    regions = [region.name for region in assessment.regions] or [""]
    return _rows(assessment.metrics, regions, algorithms, cases)


def _rows(
    uses: Sequence[MetricUse],
    regions: Sequence[str],
    algorithms: Sequence[str],
    cases: Sequence[str],
    *,
    complete: bool = False,
) -> list[Row]:
    random = np.random.default_rng(1)
    rows = []
    for use in uses:
        low, high = _span(use)
        for index, algorithm in enumerate(algorithms):
            for region in regions:
                for case in [""] if use.level == "dataset" else cases:
                    share = random.uniform(0.6, 0.9) - 0.2 * (index == 1)
                    share = share if use.higher_is_better else 1 - share
                    missing = not complete and index == len(algorithms) - 1 and case == cases[-1]
                    value = None if missing else float(low + (high - low) * share)
                    outcome = Outcome.MISSING if missing else Outcome.OK
                    rows.append(Row(algorithm, case, region, use.name, value, outcome, None))
    return rows


def _span(use: MetricUse) -> tuple[float, float]:
    """Return two bounds between which values are invented."""
    bounds = [bound for bound in (use.worst, use.best) if bound is not None]
    if len(bounds) == 2:
        return min(bounds), max(bounds)
    low = bounds[0] if bounds else 0.0
    is_lower_end = not bounds or (use.best is not None) != use.higher_is_better
    return (low, low + 10.0) if is_lower_end else (low - 10.0, low)
