"""Eight small challenges, each of a kind for which a ranking is easily described as too certain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from evaluation.assessment import parse
from evaluation.scoring.classification_evidence import PART, make_block, value_of
from evaluation.scoring.evidence import Evidence, make_evidence

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = ("Ada", "Ben", "Cleo", "Dora", "Eve", "Finn", "Gail")


@dataclass(frozen=True)
class Contest:
    """Input of a ranking.

    Attributes
    ----------
    document
        The registered assessment.
    results
        The results table.
    cases
        Metadata of the cases.
    evidence
        Evidence of metrics of the whole data set.
    """

    document: dict[str, Any]
    results: pd.DataFrame
    cases: pd.DataFrame | None = None
    evidence: Evidence | None = None


def _values(seed: int, cases: int, means: tuple[float, ...], noise: float = 0.03) -> np.ndarray:
    """Values between 0 and 1, cases × teams, with easy and hard cases."""
    random = np.random.default_rng(seed)
    drawn = np.array(means) + random.normal(0, 0.08, (cases, 1)) + random.normal(0, noise, (cases, len(means)))
    return drawn.clip(0, 1).round(4)


def _table(values: np.ndarray, *, missing: tuple[tuple[int, int], ...] = (), **columns: str) -> pd.DataFrame:
    """A results table; `missing` are pairs of case and team without a prediction."""
    rows = [
        (NAMES[team], f"case-{case:02d}", np.nan if (case, team) in missing else value)
        for (case, team), value in np.ndenumerate(values)
    ]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    table["outcome"] = np.where(table["value"].isna(), "missing", "ok")
    return table.assign(**columns)


def _one_metric(**changes: Any) -> dict[str, Any]:
    metric = {"id": "value", "name": "overlap", "direction": "higher", "policy": {"missing": 0}}
    return {"problem": "table", "metrics": [metric], "uncertainty": {"bootstrap": 1000, "seed": 1}, **changes}


def _two_metrics() -> dict[str, Any]:
    return {
        "problem": "semantic_segmentation",
        "regions": [{"name": "whole", "labels": [1]}],
        "metrics": [{"id": "dsc"}, {"id": "iou"}],
        "uncertainty": {"bootstrap": 1000, "seed": 1},
    }


def two_teams() -> Contest:
    """Two teams, one of which lacks a case."""
    return Contest(_one_metric(), _table(_values(1, 30, (0.82, 0.80)), missing=((4, 0),)))


def ties() -> Contest:
    """Two teams with the same results at the top, two more below."""
    values = _values(2, 25, (0.85, 0.85, 0.6, 0.6, 0.5))
    values[:, 1], values[:, 3] = values[:, 0], values[:, 2]
    return Contest(_one_metric(), _table(values))


def clones() -> Contest:
    """Two slightly worse versions of a team that lift it over another one where ranks of two metrics are averaged."""
    random = np.random.default_rng(8)
    base = random.normal(0.7, 0.02, 30)
    own, other = random.normal(0, 0.002, (2, 30))
    far = [base - 0.2 + random.normal(0, 0.01, 30) for _ in range(3)]
    first, second = base + own + 0.03, base + own
    dsc = np.stack([first, base + other, first - 0.0002, first - 0.0004, *far], axis=1)
    iou = np.stack([second, base + other + 0.031, second - 0.0002, second - 0.0004, *far], axis=1)
    tables = [
        _table(values, metric=name, region="whole").assign(image_diagonal=100.0)
        for name, values in (("dsc", dsc), ("iou", iou))
    ]
    return Contest(_two_metrics(), pd.concat(tables, ignore_index=True))


def few_cases() -> Contest:
    """Four teams on four cases."""
    return Contest(_one_metric(), _table(_values(4, 4, (0.9, 0.7, 0.65, 0.6))))


def strata() -> Contest:
    """Two sites that are all there are, one with few cases, and a registered difference that matters."""
    values = _values(5, 36, (0.80, 0.799, 0.72, 0.60), noise=0.02)
    sites = ["north"] * 28 + ["south"] * 8
    cases = pd.DataFrame({"case": [f"case-{case:02d}" for case in range(36)], "site": sites})
    document = _one_metric(
        aggregation={"levels": ["case", {"name": "site", "role": "fixed"}]},
        uncertainty={"bootstrap": 1000, "seed": 1, "margin": 0.03},
    )
    return Contest(document, _table(values), cases)


def patients() -> Contest:
    """Several cases of each patient; one team fails on some."""
    values = _values(6, 60, (0.83, 0.82, 0.80, 0.7, 0.69))
    cases = pd.DataFrame(
        {
            "case": [f"case-{case:02d}" for case in range(60)],
            "patient": [f"patient-{case // 4:02d}" for case in range(60)],
        }
    )
    document = _one_metric(aggregation={"levels": ["case", {"name": "patient", "role": "random"}]})
    return Contest(document, _table(values, missing=((7, 1), (8, 1))), cases)


def whole_data_set() -> Contest:
    """Two metrics of a classification, each one number for all cases; one team leaves cases unanswered."""
    document = {
        "problem": "image_classification",
        "metrics": [{"id": "accuracy"}, {"id": "balanced_accuracy"}],
        "ranking": {"scheme": "one_score", "combine": {"over": ["metric"], "operator": "mean", "rerank": True}},
        "uncertainty": {"bootstrap": 1000, "seed": 1},
    }
    assessment = parse(document)
    random = np.random.default_rng(7)
    cases = [f"case-{case:03d}" for case in range(120)]
    truth = random.integers(0, 2, len(cases))
    blocks = []
    for team, right in zip(NAMES, (0.92, 0.9, 0.8, 0.6), strict=False):
        decision = np.where(random.random(len(cases)) < right, truth, 1 - truth)
        answered = np.arange(len(cases)) >= (3 if team == "Ben" else 0)
        blocks.append(make_block(team, cases, truth, decision=decision, scores=None, answered=answered))
    evidence = make_evidence(
        assessment,
        blocks,
        parts={use.name: PART for use in assessment.metrics},
        shared={"classes": ["benign", "malignant"], "regions": {}},
    )
    rows = [
        (block.algorithm, "", "", use.name, result.value, str(result.outcome), str(result.flag))
        for block in blocks
        for use in assessment.metrics
        for result in [value_of(use, evidence.select(use.name, block.algorithm, ""))]
    ]
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "flag"]
    return Contest(document, pd.DataFrame(rows, columns=columns), evidence=evidence)


def several_tasks() -> Contest:
    """Two tasks with different numbers of cases, joined by their ranks."""
    document = _one_metric(ranking={"combine": {"over": ["task"], "operator": "mean", "rerank": True}})
    liver = _table(_values(9, 12, (0.9, 0.87, 0.8, 0.6)), task="liver")
    spleen = _table(_values(10, 24, (0.84, 0.86, 0.8, 0.7)), missing=((3, 2),), task="spleen")
    return Contest(document, pd.concat([liver, spleen], ignore_index=True))


CONTESTS: dict[str, Callable[[], Contest]] = {
    "two teams": two_teams,
    "ties": ties,
    "clones": clones,
    "few cases": few_cases,
    "strata": strata,
    "patients": patients,
    "metrics of the whole data set": whole_data_set,
    "several tasks": several_tasks,
}
