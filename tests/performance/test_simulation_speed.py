"""The simulation of a large challenge takes at most half a minute of one core."""

from __future__ import annotations

import time

import pytest

from evaluation.advice.simulation import simulate
from evaluation.assessment import parse

COMBINE = {"over": ["metric", "region"], "operator": "mean", "rerank": True}
SECONDS = 30
SAMPLES = 1000


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["aggregate_then_rank", "rank_then_aggregate", "test_then_rank"])
def test_twenty_teams_on_200_cases_take_less_than_half_a_minute_of_one_core(scheme):
    assessment = parse(
        {
            "schema": 1,
            "problem": "semantic_segmentation",
            "regions": [{"name": "anterior", "labels": [1]}, {"name": "whole", "labels": [1, 2]}],
            "metrics": [{"id": "dsc"}, {"id": "nsd", "options": {"tolerance": 1}}],
            "ranking": {"scheme": scheme, "combine": COMBINE},
            "uncertainty": {"bootstrap": 200, "seed": 1},
        }
    )
    start = time.process_time()
    result = simulate(assessment, cases=200, teams=20, samples=SAMPLES)
    assert time.process_time() - start < SECONDS
    assert result.samples == SAMPLES
