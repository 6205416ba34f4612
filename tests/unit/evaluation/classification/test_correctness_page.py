"""The page about differences between implementations matches the current code."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from docs.correctness import make_classification

if TYPE_CHECKING:
    import pytest

FOLDER = Path(make_classification.__file__).parent
PICTURES = ("average-precision.svg", "calibration-bins.svg")


def test_the_page_is_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_classification, "HERE", tmp_path)
    assert make_classification.page() == (FOLDER / "classification.md").read_text(encoding="utf-8")
    for name in PICTURES:
        assert (tmp_path / name).read_text() == (FOLDER / name).read_text()
