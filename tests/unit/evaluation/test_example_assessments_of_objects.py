"""Example assessments of objects, fields and images rank a small generated table of three algorithms."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.catalogue import get
from evaluation.ranking import rank

FOLDER = Path("examples/assessments")


@pytest.mark.parametrize("name", ["learn2reg_2022", "monkey_2024", "pi_cai_2022", "synthrad_2025"])
def test_each_ranks_the_best_of_three_first(name):
    assessment = parse(json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))["assessment"])
    rng = np.random.default_rng(1)
    regions = [region.name for region in assessment.regions] or [""]
    rows = []
    for use in assessment.metrics:
        places = [f"c{number}" for number in range(8)] if use.level == "case" else [""]
        for region in regions:
            for case in places:
                for step, algorithm in enumerate(("good", "fair", "poor")):
                    share = 0.2 + 0.2 * step + 0.01 * rng.random()
                    value = 1 - share if get(use.id).direction == "higher" else share
                    rows.append((algorithm, case, region, use.name, value, "ok", np.nan, "", np.nan, np.nan))
    columns = ["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal", "flag", "worst", "before"]
    document = rank(assessment, pd.DataFrame(rows, columns=columns), bootstrap=0)
    overall = document["overall"] or document["rankings"][0]
    assert [each["name"] for each in overall["algorithms"]] == ["good", "fair", "poor"]
