"""Values for all cases together, recomputed in every sample from what they are made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation import problems
from evaluation.aggregation import ResultsError, Table

if TYPE_CHECKING:
    from evaluation.ranking.evaluate import Plan
    from evaluation.scoring.evidence import Evidence

FloatArray = npt.NDArray[np.float64]
_AGREES = 1e-6


def load_evidence(evidence: Any) -> Evidence | None:
    """Evidence as it is, or read from a file or several files."""
    if evidence is None:
        return None
    from evaluation.scoring.evidence import Evidence, read_evidence

    if isinstance(evidence, Evidence):
        return evidence
    paths = [evidence] if isinstance(evidence, (str, Path)) else list(evidence)
    return read_evidence(*paths)


def sampled_values(table: Table, plan: Plan, evidence: Evidence) -> FloatArray | None:
    """Recompute a data-set-level metric for every algorithm in every sample.

    Parameters
    ----------
    table
        The values on the full data, one row.
    plan
        The samples, over the cases of the evidence.
    evidence
        Of all algorithms.

    Returns
    -------
    numpy.ndarray or None
        Samples × algorithms; ``None`` if the evidence has nothing of this metric, or of nobody. An algorithm whose submission is
        missing altogether keeps the value of the policy in every sample.

    Raises
    ------
    ResultsError
        If the evidence has other cases, lacks an algorithm, or gives another value than the results on the full data.
    """
    from evaluation.scoring.evidence import recompute

    metric, region = table.metric, table.region or ""
    if metric.name not in evidence.metrics or not evidence.blocks:
        return None
    if evidence.cases != plan.cases:
        message = (
            f"the evidence has {len(evidence.cases)} cases, the results have {len(plan.cases)}, "
            "and they have to be the same"
        )
        raise ResultsError(message)
    times = np.ascontiguousarray(plan.samples.counts.T)
    result = np.empty((plan.number, len(table.algorithms)))
    for column, name in enumerate(table.algorithms):
        stored = float(table.values[0, column])
        try:
            pieces = evidence.select(metric.name, name, region)
        except KeyError as error:
            if not table.outcomes[column].get("missing"):
                raise ResultsError(str(error.args[0])) from None
            result[:, column] = stored
            continue
        result[:, column] = recompute(metric, pieces, times)
        if not _alike(float(result[0, column]), stored):
            message = (
                f"the evidence gives {result[0, column]:.6g} for metric {metric.name!r} of algorithm {name!r}, "
                f"the results {stored:.6g}: they do not belong together"
            )
            raise ResultsError(message)
    return result


def cases_without_prediction(table: Table, plan: Plan, evidence: Evidence | None) -> tuple[int, ...]:
    """On how many cases each algorithm of a table has no usable prediction.

    A value of the whole data set has one row, which does not say on how many cases it rests. Of a classification the
    evidence says it case by case; where the value itself is missing, every case lacks what the metric needs.
    """
    missing_rows = tuple(outcomes.get("missing", 0) for outcomes in table.outcomes)
    if not table.per_dataset or evidence is None or not tells_missing_cases(table, evidence):
        return missing_rows
    kind = evidence.header["problem"]
    counts = []
    for name, value_is_missing in zip(table.algorithms, missing_rows, strict=True):
        if value_is_missing:
            counts.append(len(plan.cases))
        else:
            pieces = evidence.select(table.metric.name, name, table.region or "")
            counts.append(problems.get(kind).unanswered_cases(pieces))
    return tuple(counts)


def tells_missing_cases(table: Table, evidence: Evidence | None) -> bool:
    """Whether it is known on how many cases a prediction is missing, and not only whether there is a value."""
    if not table.per_dataset:
        return True
    if evidence is None:
        return False
    kind = evidence.header["problem"]
    return problems.is_known(kind) and problems.get(kind).evidence_tells_missing


def _alike(first: float, second: float) -> bool:
    if np.isfinite(first) and np.isfinite(second):
        return abs(first - second) <= _AGREES * max(1.0, abs(second))
    return first == second or bool(np.isnan(first) and np.isnan(second))
