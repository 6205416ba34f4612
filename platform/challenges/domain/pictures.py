"""Sizes and metadata of PNG and JPEG files. Pixels are decoded by browsers only, never on the server."""

import struct
from contextlib import suppress
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
_END: Final = 0xD9
_SCAN: Final = 0xDA
# Bytes after 0xFF within the data of a scan: a stuffed zero, and restarts.
_WITHIN_SCAN: Final = frozenset({0x00, *range(0xD0, 0xD8)})
_COMMENT: Final = 0xFE
_APPLICATION: Final = range(0xE0, 0xF0)
_JFIF: Final = b"JFIF\0"
_JFIF_BYTES: Final = 14
_EXIF: Final = b"Exif\0\0"
# Segments of applications that browsers need for colours.
_COLOURS: Final = {0xE2: b"ICC_PROFILE\0", 0xEE: b"Adobe"}
_ORIENTATION: Final = 0x0112
_SHORT: Final = 3
# Chunks of PNG that show the picture. Text, time, Exif and frames of animations are not among them.
_CHUNKS: Final = frozenset(
    {
        *(b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS"),
        *(b"cHRM", b"gAMA", b"iCCP", b"sBIT", b"sRGB", b"cICP", b"bKGD", b"pHYs"),
    }
)


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


def without_metadata(content: bytes) -> bytes:
    r"""Return a picture without location, camera data, comments, thumbnails and bytes after its end.

    Colours and the orientation of a JPEG file stay. No pixel is decoded.

    Raises
    ------
    ValueError
        As `picture_header`, and for a file that is cut off.

    Examples
    --------
    >>> def chunk(name, content=b""):
    ...     return len(content).to_bytes(4) + name + content + bytes(4)
    >>> start, end = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"\0\0\0\1\0\0\0\1" + bytes(5)), chunk(b"IDAT") + chunk(b"IEND")
    >>> without_metadata(start + chunk(b"tEXt", b"Author") + end + b"PK") == start + end
    True
    """
    header = picture_header(content)
    return _png_without_metadata(content) if header.media_type == "image/png" else _jpeg_without_metadata(content)


def _png_without_metadata(content: bytes) -> bytes:
    chunks = [_PNG]
    at = len(_PNG)
    has_pixels = False
    while at + 12 <= len(content):
        (length,) = struct.unpack(">I", content[at : at + 4])
        name, end = content[at + 4 : at + 8], at + 12 + length
        if end > len(content):
            break
        if name in _CHUNKS:
            chunks.append(content[at:end])
        has_pixels = has_pixels or name == b"IDAT"
        if name == b"IEND" and has_pixels:
            return b"".join(chunks)
        at = end
    raise ValueError("The PNG file is cut off. Export the picture again.")


def _jpeg_without_metadata(content: bytes) -> bytes:
    start: list[bytes] = [content[:2]]
    segments: list[bytes] = []
    at = 2
    while at + 2 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == _END and segments:
            return b"".join([*start, *segments, content[at : at + 2]])
        if marker == 0xFF or marker in _BARE:  # fill byte or marker without a length
            at += 1 if marker == 0xFF else 2
            continue
        length = int.from_bytes(content[at + 2 : at + 4])
        end = at + 2 + length
        if length < 2 or end > len(content):
            break
        body = content[at + 4 : end]
        if marker == 0xE0 and body.startswith(_JFIF) and len(body) >= _JFIF_BYTES:
            # Without the thumbnail, whose width and height follow these bytes.
            start.insert(1, b"\xff\xe0\x00\x10" + body[: _JFIF_BYTES - 2] + bytes(2))
        elif marker == 0xE1 and body.startswith(_EXIF):
            start += _orientation_alone(body[len(_EXIF) :])
        elif marker in _APPLICATION or marker == _COMMENT:
            if body.startswith(_COLOURS.get(marker, b"\xff")):
                segments.append(content[at:end])
        else:
            if marker == _SCAN:
                end = _end_of_scan(content, end)
            segments.append(content[at:end])
        at = end
    raise ValueError("The JPEG file is cut off or damaged. Export the picture again.")


def _end_of_scan(content: bytes, at: int) -> int:
    """Return where the next marker begins, or the end of the file."""
    while (at := content.find(b"\xff", at)) >= 0 and at + 1 < len(content):
        if content[at + 1] not in _WITHIN_SCAN:
            return at
        at += 2
    return len(content)


def _orientation_alone(tiff: bytes) -> list[bytes]:
    """Return an Exif segment with nothing but the orientation; none for an upright picture."""
    order = {b"MM": ">", b"II": "<"}.get(tiff[:2])
    if order is None:
        return []
    with suppress(struct.error):
        (first,) = struct.unpack_from(f"{order}I", tiff, 4)
        (count,) = struct.unpack_from(f"{order}H", tiff, first)
        for number in range(count):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", tiff, first + 2 + 12 * number)
            if tag == _ORIENTATION and kind == _SHORT and 1 < value <= 8:
                body = _EXIF + b"MM\0*" + struct.pack(">IHHHIHHI", 8, 1, _ORIENTATION, _SHORT, 1, value, 0, 0)
                return [b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body]
    return []
