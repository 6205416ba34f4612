"""Pictures next to questions."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from evaluation.advice import illustrated, illustration
from evaluation.advice.knowledge import item, items

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", illustrated())
def test_a_picture_shows_one_panel_an_answer_without_styles_of_its_own(name):
    drawing = illustration(name)
    root = ET.fromstring(drawing)
    assert "style" not in drawing
    assert root.get("aria-label") == item(name).title
    assert len(root.findall(f"{SVG}g")) <= len(item(name).values)
    assert all(group.find(f"{SVG}text").text for group in root.findall(f"{SVG}g"))


def test_questions_about_target_structures_have_pictures():
    about_shapes = [entry.id for entry in items() if entry.group == "target_structure" and entry.id != "FP3.4"]
    assert set(about_shapes) <= set(illustrated())


def test_other_questions_have_none():
    assert illustration("CTX.readership") is None
