"""Each site is ranked on its own cases as if there were no others."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking import rank
from evaluation.ranking.procedure.building import procedure_of
from tests.procedures.interpreter import execute

DOCUMENT = {
    "problem": "external",
    "metrics": [
        {"id": "quality", "direction": "higher", "policy": {"missing": 0}},
        {"id": "speed", "direction": "lower", "policy": {"missing": 9}},
    ],
    "aggregation": {"levels": ["case", "patient"]},
    "uncertainty": {"bootstrap": 0},
}
STEP = {"over": ["site", "metric"], "weights": {"metric": {"quality": 2, "speed": 1}}}


def board():
    chance = np.random.default_rng(2)
    # Patients of the two sites alternate, so that numbers of groups have gaps in each site.
    facts = [(f"c{number:02d}", f"p{number // 2:02d}", ("north", "south")[number // 2 % 2]) for number in range(32)]
    rows = [
        {"algorithm": name, "case": case, "region": "", "metric": metric, "value": float(chance.integers(64) + shift) / 64,
         "outcome": "ok", "flag": "", "image_diagonal": None, "task": ""}
        for shift, name in enumerate("abcd", start=1)
        for case, *_ in facts
        for metric in ("quality", "speed")
    ]  # fmt: skip
    return rows, pd.DataFrame(facts, columns=["case", "patient", "site"])


def ranks(document):
    entry = document["overall"]
    return {row["name"]: row["rank"] for row in entry["algorithms"]}


@pytest.mark.parametrize("scheme", ["test_then_rank", "aggregate_then_rank", "rank_then_aggregate"])
@pytest.mark.parametrize("resample", [["patient"], ["site", "patient"]])
def test_ranks_over_sites_are_those_of_the_statements(scheme, resample):
    rows, cases = board()
    options = {"alpha": 0.2} if scheme == "test_then_rank" else {}
    assessment = parse({
        **DOCUMENT,
        "ranking": {"scheme": scheme, "combine": STEP, **options},
        "uncertainty": {"bootstrap": 20, "resample": resample},
    })  # fmt: skip
    columns = {name: dict(zip(cases["case"], cases[name], strict=True)) for name in ("patient", "site")}
    _, combined = execute(procedure_of(assessment), rows, columns)
    [by_statements] = combined.values()
    document = rank(assessment, pd.DataFrame(rows).drop(columns="image_diagonal"), cases=cases)
    assert ranks(document) == {name: float(place) for name, (_, place) in by_statements.items()}
    scores = {row["name"]: row["score"] for row in document["overall"]["algorithms"]}
    assert scores == {name: pytest.approx(float(score)) for name, (score, _) in by_statements.items()}
