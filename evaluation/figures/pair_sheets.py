"""Sheets for the viewer of a case whose prediction is an image or a displacement field (`case_sheets`)."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PIL import Image, ImageDraw

from evaluation.figures.case_pictures import PREDICTION, REFERENCE, upright
from evaluation.figures.case_sheets import (
    IMAGE,
    WITH,
    WITHOUT,
    CaseSheets,
    Layer,
    Strip,
    image_sheet,
    outline_sheet,
    start_of,
    strips,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evaluation.readers import Geometry

ERROR: Final = (255, 112, 67)
GRID: Final = (148, 163, 168)
_LINES: Final = 24
_STEPS: Final = 40
_FAR: Final = 1e4


# --- An image that was predicted -----------------------------------------------------------------------------------


def sheets_of_intensities(
    geometry: Geometry, image: NDArray[Any] | None, prediction: NDArray[Any] | None, reference: NDArray[Any]
) -> CaseSheets:
    """Draw all slices of a predicted image, of its reference, and of the error between them.

    Parameters
    ----------
    image
        Grey levels 0 to 255 of the image of the case, if organizers uploaded an image on the same grid.
    prediction, reference
        Intensities, axes x, y[, z]. Next to a reference, both use the reference's window of grey levels. Alone, the
        prediction uses its own window, which reveals nothing about data that are not shown.
    """
    laid_out = tuple(strips(geometry))
    error = None if prediction is None else np.abs(prediction - reference)
    strongest = 0.0 if error is None else float(error.max())
    layers = [
        IMAGE,
        Layer("reference", "reference", shown_to=WITH, is_grey=True),
        Layer("prediction-beside", "prediction", shown_to=WITH, is_grey=True),
        Layer("prediction", "prediction", shown_to=WITHOUT, is_grey=True),
        Layer("error", f"absolute error, strongest at {strongest:.3g}", shown_to=WITH, is_on=False),
    ]
    window = float(reference.min()), float(reference.max())
    pictures: dict[tuple[str, str], bytes] = {}
    for strip in laid_out:
        if image is not None and tuple(image.shape) == tuple(geometry.shape):
            pictures["image", strip.axis] = image_sheet(strip, image, geometry.shape)
        pictures["reference", strip.axis] = image_sheet(strip, _grey(reference, *window), geometry.shape)
        if prediction is None or error is None:
            continue
        prediction_window = float(prediction.min()), float(prediction.max())
        pictures["prediction", strip.axis] = image_sheet(strip, _grey(prediction, *prediction_window), geometry.shape)
        pictures["prediction-beside", strip.axis] = image_sheet(strip, _grey(prediction, *window), geometry.shape)
        pictures["error", strip.axis] = _error_sheet(strip, error / (strongest or 1.0))
    return CaseSheets(
        laid_out,
        tuple(layers),
        pictures,
        tuple(len(strip.slices) // 2 for strip in laid_out),
        tuple(_strongest(strip, error) for strip in laid_out),
    )


def _grey(values: NDArray[Any], low: float, high: float) -> NDArray[np.uint8]:
    """Intensities as grey levels, 0 at the lower end of the window and 255 at the upper one."""
    return (np.clip((values - low) / ((high - low) or 1.0), 0, 1) * 255).round().astype(np.uint8)


def _strongest(strip: Strip, error: NDArray[Any] | None) -> int:
    """The slice with the largest mean error."""
    if error is None or strip.place is None:
        return 0 if strip.place is None else len(strip.slices) // 2
    rest = tuple(other for other in range(3) if other != strip.place)
    return int(error.mean(axis=rest)[list(strip.slices)].argmax())


def _error_sheet(strip: Strip, share: NDArray[Any]) -> bytes:
    """The error as one colour, the more of it the larger it is, as PNG with a palette."""
    sheet = Image.new("P", strip.size, 0)
    sheet.putpalette([*ERROR] * 256)
    for index, number in enumerate(strip.slices):
        cut = upright((np.clip(share, 0, 1) * 255).round().astype(np.uint8), strip.place, (number, number, number))
        piece = Image.fromarray(cut).resize((strip.width, strip.height), Image.Resampling.NEAREST)
        sheet.paste(piece, strip.corner(index))
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG", transparency=bytes(range(256)), optimize=True)
    return buffer.getvalue()


# --- A displacement field ------------------------------------------------------------------------------------------


def sheets_of_field(
    geometry: Geometry,
    image: NDArray[Any] | None,
    field: NDArray[Any] | None,
    pulled: NDArray[Any] | None,
    fixed: NDArray[Any] | None,
) -> CaseSheets:
    """Draw a grid as a field bends it on all slices, and how labels of the moving image fall on those of the fixed one.

    Parameters
    ----------
    image
        Grey levels 0 to 255 of the fixed image, where organizers sent it.
    field
        ``(X, Y[, Z], d)``, displacements in voxels.
    pulled
        Labels of the moving image pulled through the field; they show the reference.
    fixed
        Labels of the fixed image.
    """
    laid_out = tuple(strips(geometry))
    layers = (
        IMAGE,
        Layer("grid", "bent grid", is_on=True),
        Layer("prediction", "labels moved by the prediction", shown_to=WITH),
        Layer("reference", "labels of the reference", shown_to=WITH),
    )
    pictures: dict[tuple[str, str], bytes] = {}
    for strip in laid_out:
        pictures["image", strip.axis] = image_sheet(strip, image, geometry.shape)
        if field is not None:
            pictures["grid", strip.axis] = _grid_sheet(strip, field)
        for name, labels, colour in (("prediction", pulled, PREDICTION), ("reference", fixed, REFERENCE)):
            if labels is not None:
                pictures[name, strip.axis] = outline_sheet(strip, labels, colour)
    return CaseSheets(
        laid_out,
        layers,
        pictures,
        tuple(_most_moved(strip, field) for strip in laid_out),
        tuple(
            _most_moved(strip, field) if pulled is None or fixed is None else start_of(strip, pulled, fixed)
            for strip in laid_out
        ),
    )


def _most_moved(strip: Strip, field: NDArray[Any] | None) -> int:
    """The slice that is displaced most; the middle one without a field."""
    if field is None or strip.place is None:
        return 0 if strip.place is None else len(strip.slices) // 2
    rest = tuple(other for other in range(3) if other != strip.place)
    return int((field**2).sum(axis=-1).mean(axis=rest)[list(strip.slices)].argmax())


def _grid_sheet(strip: Strip, field: NDArray[Any]) -> bytes:
    """Lines of every slice as the field bends them within it, on a transparent ground, as PNG."""
    sheet = Image.new("L", strip.size, 0)
    rest = [axis for axis in range(field.shape[-1]) if axis != strip.place]
    for index, number in enumerate(strip.slices):
        plane = field if strip.place is None else np.take(field, number, axis=strip.place)
        cell = Image.new("L", (strip.width, strip.height), 0)
        _draw_lines(ImageDraw.Draw(cell), strip, plane[..., rest])
        sheet.paste(cell, strip.corner(index))
    picture = sheet.convert("P")
    picture.putpalette([0, 0, 0, *GRID])
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", transparency=0, optimize=True, bits=1)
    return buffer.getvalue()


def _draw_lines(pen: ImageDraw.ImageDraw, strip: Strip, plane: NDArray[Any]) -> None:
    lengths = np.array(plane.shape[:2])
    scale = np.array([strip.width, strip.height]) / lengths
    for axis in (0, 1):
        for start in np.linspace(0, lengths[axis] - 1, min(_LINES, int(lengths[axis]))):
            line = np.empty((_STEPS, 2))
            line[:, axis] = start
            line[:, 1 - axis] = np.linspace(0, lengths[1 - axis] - 1, _STEPS)
            nearest = np.rint(line).astype(int)
            # Far beyond the picture nothing is seen, and drawing has no numbers that large.
            moved = np.clip(line + plane[nearest[:, 0], nearest[:, 1]], -_FAR, _FAR) + 0.5
            if strip.place is not None:
                moved[:, 1] = lengths[1] - moved[:, 1]
            pen.line([tuple(point) for point in (moved * scale).tolist()], fill=1, width=1)
