"""Generated dose distributions that other programs were run on; see `measure_dose_peers`."""
# ruff: noqa: INP001

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SETS: Final = 24


class Doses(NamedTuple):
    """Two dose distributions in Gy on one grid, a structure, and the options of the gamma index."""

    reference: NDArray[np.float64]
    prediction: NDArray[np.float64]
    region: NDArray[np.bool_]
    spacing: tuple[float, ...]
    dose_percent: float
    distance: float
    cutoff_percent: float
    is_local: bool


def doses(seed: int) -> Doses:
    """Planes and volumes, isotropic and anisotropic, shifted and scaled, with a structure in the high dose."""
    rng = np.random.default_rng(400 + seed)
    axes = 2 + seed % 2
    shape = (44, 40) if axes == 2 else (26, 22, 14)
    spacing = ((1.0, 1.0, 1.0), (2.0, 2.5, 3.0))[seed // 2 % 2][:axes]
    places = np.stack(
        np.meshgrid(*(np.arange(n) * size for n, size in zip(shape, spacing, strict=True)), indexing="ij"), -1
    )
    middle = np.array(shape) * spacing / 2
    width = middle * rng.uniform(0.4, 0.6, axes)
    shift = rng.normal(0, rng.choice([0.0, 0.7, 2.0]), axes)
    dose = [60 * np.exp(-((((places - middle - by) / width) ** 2).sum(axis=-1))) for by in (0, shift)]
    prediction = dose[1] * rng.choice([1.0, 1.01, 1.05]) + rng.normal(0, rng.choice([0.0, 0.5]), shape)
    dose_percent, distance = [(3.0, 3.0), (2.0, 2.0), (1.0, 2.5)][seed % 3]
    return Doses(
        dose[0], prediction, dose[0] > 30, spacing, dose_percent, distance, [10.0, 20.0][seed % 2], seed % 5 == 0
    )
