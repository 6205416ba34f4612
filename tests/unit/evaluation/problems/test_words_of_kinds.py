"""Labels on the submit page for the columns and rows that a kind of problem expects."""

import pytest

from evaluation import problems
from evaluation.assessment import parse

NAMES = {
    "landmarks": "Landmarks",
    "regression": "Targets",
    "multilabel_classification": "Labels",
    "image_classification": "Classes",
    "survival": "",
}


@pytest.mark.parametrize("kind", NAMES)
def test_names_of_a_table_are_called_what_they_are(tmp_path, kind):
    problem = problems.get(kind)
    assessment = parse(problem.samples.write_challenge(tmp_path))
    expected = problem.expected(assessment, {"classes": ("s_6", "s_12")})
    words = problem.texts.submit_page(expected, 9, incomplete_cost="counts")
    assert words.classes == NAMES[kind]
    text = " ".join((*words.before, *words.after))
    assert "integrated_brier_score" not in text
    if kind == "survival":
        assert "IBS needs them." in text
