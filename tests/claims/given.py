"""Challenges with values of the whole data set that were measured elsewhere.

The values have replicates, standard errors, or no uncertainty.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from evaluation.assessment import Assessment, parse
from evaluation.scoring.evidence import Evidence, make_evidence
from evaluation.scoring.given_evidence import Given, shared_of

REPLICATES = 200
FORMS = ("replicates", "standard_errors", "nothing")
_METRICS: tuple[dict[str, Any], ...] = (
    {"id": "fid", "direction": "lower", "range": [0, None], "level": "dataset", "policy": {"missing": 500}},
    {"id": "rap", "direction": "higher", "range": [0, 1], "level": "dataset"},
)


@dataclass(frozen=True)
class Measured:
    """A challenge with values of the whole data set that were measured elsewhere.

    Attributes
    ----------
    missing
        Number of missing values by team.
    """

    assessment: Assessment
    results: pd.DataFrame
    evidence: Evidence
    missing: dict[str, int]


def measured(random: np.random.Generator, names: list[str], cases: list[str], uncertainty: dict[str, Any]) -> Measured:
    """Values of some quality, each team somewhat worse than the one before; what is known of them differs from metric to metric."""
    metrics = [dict(metric) for metric in _METRICS[: int(random.integers(1, 3))]]
    if mixed := bool(random.random() < 0.3):
        metrics.append({"id": "tra", "direction": "higher", "range": [0, 1]})
    forms = {metric["id"]: str(random.choice(FORMS, p=[0.5, 0.3, 0.2])) for metric in metrics if "level" in metric}
    for metric in metrics[: len(forms)]:
        if forms[metric["id"]] == "nothing":
            metric["without_uncertainty"] = True
    document: dict[str, Any] = {
        "problem": "external",
        "metrics": metrics,
        "ranking": {"scheme": "aggregate_then_rank" if mixed else "one_score"},
        "uncertainty": uncertainty,
    }
    if len(metrics) > 1:
        document["ranking"]["combine"] = {"over": ["metric"], "operator": "mean", "rerank": True}
    assessment = parse(document)
    gap, spread = float(random.choice([0.0, 0.02, 0.2])), float(random.choice([0.01, 0.1]))
    blocks, rows, missing = [], [], dict.fromkeys(names, 0)
    for use in assessment.metrics[: len(forms)]:
        shared = random.normal(0, spread, REPLICATES)
        for place, name in enumerate(names):
            value = float(np.clip(0.7 - gap * place + random.normal(0, spread), 0, 1).round(3))
            if random.random() < 0.04:
                missing[name] += 1
                rows.append((name, "", "", use.name, np.nan, "missing", ""))
                continue
            form = forms[use.name]
            drawn = np.clip(value + shared + random.normal(0, spread / 5, REPLICATES), 0, 1)
            given = {
                "replicates": Given(value, tuple(drawn.tolist()), tuple(map(str, range(REPLICATES)))),
                "standard_errors": Given(value, standard_error=spread),
                "nothing": Given(value),
            }[form]
            blocks.append(given.block(use.name, name, ""))
            rows.append((name, "", "", use.name, value, "ok", ""))
    for place, name in enumerate(names if mixed else ()):
        for case in cases:
            if random.random() < 0.03:
                rows.append((name, case, "", "tra", np.nan, "missing", ""))
            else:
                value = float(np.clip(0.7 - gap * place + random.normal(0, spread), 0, 1).round(3))
                rows.append((name, case, "", "tra", value, "ok", ""))
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "flag"]
    parts = {use.name: use.name for use in assessment.metrics}
    evidence = make_evidence(assessment, blocks, parts=parts, shared=shared_of(cases))
    return Measured(assessment, pd.DataFrame(rows, columns=columns), evidence, missing)
