"""Steps of a combination keep what is tied tied, and who was never compared last."""

import numpy as np
import pandas as pd
import pytest

from evaluation import rank
from evaluation.assessment import Operator, Step
from evaluation.ranking.combination import Part, combine

# Sums of six ranks at four sites; both means are 61/24, which rounded site scores tell apart (federated_protocol.md, 7.1).
SITES = {"1": (20, 8), "2": (8, 10), "3": (23, 23), "4": (10, 20)}


def six_ranks(total):
    """Whole ranks of this sum."""
    return [total // 6 + (index < total % 6) for index in range(6)]


def test_means_over_sites_of_means_over_metrics_keep_a_tie():
    parts = [
        Part({"metric": str(metric), "site": site}, np.zeros((1, 2)), np.array([[first, second]], float), np.ones(1))
        for site, sums in SITES.items()
        for metric, (first, second) in enumerate(zip(*map(six_ranks, sums), strict=True))
    ]
    steps = [
        Step(("metric",), Operator("mean"), True, "min", False),
        Step(("site",), Operator("mean"), False, "min", False),
    ]
    (whole,) = combine(parts, steps)
    assert whole.ranks.tolist() == [[1, 1]]
    assert whole.scores[0, 0] == whole.scores[0, 1] == pytest.approx(61 / 24)


@pytest.mark.parametrize("adjust", ["none", "holm"])
def test_an_algorithm_without_values_is_last_and_does_not_tie_with_who_lost(adjust):
    level = {"A": 0.8, "B": 0.6, "C": None}
    rows = [(name, f"c{case}", value and value + case / 100) for name, value in level.items() for case in range(12)]
    document = rank(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher", "policy": {"missing": "exclude", "allow_gaming": True}}],
            "ranking": {"scheme": "test_then_rank", "adjust": adjust},
            "uncertainty": {"bootstrap": 20},
        },
        pd.DataFrame(rows, columns=["algorithm", "case", "value"]),
    )
    ranks = {row["name"]: (row["rank"], row["score"]) for row in document["rankings"][0]["algorithms"]}
    assert ranks == {"A": (1, 0.5), "B": (2, 0.0), "C": (3, None)}
