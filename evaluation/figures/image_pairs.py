"""Pictures of predicted images and deformed grids, as PNG.

A predicted image is shown next to its reference and the error. A grid is shown as a displacement field bends it.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image, ImageDraw

from evaluation.figures.case_pictures import BACKDROP, GAP, PANEL, PREDICTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_LINES: Final = 24
_STEPS: Final = 60
SIZE: Final = 7
"""Edge of the windows of the map of similarity, in pixels."""


def picture_of_pair(
    prediction: NDArray[Any] | None, reference: NDArray[Any] | None, *, upwards: bool = False
) -> bytes | None:
    """Draw a plane of an image, with the reference and the error if both are available.

    All planes share one window of grey levels.

    Parameters
    ----------
    prediction, reference
        Intensities, axes x and y; ``None`` for data that are missing or must not be shown.
    upwards
        Whether y runs upwards.

    Returns
    -------
    bytes or None
        Reference, prediction, absolute error and structural similarity. The error ranges from black at 0 to white at
        the width of the window. The similarity ranges from black at 0 to white at 1. ``None`` without either image.
    """
    planes = [plane for plane in (reference, prediction) if plane is not None]
    if not planes:
        return None
    low, high = float(planes[0].min()), float(planes[0].max())
    width = high - low or 1.0
    levels = [(plane - low) / width for plane in planes]
    if reference is not None and prediction is not None:
        levels.append(np.abs(prediction - reference) / width)
        if min(reference.shape) >= SIZE:
            levels.append(similarity_map(reference, prediction, width))
    return _sheet([_grey(level, upwards=upwards) for level in levels])


def similarity_map(reference: NDArray[Any], prediction: NDArray[Any], width: float) -> NDArray[np.float64]:
    """Structural similarity (Wang et al. 2004) at every pixel of a plane, in square windows of `SIZE` that are reflected at the edges.

    Parameters
    ----------
    width
        Of the data range.
    """
    from scipy.ndimage import uniform_filter

    truth, guess = reference.astype(np.float64), prediction.astype(np.float64)
    pixels = SIZE**2

    def mean(plane: NDArray[np.float64]) -> NDArray[np.float64]:
        smoothed: NDArray[np.float64] = uniform_filter(plane, size=SIZE, mode="reflect")
        return smoothed

    mean_truth, mean_guess = mean(truth), mean(guess)
    scale = pixels / (pixels - 1)
    of_truth = scale * (mean(truth * truth) - mean_truth**2)
    of_guess = scale * (mean(guess * guess) - mean_guess**2)
    of_both = scale * (mean(truth * guess) - mean_truth * mean_guess)
    first, second = (0.01 * width) ** 2, (0.03 * width) ** 2
    above = (2 * mean_truth * mean_guess + first) * (2 * of_both + second)
    below = (mean_truth**2 + mean_guess**2 + first) * (of_truth + of_guess + second)
    return above / below


def _grey(level: NDArray[Any], *, upwards: bool) -> Image.Image:
    pixels = (np.clip(level, 0, 1) * 255).round().astype(np.uint8).T
    image = Image.fromarray(np.ascontiguousarray(pixels[::-1] if upwards else pixels))
    scale = PANEL / max(image.size)
    size = tuple(max(1, round(length * scale)) for length in image.size)
    return image.resize(size, Image.Resampling.NEAREST)  # type: ignore[arg-type]


def picture_of_grid(displacements: NDArray[Any], *, upwards: bool = False) -> bytes:
    """Draw lines of a plane as a field bends them.

    Parameters
    ----------
    displacements
        ``(X, Y, 2)``, in voxels.
    upwards
        Whether y runs upwards.
    """
    lengths = np.array(displacements.shape[:2])
    scale = PANEL / max(2, int(lengths.max()))
    size = tuple(max(1, round(float(length) * scale)) for length in lengths)
    image = Image.new("RGB", size, (BACKDROP,) * 3)  # type: ignore[arg-type]
    pen = ImageDraw.Draw(image)
    for axis in (0, 1):
        for start in np.linspace(0, lengths[axis] - 1, min(_LINES, int(lengths[axis]))):
            line = np.empty((_STEPS, 2))
            line[:, axis] = start
            line[:, 1 - axis] = np.linspace(0, lengths[1 - axis] - 1, _STEPS)
            nearest = np.rint(line).astype(int)
            # Far beyond the picture nothing is seen, and drawing has no numbers that large.
            moved = np.clip(line + displacements[nearest[:, 0], nearest[:, 1]], -1e4, 1e4) + 0.5
            if upwards:
                moved[:, 1] = lengths[1] - moved[:, 1]
            pen.line([tuple(point) for point in (moved * scale).tolist()], fill=PREDICTION, width=1)
    return _sheet([image])


def _sheet(panels: Sequence[Image.Image]) -> bytes:
    """Panels side by side."""
    width = sum(panel.width for panel in panels) + GAP * (len(panels) - 1)
    sheet = Image.new("RGB", (width, max(panel.height for panel in panels)), (BACKDROP,) * 3)
    left = 0
    for panel in panels:
        sheet.paste(panel, (left, 0))
        left += panel.width + GAP
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
