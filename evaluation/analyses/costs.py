"""Cost of algorithms relative to their quality.

Both values are the ranked ones. If cases are ranked, they are means.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.aggregation import build_tables, check_results
from evaluation.figures.quality_and_cost import Axis, quality_and_cost
from evaluation.ranking.counted import counted_results
from evaluation.ranking.document import plan_of, reported_entry
from evaluation.ranking.schemes import get_scheme
from evaluation.ranking.scores import operator_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from evaluation.aggregation import Table
    from evaluation.analyses.sources import Figure, Order, Sources
    from evaluation.assessment.costs import CostMetric
    from evaluation.assessment.model import MetricUse
    from evaluation.ranking.reading import Entry


def question_of(cost: CostMetric) -> str:
    """Return the question that the figure of a cost answers."""
    return f"Who is beaten in quality and {cost.label.lower()} at once?"


def drawing(cost: CostMetric) -> Callable[[Sources, Order, Entry], Figure | None]:
    """The function that draws quality against a cost for an order of one metric and region."""

    def draw(sources: Sources, order: Order, entry: Entry) -> Figure | None:
        return None if order["metric"] is None else plane_of_entry(sources, entry, cost)

    return draw


def plane_of_entry(sources: Sources, entry: Entry, cost: CostMetric) -> Figure | None:
    """Quality by the metric and region of an entry against a cost, where that cost is measured.

    For an entry of the cost itself the quality is that of the first entry of its task which is of one.
    """
    use = next((run_metric for run_metric in sources.assessment.by_run if run_metric.options["id"] == cost.id), None)
    metric = sources.assessment.metric(entry["metric"])
    if use is None:
        return None
    if metric.is_by_run:
        first = _first_of_quality(sources, entry.get("task")) if metric.name == use.name else None
        return None if first is None else plane_of_entry(sources, first, cost)
    of_cost = _axis(sources, use, None, entry.get("task"), entry.get("name"))
    quality = _axis(sources, metric, entry.get("region"), entry.get("task"), entry.get("name"))
    if of_cost is None or quality is None:
        return None
    return quality_and_cost(sources.document, quality, of_cost, question=question_of(cost))


def _first_of_quality(sources: Sources, task: str | None) -> Entry | None:
    """The first entry of a task that ranks by how good the output is."""
    of_task = (entry for entry in sources.document["rankings"] if entry.get("task") == task)
    return next((entry for entry in of_task if not sources.assessment.metric(entry["metric"]).is_by_run), None)


def planes(sources: Sources, *, most: int | None = None) -> Iterator[tuple[Entry, CostMetric, Figure]]:
    """Every pair of a metric in a region and a cost that can be drawn, each once; of the first `most` pairs of metric and region."""
    from evaluation.assessment.costs import METRICS

    seen: set[tuple[Any, ...]] = set()
    for entry in sources.document["rankings"]:
        metric_key = tuple(entry.get(key) for key in ("metric", "region", "task"))
        if metric_key in seen or sources.assessment.metric(entry["metric"]).is_by_run:
            continue
        if most is not None and len(seen) == most:
            return
        seen.add(metric_key)
        for cost in METRICS:
            figure = plane_of_entry(sources, entry, cost)
            if figure is not None:
                yield entry, cost, figure


def _axis(
    sources: Sources, metric: MetricUse, region: str | None, task: str | None, ranking: str | None
) -> Axis | None:
    """Return the values of a metric.

    They are the scores of the order's ranking, else of another ranking, else separate means.
    """
    wanted = {"metric": metric.name, "region": region, "task": task}
    entries = [
        entry
        for entry in sources.document["rankings"]
        if all(entry.get(key) == value for key, value in wanted.items()) and _is_of_values(entry, metric)
    ]
    entries.sort(key=lambda entry: entry.get("name") != ranking)
    if entries:
        chosen = entries[0]
        scheme = next(scheme for scheme in sources.assessment.rankings if scheme.name == chosen.get("name"))
        how = "" if metric.level == "dataset" else operator_name(scheme.operator)
        rows = [(row["name"], row["score"], row["score_interval"]) for row in chosen["algorithms"]]
    else:
        means = _means(sources, metric, region, task)
        if means is None:
            return None
        how = "mean"
        rows = [(row["name"], row["value"], row["interval"]) for row in means["algorithms"]]
    unit = sources.length_unit if metric.unit == "mm" else metric.unit
    words = " ".join(
        filter(None, [f"{how} of" if how else "", metric.title, region or "", f"({unit})" if unit else ""])
    )
    return Axis(
        f"{words[0].upper()}{words[1:]}",
        metric.higher_is_better,
        {name: value for name, value, _ in rows},
        {name: (ends[0], ends[1]) for name, _, ends in rows if ends is not None},
    )


def _is_of_values(entry: Mapping[str, Any], metric: MetricUse) -> bool:
    """Return whether the score of an entry is in the unit of its metric.

    Means of ranks and numbers of tests won are not.
    """
    scheme = get_scheme(entry["scheme"])
    return metric.level == "dataset" or scheme.aggregates_values or scheme.one_value


def _means(sources: Sources, metric: MetricUse, region: str | None, task: str | None) -> dict[str, Any] | None:
    """Means over the registered levels, with their resampling ranges, of a metric that is ranked by cases or not at all.

    A missing case that is registered to get the last rank counts as the worst value here, where there is one; else an
    algorithm with such a case has no mean, since a mean over the others would be of cases that it chose itself.
    """
    assessment, document = sources.assessment, sources.document
    of_metric = sources.results[sources.results["metric"] == metric.name]
    counted = counted_results(assessment, check_results(of_metric), cases=sources.cases)
    results = check_results(counted.results) if counted.excluded else counted.results
    tables = [
        table
        for table in build_tables(assessment, results, metrics=[metric.name])
        if (table.region, table.task) == (region, task) and not table.per_dataset
    ]
    if not tables:
        return None
    plan = plan_of(
        assessment,
        results,
        tables[0],
        metadata=sources.cases,
        evidence=None,
        bootstrap=document["bootstrap"],
        seed=document["seed"],
    )
    table = _without_last_ranks(tables[0])
    entry = reported_entry(table, plan, assessment)
    unknown = {name for name, column in zip(table.algorithms, table.last_rank.T, strict=True) if column.any()}
    nothing = {"value": None, "interval": None}
    return {**entry, "algorithms": [row | nothing if row["name"] in unknown else row for row in entry["algorithms"]]}


def _without_last_ranks(table: Table) -> Table:
    if table.metric.worst is None or not table.last_rank.any():
        return table
    values = np.where(table.last_rank, table.metric.worst, table.values)
    return replace(table, values=values, last_rank=np.zeros_like(table.last_rank))
