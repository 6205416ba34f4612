"""Declarations of metrics: bounds, problems, policies, levels, and accepted options."""

import inspect

import pytest

from evaluation import metrics
from evaluation.catalogue import all_metrics, get
from evaluation.metrics.declaration import CatalogueError, Metric, check_option, declared_in
from evaluation.metrics.options import Option, OptionError
from evaluation.problems.offered_metrics import default_policy, function_for, kinds_with, level_of, measured_as


def metric(**more):
    described = {"id": "own", "name": "Own", "abbreviation": "O", "categories": ("SemS",), "direction": "higher"}
    return Metric(**(described | {"range": (0, 1), "family": "overlap"} | more))


class TestBounds:
    def test_the_better_end_of_the_range_is_the_best_value(self):
        higher, lower = metric(range=(-1, 1)), metric(direction="lower", range=(0, None))
        assert (higher.higher_is_better, higher.best, higher.worst) == (True, 1, -1)
        assert (lower.higher_is_better, lower.best, lower.worst) == (False, 0, None)
        with pytest.raises(ValueError, match="direction is 'higher' or 'lower', not 'up'"):
            metric(direction="up")

    def test_what_is_optional_is_needed_otherwise(self):
        metric_use = metric(needs=frozenset({"masks", "spacing"}), optional=frozenset({"spacing"}))
        assert (metric_use.requires("masks"), metric_use.requires("spacing"), metric_use.requires("scores")) == (
            True,
            False,
            False,
        )
        with pytest.raises(ValueError, match="optional is none of its needs: scores"):
            metric(needs=frozenset({"masks"}), optional=frozenset({"masks", "scores"}))

    def test_it_is_undeclared_what_nobody_declares(self):
        metric_use = metric()
        assert (
            metric_use.whole_data_set,
            metric_use.all_classes,
            metric_use.worst_by_case,
            metric_use.is_criterion,
        ) == (False,) * 4
        assert (metric_use.options, metric_use.unit, metric_use.source, metric_use.label, metric_use.evidence) == (
            (),
            None,
            "podium",
            "",
            None,
        )
        assert metric_use.short_name({}) == "O"
        assert metric(label="O{size:g}").short_name({"size": 2.0}) == "O2"
        assert metric(family="localization_criterion").is_criterion


class TestFunctions:
    def test_it_is_called_as_declared_or_imported_by_its_place(self):
        assert get("dsc").compute is metrics.dsc
        assert metric(function="math:sqrt").compute(9.0) == 3.0
        with pytest.raises(CatalogueError, match="metric own has no function"):
            _ = metric().compute

    def test_other_kinds_of_problem_may_have_a_function_of_their_own(self):
        metric_use = metric(function="math:sqrt", functions_by_problem={"object_detection": "math:floor"})
        assert function_for(metric_use, "semantic_segmentation")(6.25) == 2.5
        assert function_for(metric_use, "object_detection")(6.25) == 6
        assert function_for(get("fbeta"), "semantic_segmentation") is not function_for(get("fbeta"), "object_detection")
        assert function_for(get("fbeta"), "image_classification") is metrics.fbeta

    def test_the_package_knows_every_id_and_nothing_else(self):
        assert set(metrics.__all__) <= set(dir(metrics))
        with pytest.raises(AttributeError, match="has no attribute 'dice'"):
            _ = metrics.dice

    def test_a_module_lists_its_metrics_in_order(self):
        listed = declared_in("evaluation.metrics.multi_label")
        assert [each.id for each in listed] == ["subset_accuracy", "hamming_loss"]
        assert declared_in("evaluation.metrics.values") == ()


