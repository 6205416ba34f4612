"""Costs of runs from their tables: rows of results, and agreement of repeated runs.

The values come from the control groups of a run (`table`). The assessment of a challenge defines which of them are
ranked (`evaluation.assessment.costs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evaluation.assessment.costs import CostError, declared, metric_named, told_value
from evaluation.outcomes import Outcome
from evaluation.running.outcomes import RunOutcome
from evaluation.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from evaluation.assessment.model import Assessment, MetricUse

Costs = dict[tuple[str, str], tuple[float | None, str]]


def costs_of(runs: Sequence[pd.DataFrame], uses: Sequence[MetricUse]) -> Costs:
    """Return value and outcome by case and metric name, as the median of repeated executions.

    A failed case has no value, regardless of its cost: it counts as the registered limit. A value can exceed
    that limit because two processes have different clocks; it then counts as the limit.

    Parameters
    ----------
    runs
        Table of runs of each execution.
    uses
        Costs as an assessment declares them; values are rounded to whole steps of the cost (`told_value`).

    Raises
    ------
    CostError
        If a valid case was not measured: it would count as failed although it did not fail.
    """
    import pandas as pd

    costs: Costs = {}
    for use in uses:
        metric = metric_named(use.options["id"])
        tables = []
        for table in runs:
            is_valid = (table["outcome"] == RunOutcome.OK).to_numpy(dtype=bool)
            values = pd.to_numeric(table[metric.column]).astype("Float64")
            if metric.least is not None:
                values = values.fillna(metric.least)
            if unmeasured := int((values.isna() & is_valid).sum()):
                message = f"{metric.label} of {counted(unmeasured, 'case')} was not measured when the algorithm was run"
                raise CostError(message)
            tables.append(table.assign(cost=values.where(is_valid).astype(float)))
        for case, value in pd.concat(tables).groupby("case")["cost"].median().items():
            number = None if pd.isna(value) else told_value(use, float(value))
            costs[str(case), use.name] = (number, str(Outcome.MISSING if number is None else Outcome.OK))
    return costs


def check_measured(assessment: Assessment, limits: Mapping[str, Any] | None) -> None:
    """Refuse an assessment with costs that are not measured or that reward failure.

    A phase must measure every ranked cost, and failing must not be cheaper than finishing.

    Parameters
    ----------
    assessment
        Assessment of the phase.
    limits
        Registered limits of its algorithms (`evaluation.running.registered`); empty if participants submit
        predictions.

    Raises
    ------
    CostError
        If a cost is not measured, if failing is cheaper than finishing, or for a time metric if other
        algorithms can run on the machine at the same time.
    """
    for use in assessment.by_run:
        metric = metric_named(use.options["id"])
        if not limits:
            message = (
                f"{use.title} is measured where algorithms are run here, and to this phase predictions are handed in"
            )
            raise CostError(message)
        [entry] = declared([metric.id], limits, exclusive=bool(limits.get("exclusive")))
        if use.worst is not None and use.worst < entry["worst"]:
            message = f"{use.title}: a failed case counts as {use.worst:g} {metric.unit}, and one that is finished may cost {entry['worst']:g}"
            raise CostError(message)


@dataclass(frozen=True)
class Agreement:
    """Agreement of repeated executions of one algorithm about a cost."""

    executions: int
    cases: int
    spread: float
    """Median over cases of the range over executions, in shares of the case's median."""
    widest: float
    """The widest of them."""
    of_means: float
    """Range over executions of the mean of these cases, in shares of the median of the means."""


def agreement(runs: Sequence[pd.DataFrame], name: str) -> Agreement | None:
    """Return how far repeated executions agree.

    The result is None with fewer than two executions, or if no case was finished and measured in all of them.
    """
    import pandas as pd

    metric = metric_named(name)
    if len(runs) < 2:
        return None
    done = [table[table["outcome"] == RunOutcome.OK].set_index("case")[metric.column] for table in runs]
    values = pd.concat(done, axis=1, join="inner").dropna()
    middle = values.median(axis=1)
    values, middle = values[middle > 0], middle[middle > 0]
    if values.empty:
        return None
    shares = (values.max(axis=1) - values.min(axis=1)) / middle
    means = values.mean(axis=0)
    of_means = (means.max() - means.min()) / means.median()
    return Agreement(len(runs), len(values), float(shares.median()), float(shares.max()), float(of_means))
