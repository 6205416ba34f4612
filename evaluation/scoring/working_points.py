"""The thresholds at which working points were found: stored with the results that they belong to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation import problems
from evaluation.scoring.evidence import recompute_values

if TYPE_CHECKING:
    from evaluation.assessment import Assessment
    from evaluation.scoring.evidence import Evidence


def working_points(assessment: Assessment, evidence: Evidence | None) -> list[dict[str, Any]]:
    """Where each metric at a target of another was read off, by algorithm, metric and region.

    Returns
    -------
    list of dict
        ``threshold`` is the lowest score that is predicted positive there, ``None`` where nothing is predicted at all. A
        working point that does not exist, or is a mean over several criteria, is not in the list.
    """
    if evidence is None:
        return []
    problem = problems.get(assessment.problem)
    found = []
    for use in assessment.metrics:
        if use.name not in evidence.metrics or "_at_" not in use.id:
            continue
        for algorithm in evidence.algorithms:
            for region in problem.regions_of(assessment, use, evidence.header["shared"]):
                if not _is_there(evidence, use.name, algorithm, region):
                    continue
                own = evidence.select(use.name, algorithm, region)
                values = recompute_values(use, own, np.ones((1, len(own.cases))))
                if values.thresholds is None or values.result().value is None:
                    continue
                threshold = float(values.thresholds[0])
                found.append(
                    {
                        "algorithm": algorithm,
                        "metric": use.name,
                        "region": region,
                        "threshold": threshold if math.isfinite(threshold) else None,
                    }
                )
    return found


def _is_there(evidence: Evidence, metric: str, algorithm: str, region: str) -> bool:
    try:
        evidence.select(metric, algorithm, region)
    except KeyError:
        return False
    return True