class TestKindsOfProblem:
    def test_they_are_those_of_its_categories_and_those_measured_as_one_of_them(self):
        assert kinds_with(metric()) == ("semantic_segmentation", "registration", "segmentation_with_confidence")
        assert kinds_with(metric(categories=("Sur",))) == ("survival",)

    def test_a_kind_that_takes_metrics_of_another_is_measured_as_that(self):
        assert measured_as(metric(), "registration") == "semantic_segmentation"
        assert measured_as(metric(), "semantic_segmentation") == "semantic_segmentation"
        both = metric(categories=("Rgn", "SemS"))
        assert measured_as(both, "registration") == "registration"
        assert measured_as(metric(), "survival") == "survival"
        assert measured_as(metric(), "unknown") == "unknown"
        of_confidences = metric(categories=("FaD",))
        assert measured_as(of_confidences, "segmentation_with_confidence") == "failure_detection"

    @pytest.mark.parametrize(
        ("family", "more", "problem", "options", "level"),
        [
            ("overlap", {}, "semantic_segmentation", {}, "case"),
            ("overlap", {}, "instance_segmentation", {}, "case"),
            ("overlap", {"whole_data_set": True}, "semantic_segmentation", {}, "dataset"),
            ("overlap", {}, "image_classification", {}, "dataset"),
            ("calibration", {}, "object_detection", {}, "dataset"),
            ("working_point", {}, "object_detection", {"scale": "image"}, "dataset"),
            ("multi_threshold", {}, "object_detection", {}, "dataset"),
            ("multi_class_counting", {}, "unknown", {}, "dataset"),
            ("per_class_counting", {}, "semantic_segmentation", {}, "case"),
            ("per_class_counting", {}, "registration", {}, "case"),
            ("per_class_counting", {}, "object_detection", {}, "dataset"),
            ("per_class_counting", {}, "object_detection", {"scale": "image"}, "case"),
            ("per_class_counting", {}, "object_detection", {"scale": "patient"}, "dataset"),
            ("per_class_counting", {}, "instance_segmentation", {"level": "pixel"}, "case"),
            ("regression", {}, "unknown", {}, "case"),
        ],
    )
    def test_one_value_a_case_or_one_for_all(self, family, more, problem, options, level):
        assert level_of(metric(family=family, **more), problem, options) == level

    def test_agreement_of_classes_says_nothing_where_nothing_is_there_if_cases_have_no_values(self):
        usual = {"both_empty": "perfect"} | dict.fromkeys(("ref_empty", "pred_empty", "degenerate", "missing"), "worst")
        of_classes = metric(family="multi_class_counting")
        assert default_policy(of_classes, "image_classification") == usual | {"both_empty": "exclude"}
        assert default_policy(of_classes, "semantic_segmentation") == usual
        assert default_policy(metric(), "image_classification") == usual
        metric_use = metric(policy={"degenerate": 0.0})
        assert default_policy(metric_use, "semantic_segmentation") == usual | {"degenerate": 0.0}


