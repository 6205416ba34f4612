"""The risk of a prediction, computed from a metric of the catalogue: what a design sets, and its value for a case."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from evaluation.assessment.errors import AssessmentError, listed
from evaluation.assessment.metrics import read_catalogue_metric
from evaluation.assessment.reading import Place, is_number
from evaluation.catalogue import get
from evaluation.outcomes import Flag, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evaluation.assessment.model import MetricUse
    from evaluation.outcomes import Result

MEASURED_AS: Final = "semantic_segmentation"
"""The kind whose metrics of single cases measure quality."""
OPERATORS: Final = ("mean", "min")
WORST: Final = 1.0
"""The risk of a case without a prediction."""
_KEYS: Final = ("metric", "regions", "operator", "scale", "failed_below")


@dataclass(frozen=True)
class Risk:
    """Rule that derives the risk of a case from the quality of its prediction.

    Attributes
    ----------
    use
        The metric that measures quality.
    regions
        Regions that are used; ``None`` for all.
    operator
        ``mean`` of the regions, or ``min`` for the worst of them.
    scale
        For a metric where lower is better: the value at which the risk is 1.
    failed_below
        A value of the metric; worse ones are failures with the risk 1, all others have the risk 0.
    """

    use: MetricUse
    regions: tuple[str, ...] | None
    operator: str
    scale: float | None
    failed_below: float | None

    @property
    def document(self) -> dict[str, Any]:
        """Return the entry of an assessment document, with every default."""
        from evaluation.problems.registry import get

        return {
            "metric": get(MEASURED_AS).metrics.document_of(self.use),
            "regions": None if self.regions is None else list(self.regions),
            "operator": self.operator,
            "scale": self.scale,
            "failed_below": self.failed_below,
        }

    def of_regions(self, results: Sequence[Result], diagonal: float) -> float | None:
        """Return the risk of a case, from the value of the metric in each of the regions.

        Parameters
        ----------
        results
            Results of the regions. An undefined result counts as the policy of the metric defines.
        diagonal
            Diagonal of the image, in mm.

        Returns
        -------
        float or None
            In [0, 1]; ``None`` where the policy excludes every region.
        """
        values = [value for result in results if (value := self._counted(result, diagonal)) is not None]
        if not values:
            return None
        worst = min if self.use.higher_is_better else max
        return self.of_quality(worst(values) if self.operator == "min" else sum(values) / len(values))

    def of_quality(self, value: float) -> float:
        """The risk at a value of the metric."""
        if self.failed_below is not None:
            is_worse = value < self.failed_below if self.use.higher_is_better else value > self.failed_below
            return float(is_worse)
        risk = 1 - value if self.use.higher_is_better else value / (self.scale or 1.0)
        return min(max(risk, 0.0), 1.0)

    def _counted(self, result: Result, diagonal: float) -> float | None:
        """Return the value of a region, or its replacement by policy; ``None`` for an excluded region."""
        if result.value is not None:
            return float(result.value)
        if result.outcome is Outcome.DEGENERATE and result.flag is Flag.REFERENCE:
            return None
        infinitely_good = float("inf") if self.use.higher_is_better else float("-inf")
        if result.flag is Flag.UNBOUNDED:
            return infinitely_good
        word = self.use.policy.get(str(result.outcome))
        if word == "exclude":
            return None
        if is_number(word):
            return float(word)  # type: ignore[arg-type]
        if word == "perfect":
            return infinitely_good if self.use.best is None else self.use.best
        return diagonal if self.use.worst is None else self.use.worst


def read_risk(value: object, path: str) -> Risk:
    """Read and check the definition of the risk in a design.

    Raises
    ------
    AssessmentError
        With the path, the value and what is allowed.
    """
    fields = Place(value, path, _KEYS)
    if not fields.has("metric"):
        raise AssessmentError(fields.at("metric"), None, 'a metric such as {"id": "dsc"}')
    use = read_catalogue_metric(fields.raw("metric"), fields.at("metric"), MEASURED_AS, rank_based=False)
    if use.level != "case":
        raise AssessmentError(fields.at("metric.id"), use.id, "a metric with a value for each case")
    if get(use.id).worst_by_case:
        allowed = "a metric with a worst value, or a distance: the worst volume differs from case to case"
        raise AssessmentError(fields.at("metric.id"), use.id, allowed)
    regions = fields.raw("regions")
    if regions is not None and not (
        isinstance(regions, (list, tuple)) and regions and all(isinstance(name, str) for name in regions)
    ):
        raise AssessmentError(fields.at("regions"), regions, "a list of names of regions, or null for all")
    scale, limit = (_number(fields, key) for key in ("scale", "failed_below"))
    if scale is not None and scale <= 0:
        raise AssessmentError(fields.at("scale"), scale, "a number > 0")
    if limit is None and use.higher_is_better and not (use.best == 1 and (use.worst or 0.0) >= 0):
        raise AssessmentError(
            fields.at("metric.id"), use.id, "a metric in [0, 1], or failed_below, as 1 - value is no risk"
        )
    if limit is None and not use.higher_is_better and scale is None:
        raise AssessmentError(fields.at("scale"), None, f"the value of {use.name} at which the risk is 1: a number > 0")
    operator = fields.choice("operator", OPERATORS, "mean")
    return Risk(use, None if regions is None else tuple(regions), operator, scale, limit)


def risk_of(settings: Mapping[str, Any]) -> Risk:
    """The risk that checked settings describe."""
    return _risk(json.dumps(settings["risk"], sort_keys=True))


@lru_cache(maxsize=64)
def _risk(document: str) -> Risk:
    return read_risk(json.loads(document), "settings.risk")


def check_regions(risk: Risk, region_names: Sequence[str]) -> None:
    """Refuse regions that the assessment does not have.

    Raises
    ------
    AssessmentError
        With the first of them.
    """
    for name in risk.regions or ():
        if name not in region_names:
            raise AssessmentError("settings.risk.regions", name, listed(region_names))


def _number(fields: Place, key: str) -> float | None:
    value = fields.raw(key)
    if value is None:
        return None
    if not is_number(value):
        raise AssessmentError(fields.at(key), value, "a number, or null")
    return float(value)
