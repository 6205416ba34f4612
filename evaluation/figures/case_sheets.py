"""Sheets of slices for the viewer of a case: all slices along an axis on one picture, outlines on pictures of their own.

A browser cuts them out and lays them over each other; no request computes anything.
"""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image, ImageDraw

from evaluation.figures.case_pictures import (
    BACKDROP,
    GAP,
    PREDICTION,
    REFERENCE,
    Boxes,
    outline,
    picture_of_objects,
    upright,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from evaluation.readers import Geometry

AXES: Final = ("z", "y", "x")
SIDE: Final = 320
"""Pixels of the longest side of a slice; a volume with voxels that are longer one way keeps its proportions."""
MOST: Final = 64
"""Maximum number of slices along an axis; of longer axes, every second, third … slice is shown."""
ACROSS: Final = 8
RING: Final = 5
ALL, WITH, WITHOUT = "all", "with", "without"
"""Audience of a layer: all viewers, those who may see the reference, or those who may not."""


@dataclass(frozen=True)
class Layer:
    """One of the pictures in a stack of layers.

    Attributes
    ----------
    name
        Name of its sheets.
    label
        Displayed name.
    shown_to
        `ALL`, `WITH` (it shows part of the reference) or `WITHOUT`.
    is_grey
        Whether it has grey levels, which window and level adjust.
    is_on
        Whether it is visible initially.
    """

    name: str
    label: str
    shown_to: str = ALL
    is_grey: bool = False
    is_on: bool = True


IMAGE: Final = Layer("image", "image", is_grey=True)
OUTLINES: Final = (IMAGE, Layer("prediction", "prediction"), Layer("reference", "reference", shown_to=WITH))


@dataclass(frozen=True)
class Strip:
    """The slices along one axis.

    Attributes
    ----------
    axis
        ``z``, ``y`` or ``x``; ``z`` for an image that has no third dimension.
    slices
        Which slices of the volume are on the sheet, in their order.
    width, height
        Of one slice on the sheet, in pixels.
    is_flat
        Whether the image has two dimensions, so that its only slice is all of it.
    across
        Slices in a row of the sheet.
    """

    axis: str
    slices: tuple[int, ...]
    width: int
    height: int
    is_flat: bool = False
    across: int = ACROSS

    @property
    def place(self) -> int | None:
        """The axis of the array; None for an image of two dimensions."""
        return None if self.is_flat else "xyz".index(self.axis)

    @property
    def size(self) -> tuple[int, int]:
        """Pixels of the whole sheet."""
        rows = -(-len(self.slices) // self.across)
        return self.width * min(self.across, len(self.slices)), self.height * rows

    def corner(self, index: int) -> tuple[int, int]:
        """Return the upper left corner in pixels of the slice with this index."""
        return self.width * (index % self.across), self.height * (index // self.across)

    def document(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


def strips(geometry: Geometry) -> list[Strip]:
    """Lay out the sheets of an image: three of a volume, one of a picture.

    Examples
    --------
    >>> from evaluation.readers import Geometry
    >>> [(strip.axis, len(strip.slices), strip.width, strip.height) for strip in strips(Geometry((40, 20, 200)))]
    [('z', 50, 320, 160), ('y', 20, 64, 320), ('x', 40, 32, 320)]
    """
    shape, spacing = geometry.shape, geometry.spacing_or_unit
    if len(shape) == 2:
        width, height = _pixels(shape[0] * spacing[0], shape[1] * spacing[1])
        return [Strip("z", (0,), width, height, is_flat=True)]
    sheets = []
    for dimension, axis in ((2, "z"), (1, "y"), (0, "x")):
        first, second = (other for other in range(3) if other != dimension)
        width, height = _pixels(shape[first] * spacing[first], shape[second] * spacing[second])
        step = -(-shape[dimension] // MOST)
        sheets.append(Strip(axis, tuple(range(0, shape[dimension], step)), width, height))
    return sheets


def _pixels(first: float, second: float) -> tuple[int, int]:
    scale = SIDE / max(first, second)
    return max(1, round(first * scale)), max(1, round(second * scale))


def image_sheet(strip: Strip, image: NDArray[Any] | None, shape: Sequence[int]) -> bytes:
    """Draw all slices of an image side by side, as JPEG; a plain ground where there is no image on the grid."""
    sheet = Image.new("L", strip.size, BACKDROP)
    if image is not None and tuple(image.shape) == tuple(shape):
        for index, cut in enumerate(_cuts(strip, image)):
            piece = Image.fromarray(cut).resize((strip.width, strip.height), Image.Resampling.BICUBIC)
            sheet.paste(piece, strip.corner(index))
    buffer = io.BytesIO()
    sheet.save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


def outline_sheet(strip: Strip, labels: NDArray[Any] | None, colour: tuple[int, int, int]) -> bytes:
    """Draw the outlines of all slices on a transparent ground, as PNG."""
    marked = np.zeros((strip.size[1], strip.size[0]), dtype=np.uint8)
    if labels is not None:
        for index, cut in enumerate(_cuts(strip, labels)):
            if not cut.any():
                continue
            plane = Image.fromarray(cut.astype(np.int32), mode="I")
            enlarged = np.asarray(plane.resize((strip.width, strip.height), Image.Resampling.NEAREST))
            left, top = strip.corner(index)
            marked[top : top + strip.height, left : left + strip.width] = outline(enlarged)
    return _transparent(Image.fromarray(marked), colour)


def object_sheet(strip: Strip, layer: Boxes, shape: Sequence[int]) -> bytes:
    """Draw boxes, or rings around points, on a transparent ground, as PNG: in a volume on the slices that they are on."""
    sheet = Image.new("L", strip.size, 0)
    for index, number in enumerate(strip.slices):
        cell = Image.new("L", (strip.width, strip.height), 0)
        pen = ImageDraw.Draw(cell)
        for ends in layer.places:
            _draw_object(pen, _within(strip, ends, shape, number))
        sheet.paste(cell, strip.corner(index))
    return _transparent(sheet, layer.colour)


def _within(
    strip: Strip, ends: Sequence[float], shape: Sequence[int], number: int
) -> tuple[list[float], list[float]] | None:
    """Lower and upper corner of an object within a slice, in pixels of a sheet; none where it is not on it."""
    axes = len(shape)
    low, high = list(ends[:axes]), list(ends[axes:]) or list(ends[:axes])
    rest = list(range(axes))
    if strip.place is not None:
        # A thinned strip stands for the slices that it leaves out, too; a point is on the slice that it lies in.
        step = strip.slices[1] - strip.slices[0] if len(strip.slices) > 1 else 1
        if high[strip.place] < number or low[strip.place] >= number + step:
            return None
        rest.remove(strip.place)
    scales = strip.width / shape[rest[0]], strip.height / shape[rest[1]]
    corners = [[corner[axis] * scale for axis, scale in zip(rest, scales, strict=True)] for corner in (low, high)]
    if strip.place is not None:
        # Volumes are drawn with their second axis upwards.
        corners = [[x, strip.height - y] for x, y in corners]
    bounded = [[min(max(x, -strip.width), 2 * SIDE), min(max(y, -strip.height), 2 * SIDE)] for x, y in corners]
    return [min(pair) for pair in zip(*bounded, strict=True)], [max(pair) for pair in zip(*bounded, strict=True)]


def _draw_object(pen: ImageDraw.ImageDraw, corners: tuple[list[float], list[float]] | None) -> None:
    if corners is None:
        return
    low, high = corners
    if low == high:
        pen.ellipse((low[0] - RING, low[1] - RING, low[0] + RING, low[1] + RING), outline=1, width=2)
    else:
        pen.rectangle((*low, *high), outline=1, width=2)


def start_of(strip: Strip, prediction: NDArray[Any] | None, reference: NDArray[Any] | None) -> int:
    """Return the index of the initial slice.

    It is the slice with the most voxels in which prediction and reference differ.

    With only one of them, it is the slice with the largest part of it. The choice must not reveal anything that is not
    shown.
    """
    if strip.place is None:
        return 0
    label_arrays = [labels for labels in (prediction, reference) if labels is not None]
    if not label_arrays:
        return len(strip.slices) // 2
    differs = label_arrays[0] != label_arrays[1] if len(label_arrays) == 2 else label_arrays[0] != 0
    if len(label_arrays) == 2 and not differs.any():
        differs = label_arrays[0] != 0
    rest = tuple(other for other in range(3) if other != strip.place)
    counts = differs.sum(axis=rest)[list(strip.slices)]
    return int(np.argmax(counts)) if counts.any() else len(strip.slices) // 2


def _cuts(strip: Strip, array: NDArray[Any]) -> Iterable[NDArray[Any]]:
    for number in strip.slices:
        yield upright(array, strip.place, (number, number, number))


def _transparent(marked: Image.Image, colour: tuple[int, int, int]) -> bytes:
    """A picture of one colour where something is marked, as PNG with a palette of two entries."""
    picture = marked.convert("P")
    picture.putpalette([0, 0, 0, *colour])
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", transparency=0, optimize=True, bits=1)
    return buffer.getvalue()


@dataclass(frozen=True)
class CaseSheets:
    """Content of the viewer for one case.

    Attributes
    ----------
    strips
        Layout of the sheets, one per axis.
    layers
        Stacked layers, the lowest first.
    pictures
        Name of the layer and axis → JPEG or PNG.
    starts
        Initial positions on the strips, for viewers who may not see the reference.
    starts_with_reference
        Initial positions for viewers who may: the slices where prediction and reference differ most.
    """

    strips: tuple[Strip, ...]
    layers: tuple[Layer, ...]
    pictures: Mapping[tuple[str, str], bytes]
    starts: tuple[int, ...]
    starts_with_reference: tuple[int, ...]

    def shown(self, *, with_reference: bool) -> list[Layer]:
        """Return the layers that a viewer sees; a layer without a picture is never visible."""
        drawn = {name for name, _ in self.pictures}
        wanted = (ALL, WITH) if with_reference else (ALL, WITHOUT)
        return [layer for layer in self.layers if layer.shown_to in wanted and layer.name in drawn]

    def plan(self, *, with_reference: bool) -> dict[str, Any]:
        """Return layout, layers and beginnings as JSON."""
        starts = self.starts_with_reference if with_reference else self.starts
        return {
            "strips": [strip.document() | {"start": start} for strip, start in zip(self.strips, starts, strict=True)],
            "layers": [asdict(layer) for layer in self.shown(with_reference=with_reference)],
        }

    def composed(self, *, with_reference: bool) -> bytes:
        """The slices where one begins side by side, all layers on each other: the picture without a viewer, as PNG."""
        starts = self.starts_with_reference if with_reference else self.starts
        panels = []
        for strip, start in zip(self.strips, starts, strict=True):
            left, top = strip.corner(start)
            panel = Image.new("RGBA", (strip.width, strip.height), (BACKDROP, BACKDROP, BACKDROP, 255))
            for layer in self.shown(with_reference=with_reference):
                content = self.pictures.get((layer.name, strip.axis))
                if content is not None and layer.is_on:
                    sheet = Image.open(io.BytesIO(content)).convert("RGBA")
                    cell = sheet.crop((left, top, left + strip.width, top + strip.height))
                    panel.alpha_composite(cell)
            panels.append(panel.convert("RGB"))
        whole = Image.new(
            "RGB",
            (sum(panel.width for panel in panels) + GAP * (len(panels) - 1), max(panel.height for panel in panels)),
            (BACKDROP,) * 3,
        )
        left = 0
        for panel in panels:
            whole.paste(panel, (left, (whole.height - panel.height) // 2))
            left += panel.width + GAP
        buffer = io.BytesIO()
        whole.save(buffer, "PNG", optimize=True)
        return buffer.getvalue()


def sheets_of_labels(
    geometry: Geometry, image: NDArray[Any] | None, prediction: NDArray[Any] | None, reference: NDArray[Any]
) -> CaseSheets:
    """Draw all slices of label images along all axes."""
    laid_out = tuple(strips(geometry))
    pictures = {}
    for strip in laid_out:
        pictures["image", strip.axis] = image_sheet(strip, image, geometry.shape)
        pictures["prediction", strip.axis] = outline_sheet(strip, prediction, PREDICTION)
        pictures["reference", strip.axis] = outline_sheet(strip, reference, REFERENCE)
    return CaseSheets(
        laid_out,
        OUTLINES,
        pictures,
        tuple(start_of(strip, prediction, None) for strip in laid_out),
        tuple(start_of(strip, prediction, reference) for strip in laid_out),
    )


def sheets_of_objects(
    image: NDArray[Any], prediction: Sequence[Sequence[float]] | None, reference: Sequence[Sequence[float]]
) -> CaseSheets:
    """Draw boxes or points on all slices of an image, or on the one of a picture."""
    from evaluation.readers import Geometry

    shape = image.shape
    laid_out = tuple(strips(Geometry(shape)))
    pictures = {}
    for strip in laid_out:
        pictures["image", strip.axis] = image_sheet(strip, image, shape)
        pictures["prediction", strip.axis] = object_sheet(strip, Boxes(prediction or (), PREDICTION), shape)
        pictures["reference", strip.axis] = object_sheet(strip, Boxes(reference, REFERENCE), shape)
    return CaseSheets(
        laid_out,
        OUTLINES,
        pictures,
        tuple(_busiest(strip, shape, prediction or ()) for strip in laid_out),
        tuple(_farthest(strip, shape, prediction or (), reference) for strip in laid_out),
    )


def sheets_of_places(
    axes: int, image: NDArray[Any] | None, prediction: NDArray[Any] | None, reference: NDArray[Any]
) -> CaseSheets | None:
    """Draw sheets of objects from arrays with one row per object.

    The result is ``None`` unless there is an image with `axes` axes.
    """
    if image is None or image.ndim != axes:
        return None
    return sheets_of_objects(image, None if prediction is None else prediction.tolist(), reference.tolist())


def picture_of_places(
    axes: int, image: NDArray[Any] | None, prediction: NDArray[Any] | None, reference: NDArray[Any] | None
) -> bytes | None:
    """Draw objects on a picture, or on slices of a volume, as one PNG picture.

    The result is ``None`` unless there is an image with `axes` axes.
    """
    if image is None or image.ndim != axes:
        return None
    coloured_places = [
        (places.tolist(), colour)
        for places, colour in ((reference, REFERENCE), (prediction, PREDICTION))
        if places is not None
    ]
    if axes == 2:
        return picture_of_objects(image, [Boxes(places, colour) for places, colour in coloured_places])
    reference_places = [] if reference is None else reference.tolist()
    sheets = sheets_of_objects(image, None if prediction is None else prediction.tolist(), reference_places)
    return sheets.composed(with_reference=reference is not None)


def _busiest(strip: Strip, shape: Sequence[int], places: Sequence[Sequence[float]]) -> int:
    """The slice with the most objects; the middle one without any."""
    counts = [sum(_within(strip, ends, shape, number) is not None for ends in places) for number in strip.slices]
    return int(np.argmax(counts)) if any(counts) else len(strip.slices) // 2


def _farthest(
    strip: Strip, shape: Sequence[int], prediction: Sequence[Sequence[float]], reference: Sequence[Sequence[float]]
) -> int:
    """Return the slice of the object that is farthest from any object of the other side.

    If one side has no objects, it is the busiest slice.
    """
    if strip.place is None or not prediction or not reference:
        return _busiest(strip, shape, [*prediction, *reference])
    axes = len(shape)
    first, second = (_centres(places, axes) for places in (prediction, reference))
    distances = np.linalg.norm(first[:, None] - second[None], axis=2)
    nearest = np.concatenate([distances.min(axis=1), distances.min(axis=0)])
    worst = np.concatenate([first, second])[int(nearest.argmax())]
    return int(np.abs(np.array(strip.slices) - np.floor(worst[strip.place])).argmin())


def _centres(places: Sequence[Sequence[float]], axes: int) -> NDArray[np.float64]:
    """Of boxes the middle, ``(n, axes)``."""
    ends = np.asarray(places, dtype=np.float64).reshape(len(places), -1, axes)
    centres: NDArray[np.float64] = ends.mean(axis=1)
    return centres
