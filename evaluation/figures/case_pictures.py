"""Three orthogonal slices of a case with the outlines of label images, or its image with objects, as one PNG picture."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evaluation.readers import Geometry

# Colours of the figures for series 1 and 2: told apart by people with any kind of colour vision, on grey as well.
REFERENCE: Final = (255, 218, 113)
PREDICTION: Final = (95, 198, 255)
GAP: Final = 12
PANEL: Final = 300
RING: Final = 5
BACKDROP: Final = 24


@dataclass(frozen=True)
class Layer:
    """A label image whose labels are outlined in one colour."""

    labels: NDArray[Any]
    colour: tuple[int, int, int]


@dataclass(frozen=True)
class Boxes:
    """Boxes, as lower and then upper corners, or points, outlined in one colour."""

    places: Sequence[Sequence[float]]
    colour: tuple[int, int, int]


def picture(
    geometry: Geometry, image: NDArray[Any] | None, layers: Sequence[Layer], *, around: NDArray[Any] | None
) -> bytes:
    """Draw slices through the middle of what `around` marks, side by side: across z, across y, across x.

    Parameters
    ----------
    geometry
        Shape and spacing, so that slices have their true proportions.
    image
        NDArray[Any] levels on the same grid, or None for a plain backdrop.
    layers
        What to outline, in drawing order.
    around
        Labels whose centre decides where to cut; the middle of the image if there are none.

    Returns
    -------
    bytes
        A PNG picture. For a 2D image it has one panel.
    """
    shape = geometry.shape
    if image is None or image.shape != shape:
        image = np.full(shape, BACKDROP, dtype=np.uint8)
    centre = _centre(around, shape)
    axes = (2, 1, 0) if len(shape) == 3 else (None,)
    panels = [_panel(geometry, image, layers, axis, centre) for axis in axes]
    width = sum(panel.width for panel in panels) + GAP * (len(panels) - 1)
    height = max(panel.height for panel in panels)
    sheet = Image.new("RGB", (width, height), (BACKDROP, BACKDROP, BACKDROP))
    left = 0
    for panel in panels:
        sheet.paste(panel, (left, (height - panel.height) // 2))
        left += panel.width + GAP
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def picture_of_objects(image: NDArray[Any], layers: Sequence[Boxes]) -> bytes:
    """Draw boxes, or rings around points, on a two-dimensional image; pixel edges count, as objects are given."""
    scale = 2 * PANEL / max(image.shape)
    pixels = (max(1, round(image.shape[0] * scale)), max(1, round(image.shape[1] * scale)))
    sheet = Image.fromarray(upright(image, None, ())).resize(pixels, Image.Resampling.BICUBIC).convert("RGB")
    pen = ImageDraw.Draw(sheet)
    for layer in layers:
        for coordinates in layer.places:
            # Far outside of the picture nothing is seen, and numbers without bound are no coordinates for a pen.
            scaled = [min(max(number * scale, -pixels[0]), 2 * max(pixels)) for number in coordinates]
            if len(scaled) == 2:
                pen.ellipse(
                    (scaled[0] - RING, scaled[1] - RING, scaled[0] + RING, scaled[1] + RING),
                    outline=layer.colour,
                    width=2,
                )
            else:
                pen.rectangle(
                    (scaled[0], scaled[1], max(scaled[0], scaled[2]), max(scaled[1], scaled[3])),
                    outline=layer.colour,
                    width=2,
                )
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def _centre(labels: NDArray[Any] | None, shape: tuple[int, ...]) -> tuple[int, ...]:
    if labels is not None and labels.any():
        return tuple(int(np.median(indices)) for indices in np.nonzero(labels))
    return tuple(length // 2 for length in shape)


def _panel(
    geometry: Geometry, image: NDArray[Any], layers: Sequence[Layer], axis: int | None, centre: tuple[int, ...]
) -> Image.Image:
    spacing = geometry.spacing_or_unit
    rest = [other for other in range(len(geometry.shape)) if other != axis]
    size = [geometry.shape[other] * spacing[other] for other in rest]
    scale = PANEL / max(size)
    pixels = (max(1, round(size[0] * scale)), max(1, round(size[1] * scale)))
    grey = Image.fromarray(upright(image, axis, centre)).resize(pixels, Image.Resampling.BICUBIC)
    canvas = np.asarray(grey.convert("RGB")).copy()
    for layer in layers:
        plane = Image.fromarray(upright(layer.labels, axis, centre).astype(np.int32), mode="I")
        enlarged = np.asarray(plane.resize(pixels, Image.Resampling.NEAREST))
        canvas[outline(enlarged)] = layer.colour
    return Image.fromarray(canvas)


def upright(array: NDArray[Any], axis: int | None, centre: tuple[int, ...]) -> NDArray[Any]:
    """Cut, and turn so that the second remaining axis points up in 3D (images have their first row on top in 2D)."""
    if axis is None:
        return np.ascontiguousarray(array.T)
    return np.ascontiguousarray(np.take(array, centre[axis], axis=axis).T[::-1])


def outline(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the pixels of labels that touch another label or the background, two pixels thick."""
    edge = np.zeros(labels.shape, dtype=bool)
    for axis in (0, 1):
        for shift in (1, -1):
            edge |= labels != np.roll(labels, shift, axis=axis)
    edge[[0, -1], :] = edge[:, [0, -1]] = True
    edge &= labels != 0
    thicker = edge.copy()
    thicker[1:] |= edge[:-1]
    thicker[:-1] |= edge[1:]
    thicker[:, 1:] |= edge[:, :-1]
    thicker[:, :-1] |= edge[:, 1:]
    outline: NDArray[Any] = thicker & (labels != 0)
    return outline
