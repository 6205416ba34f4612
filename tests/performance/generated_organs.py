"""Generated slices with one organ, and what published algorithms of scikit-image and SciPy make of them.

Each slice has an organ with a random outline, neighbours of similar brightness, an uneven field, blur and noise. The references
are exact. The predictions are made by running the algorithms, none of which sees a reference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import cluster, ndimage
from skimage import filters, morphology, segmentation

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZE = 96


def slices(count: int, seed: int) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Return images and references."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(count):
        organ = _shape(rng, centre=(48, 48) + rng.normal(size=2) * 5, radius=rng.uniform(15, 26))
        image = np.full((SIZE, SIZE), 0.25) + 0.05 * rng.normal()
        for _ in range(int(rng.integers(2, 5))):
            turn = rng.uniform(0, 2 * np.pi)
            place = (48 + 38 * np.cos(turn), 48 + 38 * np.sin(turn))
            image[_shape(rng, centre=place, radius=rng.uniform(5, 10))] = rng.uniform(0.35, 0.7)
        image[organ] = rng.uniform(0.55, 0.7)
        field = ndimage.gaussian_filter(rng.normal(size=image.shape), 25)
        image = ndimage.gaussian_filter(image, rng.uniform(0.8, 1.6)) * (1 + 0.15 * field / np.abs(field).max())
        made.append((image + rng.normal(size=image.shape) * rng.uniform(0.03, 0.08), organ.astype(np.uint8)))
    return made


def predictions(image: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return the organ by six algorithms: the component at the middle of the image."""
    smooth = ndimage.gaussian_filter(image, 1.5)
    median = ndimage.median_filter(image, 5)
    markers = np.zeros(image.shape, int)
    markers[44:52, 44:52] = 1
    markers[:3] = markers[-3:] = 2
    markers[:, :3] = markers[:, -3:] = 2
    middle = float(median[40:56, 40:56].mean())
    start = np.zeros(image.shape, bool)
    start[38:58, 38:58] = True
    points = np.stack([smooth.ravel() / smooth.std(), *(g.ravel() / 60 for g in np.indices(image.shape))], axis=1)
    _, groups = cluster.vq.kmeans2(points, 3, seed=1, minit="++")
    found = {
        "Otsu": smooth > filters.threshold_otsu(smooth),
        "region growing": segmentation.flood(median, (48, 48), tolerance=0.4 * (middle - np.quantile(median, 0.2))),
        "watershed": segmentation.watershed(filters.sobel(smooth), markers) == 1,
        "Chan-Vese": morphological(smooth, start),
        "k-means": (groups == groups.reshape(image.shape)[48, 48]).reshape(image.shape),
        "Li": median > filters.threshold_li(median),
    }
    return {name: _middle_part(mask) for name, mask in found.items()}


def morphological(image: NDArray[Any], start: NDArray[Any]) -> NDArray[Any]:
    """Return the region by morphological Chan-Vese."""
    return segmentation.morphological_chan_vese(image, 40, init_level_set=start, smoothing=1) > 0


def _middle_part(mask: NDArray[Any]) -> NDArray[Any]:
    """Return the opened component nearest to the middle."""
    opened = morphology.opening(mask, morphology.disk(2))
    parts, count = ndimage.label(opened)
    if not count:
        return mask.astype(np.uint8)
    distance = ndimage.distance_transform_edt(parts == 0, return_distances=False, return_indices=True)
    nearest = parts[tuple(distance[:, SIZE // 2, SIZE // 2])]
    return ndimage.binary_fill_holes(parts == nearest).astype(np.uint8)


def _shape(rng: np.random.Generator, centre: Any, radius: float) -> NDArray[Any]:
    """Return a blob with a smooth random outline."""
    grid = np.indices((SIZE, SIZE)) - np.asarray(centre)[:, None, None]
    turn = np.arctan2(grid[1], grid[0])
    outline = 1 + sum(
        rng.normal() * 0.16 / order * np.cos(order * turn + rng.uniform(0, 2 * np.pi)) for order in range(2, 6)
    )
    inside: NDArray[Any] = np.hypot(*grid) < radius * outline
    return inside
