"""Metrics that are registered and used for no ranking are computed and reported: values with intervals, and no rank."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.ranking import rank

DOCUMENT = {
    "problem": "semantic_segmentation",
    "regions": [{"name": "whole", "labels": [1]}],
    "metrics": [{"id": "dsc"}, {"id": "iou"}],
    "ranking": {"scheme": "aggregate_then_rank", "metrics": ["dsc"]},
    "uncertainty": {"bootstrap": 100, "seed": 1},
}


def results():
    draw = np.random.default_rng(1)
    rows = []
    for name, level in (("a", 8), ("b", 6)):
        for case in range(20):
            dsc = draw.beta(level, 2)
            for metric, value in (("dsc", dsc), ("iou", dsc / (2 - dsc))):
                rows.append((name, f"c{case:02d}", "whole", metric, value, "ok", 10.0))
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"]
    return pd.DataFrame(rows, columns=columns)


def test_a_metric_without_a_rank_is_reported_with_its_interval():
    table = results()
    (entry,) = rank(parse(DOCUMENT), table)["reported"]
    assert (entry["metric"], entry["region"], entry["cases"]) == ("iou", "whole", 20)
    means = table[table["metric"] == "iou"].groupby("algorithm")["value"].mean()
    for algorithm in entry["algorithms"]:
        assert algorithm["value"] == pytest.approx(means[algorithm["name"]])
        low, high = algorithm["interval"]
        assert low < algorithm["value"] < high
        assert "rank" not in algorithm
    assert [ranking["metric"] for ranking in rank(parse(DOCUMENT), table)["rankings"]] == ["dsc"]


def test_where_every_metric_is_ranked_nothing_is_added_to_the_document():
    everything = {**DOCUMENT, "ranking": {"scheme": "aggregate_then_rank"}}
    assert "reported" not in rank(parse(everything), results())


def test_what_a_missing_case_counts_as_is_the_policy_and_a_policy_by_ranks_gives_no_value():
    table = results()
    lost = (table["algorithm"] == "b") & (table["case"] == "c03")
    table = table.assign(value=table["value"].mask(lost), outcome=table["outcome"].mask(lost, "missing"))
    (by_value,) = rank(parse(DOCUMENT), table)["reported"]
    by_rank = {
        **DOCUMENT,
        "metrics": [{"id": "dsc"}, {"id": "iou", "policy": {"missing": "worst_rank"}}],
        "ranking": {"scheme": "rank_then_aggregate", "metrics": ["dsc"]},
    }
    (without,) = rank(parse(by_rank), table)["reported"]
    worst, left_out = by_value["algorithms"][1], without["algorithms"][1]
    assert (worst["cases"], left_out["cases"]) == (20, 19)
    assert left_out["value"] == pytest.approx(worst["value"] * 20 / 19)
