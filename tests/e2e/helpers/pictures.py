"""Approved pictures of pages: kept small, and compared so that a new browser passes and a change of appearance does not.

Both pictures are reduced to one pixel per 8 × 8 of the page. Letters become grey there, whichever way a version of the browser
draws their edges; a mark, a button or a line of text that is not there any more does not.
"""

import io
from pathlib import Path

from PIL import Image, ImageChops

FOLDER = Path(__file__).parents[1] / "approved"
KEPT = 2
"""The approved file has half the size of the page: enough to read it, and small."""
COMPARED = 8
LEVELS = 24
"""Of 255: by how much a reduced pixel may differ in any channel."""
SHARE = 0.002
"""Share of reduced pixels that may differ by more; a button of 120 × 40 px is 0.0037 of 1280 × 1000."""
MOST_BYTES = 100 * 1024


def keep(name: str, shot: bytes) -> int:
    """Write a screenshot as the approved picture of a page; returns the size of the file."""
    FOLDER.mkdir(exist_ok=True)
    whole = Image.open(io.BytesIO(shot)).convert("RGB")
    small = whole.reduce(KEPT).quantize(64, dither=Image.Dither.NONE)
    path = FOLDER / f"{name}.png"
    small.save(path, optimize=True)
    return path.stat().st_size


def difference(name: str, shot: bytes) -> float:
    """Share of the picture that differs from the approved one: 1 where sizes differ or there is none."""
    path = FOLDER / f"{name}.png"
    if not path.exists():
        return 1.0
    approved = Image.open(path).convert("RGB")
    shown = Image.open(io.BytesIO(shot)).convert("RGB").reduce(KEPT)
    if approved.size != shown.size:
        return 1.0
    return share_of_difference(approved.reduce(COMPARED // KEPT), shown.reduce(COMPARED // KEPT))


def share_of_difference(one: Image.Image, other: Image.Image) -> float:
    """Share of pixels that differ by more than `LEVELS` in a channel."""
    red, green, blue = ImageChops.difference(one, other).split()
    largest = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return sum(largest.histogram()[LEVELS + 1 :]) / (largest.width * largest.height)
