import json
from pathlib import Path

import pytest

from evaluation import catalogue
from evaluation.catalogue import CatalogueError, Metric, Option, OptionError
from evaluation.problems.offered_metrics import default_policy, kinds_with, level_of


def data_file():
    return json.loads(Path(__file__).with_name("metrics.v1.json").read_text(encoding="utf-8"))


def metrics_of_kinds():
    """Return the metrics of additional kinds of problem from their reference, with level, unit and policy."""
    path = Path(__file__).with_name("problem_kinds.json")
    return json.loads(path.read_text(encoding="utf-8"))["metrics"]


FURTHER = [entry for entry in metrics_of_kinds() if entry["id"] in {metric.id for metric in catalogue.all_metrics()}]
LATER_CATEGORIES = ("RgnL",)
"""Categories of kinds that were added after the reference was written."""
ONE_VALUE = ("FaD", "Reg", "Sur", "MLC", "ImLC")


def as_published(entry):
    """Return the catalogue's entry without the options that came later, which a document states only where it sets them."""
    metric = catalogue.get(entry["id"])
    names = {option["name"] for option in entry["hyperparameters"]}
    later = {option.name for option in metric.options if option.stands_where_set and option.name not in names}
    document = metric.as_document()
    categories = [each for each in document["categories"] if each not in LATER_CATEGORIES]
    options = [each for each in document["hyperparameters"] if each["name"] not in later]
    return document | {"categories": categories, "hyperparameters": options}


def test_registry_says_field_by_field_what_the_data_file_says():
    further = {entry["id"] for entry in FURTHER}
    published = data_file()["metrics"]
    ids = {entry["id"] for entry in published} - further
    assert [metric.id for metric in catalogue.all_metrics() if metric.id in ids] == [each["id"] for each in published]
    assert [as_published(entry) for entry in published] == published
    assert catalogue.catalogue_version() == data_file()["version"]


@pytest.mark.parametrize("entry", FURTHER, ids=lambda entry: entry["id"])
def test_metrics_of_further_kinds_say_what_their_reference_says(entry):
    metric = catalogue.get(entry["id"])
    told = {key: value for key, value in entry.items() if key not in ("level", "unit", "default_policy")}
    assert as_published(entry) == told
    policy = default_policy(metric, kinds_with(metric)[0])
    assert {key: policy[key] for key in entry["default_policy"]} == entry["default_policy"]
    assert {level_of(metric, problem, {}) for problem in kinds_with(metric)} == {entry["level"]}


def test_all_metrics_are_there_once():
    ids = [metric.id for metric in catalogue.all_metrics()]
    assert len(ids) == len(set(ids))
    assert {entry["id"] for entry in data_file()["metrics"]} <= set(ids)
    assert {entry["id"] for entry in metrics_of_kinds() if set(entry["categories"]) & set(ONE_VALUE)} <= set(ids)


def test_unknown_id_names_the_closest():
    with pytest.raises(CatalogueError, match="hausdorff_distance"):
        catalogue.get("hausdorff_distnce")


