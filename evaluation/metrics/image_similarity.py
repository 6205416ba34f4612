"""Image to image: how near a real-valued image comes to the reference, voxel by voxel and in its structure.

All functions take the reference first and the prediction second, real numbers on one grid, and a ``region`` (a mask; the whole
image if not given). With ``channels`` the last axis holds channels. The data range is stated, never read off a number type or a
prediction.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from evaluation.metrics.declaration import IMAGE_PAIRS, declare
from evaluation.metrics.multi_scale_similarity import multi_scale_similarity
from evaluation.metrics.options import Option
from evaluation.metrics.structural_similarity import Window, mean_similarities
from evaluation.outcomes import Flag, Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

Range = tuple[float, float]
CLIP: Final = Option("clip", "boolean", False, "Clip both images to the data range first.")
_EXCLUDED: Final = {"both_empty": "exclude", "degenerate": "exclude"}


def _numbers(
    reference: ArrayLike,
    prediction: ArrayLike,
    region: ArrayLike | None,
    data_range: Range | None,
    *,
    clip: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both images within the region, as rows of numbers.

    Raises
    ------
    ValueError
        If the shapes differ, or clipping is requested without a range.
    """
    truth, guess = np.asarray(reference, dtype=np.float64), np.asarray(prediction, dtype=np.float64)
    if truth.shape != guess.shape:
        message = f"a prediction of shape {guess.shape}, a reference of shape {truth.shape}"
        raise ValueError(message)
    if region is not None:
        inside = np.asarray(region) != 0
        truth, guess = truth[inside], guess[inside]
    if clip:
        low, high = _range(data_range)
        truth, guess = np.clip(truth, low, high), np.clip(guess, low, high)
    return truth.ravel(), guess.ravel()


def _range(data_range: Range | None) -> Range:
    if data_range is None or not data_range[1] > data_range[0]:
        message = f"the data range is two numbers, the lower first, and not {data_range}"
        raise ValueError(message)
    return data_range


@declare(
    "Mean Absolute Error of Intensities",
    "MAE",
    categories=IMAGE_PAIRS,
    direction="lower",
    range=(0, None),
    family="image_similarity",
    needs="intensities",
    options=(CLIP,),
    policy=_EXCLUDED,
    worst_by_case=True,
)
def image_mae(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    region: ArrayLike | None = None,
    data_range: Range | None = None,
    clip: bool = False,
) -> Result:
    """Mean absolute difference of intensities, mean |p - r| over the voxels of the region.

    Parameters
    ----------
    reference, prediction, region
        See the module.
    data_range
        Lowest and highest intensity, for `clip`.
    clip
        Clip both images to the data range first, so that values outside (of a CT window) do not count.

    Returns
    -------
    Result
        Value in [0, ∞), in the unit of the intensity, lower is better; ``degenerate`` with the flag ``reference`` for an
        empty region.

    Raises
    ------
    ValueError
        If the shapes differ, or a range is needed and not given.

    Examples
    --------
    >>> image_mae([0, 10, 20], [1, 10, 18]).value
    1.0
    """
    truth, guess = _numbers(reference, prediction, region, data_range, clip=clip)
    return ok(np.abs(guess - truth).mean()) if truth.size else undefined(Outcome.DEGENERATE, Flag.REFERENCE)


@declare(
    "Root Mean Squared Error of Intensities",
    "RMSE",
    categories=IMAGE_PAIRS,
    direction="lower",
    range=(0, None),
    family="image_similarity",
    needs="intensities",
    options=(CLIP,),
    policy=_EXCLUDED,
    worst_by_case=True,
)
def image_rmse(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    region: ArrayLike | None = None,
    data_range: Range | None = None,
    clip: bool = False,
) -> Result:
    """Root of the mean squared difference of intensities, sqrt(mean (p - r)²) over the voxels of the region.

    Parameters and outcomes are those of `image_mae`.

    Examples
    --------
    >>> image_rmse([0, 10, 20], [3, 10, 20]).value == 3**0.5
    True
    """
    truth, guess = _numbers(reference, prediction, region, data_range, clip=clip)
    return ok(math.sqrt(_mean_square(guess - truth))) if truth.size else undefined(Outcome.DEGENERATE, Flag.REFERENCE)


def _mean_square(errors: NDArray[np.float64]) -> float:
    return float(errors @ errors) / errors.size


