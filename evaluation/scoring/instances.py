"""Instance segmentation: the objects of one label map against those of another, one case at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.checking.label_images import features_of
from evaluation.checking.unused import Unused
from evaluation.metrics.disentangled import disentangle
from evaluation.readers import LabelImage, ReadError, read_label_image
from evaluation.readers.instance_tables import InstanceTable, rows_and_objects
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.scoring.disentangling import classes_of, numbers_of
from evaluation.scoring.objects import objects_of_image, score_objects
from evaluation.scoring.rows import ScoredCase

if TYPE_CHECKING:
    from evaluation.assessment.model import Assessment
    from evaluation.matching import Objects
    from evaluation.readers import Geometry, Issue
    from evaluation.readers.instance_tables import Instances


class PreparedInstances:
    """The objects of a reference, detected once for any number of predictions.

    An instance can be sent to other processes.

    Attributes
    ----------
    geometry
        The grid that predictions must match.
    objects
        The reference's objects.
    """

    def __init__(self, assessment: Assessment, image: LabelImage, instances: Instances | None = None) -> None:
        self.geometry: Geometry = image.geometry
        self.objects: Objects = instances_of(assessment, image, instances)


def instances_of(assessment: Assessment, image: LabelImage, instances: Instances | None = None) -> Objects:
    """The objects of a label map by the connectivity that the assessment's metrics ask for.

    Parameters
    ----------
    assessment
        Of an instance segmentation.
    image
        The label map, one number an object, 0 elsewhere.
    instances
        Class and score of each label, where there is a table (see `evaluation.readers.instance_tables`).
    """
    wanted = {
        use.options["instance_connectivity"] for use in assessment.computed if "instance_connectivity" in use.options
    }
    return objects_of_image(image, instances, next(iter(wanted), "as_submitted"))


def prepare_instances(
    assessment: Assessment,
    reference: Path | str | LabelImage,
    instances: Instances | None = None,
    *,
    limits: Limits = DEFAULT,
) -> PreparedInstances:
    """Read a reference and find its objects.

    Parameters
    ----------
    assessment
        Of an instance segmentation.
    reference
        A label map, or the path of one.
    instances
        Class of each of its labels, where there is a table.

    Raises
    ------
    ReadError
        If the reference itself cannot be read.
    """
    image = reference if isinstance(reference, LabelImage) else read_label_image(Path(reference), limits=limits)
    return PreparedInstances(assessment, image, instances)


def score_instances(
    assessment: Assessment,
    case: str,
    reference: PreparedInstances,
    prediction: LabelImage | Path | str | None,
    table: InstanceTable | Issue | None = None,
    *,
    algorithm: str = "",
    limits: Limits = DEFAULT,
    apart: bool = False,
) -> ScoredCase:
    """Score the objects of one prediction against those of its reference.

    Parameters
    ----------
    assessment
        Metrics with their options, and regions.
    case
        Name of the case.
    reference
        Result of `prepare_instances`.
    prediction
        A label map on the reference's grid, the path of a label map, or ``None`` without a prediction.
    table
        Class and score of its objects, or the reason why they cannot be read.
    apart
        True to rate detection, classification and outlines separately as well (`ScoredCase.apart`).

    Returns
    -------
    ScoredCase
        One row for every metric of single cases and region, and the components of the values of the whole data
        set. The outcome is ``missing`` everywhere if the prediction does not exist or cannot be read. In the latter
        case, ``reason`` explains why. An object without a valid row counts as not predicted.
    """
    reason: Issue | None = None
    objects: Objects | None = None
    image: LabelImage | None = None
    unused = Unused()
    if prediction is not None:
        try:
            image = _read(reference, prediction, limits)
            objects, unused = _objects_of(assessment, case, image, _file_name(prediction), table)
        except (ReadError, _UnreadableError) as error:
            reason = error.issue
    scores = score_objects(
        assessment, case, reference.objects, objects, algorithm=algorithm, geometry=reference.geometry
    )
    scored = ScoredCase(scores.rows, reason, None if objects is None else scores.pieces, lacking=scores.lacking)
    if apart and objects is not None:
        scored.apart = numbers_of(disentangle(reference.objects, objects, classes_of(assessment)))
    if image is not None and objects is not None:
        scored.features = features_of(image, objects=True) | unused.features
    return scored


def predicted_objects(
    assessment: Assessment,
    case: str,
    reference: PreparedInstances,
    prediction: LabelImage | Path | str | None,
    table: InstanceTable | Issue | None = None,
    *,
    limits: Limits = DEFAULT,
) -> tuple[Objects | None, Issue | None]:
    """The objects of a prediction; or none, and why they cannot be read if there is something to read.

    What is taken is that of `score_instances`.
    """
    if prediction is None:
        return None, None
    try:
        image = _read(reference, prediction, limits)
        return _objects_of(assessment, case, image, _file_name(prediction), table)[0], None
    except (ReadError, _UnreadableError) as error:
        return None, error.issue


class _UnreadableError(Exception):
    """Rows of a table that were found wanting before."""

    def __init__(self, issue: Issue) -> None:
        super().__init__(issue.message)
        self.issue = issue


def _read(reference: PreparedInstances, prediction: LabelImage | Path | str, limits: Limits) -> LabelImage:
    if isinstance(prediction, LabelImage):
        return prediction
    return read_label_image(Path(prediction), expected=reference.geometry, limits=limits)


def _file_name(prediction: LabelImage | Path | str) -> str:
    return "the label map" if isinstance(prediction, LabelImage) else Path(prediction).name


def _objects_of(
    assessment: Assessment, case: str, image: LabelImage, file: str, table: InstanceTable | Issue | None
) -> tuple[Objects, Unused]:
    if table is not None and not isinstance(table, InstanceTable):
        raise _UnreadableError(table)
    if table is None:
        return instances_of(assessment, image), Unused()
    rows, unused = rows_and_objects(image, table, case=case, file=file)
    return instances_of(assessment, image, rows), unused
