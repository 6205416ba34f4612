"""Metrics that are computed and reported without a rank: their values with resampling intervals, in no order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.assessment.model import Operator
from evaluation.ranking.entries import resampling_interval
from evaluation.ranking.evaluate import evaluate
from evaluation.ranking.schemes import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evaluation.aggregation import Table
    from evaluation.assessment import Assessment
    from evaluation.ranking.evaluate import Plan
    from evaluation.scoring.evidence import Evidence


def unranked_metrics(assessment: Assessment) -> tuple[str, ...]:
    """Names of the metrics that no ranking uses, in the order of the assessment.

    Examples
    --------
    >>> from evaluation.assessment import parse
    >>> unranked_metrics(parse({"problem": "semantic_segmentation", "regions": [{"name": "all", "labels": [1]}],
    ...     "metrics": [{"id": "dsc"}, {"id": "iou"}], "ranking": {"metrics": ["dsc"]}}))
    ('iou',)
    """
    if any(scheme.metrics is None for scheme in assessment.rankings):
        return ()
    used = {name for scheme in assessment.rankings for name in scheme.metrics or ()}
    return tuple(metric.name for metric in assessment.metrics if metric.name not in used)


def reported_entry(
    table: Table, plan: Plan, assessment: Assessment, *, evidence: Evidence | None = None
) -> dict[str, Any]:
    """What a ranking document says of a metric in a region that is not used for a ranking.

    The value is the mean along the registered levels, with policies for what is missing as in a ranking. A policy by
    ranks gives no value: then the mean is over the cases that have one, and ``cases`` of the algorithm says how many.
    Algorithms stand in the order of their names.
    """
    mean = replace(
        assessment.rankings[0], name=None, scheme=DEFAULT, operator=Operator("mean"), metrics=None, regions=None,
        combine=None, options={},
    )  # fmt: skip
    found = evaluate(table, plan, mean, assessment, evidence=evidence)
    values, intervals = found.ranked.scores[0], resampling_interval(found, assessment)
    cases = len(plan.cases) if table.per_dataset else len(table.cases)
    with_value = np.isfinite(table.values).sum(axis=0)
    return {
        "metric": table.metric.name,
        "region": table.region,
        "task": table.task,
        "direction": table.metric.direction,
        "unit": table.metric.unit,
        "cases": cases,
        "algorithms": [
            {
                "name": name,
                "value": float(values[index]) if np.isfinite(values[index]) else None,
                "interval": intervals[index],
                "cases": cases if table.per_dataset else int(with_value[index]),
            }
            for index, name in _by_name(table.algorithms)
        ],
    }


def _by_name(names: Sequence[str]) -> list[tuple[int, str]]:
    return sorted(enumerate(names), key=lambda entry: entry[1])
