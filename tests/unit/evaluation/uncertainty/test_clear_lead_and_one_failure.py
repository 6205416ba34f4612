"""A clear lead that a single further failure would cost: the headline states both."""

import numpy as np
import pandas as pd
import pytest

from evaluation.assessment import parse
from evaluation.boards import build
from evaluation.boards.effects import effects_of
from evaluation.claims.ranking import headline_of
from evaluation.ranking import rank


def board(teams, units=25, lead=0.02):
    """The first team is better in nearly every case, t about 6, and a failure costs more than its lead."""
    generator = np.random.default_rng(4)
    level = generator.normal(0.85, 0.03, units)
    names = ["unet", "vnet", "wnet"][:teams]
    rows = [
        (name, f"case {unit:02d}", float(value))
        for place, name in enumerate(names)
        for unit, value in enumerate(level - lead * place + (generator.normal(0, 0.016, units) if place else 0.0))
    ]
    table = pd.DataFrame(rows, columns=["algorithm", "case", "value"])
    assessment = parse(
        {
            "problem": "table",
            "metrics": [{"id": "value", "direction": "higher", "range": [0, 1], "policy": {"missing": 0}}],
            "uncertainty": {"bootstrap": 1000},
        }
    )
    return assessment, rank(assessment, table), table


@pytest.mark.parametrize("teams", [2, 3])
def test_the_headline_states_the_lead_with_its_interval_and_the_failure(teams):
    assessment, document, table = board(teams)
    entry = document["rankings"][0]
    wide = table.pivot_table(index="case", columns="algorithm", values="value")
    gaps = wide["unet"] - wide["vnet"]
    assert gaps.mean() / gaps.sem() > 5
    assert (entry["winner"]["named"], entry["winner"]["reason"]) == (False, "one_more_failure")
    assert entry["verdict"] == "leaning"
    low, high = entry["lead"]["interval_as_observed"]
    assert 0 < low < entry["lead"]["estimate"] < high
    assert entry["lead"]["interval"][0] <= 0  # agrees with the verdict
    said = str(headline_of(entry, document))
    assert "one more failed case could cost it the first place." in said
    assert "If failures are no more frequent than observed, its lead over vnet is 0.0" in said
    assert "95 % interval" in said
    assert "−" not in said
    effects = effects_of(build(document, assessment)["orders"][0], build(document, assessment)["teams"])
    assert any("with failures as observed; one more failed case" in detail for detail in effects[0].details)


def test_other_boards_have_no_second_interval():
    _, document, _ = board(2, lead=0.0005)
    assert "interval_as_observed" not in document["rankings"][0]["lead"]
