"""The pages about masks and objects match the code."""

from pathlib import Path

import pytest

from docs.correctness import make_masks, make_objects

FOLDER = Path(make_masks.__file__).parent
PICTURES = {
    "masks": ("boundary.svg", "distances.svg", "centreline.svg"),
    "objects": ("boxes.svg", "assignment.svg", "one-pixel.svg"),
}


@pytest.mark.parametrize("page", [make_masks, make_objects], ids=["masks", "objects"])
def test_page_is_what_its_code_gives(page, tmp_path, monkeypatch):
    monkeypatch.setattr(make_masks, "HERE", tmp_path)
    monkeypatch.setattr(page, "HERE", tmp_path)
    name = page.__name__.rpartition("make_")[2]
    assert page.page() == (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    for picture in PICTURES[name]:
        assert (tmp_path / picture).read_bytes() == (FOLDER / picture).read_bytes()
