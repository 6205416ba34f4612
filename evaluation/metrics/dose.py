"""Dose distributions: points of dose-volume histograms, mean doses, and the gamma pass rate.

All functions take the reference dose first and the predicted dose second, on one grid, and a ``region`` (a mask; the whole image if
not given). Doses have the unit of the images, usually Gy.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.metrics.declaration import IMAGE_PAIRS, declare
from evaluation.metrics.options import Option
from evaluation.outcomes import Flag, Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

_EXCLUDED: Final = {"both_empty": "exclude", "degenerate": "exclude"}
_NOT_DEFINED: Final = undefined(Outcome.DEGENERATE, Flag.REFERENCE)
_MM3_PER_CC: Final = 1000.0
_STEPS: Final = 10
_SAMPLES_AT_ONCE: Final = 2_000_000
_EDGE: Final = 1e-9


def _doses(
    reference: ArrayLike, prediction: ArrayLike, region: ArrayLike | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Doses of both images in the region.

    Raises
    ------
    ValueError
        If the shapes differ.
    """
    truth, guess = np.asarray(reference, dtype=np.float64), np.asarray(prediction, dtype=np.float64)
    if truth.shape != guess.shape:
        message = f"a prediction of shape {guess.shape}, a reference of shape {truth.shape}"
        raise ValueError(message)
    inside = np.ones(truth.shape, dtype=bool) if region is None else np.asarray(region) != 0
    return truth[inside], guess[inside]


@declare(
    "Mean Dose Error",
    "Dmean error",
    categories=IMAGE_PAIRS,
    direction="lower",
    range=(0, None),
    family="image_similarity",
    needs="intensities",
    policy=_EXCLUDED,
    worst_by_case=True,
)
def mean_dose_error(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    region: ArrayLike | None = None,
    data_range: Any = None,  # noqa: ARG001
) -> Result:
    """Absolute difference of the mean doses in a region.

    Returns
    -------
    Result
        Value in [0, ∞), in the unit of the dose, lower is better; ``degenerate`` with the flag ``reference`` for an empty
        region.

    Examples
    --------
    >>> mean_dose_error([10, 20], [12, 16]).value
    1.0
    """
    truth, guess = _doses(reference, prediction, region)
    return ok(abs(float(guess.mean()) - float(truth.mean()))) if truth.size else _NOT_DEFINED


@declare(
    "Dose Error at a Volume of the Dose-Volume Histogram",
    "D_x error",
    categories=IMAGE_PAIRS,
    direction="lower",
    range=(0, None),
    family="image_similarity",
    needs="intensities spacing",
    options=(
        Option(
            "volume",
            "number",
            95.0,
            "x of D_x: the lowest dose of the x % (or cm³) of the region that receive the most.",
            exclusive_minimum=0,
        ),
        Option("volume_unit", "enum", "percent", "Unit of the volume.", choices=("percent", "cc")),
    ),
    policy=_EXCLUDED,
    worst_by_case=True,
)
def dvh_dose_error(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    region: ArrayLike | None = None,
    spacing: Sequence[float] | None = None,
    volume: float = 95.0,
    volume_unit: str = "percent",
    data_range: Any = None,  # noqa: ARG001
) -> Result:
    """Absolute difference of D_x: the lowest dose of the x % of the region that receive the most.

    D_x is the percentile 100 - x of the doses in the region, linear between order statistics, as in OpenKBP (Babier et al.,
    Medical Physics 48, 2021).

    Parameters
    ----------
    spacing
        Size of a voxel in mm, for volumes in cm³.
    volume, volume_unit
        x, as a percentage of the region, or in cm³ that are rounded to whole voxels, at least one. A region that is smaller than x
        gives its lowest dose.

    Returns
    -------
    Result
        Value in [0, ∞), in the unit of the dose, lower is better; ``degenerate`` with the flag ``reference`` for an empty
        region.

    Raises
    ------
    ValueError
        For more than 100 percent.

    Examples
    --------
    >>> dvh_dose_error([0, 10, 20, 30, 40], [0, 10, 20, 30, 48], volume=25).value
    0.0
    >>> dvh_dose_error([0, 10, 20, 30, 40], [5, 10, 20, 30, 48], volume=100).value
    5.0
    """
    truth, guess = _doses(reference, prediction, region)
    if not truth.size:
        return _NOT_DEFINED
    percent = volume
    if volume_unit == "cc":
        voxels = max(1, round(volume * _MM3_PER_CC / (math.prod(spacing) if spacing else 1.0)))
        percent = min(100.0, 100.0 * voxels / truth.size)
    elif volume > 100:
        message = f"a volume of at most 100 percent, not {volume}"
        raise ValueError(message)
    return ok(abs(float(np.percentile(guess, 100 - percent)) - float(np.percentile(truth, 100 - percent))))


