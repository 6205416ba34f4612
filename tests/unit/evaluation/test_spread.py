"""The spread of values over cases, and distances that suggest another unit."""

import pandas as pd
import pytest

from evaluation.aggregation.spread import spreads
from evaluation.assessment import parse

LANDMARKS = parse(
    {
        "schema": 1,
        "problem": "landmarks",
        "settings": {"penalty": "image_diagonal"},
        "regions": [{"name": "tip"}],
        "metrics": [
            {"id": "radial_error"},
            {"id": "success_detection_rate", "options": {"radius": 2.0}},
        ],
    }
)


def table(metric, values, *, region="", diagonal=300.0, outcome="ok"):
    return pd.DataFrame(
        {
            "algorithm": "A",
            "case": [f"case_{number}" for number in range(len(values))],
            "region": region,
            "metric": metric,
            "value": values,
            "outcome": outcome,
            "image_diagonal": diagonal,
        }
    )


def name_of(assessment, *, higher):
    return next(use.name for use in assessment.metrics if use.higher_is_better == higher)


def test_the_quartiles_and_zeros_of_a_metric():
    [row] = spreads(LANDMARKS, table(name_of(LANDMARKS, higher=True), [0.0, 0.0, 0.5, 1.0, 1.0]))
    assert (row["cases"], row["zeros"]) == (5, 2)
    assert [row[key] for key in ("low", "lower_quartile", "median", "upper_quartile", "high")] == [0, 0, 0.5, 1, 1]
    assert "cutoff" not in row


@pytest.mark.parametrize(
    ("values", "impossible", "far"),
    [([1.0, 2.0, 3.0], 0, False), ([15.0, 21.0, 90.0], 0, True), ([5.0, 301.0, 900.0], 2, True)],
)
def test_distances_beyond_the_cutoff_and_beyond_the_image(values, impossible, far):
    [row] = spreads(LANDMARKS, table(name_of(LANDMARKS, higher=False), values))
    assert (row["impossible"], row["cutoff"], row["far"]) == (impossible, 2.0, far)


def test_values_without_a_case_and_undefined_values_are_excluded():
    frame = table(name_of(LANDMARKS, higher=True), [0.5, 0.6])
    frame.loc[0, "case"] = ""
    frame.loc[1, ["value", "outcome"]] = [float("nan"), "missing"]
    assert spreads(LANDMARKS, frame) == []


def test_a_tolerance_of_surfaces_is_no_cutoff():
    overlap = parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": "all", "labels": [1]}],
            "metrics": [{"id": "nsd", "options": {"tolerance": 1.0}}, {"id": "assd"}],
        }
    )
    [row] = spreads(overlap, table("assd", [200.0, 250.0], region="all"))
    assert (row["cutoff"], row["far"], row["impossible"]) == (None, False, 0)
