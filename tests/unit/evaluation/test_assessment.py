"""An assessment document is checked completely, and what it leaves open is decided and written down."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.assessment import AssessmentError, parse
from evaluation.assessment.checks import check_executable
from evaluation.catalogue import all_metrics
from evaluation.problems.offered_metrics import kinds_with

CONTRACT = {
    "schema": 1,
    "problem": "semantic_segmentation",
    "regions": [{"name": "anterior", "labels": [1]}, {"name": "whole", "labels": [1, 2]}],
    "metrics": [
        {"id": "dsc"},
        {"id": "nsd", "options": {"tolerance": 1.0}},
        {
            "id": "hausdorff_percentile",
            "options": {"percentile": 95},
            "policy": {
                "both_empty": 0,
                "ref_empty": "image_diagonal",
                "pred_empty": "image_diagonal",
                "missing": "image_diagonal",
            },
        },
    ],
    "aggregation": {"levels": ["case"], "operator": "mean"},
    "ranking": {
        "scheme": "aggregate_then_rank",
        "operator": "mean",
        "ties": "min",
        "combine": {"over": ["metric", "region"], "operator": "mean", "rerank": True},
    },
    "uncertainty": {"bootstrap": 1000, "seed": 1, "interval": 0.95, "resample": "case"},
}
TABLE = {"problem": "table", "metrics": [{"id": "value", "direction": "higher"}]}


def changed(path, value, document=CONTRACT):
    """The document with one value put at a path such as ``metrics.0.id``."""
    result = copy.deepcopy(document)
    place = result
    *parents, last = path.split(".")
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place.setdefault(key, {})
    if isinstance(place, list):
        place[int(last)] = value
    else:
        place[last] = value
    return result


def error(document):
    with pytest.raises(AssessmentError) as caught:
        parse(document)
    return caught.value


def test_the_example_of_the_contract_is_valid():
    assessment = parse(CONTRACT)
    assert [metric.name for metric in assessment.metrics] == ["dsc", "nsd", "hausdorff_percentile"]
    assert assessment.regions[1].labels == (1, 2)
    assert assessment.uncertainty.bootstrap == 1000


def test_every_default_is_written_out_and_reads_back_as_the_same_assessment():
    assessment = parse(CONTRACT)
    again = parse(json.loads(json.dumps(assessment.document)))
    assert again == assessment
    assert again.digest == assessment.digest
    assert again.document == assessment.document
    assert assessment.document["metrics"][0]["policy"]["missing"] == "worst"
    assert assessment.document["ranking"]["missing_rank"] == "toolkit"


def test_the_digest_does_not_depend_on_what_is_left_to_the_defaults():
    assert parse(changed("uncertainty", {})).digest == parse(CONTRACT).digest
    assert parse(changed("uncertainty.seed", 2)).digest != parse(CONTRACT).digest


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        ("colour", "red", "colour"),
        ("schema", 2, "schema"),
        ("problem", "segmentation", "problem"),
        ("regions", [], "regions"),
        ("regions.0.labels", [-1], "regions[0].labels[0]"),
        ("regions.0.labels", [1, 1], "regions[0].labels"),
        ("regions.0.labels", [1.5], "regions[0].labels[0]"),
        ("regions.1.name", "anterior", "regions[1]"),
        ("metrics", [], "metrics"),
        ("metrics.0.id", "dcs", "metrics[0].id"),
        ("metrics.0.id", "loc_box_iou", "metrics[0].id"),
        ("metrics.0.id", "auroc", "metrics[0].id"),
        ("metrics.0.weight", 2, "metrics[0].weight"),
        ("metrics.1.options.tolerence", 1, "metrics[1].options.tolerence"),
        ("metrics.1.options.tolerance", -1, "metrics[1].options.tolerance"),
        ("metrics.0.options", {"on_both_empty": "worst"}, "metrics[0].options.on_both_empty"),
        ("metrics.2.options", {"distance_penalty": 5}, "metrics[2].options.distance_penalty"),
        ("metrics.0.policy", {"mising": 0}, "metrics[0].policy.mising"),
        ("metrics.0.policy", {"missing": "zero"}, "metrics[0].policy.missing"),
        ("metrics.0.policy", {"missing": "image_diagonal"}, "metrics[0].policy.missing"),
        ("metrics.0.policy", {"missing": "worst_rank"}, "metrics[0].policy.missing"),
        ("metrics.0.policy", {"missing": True}, "metrics[0].policy.missing"),
        ("metrics.1.id", "dsc", "metrics[1].options.tolerance"),
        ("metrics.1", {"id": "dsc"}, "metrics[1]"),
        ("aggregation.levels", ["patient", "case"], "aggregation.levels[0]"),
        ("aggregation.operator", "mode", "aggregation.operator"),
        ("ranking.scheme", "rank", "ranking.scheme"),
        ("ranking.ties", "random", "ranking.ties"),
        ("ranking.operator", {"percentile": 101}, "ranking.operator.percentile"),
        ("ranking.alpha", 0.05, "ranking.alpha"),
        ("ranking.missing_rank", "worst", "ranking.missing_rank"),
        ("ranking.metrics", ["assd"], "ranking[0].metrics"),
        ("ranking.combine.over", ["metrics", "case"], "ranking.combine.over"),
        ("ranking.combine.rerank", False, "ranking.combine.rerank"),
        ("ranking.combine.weights", {"metric": {"dsc": 1}}, "ranking[0].combine[0].weights.metric"),
        ("ranking.combine.weights", {"metric": {"dsc": 0}}, "ranking.combine.weights.metric.dsc"),
        ("ranking", [CONTRACT["ranking"], CONTRACT["ranking"]], "ranking[0].name"),
        ("uncertainty.bootstrap", 1.5, "uncertainty.bootstrap"),
        ("uncertainty.bootstrap", -1, "uncertainty.bootstrap"),
        ("uncertainty.interval", 1, "uncertainty.interval"),
        ("uncertainty.resample", ["case", "patient"], "uncertainty.resample"),
        ("uncertainty.group", "top three", "uncertainty.group"),
    ],
)
def test_what_is_not_allowed_is_named_with_its_place_its_value_and_what_is(path, value, place):
    caught = error(changed(path, value))
    assert caught.place == place
    assert caught.allowed
    assert place in str(caught)
    assert "\n" not in str(caught)


@pytest.mark.parametrize("outcome", ["missing", "pred_empty", "ref_empty"])
def test_leaving_out_what_participants_cause_is_refused_unless_it_is_said_openly(outcome):
    caught = error(changed("metrics.0.policy", {outcome: "exclude"}))
    assert caught.place == f"metrics[0].policy.{outcome}"
    assert "allow_gaming" in caught.allowed
    allowed = parse(changed("metrics.0.policy", {outcome: "exclude", "allow_gaming": True}))
    assert allowed.metrics[0].policy.get(outcome) == "exclude"


def test_cases_with_an_empty_reference_may_be_left_out_for_everyone():
    policy = {"both_empty": "exclude", "ref_empty": "exclude"}
    assert parse(changed("metrics.0.policy", policy)).metrics[0].policy.ref_empty == "exclude"


def test_worst_of_a_distance_is_the_diagonal_of_the_image():
    policy = parse(changed("metrics.2.policy", {"missing": "worst"})).metrics[2].policy
    assert policy.missing == policy.pred_empty == "image_diagonal"
    assert policy.both_empty == "perfect"


def test_an_unbounded_metric_without_an_image_needs_a_number():
    document = {"problem": "image_classification", "metrics": [{"id": "nll"}]}
    caught = error(document)
    assert (caught.place, caught.value) == ("metrics[0].policy.missing", None)
    assert parse(changed("metrics.0.policy", {"missing": 20}, document)).metrics[0].policy.missing == 20.0


def test_a_table_has_one_value_and_no_policy_unless_one_is_given():
    assessment = parse(TABLE)
    assert assessment.metrics[0].policy.missing is None
    assert assessment.rankings[0].combine is None
    assert error(changed("metrics.0.direction", "up", TABLE)).place == "metrics[0].direction"
    assert error(changed("metrics.0.policy", {"missing": "worst"}, TABLE)).place == "metrics[0].policy.missing"
    assert error(changed("regions", [{"name": "a", "labels": [1]}], TABLE)).place == "regions"
    assert error(changed("metrics.0.id", "dsc", TABLE)).place == "metrics[0].id"


def test_ranking_every_case_gives_missing_values_the_last_rank_by_default():
    ranked = changed("ranking", {"scheme": "rank_then_aggregate"}, TABLE)
    assert parse(ranked).metrics[0].policy.missing == "worst_rank"


def test_patients_are_drawn_where_patients_are_counted():
    assessment = parse(changed("aggregation.levels", ["case", "patient"], {**CONTRACT, "uncertainty": {}}))
    assert assessment.uncertainty.resample == ("patient",)


def test_sites_that_are_ranked_one_by_one_are_strata_of_the_resampling():
    document = changed("ranking.combine.over", ["metric", "region", "site"])
    assert parse(document).uncertainty.strata == ("site",)


def test_the_same_metric_twice_needs_names_that_tell_the_uses_apart():
    strict = {"id": "nsd", "options": {"tolerance": 2}, "name": "nsd-2mm"}
    assert [metric.name for metric in parse(changed("metrics.0", strict)).metrics][:2] == ["nsd-2mm", "nsd"]


@pytest.mark.parametrize("problem", ["semantic_segmentation", "instance_segmentation", "object_detection"])
def test_every_metric_of_a_problem_can_be_registered_with_its_defaults(problem):
    regions = [{"name": "lesion", "labels": [1]}]
    for metric in all_metrics():
        if problem in kinds_with(metric) and not metric.is_criterion:
            required = [option.name for option in metric.assessment_options if option.required]
            use = {"id": metric.id, "options": dict.fromkeys(required, 0.5), "policy": {"missing": 1.0}}
            assessment = parse({"problem": problem, "regions": regions, "metrics": [use]})
            assert parse(assessment.document) == assessment


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
paths = st.sampled_from(
    [
        *CONTRACT,
        "regions.0",
        "regions.0.labels",
        "metrics.0",
        "metrics.1.options",
        "metrics.1.options.tolerance",
        "metrics.2.policy",
        "metrics.2.policy.missing",
        "ranking.operator",
        "ranking.combine",
        "ranking.combine.over",
        "ranking.combine.weights",
        "uncertainty.resample",
        "uncertainty.strata",
    ]
)


@given(path=paths, value=json_values)
def test_whatever_stands_in_the_document_it_is_accepted_in_full_or_refused_by_name(path, value):
    try:
        assessment = parse(changed(path, value))
    except AssessmentError:
        return
    assert parse(assessment.document) == assessment


def test_a_limit_of_detections_stands_in_the_document_only_where_it_is_set():
    """It came later than assessments whose digests are published."""
    document = {
        "problem": "object_detection",
        "regions": [{"name": "nodule", "labels": [1]}],
        "metrics": [{"id": "average_precision", "options": {"interpolation": "coco_101"}}],
    }
    assert "max_detections" not in parse(document).document["metrics"][0]["options"]
    limited = {**document, "metrics": [{"id": "average_precision", "options": {"max_detections": 10}}]}
    assert parse(limited).document["metrics"][0]["options"]["max_detections"] == 10


def test_metrics_measured_elsewhere_have_names_of_their_own_and_can_be_executed():
    document = {
        "problem": "external",
        "metrics": [{"id": "seams", "direction": "lower", "policy": {"missing": 100}}],
        "ranking": {"scheme": "aggregate_then_rank", "operator": "mean"},
    }
    check_executable(parse(document))


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"double_assignment": "ignore"}, "double_assignment"),
        ({"assignment": "hungarian"}, "assignment"),
        ({"localization_criterion": "loc_boundary_iou"}, "localization_criterion"),
    ],
)
def test_matching_that_coco_does_not_have_is_refused_with_its_interpolation(options, field):
    metric = {"id": "mean_average_precision", "options": {"interpolation": "coco_101", **options}}
    document = {
        "problem": "instance_segmentation",
        "regions": [{"name": "cell", "labels": ["cell"]}],
        "metrics": [metric],
    }
    with pytest.raises(AssessmentError, match=rf"metrics\[0\].options.{field}"):
        check_executable(parse(document))
    metric["options"]["interpolation"] = "points_101"
    check_executable(parse(document))


def test_the_positive_class_of_a_calibration_error_needs_two_classes():
    regions = [{"name": name, "labels": [name]} for name in "abc"]
    document = {
        "problem": "image_classification",
        "regions": regions,
        "metrics": [{"id": "tce", "options": {"target": "positive_class"}}],
    }
    with pytest.raises(AssessmentError, match=r"metrics\[0\].options.target"):
        check_executable(parse(document))
    check_executable(parse({**document, "regions": regions[:2]}))
