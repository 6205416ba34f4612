"""Semantic segmentation: regions of one label image against those of another."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation import catalogue
from evaluation.checking.label_images import features_of
from evaluation.metrics.lesions import count_lesions, lesion_counts
from evaluation.metrics.masks import Mask, bounding_box
from evaluation.metrics.pooled_overlap import MM3, dsc_of_counts, overlap_counts
from evaluation.outcomes import Outcome, Result
from evaluation.problems.offered_metrics import function_for
from evaluation.readers import LabelImage, ReadError, read_label_image
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.scoring.rows import Numbers, Row, ScoredCase

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse, Region
    from evaluation.metrics.masks import Box
    from evaluation.metrics.values import FloatArray, Values
    from evaluation.readers import Geometry, Issue
    from evaluation.scoring.evidence_blocks import CaseEvidence
    from evaluation.scoring.rows import Pieces

BACKGROUND: Final = "background"
"""Region of the extra rows of metrics that are configured to score the background as well."""
_NOT_FOR_FUNCTIONS: Final = frozenset(
    {
        "spacing",
        "include_background",
        "level",
        "score_threshold",
        "positive_class",
        "class_average",
        "scale",
        "localization_criterion",
        "localization_threshold",
        "assignment",
        "double_assignment",
        "tolerance_by_region",
    }
)
"""Options of metrics that other problems have too; voxels of a region are neither thresholded nor matched."""


class RegionMasks:
    """The regions of one label image as masks, each created on first use; ignored voxels belong to none."""

    def __init__(self, image: LabelImage, regions: Sequence[Region], ignored: NDArray[np.bool_] | None = None) -> None:
        self._ignored = ignored
        self._shape = image.geometry.shape
        self._spacing = image.geometry.spacing_or_unit
        self._labels = {region.name: tuple(int(label) for label in region.labels) for region in regions}
        labels = image.labels if ignored is None else np.where(ignored, 0, image.labels)
        box = bounding_box(labels)
        self._box: Box = box or ((0, 0),) * len(self._shape)
        part = labels[tuple(slice(a, b) for a, b in self._box)]
        self._crop: NDArray[Any] = np.ascontiguousarray(part)
        self._masks: dict[tuple[str, tuple[float, ...]], Mask] = {}

    def mask(self, region: str, spacing: tuple[float, ...] | None = None) -> Mask:
        """Return the mask of a region, with the image's spacing unless `spacing` is specified."""
        key = (region, spacing or self._spacing)
        if key not in self._masks:
            offset = tuple(start for start, _ in self._box)
            if region in self._labels:
                part = _any_label(self._crop, self._labels[region])
                self._masks[key] = Mask(part, key[1], shape=self._shape, offset=offset)
            else:
                full = np.ones(self._shape, dtype=bool)
                inner = full[tuple(slice(a, b) for a, b in self._box)]
                inner &= ~_any_label(self._crop, tuple({label for group in self._labels.values() for label in group}))
                if self._ignored is not None:
                    full &= ~self._ignored
                self._masks[key] = Mask(full, key[1])
        return self._masks[key]


class PreparedReference:
    """A reference that is read once, for any number of predictions.

    An instance can be sent to other processes.

    Attributes
    ----------
    geometry
        The grid that predictions must match.
    allowed_labels
        The labels that predictions may use.
    ignored
        Mask of the voxels that count for nobody; ``None`` without any.
    """

    def __init__(self, assessment: Assessment, image: LabelImage) -> None:
        self.geometry: Geometry = image.geometry
        self.allowed_labels = allowed_labels(assessment)
        labels = assessment.settings.get("ignore_labels")
        self.ignored = _any_label(image.labels, labels) if labels else None
        self.regions = RegionMasks(image, assessment.regions, self.ignored)


def allowed_labels(assessment: Assessment) -> frozenset[int]:
    """The labels that occur in the assessment's regions."""
    return frozenset(int(label) for region in assessment.regions for label in region.labels)


def prepare_reference(
    assessment: Assessment, reference: Path | str | LabelImage, *, limits: Limits = DEFAULT
) -> PreparedReference:
    """Read a reference and cut out its regions.

    Parameters
    ----------
    assessment
        Of a semantic segmentation.
    reference
        A label image, or the path of one.

    Raises
    ------
    ReadError
        If the reference itself cannot be read.
    """
    image = reference if isinstance(reference, LabelImage) else read_label_image(Path(reference), limits=limits)
    return PreparedReference(assessment, image)


