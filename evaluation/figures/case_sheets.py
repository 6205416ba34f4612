"""Sheets of slices for the viewer of a case: all slices along an axis on one picture, outlines on pictures of their own.

A browser cuts them out and lays them over each other; no request computes anything.
"""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image, ImageDraw

from evaluation.figures.case_pictures import BACKDROP, PREDICTION, REFERENCE, Boxes, outline, upright

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from evaluation.readers import Geometry

LAYERS: Final = ("image", "prediction", "reference")
AXES: Final = ("z", "y", "x")
SIDE: Final = 320
"""Pixels of the longest side of a slice; a volume with voxels that are longer one way keeps its proportions."""
MOST: Final = 64
"""So many slices along an axis at most; of longer ones every second, third …"""
ACROSS: Final = 8
RING: Final = 5


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

    def corner(self, place: int) -> tuple[int, int]:
        """Where the slice in a place stands."""
        return self.width * (place % self.across), self.height * (place // self.across)

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
    found = []
    for place, axis in ((2, "z"), (1, "y"), (0, "x")):
        first, second = (other for other in range(3) if other != place)
        width, height = _pixels(shape[first] * spacing[first], shape[second] * spacing[second])
        step = -(-shape[place] // MOST)
        found.append(Strip(axis, tuple(range(0, shape[place], step)), width, height))
    return found


def _pixels(first: float, second: float) -> tuple[int, int]:
    scale = SIDE / max(first, second)
    return max(1, round(first * scale)), max(1, round(second * scale))


def image_sheet(strip: Strip, image: NDArray[Any] | None, shape: Sequence[int]) -> bytes:
    """Draw all slices of an image side by side, as JPEG; a plain ground where there is no image on the grid."""
    sheet = Image.new("L", strip.size, BACKDROP)
    if image is not None and tuple(image.shape) == tuple(shape):
        for place, cut in enumerate(_cuts(strip, image)):
            piece = Image.fromarray(cut).resize((strip.width, strip.height), Image.Resampling.BICUBIC)
            sheet.paste(piece, strip.corner(place))
    buffer = io.BytesIO()
    sheet.save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


def outline_sheet(strip: Strip, labels: NDArray[Any] | None, colour: tuple[int, int, int]) -> bytes:
    """Draw the outlines of all slices on a transparent ground, as PNG."""
    marked = np.zeros((strip.size[1], strip.size[0]), dtype=np.uint8)
    if labels is not None:
        for place, cut in enumerate(_cuts(strip, labels)):
            if not cut.any():
                continue
            plane = Image.fromarray(cut.astype(np.int32), mode="I")
            enlarged = np.asarray(plane.resize((strip.width, strip.height), Image.Resampling.NEAREST))
            left, top = strip.corner(place)
            marked[top : top + strip.height, left : left + strip.width] = outline(enlarged)
    return _transparent(Image.fromarray(marked), colour)


def object_sheet(strip: Strip, layer: Boxes, shape: Sequence[int]) -> bytes:
    """Draw boxes, or rings around points, of a two-dimensional image on a transparent ground, as PNG."""
    sheet = Image.new("L", strip.size, 0)
    pen = ImageDraw.Draw(sheet)
    scales = strip.width / shape[0], strip.height / shape[1]
    for place in layer.places:
        shown = [min(max(number * scales[index % 2], -strip.width), 2 * SIDE) for index, number in enumerate(place)]
        if len(shown) == 2:
            pen.ellipse((shown[0] - RING, shown[1] - RING, shown[0] + RING, shown[1] + RING), outline=1, width=2)
        else:
            ends = max(shown[0], shown[2]), max(shown[1], shown[3])
            pen.rectangle((shown[0], shown[1], *ends), outline=1, width=2)
    return _transparent(sheet, layer.colour)


def start_of(strip: Strip, prediction: NDArray[Any] | None, reference: NDArray[Any] | None) -> int:
    """Where to begin: at the slice with the most voxels in which the two differ.

    With one of them only, at the slice with the most of it: the place must not give away what is not shown.
    """
    if strip.place is None:
        return 0
    known = [labels for labels in (prediction, reference) if labels is not None]
    if not known:
        return len(strip.slices) // 2
    differs = known[0] != known[1] if len(known) == 2 else known[0] != 0
    if len(known) == 2 and not differs.any():
        differs = known[0] != 0
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
    """Everything that the viewer shows of a case.

    Attributes
    ----------
    strips
        How the sheets are laid out, one an axis.
    pictures
        Layer and axis → JPEG for the image, PNG for outlines.
    starts
        Places on the strips where to begin, for who may not see the reference.
    starts_with_reference
        For who may.
    """

    strips: tuple[Strip, ...]
    pictures: dict[tuple[str, str], bytes]
    starts: tuple[int, ...]
    starts_with_reference: tuple[int, ...]

    def plan(self, *, with_reference: bool) -> list[dict[str, Any]]:
        """Return layout and beginnings as JSON."""
        starts = self.starts_with_reference if with_reference else self.starts
        return [strip.document() | {"start": start} for strip, start in zip(self.strips, starts, strict=True)]


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
        pictures,
        tuple(start_of(strip, prediction, None) for strip in laid_out),
        tuple(start_of(strip, prediction, reference) for strip in laid_out),
    )


def sheets_of_objects(
    image: NDArray[Any], prediction: Sequence[Sequence[float]] | None, reference: Sequence[Sequence[float]]
) -> CaseSheets:
    """Draw boxes or points of a two-dimensional image: one slice."""
    from evaluation.readers import Geometry

    shape = image.shape
    [strip] = strips(Geometry(shape))
    pictures = {
        ("image", strip.axis): image_sheet(strip, image, shape),
        ("prediction", strip.axis): object_sheet(strip, Boxes(prediction or (), PREDICTION), shape),
        ("reference", strip.axis): object_sheet(strip, Boxes(reference, REFERENCE), shape),
    }
    return CaseSheets((strip,), pictures, (0,), (0,))