@declare(
    "Normalized Mean Squared Error",
    "NMSE",
    categories=IMAGE_PAIRS,
    direction="lower",
    range=(0, None),
    family="image_similarity",
    needs="intensities",
    options=(CLIP,),
    policy={**_EXCLUDED, "missing": 1.0},
)
def nmse(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    region: ArrayLike | None = None,
    data_range: Range | None = None,
    clip: bool = False,
) -> Result:
    """Squared error over the squared reference, Σ(p - r)² / Σr²; an image of zeros has 1.

    Parameters are those of `image_mae`; ``degenerate`` with the flag ``reference`` also where the reference is 0 everywhere.

    Examples
    --------
    >>> nmse([3, 4], [3, 4.5]).value
    0.01
    """
    truth, guess = _numbers(reference, prediction, region, data_range, clip=clip)
    total = float(truth @ truth)
    if total == 0:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    errors = guess - truth
    return ok(float(errors @ errors) / total)


@declare(
    "Peak Signal-to-Noise Ratio",
    "PSNR",
    categories=IMAGE_PAIRS,
    direction="higher",
    range=(None, None),
    family="image_similarity",
    needs="intensities data_range",
    unit="dB",
    options=(CLIP,),
    policy={**_EXCLUDED, "missing": 0.0},
)
def psnr(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    data_range: Range | None,
    region: ArrayLike | None = None,
    clip: bool = False,
) -> Result:
    """Peak signal-to-noise ratio, 10 log10(R² / mean (p - r)²), R the width of the data range.

    It may be negative. It rewards blur, as `ssim` does. Also rank a property that a clinician would look at.

    Parameters
    ----------
    reference, prediction, region, clip
        As for `image_mae`.
    data_range
        Lowest and highest intensity.

    Returns
    -------
    Result
        Value in dB, higher is better; ``degenerate`` with the flag ``unbounded`` for images that are equal (ranked
        best), with the flag ``reference`` for an empty region.

    Examples
    --------
    >>> psnr([0, 100], [10, 110], data_range=(0, 100)).value
    20.0
    """
    low, high = _range(data_range)
    truth, guess = _numbers(reference, prediction, region, data_range, clip=clip)
    if not truth.size:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    error = _mean_square(guess - truth)
    if error == 0:
        return undefined(Outcome.DEGENERATE, Flag.UNBOUNDED)
    return ok(10 * math.log10((high - low) ** 2 / error))


@declare(
    "Structural Similarity Index",
    "SSIM",
    categories=IMAGE_PAIRS,
    direction="higher",
    range=(-1, 1),
    family="image_similarity",
    needs="intensities data_range windows",
    options=(
        Option("window", "enum", "uniform", "Weights of the window.", choices=("uniform", "gaussian")),
        Option("size", "integer", 7, "Edge of the uniform window, odd.", minimum=3, maximum=31),
        Option(
            "sigma",
            "number",
            1.5,
            "Of the gaussian window, which reaches int(3.5 sigma + 0.5) voxels.",
            exclusive_minimum=0,
            maximum=5,
        ),
        Option(
            "covariance",
            "enum",
            "auto",
            "auto = sample for uniform, population for gaussian.",
            choices=("auto", "sample", "population"),
        ),
        Option(
            "dimensions",
            "enum",
            "volume",
            "volume = windows of the image's dimension; slices = 2D along the last axis, mean over slices.",
            choices=("volume", "slices"),
        ),
        Option("k1", "number", 0.01, "Constant of the luminance term.", exclusive_minimum=0),
        Option("k2", "number", 0.03, "Constant of the contrast term.", exclusive_minimum=0),
        CLIP,
    ),
    policy={**_EXCLUDED, "missing": 0.0},
    label="SSIM {window}",
)
def ssim(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    data_range: Range | None,
    region: ArrayLike | None = None,
    window: str = "uniform",
    size: int = 7,
    sigma: float = 1.5,
    covariance: str = "auto",
    dimensions: str = "volume",
    k1: float = 0.01,
    k2: float = 0.03,
    clip: bool = False,
    channels: bool = False,
) -> Result:
    """Structural similarity (Wang et al., IEEE Transactions on Image Processing 13, 2004), mean of its map over the region.

    S = (2 μr μp + C1)(2 σrp + C2) / ((μr² + μp² + C1)(σr² + σp² + C2)) with C1 = (k1 R)², C2 = (k2 R)², moments by the window at
    each voxel. The map is computed on the whole image and then averaged over the voxels of the region that a whole window is
    centred on; setting the outside to one value first would lift the number. Rewards blur, as `psnr` does.

    Parameters
    ----------
    reference, prediction, region
        See the module.
    data_range
        Lowest and highest intensity; R is their difference.
    window, size, sigma
        Equal weights over `size` voxels an axis (scikit-image, fastMRI), or a gaussian of `sigma` cut off at
        int(3.5 sigma + 0.5) voxels (the original paper).
    covariance
        Times N / (N - 1), N the voxels of a window (``sample``), or not (``population``).
    dimensions
        Windows of the image's dimension, or slices along the last axis with the mean over those that hold the region.
    k1, k2
        Constants.
    clip
        Clip both images to the data range first.
    channels
        Whether the last axis holds channels: the map is the mean of theirs.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better; ``degenerate`` with the flag ``reference`` where no whole window is centred in the
        region.

    Raises
    ------
    ValueError
        If the shapes differ, for an even size, or without a range.

    Examples
    --------
    >>> image = np.arange(64.0).reshape(8, 8)
    >>> ssim(image, image, data_range=(0, 63)).value
    1.0
    """
    [result] = ssim_of_regions(
        reference,
        prediction,
        [region],
        data_range=data_range,
        window=window,
        size=size,
        sigma=sigma,
        covariance=covariance,
        dimensions=dimensions,
        k1=k1,
        k2=k2,
        clip=clip,
        channels=channels,
    )
    return result


