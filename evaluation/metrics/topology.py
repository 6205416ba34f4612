"""Topology of masks: numbers of parts, tunnels and cavities.

Betti numbers count parts (0), tunnels (1; in an image: holes) and cavities (2) of the foreground; the Euler
characteristic is their alternating sum. Neighbours of foreground voxels are those at corners (``full``, background at
faces) as in TopCoW 2024 (github.com/CoWBenchmark/TopCoW_Eval_Metrics, commit 25ca839), or those at faces (``face``,
background at corners) as the cubical complexes of FeTA 2024 count them. All functions take the reference first and the
prediction second. Values say nothing about place; a metric of topology never stands alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, TypeAlias, get_args

import numpy as np

from evaluation.metrics.declaration import PIXELS, declare
from evaluation.metrics.masks import Mask, pair
from evaluation.metrics.options import Option
from evaluation.metrics.volumes import most_parts_off
from evaluation.outcomes import Outcome, Result, ok, undefined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from evaluation.metrics.masks import MaskPair

TopologyConnectivity: TypeAlias = Literal["full", "face"]
_CONNECTIVITY: Final = Option(
    "topology_connectivity",
    "enum",
    "full",
    "Neighbours of foreground voxels: full = 8 / 26 (TopCoW), face = 4 / 6 (FeTA); the background has the others.",
    choices=get_args(TopologyConnectivity),
)


@declare(
    "Betti Number Error",
    "Betti error",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="overlap",
    needs="masks",
    options=(
        Option(
            "dimension",
            "integer",
            0,
            "0 = connected parts, 1 = tunnels (holes of an image), 2 = cavities of a volume.",
            minimum=0,
            maximum=2,
        ),
        _CONNECTIVITY,
    ),
    label="B{dimension} error",
    worst_by_case=True,
    worst_of=most_parts_off,
)
def betti_number_error(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    dimension: int = 0,
    topology_connectivity: TopologyConnectivity = "full",
    spacing: Sequence[float] | None = None,
) -> Result:
    """Absolute difference of a Betti number of both masks.

    Parameters
    ----------
    reference, prediction
        Masks of one shape.
    dimension
        0 for parts, 1 for tunnels (holes of an image), 2 for cavities of a volume.
    topology_connectivity
        ``full`` or ``face``.
    spacing
        Taken so that all mask metrics can be called alike; it does not change the value.

    Returns
    -------
    Result
        A whole number from 0 on, lower is better; ``both_empty`` if there is no structure at all. One empty side has
        Betti numbers of 0.

    Raises
    ------
    ValueError
        If the shapes differ, or the masks have no such dimension.

    Examples
    --------
    >>> betti_number_error([[1, 1, 1], [1, 0, 1], [1, 1, 1]], [[1, 1, 1], [1, 0, 0], [1, 1, 1]], dimension=1).value
    1.0
    """
    masks = pair(reference, prediction, spacing)
    numbers = _of_both(masks, topology_connectivity)
    if not 0 <= dimension < len(numbers[0]):
        message = f"dimension is a whole number from 0 to {len(numbers[0]) - 1}, not {dimension}"
        raise ValueError(message)
    if masks.emptiness is Outcome.BOTH_EMPTY:
        return undefined(Outcome.BOTH_EMPTY)
    return ok(abs(numbers[1][dimension] - numbers[0][dimension]))


@declare(
    "Euler Characteristic Difference",
    "Euler diff.",
    categories=PIXELS,
    direction="lower",
    range=(0, None),
    family="overlap",
    needs="masks",
    options=(_CONNECTIVITY,),
    worst_by_case=True,
    worst_of=most_parts_off,
)
def euler_characteristic_difference(
    reference: ArrayLike | Mask,
    prediction: ArrayLike | Mask,
    *,
    topology_connectivity: TopologyConnectivity = "full",
    spacing: Sequence[float] | None = None,
) -> Result:
    """Absolute difference of the Euler characteristics of both masks: parts less tunnels plus cavities.

    Parameters and outcomes are those of `betti_number_error`. Errors of different sorts can cancel out.

    Examples
    --------
    >>> euler_characteristic_difference([[1, 0, 1, 0, 1]], [[1, 1, 1, 0, 0]]).value
    2.0
    """
    masks = pair(reference, prediction, spacing)
    if masks.emptiness is Outcome.BOTH_EMPTY:
        return undefined(Outcome.BOTH_EMPTY)
    signs = [sum((-1) ** k * number for k, number in enumerate(of)) for of in _of_both(masks, topology_connectivity)]
    return ok(abs(signs[1] - signs[0]))


def _of_both(masks: MaskPair, connectivity: TopologyConnectivity) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return betti_numbers(masks.reference, connectivity), betti_numbers(masks.prediction, connectivity)


def betti_numbers(mask: Mask, connectivity: TopologyConnectivity = "full") -> tuple[int, ...]:
    """Numbers of parts and tunnels, and for a volume also of cavities.

    The image's edge is background. A volume of one slice has no cavities.

    Raises
    ------
    ValueError
        For an unknown connectivity.

    Examples
    --------
    >>> betti_numbers(Mask(np.pad(np.zeros((1, 1, 1)), 1, constant_values=1)))
    (1, 0, 1)
    """
    from scipy import ndimage
    from skimage.measure import euler_number

    if connectivity not in get_args(TopologyConnectivity):
        message = f"topology_connectivity is 'full' or 'face', not {connectivity!r}"
        raise ValueError(message)
    dimensions = len(mask.shape)
    if mask.empty:
        return (0,) * dimensions
    padded = np.pad(mask.crop, 1)
    steps = (dimensions, 1) if connectivity == "full" else (1, dimensions)

    def parts(voxels: NDArray[np.bool_], step: int) -> int:
        return int(ndimage.label(voxels, structure=ndimage.generate_binary_structure(dimensions, step))[1])

    components, enclosed = parts(padded, steps[0]), parts(~padded, steps[1]) - 1
    if dimensions == 2:
        return components, enclosed
    euler = int(euler_number(padded, connectivity=steps[0]))  # type: ignore[no-untyped-call]
    return components, components + enclosed - euler, enclosed
