"""The values and ranks of single cases, as figures and reports of raw data need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from evaluation.aggregation import build_tables, check_results
from evaluation.ranking.scores import rank, snap

if TYPE_CHECKING:
    import pandas as pd

    from evaluation.assessment.model import Assessment

FloatArray = npt.NDArray[np.float64]


def raw_values(assessment: Assessment, results: pd.DataFrame) -> list[dict[str, Any]]:
    """Return values after the registered policies, and ranks on every case with the rule ``min``.

    Returns
    -------
    list of dict
        One entry per metric, region and task with values of cases: ``cases``, ``algorithms``, ``values`` and ``ranks``
        (cases × algorithms, ``None`` where a case is excluded).
    """
    scheme = assessment.rankings[0]
    entries = []
    for table in build_tables(assessment, check_results(results)):
        if table.per_dataset:
            continue
        ranks = rank(
            snap(table.values),
            higher_is_better=table.metric.higher_is_better,
            missing_rank=scheme.missing_rank,
            last_rank=table.last_rank,
        )
        entries.append(
            {
                "metric": table.metric.name,
                "region": table.region,
                "task": table.task,
                "direction": table.metric.direction,
                "unit": table.metric.unit,
                "cases": list(table.cases),
                "algorithms": list(table.algorithms),
                "values": _plain(table.values),
                "ranks": _plain(ranks),
            }
        )
    return entries


def long_table(assessment: Assessment, results: pd.DataFrame) -> pd.DataFrame:
    """Return the values in the format of challengeR, with one metric and region per task.

    The columns are ``task``, ``algorithm``, ``case`` and ``value``. Values are those after the registered policies.
    Aggregate-then-rank therefore yields the same ranking there. A value that is excluded or ranked last is missing.
    """
    import pandas as pd

    rows = [
        (", ".join(str(part) for part in (entry["task"], entry["metric"], entry["region"]) if part), name, case, value)
        for entry in raw_values(assessment, results)
        for case, values in zip(entry["cases"], entry["values"], strict=True)
        for name, value in zip(entry["algorithms"], values, strict=True)
    ]
    return pd.DataFrame(rows, columns=["task", "algorithm", "case", "value"])


def _plain(matrix: FloatArray) -> list[list[float | None]]:
    plain = matrix.astype(object)
    plain[~np.isfinite(matrix)] = None
    rows: list[list[float | None]] = plain.tolist()
    return rows
