"""Labels on the submit page for the columns and rows that a kind of problem expects."""

import json

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


@pytest.mark.parametrize(
    ("shared", "words"),
    [
        ({}, "the name of its image as each `image_id`, or images and categories. Numbers as ids are not accepted."),
        ({"image_ids": [[3, "a"], [4, "b"]], "category_ids": [[1, "s"]]}, "`image_id` 3 is a and 4 is b."),
    ],
)
def test_the_submit_page_of_detection_states_the_ids_of_images_or_that_there_are_none(tmp_path, shared, words):
    problem = problems.get("object_detection")
    assessment = parse(problem.samples.write_challenge(tmp_path))
    expected = problem.expected(assessment, {"classes": ("s",), **shared})
    assert words in problem.texts.submit_page(expected, 2).before[0]


def test_the_submit_page_is_true_where_no_ids_are_known(tmp_path):
    problem = problems.get("object_detection")
    path = tmp_path / "objects.json"
    for image_id, known in (("a", True), ("a.png", True), (3, False)):
        path.write_text(json.dumps([{"image_id": image_id, "category_id": 1, "bbox": [1, 1, 2, 2], "score": 0.5}]))
        predictions = problem.read_predictions(path, ["a", "b"], {"classes": ("s",)})
        assert bool(predictions.findings("objects.json")) != known
