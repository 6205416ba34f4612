"""What a run cost, as metrics: case by case, rankable like values that were measured elsewhere.

The values come from the control groups of a run (`table`); an assessment of the kind `external` ranks them. The worst value is
the registered limit, so that failing is never cheaper than finishing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from evaluation.outcomes import Outcome
from evaluation.running.outcomes import RunOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd


@dataclass(frozen=True)
class CostMetric:
    """A metric of what a run took; lower is better and nothing is below 0."""

    id: str
    label: str
    unit: str
    column: str
    """Of the table of runs."""
    limit: str
    """Name of the registered limit that is its worst value; empty where none is registered."""
    scale: float = 1.0
    """From the unit of the limit to that of the metric."""
    needs_exclusive: bool = False
    """Comparable only on one class of machine with nothing else on its cores."""


METRICS: Final = (
    CostMetric("run_wall_time", "Wall time", "s", "wall_seconds", "case_seconds", needs_exclusive=True),
    CostMetric("run_cpu_time", "Processor time", "s", "cpu_seconds", "", needs_exclusive=True),
    CostMetric("run_peak_memory", "Peak memory", "MiB", "peak_memory_mib", "memory_bytes", 2**-20),
    CostMetric("run_gpu_time", "GPU time", "s", "gpu_seconds", "", needs_exclusive=True),
    CostMetric("run_gpu_peak_memory", "Peak memory of GPUs", "MiB", "gpu_peak_memory_mib", "gpu_memory_bytes", 2**-20),
    CostMetric("run_energy", "Energy", "J", "energy_joule", "", needs_exclusive=True),
)


class CostError(ValueError):
    """A cost that cannot be ranked; the message says why."""


def metric_named(name: str) -> CostMetric:
    """Return a metric by its id.

    Raises
    ------
    CostError
        If there is none.
    """
    for own in METRICS:
        if own.id == name:
            return own
    message = f"{name!r} is no cost of a run; known are {', '.join(own.id for own in METRICS)}"
    raise CostError(message)


def worst_of(metric: CostMetric, limits: Mapping[str, float | None]) -> float | None:
    """Return what a case counts as that has no value: the registered limit.

    Parameters
    ----------
    metric
        Of which.
    limits
        As they stand in `interface.json`.
    """
    if metric.id == "run_cpu_time":
        seconds, cpus = limits.get("case_seconds"), limits.get("cpus")
        return None if seconds is None or cpus is None else seconds * cpus
    if metric.id == "run_gpu_time":
        seconds, gpus = limits.get("case_seconds"), limits.get("gpus")
        return None if seconds is None or not gpus else seconds * gpus
    value = limits.get(metric.limit)
    return None if value is None else value * metric.scale


def declared(
    names: Sequence[str], limits: Mapping[str, float | None], *, exclusive: bool = True
) -> list[dict[str, Any]]:
    """Metrics of an assessment of the kind `external` that rank what runs cost.

    Parameters
    ----------
    names
        Ids.
    limits
        As they stand in `interface.json`.
    exclusive
        Whether all runs are on one class of machine with nothing else on its cores.

    Raises
    ------
    CostError
        For a metric that is not known, has no limit to fall back to, or needs a machine of its own.

    Examples
    --------
    >>> declared(["run_wall_time"], {"case_seconds": 300})[0]["policy"]
    {'missing': 300.0}
    """
    entries = []
    for own in map(metric_named, names):
        worst = worst_of(own, limits)
        if worst is None:
            message = f"{own.label} ({own.id}) needs a registered limit, which a case counts as that has no value"
            raise CostError(message)
        if own.needs_exclusive and not exclusive:
            message = (
                f"{own.label} ({own.id}) is comparable only on one class of machine with nothing else on its cores"
            )
            raise CostError(message)
        entries.append(
            {
                "id": own.id,
                "label": own.id,
                "direction": "lower",
                "range": [0, None],
                "unit": own.unit,
                "policy": {"missing": worst},
            }
        )
    return entries


def cost_rows(
    algorithm: str, runs: Sequence[pd.DataFrame], names: Sequence[str], *, tolerance: float = 0.0
) -> list[dict[str, Any]]:
    """Rows of a results table: the median of repeated executions, case by case.

    Parameters
    ----------
    algorithm
        Its name.
    runs
        Table of runs of each execution.
    names
        Ids of the metrics.
    tolerance
        Values are rounded down to whole multiples of it, so that noise makes no ranks; as they are if 0.
    """
    import pandas as pd

    rows = []
    for own in map(metric_named, names):
        kept = [
            table.assign(**{own.column: table[own.column].where(table["outcome"] == RunOutcome.OK)}) for table in runs
        ]
        values = pd.concat(kept).groupby("case")[own.column].median()
        for case, value in values.sort_index().items():
            is_there = not pd.isna(value)
            number = float(value) if is_there else None
            if number is not None and tolerance:
                number = int(number / tolerance) * tolerance
            outcome = Outcome.OK if is_there else Outcome.MISSING
            rows.append(
                {
                    "algorithm": algorithm,
                    "case": case,
                    "region": "",
                    "metric": own.id,
                    "value": number,
                    "outcome": str(outcome),
                }
            )
    return rows


@dataclass(frozen=True)
class Agreement:
    """How far repeated executions of one algorithm agree about a cost."""

    executions: int
    cases: int
    spread: float
    """Median over cases of the range over executions, in shares of the case's median."""
    widest: float
    """The widest of them."""


def agreement(runs: Sequence[pd.DataFrame], name: str) -> Agreement | None:
    """Say how far repeated executions agree; None with fewer than two, or without a case that all did and measured."""
    import pandas as pd

    own = metric_named(name)
    if len(runs) < 2:
        return None
    done = [table[table["outcome"] == RunOutcome.OK].set_index("case")[own.column] for table in runs]
    values = pd.concat(done, axis=1, join="inner").dropna()
    middle = values.median(axis=1)
    values, middle = values[middle > 0], middle[middle > 0]
    if values.empty:
        return None
    shares = (values.max(axis=1) - values.min(axis=1)) / middle
    return Agreement(len(runs), len(values), float(shares.median()), float(shares.max()))