@declare(
    "Volume Error at a Dose of the Dose-Volume Histogram",
    "V_x error",
    categories=IMAGE_PAIRS,
    direction="lower",
    range=(0, 1),
    family="image_similarity",
    needs="intensities",
    options=(
        Option(
            "dose",
            "number",
            None,
            "x of V_x: the dose that counts, in the unit of the images.",
            minimum=0,
            required=True,
        ),
    ),
    policy=_EXCLUDED,
)
def dvh_volume_error(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    dose: float,
    region: ArrayLike | None = None,
    data_range: Any = None,  # noqa: ARG001
) -> Result:
    """Absolute difference of V_x: the share of the region that receives at least the dose x.

    Returns
    -------
    Result
        Value in [0, 1], lower is better; ``degenerate`` with the flag ``reference`` for an empty region.

    Examples
    --------
    >>> dvh_volume_error([0, 10, 20, 30], [0, 20, 20, 30], dose=20).value
    0.25
    """
    truth, guess = _doses(reference, prediction, region)
    if not truth.size:
        return _NOT_DEFINED
    return ok(abs(np.count_nonzero(guess >= dose) - np.count_nonzero(truth >= dose)) / truth.size)


@declare(
    "Gamma Pass Rate",
    "GPR",
    categories=IMAGE_PAIRS,
    direction="higher",
    range=(0, 1),
    family="image_similarity",
    needs="intensities spacing channels",
    options=(
        Option(
            "dose_percent", "number", 3.0, "Accepted difference of doses, in percent.", exclusive_minimum=0, maximum=100
        ),
        Option(
            "distance",
            "number",
            3.0,
            "Accepted distance to an equal dose.",
            unit="mm",
            exclusive_minimum=0,
            maximum=100,
        ),
        Option(
            "cutoff_percent",
            "number",
            10.0,
            "Points with a reference dose below this share of the normalization are excluded.",
            minimum=0,
            maximum=100,
        ),
        Option(
            "normalization",
            "enum",
            "global",
            "Differences in percent of the highest reference dose (global), or of the reference dose of each point (local).",
            choices=("global", "local"),
        ),
        Option(
            "prescription",
            "number",
            None,
            "Dose to normalize with; null is the highest reference dose of the image.",
            exclusive_minimum=0,
        ),
    ),
    policy=_EXCLUDED,
)
def gamma_pass_rate(
    reference: ArrayLike,
    prediction: ArrayLike,
    *,
    region: ArrayLike | None = None,
    spacing: Sequence[float] | None = None,
    dose_percent: float = 3.0,
    distance: float = 3.0,
    cutoff_percent: float = 10.0,
    normalization: str = "global",
    prescription: float | None = None,
    channels: bool = False,
    data_range: Any = None,  # noqa: ARG001
) -> Result:
    """Share of points whose gamma index is at most 1.

    The gamma index of a point of the reference is the smallest sqrt((d / `distance`)² + (Δ / `dose_percent`)²) over the
    positions at the distance d with the difference of doses Δ. Positions are sampled as in pymedphys 0.41: on spheres whose
    radii grow by a tenth of `distance`, with at most this step between neighbours, and linear interpolation between voxels.

    Parameters
    ----------
    spacing
        Size of a voxel in mm; 1 if omitted.
    dose_percent, distance
        Accepted difference and distance, usually 3 % and 3 mm, or 2 % and 2 mm.
    cutoff_percent
        Lowest dose of the points that count.
    normalization, prescription
        Meaning of 100 percent.
    channels
        Whether the last axis contains channels, for which there is no dose.

    Returns
    -------
    Result
        Value in [0, 1], higher is better; ``degenerate`` with the flag ``reference`` if no point counts.

    Raises
    ------
    ValueError
        If the shapes differ, or there are channels.

    References
    ----------
    D. A. Low et al., "A technique for the quantitative evaluation of dose distributions", Medical Physics 25, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> dose = np.outer(np.hanning(9), np.hanning(9)) * 60
    >>> gamma_pass_rate(dose, dose * 1.02).value
    1.0
    >>> gamma_pass_rate(dose, dose * 1.5, distance=0.1).value
    0.0
    """
    truth, guess = np.asarray(reference, dtype=np.float64), np.asarray(prediction, dtype=np.float64)
    if truth.shape != guess.shape or channels:
        message = f"one dose per voxel on one grid, not {truth.shape} and {guess.shape}"
        raise ValueError(message)
    whole = float(truth.max(initial=0.0)) if prescription is None else float(prescription)
    if whole <= 0:
        return _NOT_DEFINED
    counted = truth >= cutoff_percent / 100 * whole
    if normalization == "local":
        counted &= truth > 0
    if region is not None:
        counted &= np.asarray(region) != 0
    points = np.argwhere(counted)
    if not len(points):
        return _NOT_DEFINED
    doses = truth[counted]
    scale = doses if normalization == "local" else np.full(len(doses), whole)
    sizes = np.ones(truth.ndim) if spacing is None else np.asarray(spacing, dtype=float)
    passed = _passing(guess, points, doses, scale * (dose_percent / 100), sizes, distance)
    return ok(np.count_nonzero(passed) / len(points))


