"""The example of nuclei: the reason why its level is the kind of light, and the answer of four modalities.

The values of panoptic quality next to this file are those of
``python -m evaluation score examples/nuclei/assessment.json --references examples/nuclei/references --predictions
examples/nuclei/predictions --each``, rounded to six digits.
"""

import json
from pathlib import Path

import pandas as pd
import pytest

from evaluation import rank
from evaluation.assessment import parse

HERE = Path(__file__).parent
NUCLEI = HERE.parents[3] / "examples/nuclei"
CHALLENGE = json.loads((NUCLEI / "challenge.json").read_text())
PHASES = {phase["slug"]: phase["cases"] for phase in CHALLENGE["phases"]}
CASES = pd.read_csv(NUCLEI / "cases.csv")


def ranked(phase: str, levels: list, **uncertainty) -> dict:
    values = pd.read_csv(HERE / "nuclei_panoptic_quality.csv")
    values = values[values["case"].isin(PHASES[phase])]
    results = values.melt("case", var_name="algorithm", value_name="value")
    assessment = {
        "problem": "table",
        "metrics": [{"id": "value", "direction": "higher"}],
        "aggregation": {"levels": levels},
        "uncertainty": {"bootstrap": 300, **uncertainty},
    }
    return rank(assessment, results, cases=CASES)


@pytest.mark.parametrize("phase", PHASES)
def test_four_modalities_are_too_small_and_nobody_is_certain_of_the_first_rank(phase):
    entry = ranked(phase, ["case", {"name": "modality", "role": "fixed"}])["rankings"][0]
    assert (entry["sets"]["reason"], entry["winner"]["reason"]) == ("stratum_too_small", "stratum_too_small")
    assert not entry["winner"]["named"]
    assert all(row["rank_set"] == [1, 8] for row in entry["algorithms"])
    assert min(w["units"] for w in entry["warnings"] if w["code"] == "stratum_few") == 1


def test_document_registered_with_the_bare_level_and_drawn_cases_is_read_in_the_same_way():
    entry = ranked("final", ["case", "modality"], resample="case")["rankings"][0]
    assert entry["sets"]["reason"] == "stratum_too_small"


@pytest.mark.parametrize(("phase", "sizes"), [("preliminary", (17, 5)), ("final", (32, 7))])
def test_fluorescence_and_transmitted_light_are_large_enough_in_both_phases(phase, sizes):
    counts = CASES[CASES["case"].isin(PHASES[phase])]["illumination"].value_counts()
    assert (counts["fluorescence"], counts["transmitted"]) == sizes
    document = ranked(phase, ["case", {"name": "illumination", "role": "fixed"}])
    entry = document["rankings"][0]
    assert document["resampling"]["strata"] == ["illumination"]
    assert entry["sets"]["reason"] is None
    assert entry["tests"]["units"] == sum(sizes)
    assert entry["tests"]["stratified"] is True
    assert any(row["rank_set"] != [1, 8] for row in entry["algorithms"])


def test_shipped_challenge_and_design_declare_the_light_as_fixed():
    for document in (CHALLENGE["assessment"], json.loads((NUCLEI / "assessment.json").read_text())):
        assert parse(document).aggregation.fixed == ("illumination",)