def score_case(
    assessment: Assessment,
    case: str,
    reference: PreparedReference,
    prediction: LabelImage | Path | str | None,
    *,
    algorithm: str = "",
    limits: Limits = DEFAULT,
) -> ScoredCase:
    """Score one prediction against its reference.

    Parameters
    ----------
    assessment
        Metrics with their options, and regions.
    case
        Name of the case.
    reference
        Result of `prepare_reference`.
    prediction
        A label image on the reference's grid, the path of a label image, or ``None`` without a prediction.

    Returns
    -------
    ScoredCase
        One row for every region and metric with values of cases, and the contribution of the case to values of the
        whole data set. The outcome is ``missing`` everywhere if the prediction does not
        exist or cannot be read; in the latter case ``reason`` explains why.
    """
    reason: Issue | None = None
    regions: RegionMasks | None = None
    image: LabelImage | None = None
    if prediction is not None:
        try:
            image = on_grid(prediction, reference, limits)
            regions = RegionMasks(image, assessment.regions, reference.ignored)
        except ReadError as error:
            reason = error.issue
    pieces = None if regions is None else pieces_of_case(assessment, reference, regions)
    scored = ScoredCase(rows_of_case(assessment, case, reference, regions, algorithm=algorithm), reason, pieces)
    if image is not None:
        scored.features = features_of(image)
    return scored


def read_regions(
    assessment: Assessment,
    reference: PreparedReference,
    prediction: LabelImage | Path | str,
    *,
    limits: Limits = DEFAULT,
) -> RegionMasks:
    """Read a prediction and extract its regions.

    Raises
    ------
    ReadError
        If it cannot be read, or does not match the grid of the reference.
    """
    return RegionMasks(on_grid(prediction, reference, limits), assessment.regions, reference.ignored)


def rows_of_case(
    assessment: Assessment,
    case: str,
    reference: PreparedReference,
    regions: RegionMasks | None,
    *,
    algorithm: str = "",
) -> list[Row]:
    """One row for every region and metric of cases; all are missing without the regions of a prediction."""
    diagonal = reference.geometry.diagonal
    rows = []
    for region, use in _wanted(assessment, "case"):
        result = (
            Result(None, Outcome.MISSING)
            if regions is None
            else measure_masks(assessment.problem, use, region, reference.regions, regions)
        )
        rows.append(
            Row(
                algorithm,
                case,
                region,
                use.name,
                *result,
                diagonal,
                result.flag,
                worst_of_case(use, region, reference.regions),
            )
        )
    return rows


def pieces_of_case(assessment: Assessment, reference: PreparedReference, regions: RegionMasks) -> Pieces:
    """Sizes of each region in both masks, in the reference and in the prediction, per metric of the whole data set.

    Sizes are voxels or, for lesion-wise metrics, lesions. Where mm³ are summed, the size of a voxel follows.
    """
    return {
        (use.name, region): Numbers(
            _sizes(use, reference.regions.mask(region), regions.mask(region)), _voxel_size(use, reference)
        )
        for region, use in _wanted(assessment, "dataset")
    }


def _counts_lesions(use: MetricUse) -> bool:
    """Return whether a metric of the whole data set counts lesions, not voxels: it states how they are connected."""
    return "lesion_connectivity" in use.options


def _sizes(use: MetricUse, reference: Mask, prediction: Mask) -> list[int]:
    if not _counts_lesions(use):
        return list(overlap_counts(reference, prediction))
    options = use.options
    return list(
        lesion_counts(
            reference,
            prediction,
            lesion_connectivity=options["lesion_connectivity"],
            min_iou=float(options["min_iou"]),
        )
    )


def _reference_size(use: MetricUse, reference: Mask) -> int:
    if _counts_lesions(use):
        return count_lesions(reference, lesion_connectivity=use.options["lesion_connectivity"])
    return reference.count


def _voxel_size(use: MetricUse, reference: PreparedReference) -> list[float]:
    """Size of a voxel in mm³, in a list; an empty list where voxels or lesions are counted."""
    return [math.prod(reference.geometry.spacing_or_unit)] if use.options.get("size_unit") == MM3 else []


