"""Metrics that challenges rank by: listed where they apply, with their weakness and source."""

import re

import pytest

from evaluation.advice import parse_fingerprint, recommend
from evaluation.advice.challenge_metrics import about, challenge_metrics, listed
from evaluation.advice.departures import departures
from evaluation.advice.knowledge import knowledge
from evaluation.catalogue import get
from evaluation.problems.registry import get as kind

LONGEST = 15


def recommended(problem, **answers):
    document = {
        "schema": 1,
        "problem": problem,
        "answers": {key.replace("_", "."): each for key, each in answers.items()},
    }
    return recommend(parse_fingerprint(document))


def ids_of(document):
    return {metric for entry in document["challenge_metrics"] for metric in entry["ids"]}


@pytest.mark.parametrize("entry", challenge_metrics(), ids=lambda entry: entry.ids[0])
def test_each_entry_names_metrics_of_its_kind_and_a_source_with_a_year_or_version(entry):
    for metric in entry.ids:
        assert {kind(problem).category for problem in entry.problems} <= set(get(metric).categories)
    assert re.search(r"20\d\d|19\d\d|[0-9a-f]{7}|arXiv", entry.source)
    sentences = re.split(r"[.:] ", f"{entry.use} {entry.caution}")
    assert max(len(sentence.split()) for sentence in sentences) <= LONGEST


@pytest.mark.parametrize(
    ("answers", "metrics"),
    [
        ({"FP3_2": True, "FP4_6": False, "FP5_2": False}, {"lesionwise_dsc", "lesionwise_hausdorff", "lesion_f1"}),
        (
            {"FP3_2": False, "FP4_6": True, "FP5_2": False},
            {"aggregated_dsc", "false_positive_volume", "lesionwise_dsc"},
        ),
        ({"FP3_2": False, "FP4_6": False, "FP5_2": False, "FP3_3": True}, {"betti_number_error"}),
        ({"FP3_2": False, "FP4_6": False, "FP5_2": False, "FP3_3": False}, set()),
    ],
)
def test_answers_decide_what_is_listed_for_masks(answers, metrics):
    document = recommended("semantic_segmentation", FP2_5_7=True, FP4_3_1=False, **answers)
    found = ids_of(document)
    assert metrics <= found
    assert bool(found) == bool(metrics)


def test_an_answer_of_a_class_lists_its_metrics():
    document = {
        "schema": 1,
        "problem": "semantic_segmentation",
        "answers": {"FP3.3": False, "FP3.2": False, "FP4.6": False, "FP5.2": False},
        "classes": {"vessel": {"FP3.3": True}, "organ": {}},
    }
    assert ids_of(recommend(parse_fingerprint(document))) == {"betti_number_error", "euler_characteristic_difference"}


def test_listing_changes_neither_metrics_nor_answers():
    one = recommended("semantic_segmentation", FP4_3_1=False, FP3_3=False)
    assert not {"lesionwise_dsc", "aggregated_dsc"} & {metric["id"] for metric in one["metrics"] + one["complementary"]}
    steps = {asked["item"] for asked in one["answers"]}
    assert steps <= set(knowledge().items)


def test_instances_and_objects_have_theirs():
    assert {"panoptic_quality", "aji"} <= ids_of(
        recommended("instance_segmentation", FP3_5=True, FP5_1=True, FP4_4="exact")
    )
    assert "aji" not in ids_of(recommended("instance_segmentation", FP3_5=False, FP5_1=True, FP4_4="exact"))
    assert ids_of(recommended("object_detection", FP2_4="position", FP5_1=True, FP4_4="exact")) == {"froc_score"}
    assert {metric for entry in listed("registration", lambda _: None) for metric in entry["ids"]} == {"tre"}


def test_a_design_with_such_a_metric_is_shown_use_weakness_and_source():
    document = recommended("semantic_segmentation", FP4_3_1=False, FP4_6=True)
    [found] = [each for each in departures(document, [{"id": "aggregated_dsc"}]) if each.metric == "aggregated_dsc"]
    entry = about("aggregated_dsc", "semantic_segmentation")
    assert found.kind == "not_recommended"
    assert all(words in found.why for words in (entry.use, entry.caution, entry.source))
    assert about("aggregated_dsc", "object_detection") is None
