"""Named rankings that leave out a region: its values are scored, and the report shows only what is ranked."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from evaluation.analyses.sources import Sources
from evaluation.assessment import parse
from evaluation.ranking import rank
from evaluation.reporting import build_report
from reports.domain.content import Ledger, Origin
from reports.exposure.queries.audience import Level
from reports.services import benchmark

ASSESSMENT = parse(
    {
        "problem": "semantic_segmentation",
        "regions": [{"name": "node", "labels": [2]}, {"name": "tumour", "labels": [1]}],
        "metrics": [{"id": "dsc"}, {"id": "assd"}],
        "ranking": [
            {"name": "Tumour", "metrics": ["dsc"], "regions": ["tumour"]},
            {"name": "Node", "metrics": ["assd"], "regions": ["node"]},
        ],
        "uncertainty": {"bootstrap": 20},
    }
)


@pytest.fixture(scope="module")
def results():
    generator = np.random.default_rng(5)
    rows = [
        (name, f"case-{case}", region, metric, round(float(generator.uniform(0.3, 0.9)), 4), "ok", 120.0)
        for case in range(8)
        for name in ("Ada", "Ben", "Cleo")
        for region in ("node", "tumour")
        for metric in ("dsc", "assd")
    ]
    return pd.DataFrame(rows, columns=["algorithm", "case", "region", "metric", "value", "outcome", "image_diagonal"])


def test_the_report_of_a_challenge_is_built(results):
    sources = Sources(document=rank(ASSESSMENT, results), assessment=ASSESSMENT, results=results, cases=None)
    drawn = []
    found = benchmark.build(
        SimpleNamespace(level=Level.ALL, state="closed", bundle_is_public=True),
        sources=sources,
        ledger=Ledger(),
        origins=[Origin("Ranking", "1")],
        draw=lambda _name, figure, _words: drawn.append(json.dumps(figure)),
        figures=benchmark.Figures(),
    )
    titles = [title for title in drawn if "On which cases do all fail?" in title]
    assert len(titles) == 2
    assert {row["what"] for row in found.worst_cases} <= {"DSC, tumour", "ASSD, node"}


def test_the_report_of_the_command_line_is_built(results):
    page = build_report(ASSESSMENT, results)
    assert "Values: dsc, tumour" in page
    assert "Values: dsc, node" not in page
