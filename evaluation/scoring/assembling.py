"""From what single cases add to the values of the whole data set: rows, the evidence that they are made of, and working points.

Folders of files are scored in one go; a platform scores case by case, in any order and on any machine, and puts the
pieces together at the end. Both ways give the same rows and the same evidence.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from evaluation.problems import kind_of
from evaluation.scoring.evidence import recompute_values
from evaluation.scoring.evidence_blocks import Evidence, make_evidence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import Assessment
    from evaluation.scoring.evidence import Evidence
    from evaluation.scoring.rows import Pieces, Row


def assemble(
    assessment: Assessment, pieces: Mapping[str, Pieces | None], *, shared: Mapping[str, Any], algorithm: str = ""
) -> tuple[list[Row], Evidence]:
    """Put the pieces of all cases together.

    Parameters
    ----------
    assessment
        With metrics of the whole data set.
    pieces
        Of every case; ``None`` for a case whose prediction is missing, where the kind of problem gives no pieces of it.
    shared
        What the evidence of all algorithms has in common.

    Returns
    -------
    tuple
        The rows of the whole data set, and the evidence.
    """
    problem = kind_of(assessment)
    rows, blocks = problem.evidence.assemble(assessment, algorithm, pieces, shared)
    return rows, make_evidence(assessment, blocks, parts=problem.evidence.parts_by_metric(assessment), shared=shared)


def working_points(assessment: Assessment, evidence: Evidence) -> list[dict[str, Any]]:
    """Return the working point of each metric at a target of another, by algorithm, metric and region.

    Returns
    -------
    list of dict
        ``threshold`` is the lowest score that is predicted positive at the working point, ``None`` if nothing
        is predicted at all. The list does not include a working point that does not exist or is a mean over
        several criteria.
    """
    problem = kind_of(assessment)
    points = []
    for use in assessment.computed:
        if use.name not in evidence.metrics or "_at_" not in use.id:
            continue
        for algorithm in evidence.algorithms:
            for region in problem.evidence.regions_of(assessment, use, evidence.header["shared"]):
                if not _is_there(evidence, use.name, algorithm, region):
                    continue
                case_evidence = evidence.select(use.name, algorithm, region)
                values = recompute_values(use, case_evidence, np.ones((1, len(case_evidence.cases))))
                if values.thresholds is None or values.result().value is None:
                    continue
                threshold = float(values.thresholds[0])
                points.append(
                    {
                        "algorithm": algorithm,
                        "metric": use.name,
                        "region": region,
                        "threshold": threshold if math.isfinite(threshold) else None,
                    }
                )
    return points


def _is_there(evidence: Evidence, metric: str, algorithm: str, region: str) -> bool:
    try:
        evidence.select(metric, algorithm, region)
    except KeyError:
        return False
    return True