class TestOptions:
    OWN = metric(
        options=(
            Option("size", "integer", 3, ""),
            Option("points", "array", (1, 2), ""),
            Option("radius", "number", 2.0, "", required=True),
            Option("most", "integer", None, "", stands_where_set=True),
            Option("on_nothing", "enum", "worst", "", choices=("worst",)),
        )
    )

    def test_those_that_set_a_policy_are_none_of_an_assessment(self):
        assert [option.name for option in self.OWN.assessment_options] == ["size", "points", "radius", "most"]

    def test_defaults_are_written_out_but_for_those_that_stand_where_they_are_set(self):
        assert self.OWN.check_options({}) == {"size": 3, "points": [1, 2], "radius": 2.0}
        assert self.OWN.check_options({"most": 5, "size": 4}) == {"size": 4, "points": [1, 2], "radius": 2.0, "most": 5}
        assert "most" not in self.OWN.check_options({"most": None})

    def test_what_the_organizers_have_to_confirm(self):
        assert self.OWN.unconfirmed({}) == ("radius",)
        assert self.OWN.unconfirmed({"radius": 2.0}) == ()

    def test_unknown_options_are_refused_with_those_that_there_are(self):
        with pytest.raises(OptionError, match="width: 1 is not allowed; allowed is size, points, radius, most for own"):
            self.OWN.check_options({"width": 1})
        with pytest.raises(OptionError, match="allowed is no option for own"):
            metric().check_options({"width": 1})

    def test_what_has_no_safe_default_has_to_be_said(self):
        metric_use = metric(options=(Option("threshold", "number", None, "", required=True),))
        with pytest.raises(OptionError, match="set by the organizers: there is no safe default"):
            metric_use.check_options({})
        assert metric_use.check_options({"threshold": 1}) == {"threshold": 1.0}

    def test_own_weights_need_a_matrix(self):
        kappa = get("weighted_cohens_kappa")
        with pytest.raises(OptionError, match='with "weights": "custom"'):
            kappa.check_options({"weights": "custom"})
        matrix = [[0, 1], [1, 0]]
        assert kappa.check_options({"weights": "custom", "weight_matrix": matrix})["weight_matrix"] == matrix
        assert kappa.check_options({"weights": "linear"})["weight_matrix"] is None

    def test_a_distance_between_centres_needs_a_threshold_or_a_list_of_them(self):
        precision = get("average_precision")
        by_distance = {"id": "loc_center_distance"}
        for criterion in ("loc_center_distance", by_distance):
            with pytest.raises(OptionError, match="a distance in mm, set by the organizers"):
                precision.check_options({"localization_criterion": criterion})
            for given in ({"localization_threshold": 5}, {"localization_thresholds": [5, 6]}):
                assert precision.check_options({"localization_criterion": criterion} | given)
        assert precision.check_options({"localization_criterion": "loc_box_iou"})

    def test_options_of_a_criterion_are_named_where_there_are_some(self):
        [criterion] = [option for option in get("fppi").options if option.name == "localization_criterion"]
        with pytest.raises(OptionError) as error:
            check_option(criterion, {"id": "loc_boundary_iou", "options": {"width": 3, "alpha": 2}})
        assert (error.value.name, error.value.value) == ("localization_criterion.alpha", 2)
        assert error.value.allowed == "distance, distance_ratio for loc_boundary_iou"
        with pytest.raises(OptionError, match="allowed is no option for loc_center_hit"):
            check_option(criterion, {"id": "loc_center_hit", "options": {"width": 3}})
        assert check_option(criterion, {"id": "loc_center_hit"}) == {"id": "loc_center_hit", "options": {}}

    def test_a_choice_may_stand_beside_a_list_and_the_word_custom_stands_for_the_list(self):
        priors = Option("priors", "enum|array", "dataset", "", choices=("dataset", "custom"))
        assert priors.check("dataset") == "dataset"
        assert priors.check([0.5, 0.5]) == [0.5, 0.5]
        with pytest.raises(OptionError):
            priors.check("custom")
        assert Option("weights", "enum", "linear", "", choices=("linear", "custom")).check("custom") == "custom"

    def test_a_word_beside_a_number_is_the_default_and_no_other(self):
        bandwidth = Option("bandwidth", "number|string", "median", "")
        assert (bandwidth.check("median"), bandwidth.check(2)) == ("median", 2.0)
        with pytest.raises(OptionError):
            bandwidth.check("mean")

    @pytest.mark.parametrize(
        ("option", "words"),
        [
            (Option("bandwidth", "number|string", "median", ""), "a number > 0 or 'median'"),
            (Option("numbers", "array", None, ""), "a list of numbers or null"),
            (Option("radius", "number", None, "", required=True), "a number"),
            (Option("name", "string", "a", ""), "a text"),
            (Option("priors", "enum|array", "dataset", "", choices=("dataset", "uniform")), "one of dataset, uniform or a list of numbers >= 0"),
            (Option("target_npv", "number", 0.9, "", required=True), "a number >= 0 and <= 1"),
            (Option("target_fppi", "number", 1.0, "", required=True), "a number >= 0"),
            (Option("distance_penalty", "number|string", "image_diagonal", ""), "a number > 0 or 'image_diagonal'"),
        ],
        ids=lambda part: part.name if isinstance(part, Option) else "",
    )  # fmt: skip
    def test_what_an_option_takes_in_words(self, option, words):
        assert option.allowed == words

    def test_a_policy_is_set_by_the_beginning_of_the_name_or_by_the_penalty_of_distances(self):
        names = ("on_both_empty", "distance_penalty", "distance", "option", "action_on_nothing")
        assert [Option(name, "number", 1.0, "").sets_policy for name in names] == [True, True, False, False, False]

    def test_only_what_is_said_stands_in_a_document(self):
        plain = Option("size", "integer", 3, "Edge", minimum=0, maximum=5, choices=("3", "5"))
        assert plain.as_document() == {
            "name": "size", "type": "integer", "default": 3, "choices": ["3", "5"], "min": 0, "max": 5, "description": "Edge"
        }  # fmt: skip
        edges = Option("size", "number", None, "Edge", exclusive_minimum=0, exclusive_maximum=1, required=True)
        assert edges.as_document() == {
            "name": "size", "type": "number", "default": None, "exclusive_min": 0, "exclusive_max": 1, "required": True,
            "description": "Edge",
        }  # fmt: skip