def ssim_of_regions(
    reference: ArrayLike,
    prediction: ArrayLike,
    regions: Sequence[ArrayLike | None],
    *,
    data_range: Range | None,
    window: str = "uniform",
    size: int = 7,
    sigma: float = 1.5,
    covariance: str = "auto",
    dimensions: str = "volume",
    k1: float = 0.01,
    k2: float = 0.03,
    clip: bool = False,
    channels: bool = False,
) -> list[Result]:
    """`ssim` of several regions of one pair of images, whose map is computed once."""
    low, high = _range(data_range)
    truth, guess = np.asarray(reference, dtype=np.float64), np.asarray(prediction, dtype=np.float64)
    if truth.shape != guess.shape:
        message = f"a prediction of shape {guess.shape}, a reference of shape {truth.shape}"
        raise ValueError(message)
    if size % 2 == 0:
        message = f"the edge of the window is odd, not {size}"
        raise ValueError(message)
    if clip:
        truth, guess = np.clip(truth, low, high), np.clip(guess, low, high)
    is_gaussian = window == "gaussian"
    is_sample = covariance == "sample" or (covariance == "auto" and not is_gaussian)
    frame = Window(2 * int(3.5 * sigma + 0.5) + 1, sigma, is_sample) if is_gaussian else Window(size, None, is_sample)
    constants = ((k1 * (high - low)) ** 2, (k2 * (high - low)) ** 2)
    masks = [None if region is None else np.asarray(region) != 0 for region in regions]
    of_slices: list[list[float]] = [[] for _ in regions]
    for cut in _cuts(truth.shape[:-1] if channels else truth.shape, by_slice=dimensions == "slices"):
        cut_masks = [None if mask is None else mask[cut] for mask in masks]
        pairs = _channels(truth[cut], guess[cut], several=channels)
        maps = [mean_similarities(a, b, cut_masks, frame, constants) for a, b in pairs]
        for index, of_channels in enumerate(zip(*maps, strict=True)):
            defined = [value for value in of_channels if value is not None]
            of_slices[index] += [math.fsum(defined) / len(defined)] if defined else []
    # Rounding may lead out of the range by a hair.
    return [
        ok(min(1.0, max(-1.0, math.fsum(values) / len(values))))
        if values
        else undefined(Outcome.DEGENERATE, Flag.REFERENCE)
        for values in of_slices
    ]