def _passing(
    dose: NDArray[np.float64],
    points: NDArray[np.int64],
    expected: NDArray[np.float64],
    accepted: NDArray[np.float64],
    spacing: NDArray[np.float64],
    distance: float,
) -> NDArray[np.bool_]:
    """Return for which points a position with a gamma index of at most 1 exists."""
    passed = np.zeros(len(points), dtype=bool)
    for step in range(_STEPS + 1):
        left = np.flatnonzero(~passed)
        radius = distance * step / _STEPS
        shell = _shell(radius, distance / _STEPS, points.shape[1]) / spacing
        at_once = max(1, _SAMPLES_AT_ONCE // len(shell))
        for start in range(0, len(left), at_once):
            rows = left[start : start + at_once]
            differences = np.abs(_sampled(dose, points[rows], shell) - expected[rows, None]).min(axis=1)
            with np.errstate(over="ignore"):
                gamma = np.sqrt((differences / accepted[rows]) ** 2 + (radius / distance) ** 2)
            passed[rows] = gamma <= 1
    return passed


def _sampled(dose: NDArray[np.float64], points: NDArray[np.int64], shell: NDArray[np.float64]) -> NDArray[np.float64]:
    """Doses at all positions of the shell around each point; infinite outside the image."""
    from scipy.ndimage import map_coordinates

    places = points[:, None, :] + shell[None]
    outside = ((places < -_EDGE) | (places > np.array(dose.shape) - 1 + _EDGE)).any(axis=2)
    values = map_coordinates(dose, places.reshape(-1, places.shape[2]).T, order=1, mode="nearest").reshape(
        outside.shape
    )
    return np.where(outside, np.inf, values)


def _shell(radius: float, step: float, axes: int) -> NDArray[np.float64]:
    """Positions at a distance, with at most a step between neighbours: on circles in 2D, on rows of a sphere in 3D."""
    if axes == 2:
        return np.array([[x, y] for x, y in _circle(radius, step)])
    elevations = np.linspace(0, np.pi, math.ceil(np.pi * radius / step) + 1)
    rows = [
        (x, y, radius * math.cos(elevation))
        for elevation in elevations
        for x, y in _circle(radius * math.sin(elevation), step)
    ]
    return np.array(rows)


def _circle(radius: float, step: float) -> Iterator[tuple[float, float]]:
    count = math.ceil(2 * np.pi * radius / step) + 1
    for angle in np.linspace(0, 2 * np.pi, count + 1)[:-1]:
        yield radius * math.cos(angle), radius * math.sin(angle)
