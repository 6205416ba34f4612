"""Images that organizers sent to be shown behind predictions."""

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

Grey = np.ndarray[Any, Any]


def read(path: Path) -> Grey | None:
    """Read an organizer's image as grey levels 0 to 255, stretched between its 1st and 99th percentile."""
    if path.suffix.lower() in (".png", ".jpg", ".jpeg", ".tif", ".tiff"):
        array = np.asarray(Image.open(path).convert("L"), dtype=float).T
    else:
        import SimpleITK

        array = SimpleITK.GetArrayFromImage(SimpleITK.ReadImage(str(path))).astype(float)
        array = array.transpose(tuple(range(array.ndim))[::-1])
    low, high = np.percentile(array, [1, 99])
    return np.clip((array - low) / max(high - low, 1e-9) * 255, 0, 255).astype(np.uint8)
