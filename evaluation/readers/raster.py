"""PNG and TIFF images: labels as grey values or palette indices, a stack of pages as a volume."""

from __future__ import annotations

import logging
import struct
import warnings
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.header import Header, check_size
from evaluation.readers.inflating import open_checked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.limits import Limits

T = TypeVar("T")
_PNG_MAGIC: Final = b"\x89PNG\r\n\x1a\n"
_PNG_COLOURS: Final = {2: "RGB", 4: "grey with transparency", 6: "RGB with transparency"}
_TIFF_MAGIC: Final = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
_OF_FAX: Final = (2, 3, 4)
_PAGES: Final = 10_000


def read_png_header(path: Path, limits: Limits, *, colours: bool = False) -> Header:
    """Read and check the header of a PNG file; its axes are x (columns) and y (rows), with colours the last is of channels.

    Raises
    ------
    ReadError
        If the file is not such an image, has colours, or asks for more than the limits allow.
    """
    name = path.name
    with open_checked(path, limits) as file:
        start = file.read(29)
    if not start.startswith(_PNG_MAGIC):
        raise ReadError("magic", name, "no PNG header")
    if len(start) < 29 or start[12:16] != b"IHDR":
        raise ReadError("truncated", name, f"{len(start)} bytes", "a header of 33 bytes")
    width, height, depth, colour = struct.unpack(">IIBB", start[16:26])
    channels = 3 if colours and colour == 2 else 1
    if colour not in (0, 3) and channels == 1:
        raise ReadError("dimensions", name, f"{_PNG_COLOURS.get(colour, 'unknown')} pixels", "one number a pixel")
    check_size((width, height), np.dtype("u2" if depth == 16 else "u1"), name, limits, numbers=channels)
    return Header(
        Geometry((width, height)), lambda: _load_png(path, (width, height), limits, channels), channels=channels
    )


def _load_png(path: Path, shape: tuple[int, ...], limits: Limits, channels: int) -> NDArray[Any]:
    def decode() -> NDArray[Any]:
        from PIL import Image

        with Image.open(path, formats=["PNG"]) as image:
            return np.asarray(image)

    with open_checked(path, limits):
        pixels = _decoded(decode, path.name)
    if pixels.dtype == bool:
        pixels = pixels.astype(np.uint8)
    return _turned(pixels, shape, channels, path.name)


def _turned(pixels: NDArray[Any], shape: tuple[int, ...], channels: int, name: str) -> NDArray[Any]:
    """Rows, columns and pages as x, y and z; channels stay last."""
    colours = (channels,) if channels > 1 else ()
    if pixels.shape != (*shape[::-1], *colours):
        raise ReadError("header", name, "pixels that do not fit the header")
    axes = tuple(range(len(shape)))[::-1]
    return pixels.transpose(*axes, *((len(shape),) if colours else ()))


def read_tiff_header(path: Path, limits: Limits, *, colours: bool = False) -> Header:
    """Read and check the directory of a TIFF file; its axes are x (columns), y (rows) and, with several pages, z.

    With colours, pages may have three channels, which are the last axis.

    Raises
    ------
    ReadError
        If the file is not such an image, has colours or pages of unlike shape, or asks for more than the limits allow.
    """
    name = path.name
    with open_checked(path, limits) as file:
        start = file.read(4)
    if start not in _TIFF_MAGIC:
        raise ReadError("magic", name, "no TIFF header")
    _check_pages(path)
    shape, dtype, channels = _decoded(lambda: _tiff_shape(path, colours=colours), name)
    check_size(shape, dtype, name, limits, numbers=channels)
    return Header(Geometry(shape), lambda: _load_tiff(path, shape, dtype, channels), channels=channels)


