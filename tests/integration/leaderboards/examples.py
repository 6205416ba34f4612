"""A small ranking to look at: four teams, two metrics in one region, ten cases."""

import numpy as np
import pandas as pd

from evaluation.assessment import Assessment, parse

ASSESSMENT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "whole", "labels": [1]}],
    "metrics": [{"id": "dsc"}, {"id": "hausdorff_percentile", "options": {"percentile": 95}}],
    "ranking": {
        "scheme": "aggregate_then_rank",
        "operator": "mean",
        "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True},
    },
    "uncertainty": {"bootstrap": 50, "seed": 1},
}
TEAMS = {"Ada": 0.9, "Ben": 0.89, "Cleo": 0.7, "Dora": 0.5}


def assessment() -> Assessment:
    return parse(ASSESSMENT)


def case_results(
    algorithm: str, level: float, *, cases: int = 10, missing: int = 0, noise: float = 0.05
) -> pd.DataFrame:
    """Return the results table of one algorithm with scores around `level`.

    The last `missing` cases have no prediction.
    """
    draws = np.random.default_rng(round(level * 1000)).normal(level, noise, cases).clip(0, 1)
    rows = []
    for index, value in enumerate(draws):
        absent = index >= cases - missing
        for metric, number in (("dsc", value), ("hausdorff_percentile", 10 * (1 - value))):
            rows.append(
                {
                    "algorithm": algorithm,
                    "case": f"case-{index:02d}",
                    "region": "whole",
                    "metric": metric,
                    "value": np.nan if absent else float(number),
                    "outcome": "missing" if absent else "ok",
                    "image_diagonal": 60.0,
                }
            )
    return pd.DataFrame(rows)


def results() -> pd.DataFrame:
    """Four teams and Eve, whose files are those of Ada; Dora lacks a case."""
    frames = [case_results(team, level, missing=int(team == "Dora")) for team, level in TEAMS.items()]
    return pd.concat([*frames, frames[0].assign(algorithm="Eve")], ignore_index=True)
