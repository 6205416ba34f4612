"""Practice cases of the example challenges can be scored at home with the registered assessment."""

import json
from pathlib import Path

import pytest
from podium_client.scoring import score_at_home

from evaluation.assessment import parse
from operations.services.example_images import PRACTICE_ALGORITHM, PRACTICE_CASES, write_practice

EXAMPLES = Path(__file__).parents[3] / "examples"
DOCUMENTS = {
    path.parent.name: content
    for path in sorted(EXAMPLES.glob("*/challenge.json"))
    if not (content := json.loads(path.read_text("utf-8"))).get("measured") and not content.get("containers")
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_practice_case_is_scored(tmp_path, name):
    document = json.loads(json.dumps(DOCUMENTS[name]["assessment"]))
    document["uncertainty"] = {**document.get("uncertainty", {}), "bootstrap": 20}
    assessment = parse(document)
    assert write_practice(assessment, tmp_path)
    predictions = tmp_path / "predictions" / PRACTICE_ALGORITHM
    scored = score_at_home(assessment, tmp_path / "references", {"mine": predictions})
    assert not scored.folders.reasons
    assert not [found.sentence for found in scored.findings["mine"] if found.severity == "reject"]
    cases = {row.case for row in scored.folders.rows if row.case}
    assert not cases or len(cases) == PRACTICE_CASES
    assert "missing" not in {str(row.outcome) for row in scored.folders.rows}
    assert all(value["value"] is not None for value in scored.values["mine"])
    assert scored.lines