def _check_pages(path: Path) -> None:
    """Follow the chain of page directories to its end: the decoder stops without a word where it is broken."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = file.read(4)
        order = "<" if start.startswith(b"II") else ">"
        big = b"+" in start
        offset_format, number, entry = ("Q", "Q", 20) if big else ("I", "H", 12)
        width = struct.calcsize(order + offset_format)
        position = 8 if big else 4
        seen: set[int] = set()
        while True:
            file.seek(position)
            raw = file.read(width)
            if len(raw) < width:
                raise ReadError("truncated", path.name, "the list of pages breaks off")
            (directory,) = struct.unpack(order + offset_format, raw)
            if directory == 0:
                return
            if directory in seen or directory >= size:
                raise ReadError("truncated", path.name, "a page that lies outside the file, or twice in it")
            seen.add(directory)
            if len(seen) > _PAGES:
                raise ReadError("too_large", path.name, f"more than {_PAGES:,} pages")
            file.seek(directory)
            raw = file.read(struct.calcsize(order + number))
            if len(raw) < struct.calcsize(order + number):
                raise ReadError("truncated", path.name, "the list of pages breaks off")
            position = directory + len(raw) + entry * struct.unpack(order + number, raw)[0]


def _tiff_shape(path: Path, *, colours: bool) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    import tifffile

    with tifffile.TiffFile(path) as file:
        count = len(file.pages)
        first = file.pages.first
        channels = 3 if colours and first.samplesperpixel == 3 and first.planarconfig == 1 else 1
        if first.samplesperpixel != channels:
            raise ReadError("dimensions", path.name, f"{first.samplesperpixel} numbers a pixel", "one number a pixel")
        if first.dtype is None:
            raise ReadError("datatype", path.name, f"pixels of {first.bitspersample} bits", "whole numbers")
        for page in file.pages:
            if page.shape != first.shape or page.dtype != first.dtype:
                raise ReadError("dimensions", path.name, "pages of different shape or type", "pages that are alike")
        dtype = _number_type(first)
        bits = 1 if first.bitspersample == 1 else dtype.itemsize * 8
        if first.imagedepth * first.imagelength * first.imagewidth * bits * channels // 8 > (
            path.stat().st_size * _expansion(first)
        ):
            raise ReadError("truncated", path.name, "fewer bytes than its pages need")
        shape = tuple(size for size in (first.imagewidth, first.imagelength))
        depth = count * first.imagedepth
        return (*shape, depth) if depth > 1 else shape, dtype, channels


def _number_type(page: Any) -> np.dtype[Any]:
    """The number type of the pixels; a mask of one bit becomes bytes."""
    dtype = np.dtype(page.dtype)
    return np.dtype(np.uint8) if dtype.kind == "b" else dtype


def _expansion(page: Any) -> int:
    """No common compression of TIFF expands further than this; those of fax need a bit for an empty row."""
    if page.compression in _OF_FAX:
        return int(page.imagewidth) + 4096
    return 1 if page.compression == 1 else 4096


def _load_tiff(path: Path, shape: tuple[int, ...], dtype: np.dtype[Any], channels: int) -> NDArray[Any]:
    def decode() -> NDArray[Any]:
        import tifffile

        with tifffile.TiffFile(path) as file:
            pages = [page.asarray() for page in file.pages]
        return _stacked(pages)

    def decode_with_pillow() -> NDArray[Any]:
        from PIL import Image, ImageSequence

        with Image.open(path, formats=["TIFF"]) as image:
            return _stacked([np.asarray(page) for page in ImageSequence.Iterator(image)])

    decoder: Callable[[], NDArray[Any]] = decode_with_pillow if _needs_pillow(path) else decode
    pixels = _decoded(decoder, path.name)
    pixels = pixels.astype(np.uint8) if pixels.dtype.kind == "b" else pixels
    turned = _turned(pixels, shape, channels, path.name)
    if pixels.dtype.itemsize != dtype.itemsize:
        raise ReadError("datatype", path.name, f"compressed pixels of type {dtype}", "8 or 16 bits, or no compression")
    return turned


def _stacked(pages: list[NDArray[Any]]) -> NDArray[Any]:
    first, *others = pages
    return np.stack(pages) if others else np.asarray(first)


def _needs_pillow(path: Path) -> bool:
    """Return whether the compression is LZW or one of fax, which Pillow decodes and tifffile leaves to another package."""
    import tifffile

    with tifffile.TiffFile(path) as file:
        return int(file.pages.first.compression) in (5, *_OF_FAX)


def _decoded(decode: Callable[[], T], name: str) -> T:
    """Run a decoder of another library on an untrusted file: any exception means that the file is invalid."""
    log = logging.getLogger("tifffile")
    silent, log.disabled = log.disabled, True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return decode()
        except ReadError:
            raise
        except MemoryError:
            raise ReadError("too_large", name, "more pixels than memory holds") from None
        except Exception as error:  # noqa: BLE001  (decoders raise what they like on a crafted file)
            reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
            raise ReadError("truncated", name, f"the pixels cannot be decoded ({reason})") from None
        finally:
            log.disabled = silent