class TestOptions:
    def test_defaults_are_written_out(self):
        assert catalogue.get("hausdorff_percentile").check_options({}) == {
            "percentile": 95,
            "combine": "max_of_directed",
            "spacing": "from_image",
            "boundary_connectivity": "face",
        }

    @pytest.mark.parametrize(
        ("metric", "name", "value"),
        [
            ("nsd", "tolerance", -1),
            ("nsd", "tolerance", "1"),
            ("nsd", "tolerance", True),
            ("nsd", "tolerance", float("nan")),
            ("nsd", "boundary_weighting", "volume"),
            ("nsd", "spacing", [1, 0, 1]),
            ("nsd", "spacing", []),
            ("nsd", "spacing", [1, "1", 1]),
            ("nsd", "spacing", [1, True, 1]),
            ("nsd", "spacing", [1, float("nan"), 1]),
            ("nsd", "spacing", [1, float("inf"), 1]),
            ("nsd", "on_both_empty", "perfect"),
            ("hausdorff_percentile", "percentile", 0),
            ("hausdorff_percentile", "percentile", 101),
            ("hausdorff_percentile", "distance_penalty", 100),
            ("ece", "n_bins", 2.5),
            ("ece", "n_bins", 0),
            ("dsc", "beta", 1),
            ("fbeta", "beta", 0),
            ("net_benefit", "threshold_probability", 1),
            ("sensitivity_at_specificity", "target_specificity", 1.1),
            ("expected_cost", "costs", [[0, 1], [1]]),
            ("expected_cost", "costs", [[0, -1], [1, 0]]),
            ("expected_cost", "priors", "custom"),
            ("kce", "bandwidth", 0),
            ("cldice", "make_isotropic", 1),
            ("sensitivity", "localization_criterion", "loc_nothing"),
        ],
    )
    def test_value_outside_the_limits_is_refused_with_what_is_allowed(self, metric, name, value):
        with pytest.raises(OptionError) as caught:
            catalogue.get(metric).check_options({name: value})
        assert caught.value.name == name
        assert caught.value.allowed

    def test_value_without_safe_default_has_to_be_given(self):
        with pytest.raises(OptionError, match="no safe default"):
            catalogue.get("net_benefit").check_options({})

    def test_required_value_left_to_its_default_is_named(self):
        nsd = catalogue.get("nsd")
        assert nsd.unconfirmed({}) == ("tolerance",)
        assert nsd.unconfirmed({"tolerance": 2}) == ()

    def test_centre_distance_needs_a_cutoff_of_its_own(self):
        fppi = catalogue.get("fppi")
        with pytest.raises(OptionError, match="distance in mm"):
            fppi.check_options({"localization_criterion": "loc_center_distance"})
        given = {"localization_criterion": "loc_center_distance", "localization_threshold": 3}
        assert fppi.check_options(given)["localization_threshold"] == 3.0

    def test_criterion_may_have_options_of_its_own(self):
        checked = catalogue.get("fppi").check_options(
            {"localization_criterion": {"id": "loc_boundary_iou", "options": {"distance": 2}}}
        )
        assert checked["localization_criterion"] == {
            "id": "loc_boundary_iou",
            "options": {"distance": 2.0, "distance_ratio": 0.02},
        }

    @pytest.mark.parametrize(
        "criterion",
        [
            {"id": "loc_boundary_iou", "options": {"width": 2}},
            {"id": "dsc"},
            {"options": {}},
            {"id": "loc_ior", "x": 1},
        ],
    )
    def test_unknown_option_of_a_criterion_is_refused(self, criterion):
        with pytest.raises(OptionError):
            catalogue.get("fppi").check_options({"localization_criterion": criterion})


class TestBounds:
    @pytest.mark.parametrize(
        ("metric", "best", "worst"),
        [("dsc", 1, 0), ("assd", 0, None), ("lr_plus", None, 0), ("kce", None, None), ("brier_score", 0, 2)],
    )
    def test_best_and_worst_follow_the_direction(self, metric, best, worst):
        assert (catalogue.get(metric).best, catalogue.get(metric).worst) == (best, worst)


class TestDefaultPolicies:
    def test_nothing_that_a_participant_causes_is_left_out(self):
        for metric in catalogue.all_metrics():
            for problem in kinds_with(metric):
                policy = default_policy(metric, problem)
                assert policy["pred_empty"] != "exclude"
                assert policy["missing"] != "exclude"
                assert policy["ref_empty"] != "exclude" or policy["both_empty"] == "exclude"

    def test_an_empty_reference_that_is_answered_correctly_is_perfect(self):
        assert default_policy(catalogue.get("dsc"), "semantic_segmentation")["both_empty"] == "perfect"


class TestRegistration:
    @pytest.fixture
    def volume_difference(self):
        metric = Metric(
            id="volume_difference",
            name="Relative volume difference",
            abbreviation="RVD",
            categories=("SemS",),
            direction="lower",
            range=(0, None),
            family="overlap",
            options=(Option("power", "number", 1.0, "Exponent", exclusive_minimum=0),),
            function=lambda reference, prediction, *, spacing, power: None,
            source="somebody-else",
        )
        yield catalogue.register(metric)
        catalogue.unregister(metric.id)

    def test_one_function_and_one_registration_add_a_metric(self, volume_difference):
        assert catalogue.get("volume_difference") is volume_difference
        assert catalogue.all_metrics()[-1] is volume_difference

    def test_an_id_is_given_once(self, volume_difference):
        with pytest.raises(CatalogueError, match="taken by Relative volume difference of somebody-else"):
            catalogue.register(volume_difference)

    def test_built_in_metrics_stay(self):
        with pytest.raises(CatalogueError, match="built in"):
            catalogue.unregister("dsc")

    def test_direction_is_one_of_two(self):
        with pytest.raises(ValueError, match="higher"):
            Metric("x", "X", "X", (), "upwards", (0, 1), "overlap")


def test_semantic_metrics_give_a_value_a_case_and_classification_one_for_all():
    assert level_of(catalogue.get("dsc"), "semantic_segmentation", {}) == "case"
    assert level_of(catalogue.get("accuracy"), "image_classification", {}) == "dataset"
    assert level_of(catalogue.get("fbeta"), "object_detection", {"scale": "dataset"}) == "dataset"
    assert level_of(catalogue.get("fbeta"), "object_detection", {"scale": "image"}) == "case"
