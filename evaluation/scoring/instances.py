"""Instance segmentation: the objects of one label map against those of another, one case at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.readers import LabelImage, ReadError, read_label_image
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.scoring.objects import objects_of_image, score_objects
from evaluation.scoring.rows import ScoredCase

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evaluation.assessment import Assessment
    from evaluation.matching import Objects
    from evaluation.readers import Geometry, Issue


class PreparedInstances:
    """The objects of a reference found once, for any number of predictions; can be sent to other processes.

    Attributes
    ----------
    geometry
        The grid that predictions have to lie on.
    objects
        The reference's objects.
    """

    def __init__(self, assessment: Assessment, image: LabelImage) -> None:
        self.geometry: Geometry = image.geometry
        self.objects: Objects = instances_of(assessment, image)


def instances_of(
    assessment: Assessment, image: LabelImage, instances: Mapping[int, tuple[str, float | None]] | None = None
) -> Objects:
    """The objects of a label map by the connectivity that the assessment's metrics ask for.

    Parameters
    ----------
    assessment
        Of an instance segmentation.
    image
        The label map, one number an object, 0 elsewhere.
    instances
        Class and score of a label, where a table gives them.
    """
    wanted = {
        use.options["instance_connectivity"] for use in assessment.metrics if "instance_connectivity" in use.options
    }
    connectivity = next(iter(wanted - {"as_submitted"}), "as_submitted")
    return objects_of_image(image, instances, connectivity)


def prepare_instances(
    assessment: Assessment, reference: Path | str | LabelImage, *, limits: Limits = DEFAULT
) -> PreparedInstances:
    """Read a reference and find its objects.

    Parameters
    ----------
    assessment
        Of an instance segmentation whose objects have one class.
    reference
        A label map, or the path of one.

    Raises
    ------
    ReadError
        If the reference itself cannot be read.
    """
    image = reference if isinstance(reference, LabelImage) else read_label_image(Path(reference), limits=limits)
    return PreparedInstances(assessment, image)


def score_instances(
    assessment: Assessment,
    case: str,
    reference: PreparedInstances,
    prediction: LabelImage | Path | str | None,
    *,
    algorithm: str = "",
    limits: Limits = DEFAULT,
) -> ScoredCase:
    """Score the objects of one prediction against those of its reference.

    Parameters
    ----------
    assessment
        Metrics with their options, and regions.
    case
        Name of the case.
    reference
        From `prepare_instances`.
    prediction
        A label map on the reference's grid, the path of one, or ``None`` if there is none.

    Returns
    -------
    ScoredCase
        One row for every metric of single cases and region, and the pieces of the values of the whole data set. A prediction that is not there or cannot be read gives the
        outcome ``missing`` everywhere; in the latter case ``reason`` says why.
    """
    reason: Issue | None = None
    objects: Objects | None = None
    if prediction is not None:
        try:
            image = (
                prediction
                if isinstance(prediction, LabelImage)
                else read_label_image(Path(prediction), expected=reference.geometry, limits=limits)
            )
            objects = instances_of(assessment, image)
        except ReadError as error:
            reason = error.issue
    scores = score_objects(
        assessment, case, reference.objects, objects, algorithm=algorithm, geometry=reference.geometry
    )
    return ScoredCase(scores.rows, reason, None if objects is None else scores.pieces)
