"""Requirements of an assessment on the table of instances that may accompany label maps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evaluation import catalogue
from evaluation.readers.instance_tables import InstanceRules

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment, MetricUse


def instance_rules(assessment: Assessment) -> InstanceRules:
    """Return the requirements on a table of instances.

    They are its classes, and whether classes and scores are needed. With several regions, an object without a
    class would count in each of them. Every object therefore needs a class.
    """
    classes = tuple(dict.fromkeys(str(label) for region in assessment.regions for label in region.labels))
    return InstanceRules(
        classes=classes or None,
        need_class=len(assessment.regions) > 1,
        need_scores=tuple(use.name for use in assessment.metrics if needs_scores(use)),
        any_score=assessment.settings.get("scores") == "any",
    )


def needs_scores(use: MetricUse) -> bool:
    """Return whether a metric of objects has no value without their scores."""
    return use.level == "dataset" and "scores" in catalogue.get(use.id).needs
