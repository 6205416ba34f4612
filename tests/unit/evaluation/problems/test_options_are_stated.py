"""Every option that changes a value is stated, defaults included, by the rules and by the pseudo-code."""

import pytest

from evaluation import problems
from evaluation.assessment import parse
from evaluation.assessment.options import option_list, option_sentences, option_values, options_read
from evaluation.designs.compilation import pseudo_code
from evaluation.problems.offered_metrics import options_for
from evaluation.ranking import describe
from tests.unit.evaluation.problems.test_options_have_an_effect import KINDS, entry, metrics_of

WITHOUT_EFFECT = {
    "area",
    "localization_thresholds",
    "max_detections",
    "prescription",
    "tolerance_by_region",
    "weight_matrix",
}
"""Options that can be absent: not set, or read only with one choice of another option."""


@pytest.mark.parametrize("kind", KINDS)
def test_rules_and_pseudo_code_state_each_option_that_scoring_reads(kind, tmp_path):
    document = problems.get(kind).samples.write_challenge(tmp_path)
    stated = 0
    for metric in metrics_of(kind):
        times = document.get("settings", {}).get("times") or [1.0]
        fitting = {"time": times[0], "k": 1, "dose": 20.0}
        chosen = {option.name: fitting[option.name] for option in metric.options if option.name in fitting}
        assessment = parse({**document, "metrics": [entry(metric, **chosen)], "ranking": {}})
        use = assessment.metrics[0]
        read = {option.name for option in options_for(metric, kind)}
        assert read - set(options_read(use, assessment)) <= WITHOUT_EFFECT
        rules, code = " ".join(describe(assessment)), "\n".join(pseudo_code(assessment))
        for name, words in option_values(use, assessment):
            assert f"{name} = {words}" in rules
            assert f"{name} = {words}" in code
            stated += 1
    assert stated or kind == "landmarks"


def test_a_value_that_is_set_is_stated_in_place_of_the_default_and_with_all_its_digits():
    options = {"score_threshold": 0.123456789, "beta": 2, "localization_threshold": 0.3}
    found = parse({"problem": "object_detection", "metrics": [{"id": "fbeta", "options": options}]})
    [sentence] = option_sentences(found)
    assert sentence.startswith("F2 is computed with: beta = 2, level = object, score threshold = 0.123456789, ")
    assert "localization threshold = 0.3" in sentence


def test_a_threshold_that_a_criterion_does_not_read_is_not_stated():
    by_point = {"localization_criterion": "loc_point_in_box", "assignment": "hungarian"}
    several = {"localization_thresholds": [0.5, 0.75]}
    found = parse({
        "problem": "object_detection",
        "metrics": [{"id": "fbeta", "options": by_point}, {"id": "average_precision", "options": several}],
    })  # fmt: skip
    first, second = (option_list(use, found) for use in found.metrics)
    assert "threshold = 0.5," in first  # that of scores
    assert "localization threshold =" not in first + second
    assert "localization thresholds = 0.5, 0.75" in second


def test_a_criterion_is_stated_with_its_own_options():
    criterion = {"id": "loc_boundary_iou", "options": {"distance": 2}}
    options = {"localization_criterion": criterion}
    found = parse({"problem": "instance_segmentation", "metrics": [{"id": "fbeta", "options": options}]})
    assert "localization criterion = Boundary Intersection over Union (distance = 2)" in option_list(
        found.metrics[0], found
    )


def test_values_that_are_not_computed_here_have_no_options():
    found = parse({"problem": "external", "metrics": [{"id": "quality", "direction": "higher"}]})
    assert option_sentences(found) == []
