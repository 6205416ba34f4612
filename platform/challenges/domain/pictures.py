"""Sizes of PNG and JPEG files from their headers. Pixels are decoded by browsers only, never on the server."""

import struct
from dataclasses import dataclass
from typing import Final

MOST_BYTES: Final = 512 * 1024
"""Largest file."""
MOST_PIXELS: Final = 4_000
"""Largest width and height."""
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_JPEG: Final = b"\xff\xd8\xff"
# Frames of JPEG that browsers decode: baseline, extended and progressive, with Huffman codes.
_FRAMES: Final = frozenset({0xC0, 0xC1, 0xC2})
# Markers without a length: TEM, restarts, and the start of the image.
_BARE: Final = frozenset({0x01, *range(0xD0, 0xD9)})


@dataclass(frozen=True)
class PictureHeader:
    """Media type, width and height of a picture, in pixels."""

    media_type: str
    width: int
    height: int


def picture_header(content: bytes) -> PictureHeader:
    r"""Return the header of a PNG or JPEG file.

    Raises
    ------
    ValueError
        For another format, a header that is cut off, and a picture that is too large.

    Examples
    --------
    >>> picture_header(b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0\0\0\x40\0\0\0\x20" + bytes(9))
    PictureHeader(media_type='image/png', width=64, height=32)
    """
    if len(content) > MOST_BYTES:
        raise ValueError(f"The file has {len(content):,} bytes. At most {MOST_BYTES:,} are accepted.")
    if content.startswith(_PNG):
        header = PictureHeader("image/png", *_png_size(content))
    elif content.startswith(_JPEG):
        header = PictureHeader("image/jpeg", *_jpeg_size(content))
    else:
        raise ValueError("The file is neither PNG nor JPEG. Convert it to one of them.")
    if not (0 < header.width <= MOST_PIXELS and 0 < header.height <= MOST_PIXELS):
        raise ValueError(
            f"The picture has {header.width} × {header.height} pixels. Each side needs 1 to {MOST_PIXELS:,}."
        )
    return header


def _png_size(content: bytes) -> tuple[int, int]:
    if len(content) < 33 or content[12:16] != b"IHDR":
        raise ValueError("The header of the PNG file is not complete. Export the picture again.")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def _jpeg_size(content: bytes) -> tuple[int, int]:
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
            continue
        if marker in _BARE:
            at += 2
            continue
        (length,) = struct.unpack(">H", content[at + 2 : at + 4])
        if marker in _FRAMES and at + 9 <= len(content):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return width, height
        at += 2 + max(length, 2)
    raise ValueError("The JPEG file has no frame that browsers show. Export the picture again.")
