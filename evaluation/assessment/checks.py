"""Checks of an assessment that no single entry shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.errors import AssessmentError, listed
from evaluation.assessment.reading import is_number
from evaluation.catalogue import get
from evaluation.matching.criteria import CRITERIA
from evaluation.problems import kind_of

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment, MetricUse

_CONNECTIVITY = "instance_connectivity"
BOXES_AND_POINTS: Final = "ObD"
"""Category of the kind of problem whose objects have no masks."""
ONE_CLASS: Final = "ImLC"
"""Category of the kind of problem whose cases have one class each."""
OF_MASKS: Final = ("loc_mask_iou", "loc_boundary_iou", "loc_point_in_mask")
"""Hit criteria that compare masks."""


def check_connectivity(metrics: tuple[MetricUse, ...]) -> None:
    """Objects are found once for all metrics; connected parts of a mask carry no scores.

    Raises
    ------
    AssessmentError
        For metrics that disagree, or one that needs scores.
    """
    given = {
        index: metric.options[_CONNECTIVITY] for index, metric in enumerate(metrics) if _CONNECTIVITY in metric.options
    }
    for index, value in given.items():
        first = next(iter(given.values()))
        if value != first:
            field_path = f"metrics[{index}].options.{_CONNECTIVITY}"
            raise AssessmentError(
                field_path, value, f"{first!r}, as other metrics have it: objects are found once for all"
            )
    if set(given.values()) - {"as_submitted"}:
        for index, metric in enumerate(metrics):
            if metric.level == "dataset" and "scores" in get(metric.id).needs:
                field_path, value = f"metrics[{index}].id", metric.id
                raise AssessmentError(
                    field_path, value, f"no metric of scores, which connected parts ({_CONNECTIVITY}) do not have"
                )


def check_axes(assessment: Assessment) -> None:
    """Refuse metrics that need images with different numbers of axes: no reference would fit all of them.

    `parse` accepts them, as earlier versions registered them.

    Raises
    ------
    AssessmentError
        For the first option that contradicts another metric.
    """
    if kind_of(assessment).is_measured_elsewhere:
        return
    needed: dict[int, str] = {}
    for index, use in enumerate(assessment.computed):
        spacing = use.options.get("spacing")
        wanted: list[tuple[str, Any, int]] = []
        if isinstance(spacing, (list, tuple)):
            wanted.append(("spacing", spacing, len(spacing)))
        if use.options.get("skeleton_method") == "zhang":
            wanted.append(("skeleton_method", "zhang", 2))
        if "volume" in get(use.id).needs:
            wanted.append(("", use.id, 3))
        for name, value, axes in wanted:
            other = next((title for number, title in needed.items() if number != axes), None)
            if other is not None:
                field_path = f"metrics[{index}].options.{name}" if name else f"metrics[{index}].id"
                raise AssessmentError(field_path, value, f"a value for as many axes as {other} needs")
            needed.setdefault(axes, use.title)


def check_executable(assessment: Assessment) -> None:
    """Refuse options with which a metric could not be computed for any submission, or not ranked.

    `parse` accepts them, as earlier versions registered them.

    Raises
    ------
    AssessmentError
        For the first of them.
    """
    if kind_of(assessment).is_measured_elsewhere:
        return  # Its metrics have names of their own, and no options.
    check_axes(assessment)
    classes = {str(label) for region in assessment.regions for label in region.labels}
    for index, use in enumerate(assessment.computed):
        given = use.options.get("localization_criterion")
        criterion = str(given["id"] if isinstance(given, Mapping) else given)
        if use.options.get("interpolation") == "coco_101":
            for option, value in (("assignment", "greedy_by_score"), ("double_assignment", "fp")):
                if use.options.get(option, value) != value:
                    allowed = f"{value} with the interpolation coco_101, or the interpolation points_101"
                    raise AssessmentError(f"metrics[{index}].options.{option}", use.options[option], allowed)
            if given is not None and criterion not in ("loc_box_iou", "loc_mask_iou"):
                allowed = "loc_box_iou or loc_mask_iou with the interpolation coco_101"
                raise AssessmentError(f"metrics[{index}].options.localization_criterion", criterion, allowed)
        if use.options.get("assignment") == "criterion_gt_half" and CRITERIA[criterion].kind != "overlap":
            allowed = f"another assignment: {criterion} is no overlap"
            raise AssessmentError(f"metrics[{index}].options.assignment", "criterion_gt_half", allowed)
        if use.options.get("task_form") == "binary" and len(classes) > 2:
            allowed = f"auto or multiclass: there are {len(classes)} classes"
            raise AssessmentError(f"metrics[{index}].options.task_form", "binary", allowed)
        if (
            use.options.get("target") == "positive_class"
            and kind_of(assessment).category == ONE_CLASS
            and len(classes) > 2
        ):
            allowed = f"another target: there are {len(classes)} classes"
            raise AssessmentError(f"metrics[{index}].options.target", "positive_class", allowed)
        metric = get(use.id)
        if kind_of(assessment).category == BOXES_AND_POINTS:
            if criterion in OF_MASKS:
                allowed = "a criterion of boxes or points, or the kind of problem with masks"
                raise AssessmentError(f"metrics[{index}].options.localization_criterion", criterion, allowed)
            if "masks" in metric.needs or use.options.get("level") == "pixel":
                allowed = "a metric of boxes or points, or the kind of problem with masks"
                raise AssessmentError(f"metrics[{index}].id", use.id, allowed)
        is_ranked = any(scheme.metrics is None or use.name in scheme.metrics for scheme in assessment.rankings)
        if is_ranked and "_at_" in use.id and metric.worst is None and use.policy.degenerate is None:
            allowed = "a number: a submission that does not reach the target has no value"
            raise AssessmentError(f"metrics[{index}].policy.degenerate", None, allowed)


def check_classes_of_mean(assessment: Assessment) -> None:
    """A mean over classes needs the classes, and a range of areas the matching of COCO.

    Raises
    ------
    AssessmentError
        If there is no region, or another interpolation.
    """
    for index, metric in enumerate(assessment.computed):
        area = metric.options.get("area")
        if area is not None and metric.options.get("interpolation", "coco_101") != "coco_101":
            allowed = 'no value unless "interpolation" is "coco_101"'
            raise AssessmentError(f"metrics[{index}].options.area", area, allowed)
    means = [metric.id for metric in assessment.computed if get(metric.id).all_classes]
    if means and not assessment.regions:
        raise AssessmentError("regions", [], f"the classes over which {means[0]} is a mean")


def check_tolerances(assessment: Assessment) -> None:
    """Refuse tolerances of regions that the assessment does not have, and what is no distance.

    Raises
    ------
    AssessmentError
        Naming the metric and the region.
    """
    names = [region.name for region in assessment.regions]
    for index, use in enumerate(assessment.metrics):
        for name, value in (use.options.get("tolerance_by_region") or {}).items():
            path = f"metrics[{index}].options.tolerance_by_region.{name}"
            if name not in names:
                raise AssessmentError(path, value, f"one of the regions {listed(names)}")
            if not is_number(value) or value < 0:
                raise AssessmentError(path, value, "a number of 0 or more, in mm")
