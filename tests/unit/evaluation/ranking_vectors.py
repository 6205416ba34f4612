"""The test vectors of `ranking_examples`: challengeR 1.0.5 on R, checked by an independent program."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from evaluation.aggregation import Table, build_tables, check_results
from evaluation.assessment import Assessment, parse
from evaluation.ranking.drawn import Drawn, Samples
from evaluation.ranking.resampling import Design
from evaluation.ranking.schemes import Ranked, apply_scheme

FOLDER = Path(__file__).parent / "ranking_examples"
FILES = ("ex1_simulated", "ex2_distance_ties_missing")
_OPERATORS = {
    "mean": "mean",
    "median": "median",
    "q05": {"percentile": 5, "from": "low"},
    "q95": {"percentile": 95, "from": "low"},
}


@cache
def vectors(file: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{file}.json").read_text())


@cache
def results(file: str) -> pd.DataFrame:
    return check_results(pd.read_csv(FOLDER / f"{file}.csv"))


def tasks() -> list[tuple[str, str]]:
    return [(file, task) for file in FILES for task in vectors(file)["tasks"]]


def scheme_keys(part: str) -> list[tuple[str, str, str]]:
    """Every (file, task, scheme key) of one part of the vectors."""
    found = []
    for file, task in tasks():
        block = vectors(file)["tasks"][task][part]
        if part == "fixed_resamples":
            block = block["rankings"]
        keys = block if isinstance(block, dict) else [item["scheme"] for item in block]
        found += [(file, task, key) for key in keys]
    return found


def assessment_of(file: str, key: str) -> Assessment:
    """Return the assessment document of a scheme key of the vectors."""
    scheme, ties, *rest = key.split("/")
    document = vectors(file)
    missing = rest[0].removeprefix("na=") if rest else None
    ranking: dict[str, Any] = {"ties": ties.removeprefix("ties=")}
    if scheme.startswith("test_then_rank"):
        ranking |= {"scheme": "test_then_rank", "adjust": "holm" if scheme.endswith("holm") else "none"}
    elif scheme.startswith("rank_then"):
        ranking |= {"scheme": "rank_then_aggregate", "operator": scheme.removeprefix("rank_then_")}
    else:
        ranking |= {"scheme": "aggregate_then_rank", "operator": _OPERATORS[scheme.removesuffix("_then_rank")]}
    policy: dict[str, Any] = {}
    if missing == "worst":
        policy = {"missing": document["missing_replaced_by"]}
    elif missing == "rm":
        policy = {"missing": "exclude", "allow_gaming": True}
    elif missing == "implicit":
        policy = {"missing": "worst_rank"}
    direction = "lower" if document["smaller_is_better"] else "higher"
    metric = {"id": "value", "direction": direction, "policy": policy}
    return parse({"problem": "table", "metrics": [metric], "ranking": ranking})


@cache
def table_of(file: str, task: str, key: str) -> tuple[Assessment, Table]:
    assessment = assessment_of(file, key)
    tables = build_tables(assessment, results(file))
    return assessment, next(table for table in tables if table.task == task)


def ranked(file: str, task: str, key: str, counts: np.ndarray | None = None) -> tuple[Table, Ranked]:
    """Apply the scheme of a key to the full data, or to samples given by multiplicities."""
    assessment, table = table_of(file, task, key)
    counts = np.ones((len(table.cases), 1)) if counts is None else counts
    nothing = Drawn(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), {})
    return table, apply_scheme(
        table.values,
        table.last_rank,
        Samples(counts, nothing),
        assessment.rankings[0],
        higher_is_better=table.metric.higher_is_better,
        aggregation=assessment.aggregation,
        hierarchy=None,
    )


def counts_of(table: Table, draws: list[list[str]]) -> np.ndarray:
    """Multiplicities of drawn case identifiers, cases × samples."""
    number = {case: index for index, case in enumerate(table.cases)}
    counts = np.zeros((len(table.cases), len(draws)))
    for sample, cases in enumerate(draws):
        for case in cases:
            counts[number[case], sample] += 1
    return counts


def design_of(table: Table) -> Design:
    return Design(table.cases)
