"""Images that organizers sent to be shown behind predictions."""

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from evaluation.readers import case_name
from evaluation.readers.intensities import read_intensities

Grey = np.ndarray[Any, Any]
_LARGEST = 600


def read(path: Path) -> Grey | None:
    """Read an organizer's image as grey levels 0 to 255, stretched between its 1st and 99th percentile."""
    if path.suffix.lower() in (".png", ".jpg", ".jpeg", ".tif", ".tiff"):
        array = np.asarray(Image.open(path).convert("L"), dtype=float).T
    elif path.name.lower().endswith((".mgz", ".mgh", ".dcm")):
        array = read_intensities(path).values
    else:
        import SimpleITK

        array = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))).astype(float)
        array = array.transpose(tuple(range(array.ndim))[::-1])
    low, high = np.percentile(array, [1, 99])
    return np.clip((array - low) / max(high - low, 1e-9) * 255, 0, 255).astype(np.uint8)


def case_of(path: Path) -> str:
    """The case that an image is of, by its name."""
    name_parts = case_name(path)
    return path.stem if name_parts is None else name_parts[0]


def picture(image: Grey) -> bytes:
    """An image as a PNG picture; of a volume the middle slice."""
    plane = image[..., image.shape[2] // 2].T[::-1] if image.ndim == 3 else image.T
    sheet = Image.fromarray(np.ascontiguousarray(plane))
    sheet.thumbnail((_LARGEST, _LARGEST))
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
