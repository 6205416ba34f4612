"""Checks of an assessment that no single entry shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation.assessment.errors import AssessmentError, listed
from evaluation.assessment.reading import is_number
from evaluation.catalogue import get

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment, MetricUse

_CONNECTIVITY = "instance_connectivity"


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
