"""Federations for tests: assessments, results tables of sites, and the reference's vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evaluation.assessment import Assessment, parse

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "federated_examples.json").read_text(encoding="utf-8"))
PER_SITE: list[dict[str, Any]] = [
    {"over": ["metric", "region"], "operator": "mean", "rerank": True},
    {"over": ["site"], "operator": "mean", "rerank": False},
]
TOGETHER: dict[str, Any] = {"over": ["metric", "region"]}


def assessment(
    scheme: str,
    missing: Any,
    combine: Any,
    *,
    resample: Any = "case",
    strata: tuple[str, ...] = ("site",),
    levels: list[str] | None = None,
    **ranking: Any,
) -> Assessment:
    """Of one metric in two regions, as in the vectors."""
    document: dict[str, Any] = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "TC", "labels": [1]}, {"name": "WT", "labels": [1, 2]}],
        "metrics": [{"id": "dsc", "policy": {"missing": missing}}],
        "ranking": {"scheme": scheme, "combine": combine, **ranking},
        "uncertainty": {"bootstrap": 1000, "seed": 1, "resample": resample, "strata": list(strata)},
    }
    if levels is not None:
        document["aggregation"] = {"levels": levels}
    return parse(document)


def schemes() -> dict[str, Assessment]:
    """The three schemes of the vectors."""
    return {
        "mean": assessment("aggregate_then_rank", 0, TOGETHER),
        "rank": assessment("rank_then_aggregate", "worst_rank", TOGETHER),
        "fets": assessment("rank_then_aggregate", "worst_rank", PER_SITE),
    }


def table(
    cases: list[str], values: dict[tuple[str, str], list[list[float | None]]], algorithms: list[str]
) -> pd.DataFrame:
    """A results table from values by metric and region, cases × algorithms."""
    rows = [
        {
            "algorithm": algorithm,
            "case": case,
            "region": region,
            "metric": metric,
            "value": value,
            "outcome": "missing" if value is None else "ok",
        }
        for (metric, region), given in values.items()
        for case, row in zip(cases, given, strict=True)
        for algorithm, value in zip(algorithms, row, strict=True)
    ]
    return pd.DataFrame(rows)


def random_site(
    site: str, cases: int, algorithms: int, generator: np.random.Generator, *, gone: float = 0.0
) -> pd.DataFrame:
    """A site with values on a coarse grid, so that there are ties."""
    names = [f"net-{j:02d}" for j in range(algorithms)]
    skill = np.linspace(0.05, 0.0, algorithms)
    values = {}
    for region in ("TC", "WT"):
        drawn = np.clip(np.round(0.75 + skill + generator.normal(0, 0.08, (cases, algorithms)), 3), 0, 1)
        lost = generator.random((cases, algorithms)) < gone
        values["dsc", region] = [
            [None if lost[i, j] else float(drawn[i, j]) for j in range(algorithms)] for i in range(cases)
        ]
    return table([f"{site}-case-{i:03d}" for i in range(cases)], values, names)


def vector_table(site: str) -> pd.DataFrame:
    """A site of the medium example."""
    example = VECTORS["medium_example"]
    own = example["data"][site]
    values = {tuple(cell): given for cell, given in zip(example["cells"], own["values"], strict=True)}
    return table(own["cases"], values, example["algorithms"])
