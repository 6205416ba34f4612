"""`podium verify` with a scoring image: messages about different values, and requirements."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from podium_client import verifying
from podium_client.cli import main

BUNDLE = Path(__file__).parents[2] / "data" / "bundles"
ASSESSMENT = SimpleNamespace(by_scorer=(SimpleNamespace(name="own dice"),))


def table(value: float | None, outcome: str = "ok") -> pd.DataFrame:
    row = {"case": "c1", "region": "liver", "metric": "own dice", "value": value, "outcome": outcome}
    return pd.DataFrame([row, row | {"metric": "dsc", "value": 0.1}]).astype({"value": float})


@pytest.mark.parametrize(
    ("stated", "outcome", "now", "differs"),
    [
        (0.5, "ok", (0.5 + 1e-13, "ok"), False),
        (0.5, "ok", (0.5 + 1e-9, "ok"), True),
        (None, "missing", (None, "missing"), False),
        (None, "missing", (0.0, "ok"), True),
        (0.5, "ok", (None, "pred_empty"), True),
    ],
)
def test_values_are_compared_to_twelve_digits_with_their_outcomes(stated, outcome, now, differs):
    said = verifying._differences("Oak", table(stated, outcome), {("c1", "liver", "own dice"): now}, ASSESSMENT)
    assert bool(said) is differs
    assert all("Oak, c1, liver, own dice" in line for line in said)


def test_a_value_that_the_image_does_not_give_any_more_is_a_difference():
    [line] = verifying._differences("Oak", table(0.5), {}, ASSESSMENT)
    assert "0.5 in the bundle, absent now" in line


def test_a_bundle_without_an_image_is_verified_and_cannot_be_asked_for_one(capsys, tmp_path):
    bundle = min(BUNDLE.rglob("*.zip"))
    assert main(["verify", str(bundle)]) in (0, 1)
    assert "ranking" in capsys.readouterr().out
    image = str(tmp_path / "image.tar")
    assert main(["verify", str(bundle), "--scorer", image]) == 2
    assert "--references and --predictions" in capsys.readouterr().err
    folders = ["--references", str(tmp_path), "--predictions", str(tmp_path)]
    assert main(["verify", str(bundle), "--scorer", image, *folders]) == 2
    assert "No value of this bundle" in capsys.readouterr().err