class TestWhatIsDeclared:
    """Properties of the built-in metrics that no catalogue page shows but that scoring depends on."""

    BUILT_IN = tuple(each for each in all_metrics() if each.source == "podium")

    def those_with(self, attribute):
        return {each.id for each in self.BUILT_IN if getattr(each, attribute)}

    def test_a_value_without_a_worst_end_has_a_worst_one_by_case_where_the_case_tells_its_unit(self):
        """Levels, volumes and their errors, numbers in the unit of a target, distances of landmarks, and intensities."""
        by_case = {"ordinal_mae", "macro_ordinal_mae", "absolute_volume_difference", "relative_volume_error"}
        by_case |= {
            "absolute_error",
            "squared_error",
            "absolute_percentage_error",
            "rmse",
            "absolute_bias",
            "r2",
            "icc",
        }
        by_case |= {"loa_width", "radial_error", "image_mae", "image_rmse", "mean_dose_error", "dvh_dose_error"}
        of_masks = {"absolute_volume_difference", "relative_volume_error", "lesion_count_difference"}
        of_masks |= {
            "false_positive_volume",
            "false_negative_volume",
            "betti_number_error",
            "euler_characteristic_difference",
        }
        changed = sorted(self.those_with("worst_by_case") ^ (by_case | of_masks))
        assert not changed, f"add a new metric with worst_by_case to by_case or of_masks: {changed}"
        assert all(get(name).worst is None for name in by_case | of_masks)
        changed = sorted(self.those_with("worst_of") ^ of_masks)
        assert not changed, f"add a new metric with worst_of to of_masks: {changed}"

    def test_what_has_one_value_for_all_cases_together_in_every_problem(self):
        """Metrics that count false alarms per image, compare cases with each other, or pool values over cases."""
        of_families = ("failure_detection", "survival", "multi_label")
        together = {each.id for each in self.BUILT_IN if each.family in of_families} - {"risk"}
        together |= {each.id for each in self.BUILT_IN if each.family == "regression"}
        together -= {"absolute_error", "squared_error", "absolute_percentage_error"}
        together |= {"fppi", "success_detection_rate", "identification_rate", "aggregated_dsc", "aggregated_lesion_f1"}
        changed = sorted(self.those_with("whole_data_set") ^ together)
        assert not changed, f"add a new metric with whole_data_set to together: {changed}"
        assert self.those_with("all_classes") == {"mean_average_precision", "mean_average_recall"}

    def test_a_limit_that_came_later_stands_only_where_it_is_set(self):
        later = {(each.id, option.name) for each in self.BUILT_IN for option in each.options if option.stands_where_set}
        limits = {("average_precision", "max_detections"), ("mean_average_precision", "max_detections")}
        boundaries = ("hausdorff_distance", "hausdorff_percentile", "assd", "masd", "nsd")
        sizes = ("average_precision", "mean_average_precision", "average_recall", "mean_average_recall")
        curves = {("auroc", "max_fpr"), ("froc_score", "per"), ("mce", "target"), ("tce", "target")}
        curves |= {(name, "matched") for name in ("average_precision", "mean_average_precision", "froc_score")}
        by_option = {(name, "boundary") for name in boundaries} | {(name, "area") for name in sizes}
        expected = limits | by_option | curves | {("nsd", "tolerance_by_region"), ("lesion_f1", "min_iou")}
        expected |= {("aggregated_dsc", "size_unit")}
        assert later == expected, f"if an option was added to a metric, add it to this test: {sorted(later ^ expected)}"

    def test_functions_do_by_default_what_their_options_do_by_default(self):
        """But for the spacing, which a function that is given no image takes for 1."""
        compared = set()
        for each in self.BUILT_IN:
            for problem in ("image_classification", "semantic_segmentation", "object_detection"):
                parameters = inspect.signature(function_for(each, problem)).parameters
                for option in each.assessment_options:
                    if option.name == "spacing" or option.name not in parameters:
                        continue
                    default = parameters[option.name].default
                    assert default == (inspect.Parameter.empty if option.required else option.default), each.id
                    compared.add((each.id, option.name))
        assert {
            ("hausdorff_percentile", "percentile"),
            ("boundary_iou", "distance_ratio"),
            ("ssim", "sigma"),
        } <= compared
        assert len(compared) > 80
