"""Pairs of images of one case: every metric in every region of the mask."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evaluation import catalogue
from evaluation.checking.grids import features_of_values, shift_of
from evaluation.metrics.image_similarity import ssim_of_regions
from evaluation.outcomes import Flag, Outcome, Result, undefined
from evaluation.readers import ReadError
from evaluation.readers.geometry import NO_SHIFT, Shift
from evaluation.readers.intensities import IntensityImage, read_intensities
from evaluation.readers.limits import DEFAULT, Limits
from evaluation.scoring.rows import Row, ScoredCase

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from evaluation.assessment.model import Assessment, MetricUse
    from evaluation.readers import Geometry, Issue

_CHANNELS = "channels"
"""Need of metrics that must know whether the last axis holds channels."""
_SPACING = "spacing"
"""Need of metrics that measure distances or volumes."""
_WINDOWS = "windows"
"""Need of metrics whose map is made of the whole image once, for all regions."""


@dataclass(frozen=True)
class PredictedImage(IntensityImage):
    """An image of a participant on the grid of the reference.

    Attributes
    ----------
    shift
        Displacement between the grid of the file and the expected one.
    """

    shift: Shift = field(default=NO_SHIFT, compare=False)


@dataclass(frozen=True)
class PreparedImage:
    """A reference image with the masks of its regions.

    Attributes
    ----------
    image
        The reference.
    regions
        Mask of each region; ``None`` is the whole image, whose region has the empty name.
    data_range
        Lowest and highest intensity of this case; ``None`` where none is set.
    """

    image: IntensityImage
    regions: Mapping[str, NDArray[np.bool_] | None]
    data_range: tuple[float, float] | None

    @property
    def geometry(self) -> Geometry:
        """Grid that predictions must match."""
        return self.image.geometry


def read_predicted(path: Path, grid: Geometry, *, channels: int, limits: Limits = DEFAULT) -> PredictedImage:
    """Read an image of a participant on the grid of the reference.

    Raises
    ------
    ReadError
        If it cannot be read, or is not on the grid by the rule of the grid.
    """
    image = read_intensities(path, expected=grid, channels=channels, limits=limits)
    return PredictedImage(image.values, image.geometry, shift_of(path, grid, limits=limits))


def data_range_of(setting: Any, image: IntensityImage) -> tuple[float, float] | None:
    """The data range of a case: as it is set, or that of its reference; ``None`` where none is set."""
    if setting is None:
        return None
    if setting == "reference":
        return float(image.values.min()), float(image.values.max())
    if isinstance(setting, (int, float)):
        return 0.0, float(setting)
    low, high = setting
    return float(low), float(high)


def score_image(
    assessment: Assessment,
    case: str,
    reference: PreparedImage,
    prediction: Path | IntensityImage | None,
    *,
    algorithm: str = "",
    limits: Limits = DEFAULT,
) -> ScoredCase:
    """Score one image against its reference; what cannot be read has the outcome ``missing`` everywhere, with the reason."""
    reason: Issue | None = None
    image = prediction if isinstance(prediction, IntensityImage) else None
    if prediction is not None and image is None:
        try:
            image = read_predicted(
                prediction,  # type: ignore[arg-type]
                reference.geometry,
                channels=reference.image.channels,
                limits=limits,
            )
        except ReadError as error:
            reason = error.issue
    results = {use.name: _measure(use, reference, image) for use in assessment.computed}
    width = None if reference.data_range is None else reference.data_range[1] - reference.data_range[0]
    rows = []
    for region in reference.regions:
        for use in assessment.computed:
            result = results[use.name][region]
            worst = width if catalogue.get(use.id).worst_by_case else None
            rows.append(Row(algorithm, case, region, use.name, *result, None, result.flag, worst))
    scored = ScoredCase(rows, reason)
    if image is not None:
        scored.features = features_of_values(image.values, getattr(image, "shift", NO_SHIFT))
    return scored


def _measure(use: MetricUse, reference: PreparedImage, prediction: IntensityImage | None) -> dict[str, Result]:
    """The value in each region; without a prediction what the reference alone makes undefined stays so for everyone."""
    guess = reference.image if prediction is None else prediction
    results = dict(zip(reference.regions, _values(use, reference, guess), strict=True))
    if prediction is not None:
        return results
    return {
        region: result if result.flag is Flag.REFERENCE else undefined(Outcome.MISSING)
        for region, result in results.items()
    }


def _values(use: MetricUse, reference: PreparedImage, prediction: IntensityImage) -> list[Result]:
    truth, guess = reference.image.values, prediction.values
    regions = list(reference.regions.values())
    if _WINDOWS in catalogue.get(use.id).needs:
        if reference.data_range is None or reference.data_range[1] <= reference.data_range[0]:
            return [undefined(Outcome.DEGENERATE, Flag.REFERENCE) for _ in regions]
        return ssim_of_regions(
            truth,
            guess,
            regions,
            data_range=reference.data_range,
            channels=reference.image.channels > 1,
            **use.options,
        )
    function = catalogue.get(use.id).compute
    needs_range = use.options.get("clip") or "data_range" in catalogue.get(use.id).needs
    # A constant reference has no range of its own.
    if needs_range and reference.data_range is not None and reference.data_range[1] <= reference.data_range[0]:
        return [undefined(Outcome.DEGENERATE, Flag.REFERENCE) for _ in regions]
    needs = catalogue.get(use.id).needs
    several: dict[str, Any] = {"channels": reference.image.channels > 1} if _CHANNELS in needs else {}
    if _SPACING in needs:
        several["spacing"] = reference.geometry.spacing_or_unit
    results: list[Result] = [
        function(truth, guess, region=region, data_range=reference.data_range, **several, **use.options)
        for region in regions
    ]
    return results