def _channels(
    truth: NDArray[np.float64], guess: NDArray[np.float64], *, several: bool
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    if not several:
        return [(truth, guess)]
    return [(truth[..., channel], guess[..., channel]) for channel in range(truth.shape[-1])]


def _cuts(grid: tuple[int, ...], *, by_slice: bool) -> Iterator[tuple[slice | int, ...]]:
    """The whole image, or slice by slice along its last axis."""
    if not by_slice or len(grid) < 3:
        yield (slice(None),) * len(grid)
        return
    for number in range(grid[-1]):
        yield (*(slice(None),) * (len(grid) - 1), number)


@declare(
    "Multi-Scale Structural Similarity Index",
    "MS-SSIM",
    categories=IMAGE_PAIRS,
    direction="higher",
    range=(0, 1),
    family="image_similarity",
    needs="intensities data_range channels",
    options=(
        Option("k1", "number", 0.01, "Constant of the luminance term.", exclusive_minimum=0),
        Option("k2", "number", 0.03, "Constant of the contrast term.", exclusive_minimum=0),
    ),
    policy={**_EXCLUDED, "missing": 0.0},
)
def ms_ssim(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    data_range: Range | None,
    region: ArrayLike | None = None,
    k1: float = 0.01,
    k2: float = 0.03,
    channels: bool = False,
) -> Result:
    """Structural similarity at five resolutions, as SynthRAD2025 computes it for its region.

    Both images are clipped to the data range, and voxels outside the region are set to its lower end. At each scale the similarity of
    uniform windows of 7 voxels is averaged over the region. The value is the product over scales.

    Parameters
    ----------
    reference, prediction, region
        See the module. Axes shorter than 97 voxels are padded with their last voxel.
    data_range
        Lowest and highest intensity.
    k1, k2
        Constants, as for `ssim`.
    channels
        Whether the last axis holds channels: the value is the mean of theirs.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` if a scale has no voxel of the region.

    Raises
    ------
    ValueError
        If the shapes differ, or without a range.

    References
    ----------
    SynthRAD2025/metrics, ``functions/image_metrics.py``, commit 0beef65. Z. Wang, E. Simoncelli, A. Bovik, Asilomar (2003).

    Examples
    --------
    >>> image = np.arange(64.0).reshape(8, 8)
    >>> ms_ssim(image, image, data_range=(0, 63)).value
    1.0
    """
    low, high = _range(data_range)
    truth, guess = np.asarray(reference, dtype=np.float64), np.asarray(prediction, dtype=np.float64)
    if truth.shape != guess.shape:
        message = f"a prediction of shape {guess.shape}, a reference of shape {truth.shape}"
        raise ValueError(message)
    truth, guess = np.clip(truth, low, high) - low, np.clip(guess, low, high) - low
    constants = ((k1 * (high - low)) ** 2, (k2 * (high - low)) ** 2)
    mask = None if region is None else np.asarray(region) != 0
    values = [
        value
        for one, other in _channels(truth, guess, several=channels)
        for value in multi_scale_similarity(one, other, [mask], constants)
    ]
    defined = [value for value in values if value is not None]
    if len(defined) < len(values):
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    return ok(math.fsum(defined) / len(defined))


@declare(
    "Normalized Cross-Correlation",
    "NCC",
    categories=IMAGE_PAIRS,
    direction="higher",
    range=(-1, 1),
    family="image_similarity",
    needs="intensities",
    policy={"both_empty": "exclude", "degenerate": 0.0},
)
def ncc(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    region: ArrayLike | None = None,
    data_range: Range | None = None,
) -> Result:
    """Correlation (Pearson) of the intensities of both images over the voxels of the region.

    Parameters
    ----------
    reference, prediction, region
        See the module.
    data_range
        Taken so that all metrics of intensities can be called alike; it does not change the value.

    Returns
    -------
    Result
        Value in [-1, 1], higher is better; ``degenerate`` for a constant prediction, and with the flag ``reference`` for a constant
        reference or an empty region.

    Examples
    --------
    >>> round(ncc([1, 2, 3], [2, 4, 6]).value, 6)
    1.0
    """
    truth, guess = _numbers(reference, prediction, region, data_range, clip=False)
    if not truth.size or np.ptp(truth) == 0:
        return undefined(Outcome.DEGENERATE, Flag.REFERENCE)
    if np.ptp(guess) == 0:
        return undefined(Outcome.DEGENERATE)
    truth, guess = truth - truth.mean(), guess - guess.mean()
    length = math.sqrt(float(truth @ truth)) * math.sqrt(float(guess @ guess))
    if length == 0:  # pragma: no cover  (differences that are too small to be squared)
        return undefined(Outcome.DEGENERATE)
    return ok(min(1.0, max(-1.0, float(truth @ guess) / length)))
