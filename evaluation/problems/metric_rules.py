"""Metrics of a kind of problem: their entries in assessment documents, and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evaluation.problems.parts import KindPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment.model import MetricUse


class MetricRules(KindPart):
    """Metrics of a kind of problem; by default those of the catalogue in the category of the kind.

    Attributes
    ----------
    accepted_kinds
        Kinds whose metrics this one also accepts, computed as in those kinds.
    pixel_kind
        For a kind with objects: the kind whose functions count their pixels.
    is_single_metric
        Whether an assessment has a single metric, which results tables do not name.
    can_be_undefined
        Whether a metric can be undefined in a single case because of its prediction (otherwise only ``missing``).
    has_values_of_cases
        Whether any metric has a value for a single case; otherwise all values are of the whole data set.
    can_pool_classes
        Whether counts can be pooled over classes, since a case can have several.
    rates_objects
        Whether metrics can rate the detection, outlines and classification of objects separately.
    rates_object_parts
        Whether detection, classification and outlines are also rated separately, in addition to the metrics.
    has_image_diagonal
        Whether a case has an image whose diagonal can be used as the worst distance.
    """

    has_image_diagonal: bool = False
    can_be_undefined: bool = True
    has_values_of_cases: bool = True
    can_pool_classes: bool = False
    rates_objects: bool = False
    rates_object_parts: bool = False
    is_single_metric: bool = False
    pixel_kind: str = ""
    accepted_kinds: tuple[str, ...] = ()

    def read(self, value: object, path: str, *, rank_based: bool) -> MetricUse | None:
        """Check one entry of the assessment's metrics, for a kind that declares its own.

        The result is ``None`` for a kind whose metrics are those of the catalogue.

        Raises
        ------
        AssessmentError
            For a value that is not allowed.
        """
        return None

    def complete(self, metric: MetricUse, settings: Mapping[str, Any]) -> MetricUse:
        """Return a metric entry completed from the settings, for example with the unit of distances."""
        return metric

    def document_of(self, metric: MetricUse) -> dict[str, Any]:
        """The entry as JSON values with every default."""
        return {
            "id": metric.id,
            "name": metric.name,
            "options": {
                key: list(value) if isinstance(value, tuple) else value for key, value in metric.options.items()
            },
            "policy": metric.policy.document,
        }

    def check(self, metrics: tuple[MetricUse, ...]) -> None:
        """Refuse a list of metrics that does not fit together, before anything else refers to it.

        Raises
        ------
        AssessmentError
            Naming place, value and what is allowed.
        """

    def needs_scores(self, use: MetricUse) -> bool:
        """Return whether a metric has no value for predictions without scores."""
        from evaluation import catalogue

        return use.level == "dataset" and "scores" in catalogue.get(use.id).needs
