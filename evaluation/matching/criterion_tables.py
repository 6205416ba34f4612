"""The localization criteria as metrics: each a table of all pairs of an image, declared for the catalogue.

Every function takes the reference's objects first and the prediction's second and returns an array of shape
``(references, predictions)``: an overlap in [0, 1], a distance in mm, or 0 and 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evaluation.matching.criteria import CRITERIA
from evaluation.metrics.declaration import OBJECTS, declare
from evaluation.metrics.options import Option
from evaluation.metrics.shared_options import SHAPE, SPACING, THRESHOLD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evaluation.matching.approximations import Shape
    from evaluation.matching.objects import Objects


def _table(criterion: str, reference: Objects, prediction: Objects, **options: Any) -> NDArray[np.float64]:
    pairs = CRITERIA[criterion].pairs(reference, prediction, **options)
    table = np.zeros((reference.size, prediction.size))
    table[pairs.reference, pairs.prediction] = pairs.value
    return table


@declare(
    "Mask Intersection over Union (hit criterion)",
    "Mask IoU",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
    options=(THRESHOLD,),
)
def loc_mask_iou(reference: Objects, prediction: Objects) -> NDArray[np.float64]:
    """Intersection over union of the masks."""
    return _table("loc_mask_iou", reference, prediction)


@declare(
    "Box Intersection over Union (hit criterion)",
    "Box IoU",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
    options=(
        THRESHOLD,
        Option(
            "box_convention",
            "enum",
            "half_open",
            "half_open: side = max - min; inclusive_pixels: side = max - min + 1.",
            choices=("half_open", "inclusive_pixels"),
        ),
    ),
)
def loc_box_iou(
    reference: Objects, prediction: Objects, *, box_convention: Literal["half_open", "inclusive_pixels"] = "half_open"
) -> NDArray[np.float64]:
    """Intersection over union of the boxes; sides are max - min, or one more for corners that are pixel indices.

    Examples
    --------
    >>> from evaluation.matching import Objects
    >>> one, other = Objects(boxes=[[0, 0, 10, 10]]), Objects(boxes=[[2, 0, 12, 10]])
    >>> loc_box_iou(one, other).round(4)
    array([[0.6667]])
    """
    return _table("loc_box_iou", reference, prediction, box_convention=box_convention)


@declare(
    "Approximation Intersection over Union (hit criterion)",
    "Approx IoU",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
    options=(THRESHOLD, SHAPE),
)
def loc_approx_iou(reference: Objects, prediction: Objects, *, shape: Shape = "ellipse") -> NDArray[np.float64]:
    """Intersection over union of approximations: ``ellipse``, ``circle``, ``convex_hull`` or ``polygon``."""
    return _table("loc_approx_iou", reference, prediction, shape=shape)


@declare(
    "Boundary Intersection over Union (hit criterion)",
    "Boundary IoU",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
    options=(
        THRESHOLD,
        Option("distance", "number", None, "Band width d; null uses distance_ratio.", unit="mm"),
        Option("distance_ratio", "number", 0.02, "Fraction of the image diagonal."),
    ),
)
def loc_boundary_iou(
    reference: Objects, prediction: Objects, *, distance: float | None = None, distance_ratio: float = 0.02
) -> NDArray[np.float64]:
    """Boundary IoU of the masks, each against its own outline; see `evaluation.metrics.boundary.boundary_iou`."""
    return _table("loc_boundary_iou", reference, prediction, distance=distance, distance_ratio=distance_ratio)


@declare(
    "Intersection over Reference (hit criterion)",
    "IoR",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
    options=(
        THRESHOLD,
        Option(
            "non_split_errors",
            "enum",
            "penalize",
            "Penalise a prediction that covers several references, or count each as a hit.",
            choices=("penalize", "ignore"),
        ),
    ),
)
def loc_ior(reference: Objects, prediction: Objects) -> NDArray[np.float64]:
    """Share of each reference that a prediction covers: of masks, or of boxes where a side has no masks."""
    return _table("loc_ior", reference, prediction)


@declare(
    "Center Distance (hit criterion)",
    "Center Dist.",
    categories=OBJECTS,
    direction="lower",
    range=(0, None),
    family="localization_criterion",
    needs="objects",
    unit="mm",
    options=(
        Option(
            "threshold",
            "number",
            None,
            "Largest centre distance for a hit; the organiser has to set it.",
            unit="mm",
            required=True,
        ),
        SPACING,
    ),
)
def loc_center_distance(reference: Objects, prediction: Objects, *, spacing: Any = None) -> NDArray[np.float64]:
    """Distance of the centres in mm."""
    return _table("loc_center_distance", reference, prediction, spacing=spacing)


@declare(
    "Center-cover criterion",
    "Center-cover",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
)
def loc_center_cover(reference: Objects, prediction: Objects) -> NDArray[np.float64]:
    """Return a table with 1 if the reference's centre is in the prediction."""
    return _table("loc_center_cover", reference, prediction)


@declare(
    "Center-hit criterion",
    "Center-hit",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
)
def loc_center_hit(reference: Objects, prediction: Objects) -> NDArray[np.float64]:
    """Return a table with 1 if the prediction's centre is in the reference."""
    return _table("loc_center_hit", reference, prediction)


@declare(
    "Point inside Mask",
    "PiM",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
)
def loc_point_in_mask(reference: Objects, prediction: Objects) -> NDArray[np.float64]:
    """Return a table with 1 if the prediction's point is in the reference's mask."""
    return _table("loc_point_in_mask", reference, prediction)


@declare(
    "Point inside Box",
    "PiB",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
)
def loc_point_in_box(reference: Objects, prediction: Objects) -> NDArray[np.float64]:
    """Return a table with 1 if the prediction's point is in the reference's box, its edge included."""
    return _table("loc_point_in_box", reference, prediction)


@declare(
    "Point inside Approximation",
    "PiA",
    categories=OBJECTS,
    direction="higher",
    range=(0, 1),
    family="localization_criterion",
    needs="objects",
    options=(SHAPE,),
)
def loc_point_in_approx(reference: Objects, prediction: Objects, *, shape: Shape = "ellipse") -> NDArray[np.float64]:
    """Return a table with 1 if the prediction's point is in the reference's approximation."""
    return _table("loc_point_in_approx", reference, prediction, shape=shape)
