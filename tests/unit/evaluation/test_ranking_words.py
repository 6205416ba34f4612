"""Text that describes how the winner is determined, derived only from the assessment."""

from __future__ import annotations

import pytest

from evaluation import problems
from evaluation.assessment import parse
from evaluation.assessment.presets import NAMES, preset
from evaluation.ranking import describe

BASE = {"problem": "semantic_segmentation", "regions": [{"name": "liver", "labels": [1]}], "metrics": [{"id": "dsc"}]}


def words(**changes):
    return " ".join(describe(parse({**BASE, **changes})))


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_can_be_told_in_whole_sentences(name):
    for sentence in describe(parse(preset(name))):
        assert sentence[0].isupper()
        assert sentence.endswith((".", ")."))
        assert "  " not in sentence


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        ({"operator": "median"}, "the median of its values over all cases"),
        ({"operator": {"percentile": 5}}, "the 5th percentile counted from the worse end of its values"),
        ({"scheme": "rank_then_aggregate"}, "ranked on every case; an algorithm's score is the mean of its ranks"),
        ({"scheme": "test_then_rank"}, "level 0.05, not adjusted for the number of comparisons"),
        ({"scheme": "test_then_rank", "adjust": "holm", "alpha": 0.01}, "level 0.01, adjusted by Holm's method"),
        ({"ties": "average"}, "share the average of their ranks (1, 2.5, 2.5, 4)"),
    ],
)
def test_each_scheme_says_what_it_does(ranking, expected):
    assert expected in words(ranking=ranking)


def test_what_is_missing_counts_for_each_metric_is_said():
    metrics = [{"id": "dsc"}, {"id": "assd"}, {"id": "nsd", "policy": {"missing": 0.1}}]
    said = words(metrics=metrics)
    assert (
        "A missing or unreadable prediction counts as the worst value (0) for DSC, the diagonal of the image for ASSD and "
        "0.1 for NSD." in said
    )


def test_levels_sites_weights_and_draws_are_said():
    said = words(
        metrics=[{"id": "dsc"}, {"id": "iou"}],
        aggregation={"levels": ["case", "patient"]},
        ranking={
            "scheme": "rank_then_aggregate",
            "combine": [
                {"over": ["metric", "region"], "weights": {"metric": {"dsc": 2, "iou": 1}}},
                {"over": ["site"], "rerank": False, "weights": "cases", "ties": "average"},
            ],
        },
        uncertainty={"resample": ["patient", "case"], "bootstrap": 500},
    )
    assert "Before the score, the mean over the ranks of the cases of each patient within each site is taken." in said
    assert "Each site is ranked on its own cases." in said
    assert "weighted (DSC 2 and IoU 1)" in said
    assert "the mean of the mean ranks over sites is taken, weighted (each site by its number of cases)" in said
    assert "patients then cases are drawn with replacement within each site 500 times" in said
    assert said.count("share the average of their ranks") == 1


def test_a_ranking_that_is_not_resampled_says_so():
    assert "nothing is said about its uncertainty" in words(uncertainty={"bootstrap": 0})


CLASSIFICATION = {
    "problem": "image_classification",
    "regions": [{"name": "melanoma", "labels": ["melanoma"]}],
    "metrics": [{"id": "accuracy"}, {"id": "auroc"}],
}


def test_the_rule_of_a_classification_says_that_a_case_without_an_answer_is_a_wrong_decision():
    said = " ".join(describe(parse(CLASSIFICATION)))
    assert "A case without a valid answer counts as a wrong decision, with the worst score for its class." in said
    assert (
        "A submission without answers, or without the scores that a metric needs, counts as the worst value (0)."
        in said
    )
    assert "missing or unreadable prediction counts" not in said


def test_a_metric_of_all_cases_together_says_what_one_missing_prediction_does_to_it():
    document = {
        "problem": "object_detection",
        "regions": [{"name": "nodule", "labels": [1]}],
        "metrics": [{"id": "average_precision"}],
    }
    said = describe(parse(document))
    assert (
        "With any prediction missing or unreadable, a metric of all cases together counts as the worst value (0)."
        in said
    )
    assert not any(sentence.startswith("An empty prediction") for sentence in said)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("regression", "on the targets"),
        (
            "multilabel_classification",
            "(higher is better, on the labels nodule and effusion), F-beta Score (higher is better)",
        ),
        ("registration", "Target Registration Error (lower is better), Dice"),
        ("image_classification", "Balanced Accuracy (higher is better) and Area"),
        ("image_classification", "Characteristic Curve (higher is better, on the class malignant)."),
        ("survival", "scored with Harrell's Concordance Index"),
    ],
)
def test_the_rule_of_a_kind_uses_its_words(tmp_path, kind, said):
    assessment = parse(problems.get(kind).samples.write_challenge(tmp_path))
    assert said in describe(assessment)[0]


def test_which_grades_do_not_count_is_said_and_that_all_do_where_none_is_named():
    graded = "The quality of each case is graded (look): "
    of_insufficient = {"quality": {"column": "look", "excluded": ["insufficient"]}}
    assert f"{graded}cases that are insufficient do not count, for any team." in words(exclusions=of_insufficient)
    assert f"{graded}all count." in words(exclusions={"quality": {"column": "look", "excluded": []}})


def test_the_share_of_resamples_in_a_range_is_said_as_registered():
    document = {
        "problem": "semantic_segmentation",
        "regions": [{"name": "r", "labels": [1]}],
        "metrics": [{"id": "dsc"}],
        "uncertainty": {"bootstrap": 500, "interval": 0.9},
    }
    assert "the resampling range holds the middle 90 % of these ranks" in " ".join(describe(parse(document)))
