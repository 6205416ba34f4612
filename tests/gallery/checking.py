"""Comparison of a ranking document and of the scored values with what was computed a second time."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from tests.gallery.expected import Expected


def compare(expected: Expected, document: Mapping[str, Any], results: pd.DataFrame) -> int:
    """Return how many values and ranks are equal.

    Raises
    ------
    AssertionError
        With the first that differs, or that is absent on one side.
    """
    compared = 0
    for entry in document["rankings"]:
        key = (entry["metric"], entry["region"] or "")
        assert key in expected.scores, f"{key} is ranked and was not computed a second time"
        scores = {own["name"]: own["score"] for own in entry["algorithms"]}
        compared += _compared(f"score of {key}", expected.scores[key], scores)
    ranked = {(entry["metric"], entry["region"] or "") for entry in document["rankings"]}
    assert ranked == set(expected.scores)
    for (team, case, metric, region), value in expected.cases.items():
        rows = results[
            (results["algorithm"] == team)
            & (results["case"] == case)
            & (results["metric"] == metric)
            & (results["region"].fillna("") == region)
        ]
        assert len(rows) == 1, (team, case, metric, region)
        compared += _compared(f"{metric} of {case}, {region}", {team: value}, {team: float(rows["value"].iloc[0])})
    combined = document.get("overall") or []
    combined = combined if isinstance(combined, list) else [combined]
    names = {(entry.get("name") or "") if len(combined) > 1 else "" for entry in combined}
    assert not expected.overall or names == set(expected.overall), (names, set(expected.overall))
    for entry in combined:
        if wanted := expected.overall.get((entry.get("name") or "") if len(combined) > 1 else ""):
            compared += _compared("final rank", wanted, {own["name"]: own["rank"] for own in entry["algorithms"]})
    return compared


def _compared(what: str, wanted: Mapping[str, float], found: Mapping[str, float]) -> int:
    assert set(wanted) == set(found), (what, wanted, found)
    for team, value in wanted.items():
        assert math.isclose(value, found[team], rel_tol=1e-7, abs_tol=1e-9), (
            f"{what} of {team}: {value!r}, {found[team]!r}"
        )
    return len(wanted)