def are_possible(
    assessment: Assessment, reference: PreparedReference, pieces: Mapping[tuple[str, str], Numbers]
) -> bool:
    """Return whether pieces are possible for a case.

    The check is for numbers from a process that has read an untrusted file.
    """
    uses = {(use.name, region): use for region, use in _wanted(assessment, "dataset")}
    if set(pieces) != set(uses):
        return False
    voxels = int(np.prod(reference.geometry.shape))
    for (name, region), numbers in pieces.items():
        use, mask = uses[name, region], reference.regions.mask(region)
        if len(numbers.counts) != 3 or numbers.values != _voxel_size(use, reference):
            return False
        common, truth, guess = numbers.counts
        if truth != _reference_size(use, mask) or not 0 <= common <= min(truth, guess):
            return False
        if guess - common > (voxels if _counts_lesions(use) else voxels - truth):
            return False
    return True


def recompute_overlap(use: MetricUse, evidence: CaseEvidence, multiplicities: FloatArray) -> Values:
    """Aggregated Dice or F1 of resamples; see `evaluation.problems.Problem.recompute`."""
    sizes = evidence.block.values if use.options.get("size_unit") == MM3 else 1.0
    return dsc_of_counts(evidence.block.counts.reshape(-1, 3).astype(float), multiplicities * sizes)


def worst_of_case(use: MetricUse, region: str, reference: RegionMasks) -> float | None:
    """The worst value that a case can have, where the metric has none for all cases."""
    worst_of = catalogue.get(use.id).worst_of
    return None if worst_of is None else worst_of(_mask_of(use, region, reference))


def on_grid(prediction: LabelImage | Path | str, reference: PreparedReference, limits: Limits = DEFAULT) -> LabelImage:
    """Return a prediction as a label image on the grid of the reference.

    Raises
    ------
    ReadError
        If a file cannot be read, or is not on the grid.
    """
    if not isinstance(prediction, LabelImage):
        return read_label_image(
            Path(prediction), expected=reference.geometry, allowed_labels=reference.allowed_labels, limits=limits
        )
    if prediction.geometry.shape != reference.geometry.shape:
        message = f"prediction of shape {prediction.geometry.shape}, reference of shape {reference.geometry.shape}"
        raise ValueError(message)
    return LabelImage(prediction.labels, reference.geometry, prediction.shift)


def _wanted(assessment: Assessment, level: str) -> Iterator[tuple[str, MetricUse]]:
    """The values of a level in their order: region by region, and for each the metrics as the assessment names them."""
    uses = [use for use in assessment.computed if use.level == level]
    for region in assessment.regions:
        for use in uses:
            yield region.name, use
    for use in uses:
        if use.options.get("include_background"):
            yield BACKGROUND, use


def measure_masks(problem: str, use: MetricUse, region: str, reference: RegionMasks, prediction: RegionMasks) -> Result:
    """The value of a metric of masks in one region."""
    options: Mapping[str, Any] = use.options
    truth, guess = _mask_of(use, region, reference), _mask_of(use, region, prediction)
    arguments = {name: value for name, value in options.items() if name not in _NOT_FOR_FUNCTIONS}
    by_region = options.get("tolerance_by_region") or {}
    if region in by_region:
        arguments["tolerance"] = float(by_region[region])
    result: Result = function_for(catalogue.get(use.id), problem)(truth, guess, spacing=truth.spacing, **arguments)
    return result


def _mask_of(use: MetricUse, region: str, masks: RegionMasks) -> Mask:
    """A region with the spacing that the metric is registered with."""
    given = use.options.get("spacing", "from_image")
    return masks.mask(region, None if given == "from_image" else tuple(given))


def _any_label(crop: NDArray[Any], labels: Sequence[int]) -> NDArray[np.bool_]:
    """Return a mask of the crop's voxels that have one of the labels."""
    if len(labels) == 1:
        single: NDArray[np.bool_] = crop == labels[0]
        return single
    if crop.dtype.itemsize > 2:
        several: NDArray[np.bool_] = np.isin(crop, labels)
        return several
    table = np.zeros(256**crop.dtype.itemsize, dtype=bool)
    table[[label for label in labels if label < table.size]] = True
    looked_up: NDArray[np.bool_] = table[crop]
    return looked_up
