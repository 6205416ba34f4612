"""Options of recommended metrics: those that follow from the fingerprint, and those that only organizers can set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.catalogue import get

if TYPE_CHECKING:
    from collections.abc import Mapping

STRICTNESS: Final[Mapping[str, float]] = {"lower": 0.3, "0.5": 0.5, "higher": 0.75}
"""Thresholds on overlap criteria for the options of guide DG8.3; 0.3 and 0.75 are customary, not the framework's."""
ANY_OVERLAP: Final = 1e-6
MISSING: Final = "policy.missing"
"""Name under which the outcome policy for missing values has to be set, where no default exists."""
_TO_SET: Final[Mapping[str, Mapping[str, str]]] = {
    "nsd": {"tolerance": "how far experts are apart on this structure, in mm; there is no universal default"},
    "boundary_iou": {"distance": "how far experts are apart, in mm; 2 % of the image diagonal if that is not known"},
    "net_benefit": {"threshold_probability": "the risk at which one would act; show a range around it"},
    "expected_cost": {"costs": "what each confusion costs"},
    "expected_cost_normalized": {"costs": "what each confusion costs; equal costs unless you say so"},
    "weighted_cohens_kappa": {"weight_matrix": "what each confusion costs; quadratic weights only with care"},
    "ece": {"n_bins": "publish number and kind of bins"},
    "cwce": {"n_bins": "publish number and kind of bins"},
    "ece_kde": {"bandwidth": "publish the bandwidth"},
    "kce": {"bandwidth": "publish kernel and bandwidth"},
    "average_precision": {"ties": "publish how equal scores are treated, and the interpolation"},
    "froc_score": {"fppi_points": "publish the false alarms an image at which it is read"},
}
_CRITERION_TO_SET: Final = "the largest distance at which a prediction still hits, in mm"


@dataclass(frozen=True)
class Matching:
    """Rule by which predicted and reference objects become pairs.

    Attributes
    ----------
    threshold
        Cut-off on the criterion; ``None`` if the criterion has none or organizers must set it.
    """

    criterion: str
    threshold: float | None
    assignment: str
    double_assignment: str
    to_set: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        """Return the options in the form that object metrics accept."""
        options: dict[str, Any] = {"localization_criterion": self.criterion}
        if self.threshold is not None:
            options["localization_threshold"] = self.threshold
        return options | {"assignment": self.assignment, "double_assignment": self.double_assignment}


def make_matching(criterion: str, strictness: str, assignment: str, *, double_as_fp: bool, position: bool) -> Matching:
    """Put criterion, strictness and matching together.

    Parameters
    ----------
    strictness
        An option of guide DG8.3.
    position
        Whether only the position matters, so that any overlap is a hit.
    """
    threshold: float | None = None
    to_set: dict[str, str] = {}
    if criterion == "loc_center_distance":
        to_set["localization_threshold"] = _CRITERION_TO_SET
    elif assignment == "criterion_gt_half" or criterion == "loc_ior":
        threshold = 0.5
    elif criterion.endswith("iou"):
        threshold = ANY_OVERLAP if position else STRICTNESS[strictness]
    return Matching(criterion, threshold, assignment, "fp" if double_as_fp else "ignore", to_set)


def options_of(
    metric_id: str, parameters: Mapping[str, str], *, matching: Matching | None, priors_fit: bool, equal_costs: bool
) -> tuple[dict[str, Any], dict[str, str]]:
    """Options that follow from the fingerprint, and those that have to be set, with what to take.

    Parameters
    ----------
    parameters
        Picked options of guides, by the parameter that they set.
    matching
        For metrics of objects.
    priors_fit
        Whether classes are as frequent as in the population.
    equal_costs
        Whether all confusions cost the same.

    Examples
    --------
    >>> options_of("fbeta", {"beta": "2"}, matching=None, priors_fit=True, equal_costs=True)
    ({'beta': 2.0}, {})
    """
    option_by_name = {option.name: option for option in get(metric_id).assessment_options}
    options: dict[str, Any] = {}
    to_set = dict(_TO_SET.get(metric_id, {}))
    if "beta" in parameters and "beta" in option_by_name:
        options["beta"] = float(parameters["beta"])
    if "percentile" in option_by_name:
        options["percentile"] = option_by_name["percentile"].default
    if "priors" in option_by_name:
        options["priors"] = "dataset" if priors_fit else "uniform"
        if not priors_fit:
            to_set["priors"] = "the frequencies of the population; uniform until you set them"
    if "costs" in to_set and equal_costs:
        del to_set["costs"]
    if matching is not None and "localization_criterion" in option_by_name:
        options |= matching.options
        to_set |= matching.to_set
    for name, option in option_by_name.items():
        if name.startswith("target_") and option.required:
            to_set[name] = f"the value that you require; {option.default:g} is only an example"
    if get(metric_id).worst is None and get(metric_id).unit is None:
        to_set[MISSING] = "what a missing value counts as; this metric has no worst value"
    return options, to_set
