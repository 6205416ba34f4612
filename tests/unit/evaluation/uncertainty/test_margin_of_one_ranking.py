"""The overall ranking of a single metric is decided with the registered margin, like the ranking that it repeats."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking.document import rank
from evaluation.ranking.plans import FIRST_RULES

ASSESSMENT = {
    "problem": "semantic_segmentation",
    "regions": [{"name": "whole", "labels": [1]}],
    "metrics": [{"id": "dsc"}],
    "uncertainty": {"bootstrap": 300},
}


def results(metrics=("dsc",)):
    """Values of three algorithms; each is 0.05 better than the next."""
    random = np.random.default_rng(34)
    rows = [
        {"algorithm": name, "case": f"c{case:02d}", "region": "whole", "metric": metric, "outcome": "ok", "image_diagonal": 300.0,
         "value": 0.8 - 0.05 * place + random.normal(0.0, 0.02)}
        for case in range(40) for place, name in enumerate("abc") for metric in metrics
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("margin", "is_named"), [(0.0, True), (0.02, True), (0.045, False), (0.07, False)])
def test_a_lead_within_the_margin_names_no_winner_overall(margin, is_named):
    document = rank(parse({**ASSESSMENT, "uncertainty": {"bootstrap": 300, "margin": margin}}), results())
    single, overall = document["rankings"][0], document["overall"]
    assert (single["winner"]["named"], overall["winner"]["named"]) == (is_named, is_named)
    assert single["verdict"] == overall["verdict"]
    assert single["margin"] == overall["margin"] == margin


def test_earlier_rules_decide_the_overall_ranking_without_the_margin():
    read = parse({**ASSESSMENT, "uncertainty": {"bootstrap": 300, "margin": 0.07}})
    overall = rank(read, results(), rules=FIRST_RULES)["overall"]
    assert overall["winner"]["named"]
    assert overall["margin"] is None


def test_a_combination_of_several_metrics_has_no_margin():
    document = {**ASSESSMENT, "metrics": [{"id": "dsc"}, {"id": "iou"}]}
    read = parse({**document, "uncertainty": {"bootstrap": 300, "margin": {"dsc": 0.07, "iou": 0.07}}})
    assert rank(read, results(("dsc", "iou")))["overall"]["margin"] is None
