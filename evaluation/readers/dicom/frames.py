"""Frames of DICOM files: where each lies and how its numbers are stored; what names a patient is not read."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from evaluation.readers.errors import ReadError
from evaluation.readers.libraries import decoded, load_library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evaluation.readers.dicom.parts import Part

IMPLICIT: Final = "1.2.840.10008.1.2"
BIG_ENDIAN: Final = "1.2.840.10008.1.2.2"
_PLAIN: Final = (IMPLICIT, "1.2.840.10008.1.2.1", BIG_ENDIAN)
RUN_LENGTHS: Final = "1.2.840.10008.1.2.5"
_RLE_RATIO: Final = 128
"""No run-length segment expands further than this."""
_SYNTAXES: Final = {
    "1.2.840.10008.1.2.1.99": "Deflated",
    "1.2.840.10008.1.2.8.1": "Deflated Image Frame Compression",
    "1.2.840.10008.1.2.4.50": "JPEG Baseline",
    "1.2.840.10008.1.2.4.51": "JPEG Extended",
    "1.2.840.10008.1.2.4.57": "JPEG Lossless",
    "1.2.840.10008.1.2.4.70": "JPEG Lossless",
    "1.2.840.10008.1.2.4.80": "JPEG-LS",
    "1.2.840.10008.1.2.4.81": "JPEG-LS, near lossless",
    "1.2.840.10008.1.2.4.90": "JPEG 2000",
    "1.2.840.10008.1.2.4.91": "JPEG 2000",
    "1.2.840.10008.1.2.4.201": "High-Throughput JPEG 2000",
    "1.2.840.10008.1.2.4.202": "High-Throughput JPEG 2000",
    "1.2.840.10008.1.2.4.203": "High-Throughput JPEG 2000",
}
_PIXEL_TAGS: Final = (
    *("SOPClassUID", "Rows", "Columns", "NumberOfFrames", "BitsAllocated", "BitsStored", "HighBit"),
    *("PixelRepresentation", "SamplesPerPixel", "PhotometricInterpretation", "PlanarConfiguration"),
)
_TAGS: Final = (
    *_PIXEL_TAGS,
    *("SeriesInstanceUID", "ImagePositionPatient", "ImageOrientationPatient", "PixelSpacing", "SpacingBetweenSlices"),
    *("SliceThickness", "RescaleSlope", "RescaleIntercept", "ModalityLUTSequence", "SegmentationType"),
    *("SharedFunctionalGroupsSequence", "PerFrameFunctionalGroupsSequence", "TotalPixelMatrixColumns"),
)
SEGMENTATION: Final = "1.2.840.10008.5.1.4.1.1.66.4"
LABEL_MAP: Final = "1.2.840.10008.5.1.4.1.1.66.7"
MOST_FRAMES: Final = 100_000
_MOST_ENTRIES: Final = 64
"""Entries of group 2; the standard has 16."""
_SHORT_KINDS: Final = frozenset(b"AE AS AT CS DA DS DT FL FD IS LO LT PN SH SL SS ST TM UI UL US".split())
"""Value representations whose length has two bytes."""
_FARTHEST: Final = 1e7
"""Largest coordinate in mm."""


@dataclass(frozen=True)
class Frame:
    """One plane of voxels.

    Attributes
    ----------
    index
        Number of the frame in its file.
    position
        Centre of its first voxel in mm (left, back, up); ``None`` if the file has no positions.
    row, column
        Directions in which columns and rows count up; empty without a position.
    spacing
        Distance of columns and of rows in mm; ``None`` if unknown.
    thickness
        Distance to the next plane according to the file; 0 if unknown.
    slope, intercept
        Stored numbers mean ``slope * number + intercept``.
    segment
        Number of the segment in a binary segmentation, else 0.
    """

    index: int
    position: tuple[float, ...] | None
    row: tuple[float, ...]
    column: tuple[float, ...]
    spacing: tuple[float, float] | None
    thickness: float
    slope: float
    intercept: float
    segment: int


@dataclass(frozen=True)
class Instance:
    """One DICOM file: its frames and how their numbers are stored.

    Attributes
    ----------
    kind, series, segmentation_type
        Values of SOPClassUID, SeriesInstanceUID and SegmentationType.
    syntax
        Transfer syntax.
    element_start
        First byte of the element with the voxels.
    bits, stored_bits
        Bits of a number, and how many of them are used.
    dtype
        Number type in this machine's order of bytes.
    """

    part: Part
    kind: str
    series: str
    segmentation_type: str
    syntax: str
    element_start: int
    columns: int
    rows: int
    bits: int
    stored_bits: int
    dtype: np.dtype[Any]
    frames: tuple[Frame, ...]

    @property
    def is_compressed(self) -> bool:
        """True if the voxels are stored as run lengths."""
        return self.syntax == RUN_LENGTHS


def read_instance(part: Part) -> Instance | None:
    """Read and check what places the voxels of a file; ``None`` if it has no image.

    Raises
    ------
    ReadError
        If it cannot be read or is stored in a way that is not supported.
    """
    with decoded(part.open, part.name, "header") as file:
        syntax = _transfer_syntax(file, part.name)
        file.seek(0)

        def read() -> Instance | None:
            dataset = _read(file, _TAGS)
            if str(dataset.file_meta.TransferSyntaxUID) != syntax:
                raise ReadError("header", part.name, "several transfer syntaxes")
            has_image = "Rows" in dataset and "Columns" in dataset
            return _instance(part, dataset, syntax, file.tell()) if has_image else None

        return decoded(read, part.name, "header")


def read_pixels(instance: Instance, index: int | None = None) -> NDArray[Any]:
    """Return the stored numbers of a frame, or of all frames, with rows and columns as the last axes.

    Raises
    ------
    ReadError
        If they cannot be decoded.
    """
    is_swapped = instance.syntax == BIG_ENDIAN and instance.bits == 8
    if not instance.is_compressed and not is_swapped:
        return _plain_pixels(instance, index)

    def decode() -> NDArray[Any]:
        pixels = load_library("pydicom.pixels", "DICOM")
        with instance.part.open() as file:
            dataset = _read(file, (*_PIXEL_TAGS, "PixelData"))
            values: NDArray[Any] = pixels.pixel_array(dataset, index=index, raw=True)
        return values

    return decoded(decode, instance.part.name)


def read_bits(instance: Instance) -> NDArray[np.uint8]:
    """Return the bytes of a segmentation with one bit per voxel.

    Raises
    ------
    ReadError
        If there are too few.
    """
    needed = -(-len(instance.frames) * instance.rows * instance.columns // 8)
    return np.frombuffer(_plain_bytes(instance, 0, needed), dtype=np.uint8)


def _plain_pixels(instance: Instance, index: int | None) -> NDArray[Any]:
    """Numbers that are stored as they are; bits that are not used do not count."""
    frame_bytes = instance.rows * instance.columns * instance.bits // 8
    count = len(instance.frames) if index is None else 1
    content = _plain_bytes(instance, 0 if index is None else index * frame_bytes, count * frame_bytes)
    values: NDArray[Any] = np.frombuffer(
        content, dtype=instance.dtype.newbyteorder(">" if instance.syntax == BIG_ENDIAN else "<")
    )
    values = values.reshape((count, instance.rows, instance.columns)[index is not None or count == 1 :])
    unused = instance.bits - instance.stored_bits
    if 0 < unused < instance.bits:
        values = values.astype(instance.dtype) << unused >> unused
    return values


def _plain_bytes(instance: Instance, start: int, size: int) -> bytes:
    """Bytes of voxels that are not compressed."""
    order = ">" if instance.syntax == BIG_ENDIAN else "<"
    with decoded(instance.part.open, instance.part.name) as file:
        file.seek(instance.element_start)
        element = file.read(12)
        is_voxels = len(element) == 12 and struct.unpack(f"{order}HH", element[:4]) == (0x7FE0, 0x0010)
        length = 0
        if is_voxels:
            is_implicit = instance.syntax == IMPLICIT
            (length,) = struct.unpack(f"{order}I", element[4:8] if is_implicit else element[8:12])
            file.seek(instance.element_start + (8 if is_implicit else 12) + start)
        content = file.read(size) if start + size <= length < 0xFFFFFFFF else b""
    if len(content) < size:
        raise ReadError("truncated", instance.part.name, f"{length:,} bytes of voxels", f"{start + size:,}")
    return content


def _read(file: BinaryIO, tags: tuple[str, ...]) -> Any:
    pydicom = load_library("pydicom", "DICOM")
    # Values against the standard are not reported, since the report would quote them.
    pydicom.config.settings.reading_validation_mode = pydicom.config.IGNORE
    return pydicom.dcmread(file, stop_before_pixels="PixelData" not in tags, specific_tags=_numbers_of(tags))


@cache
def _numbers_of(tags: tuple[str, ...]) -> list[Any]:
    """Tags by their keywords, which takes pydicom long for each file."""
    tag = load_library("pydicom.tag", "DICOM").Tag
    return [tag(name) for name in tags]


def _transfer_syntax(file: BinaryIO, name: str) -> str:
    """The way in which a file is stored, found before anything in it is decompressed.

    All entries of group 2 are read, since a second transfer syntax would hide the one that a library uses.
    """
    file.seek(132)
    syntaxes: list[str] = []
    for _ in range(_MOST_ENTRIES):
        start = file.read(8)
        if len(start) < 8 or start[:2] != b"\x02\0":
            break
        element, kind, length = struct.unpack("<H2sH", start[2:])
        if kind in (b"OB", b"UN"):
            length = int.from_bytes(file.read(4), "little")
        elif kind not in _SHORT_KINDS:
            raise ReadError("header", name, "an entry before the transfer syntax that does not belong there")
        if length > 1 << 16:
            raise ReadError("header", name, "a long entry before the transfer syntax")
        value = file.read(length)
        if element == 0x0010:
            syntaxes.append(value.decode("ascii", errors="replace").rstrip("\0 "))
    else:
        raise ReadError("header", name, f"more than {_MOST_ENTRIES} entries before the image")
    if len(syntaxes) != 1:
        raise ReadError("header", name, "several transfer syntaxes" if syntaxes else "no transfer syntax")
    if syntaxes[0] not in (*_PLAIN, RUN_LENGTHS):
        words = _SYNTAXES.get(syntaxes[0], "an unknown transfer syntax")
        raise ReadError("compression", name, f"voxels stored as {words}", "uncompressed or run-length (RLE) voxels")
    return syntaxes[0]


def _instance(part: Part, dataset: Any, syntax: str, element_start: int) -> Instance:
    kind = str(dataset.get("SOPClassUID", ""))
    is_segmentation = kind in (SEGMENTATION, LABEL_MAP)
    rows, columns, bits = (int(dataset[tag].value) for tag in ("Rows", "Columns", "BitsAllocated"))
    if int(dataset.get("SamplesPerPixel", 1)) != 1:
        raise ReadError("dimensions", part.name, "several numbers a voxel", "one number a voxel")
    if bits not in (8, 16, 32) and not (bits == 1 and is_segmentation):
        raise ReadError("datatype", part.name, f"voxels of {bits} bits", "8, 16 or 32 bits")
    if "ModalityLUTSequence" in dataset:
        raise ReadError("header", part.name, "a table that translates its numbers", "a slope and an intercept")
    if is_segmentation and "TotalPixelMatrixColumns" in dataset:
        raise ReadError("dimensions", part.name, "a tiled segmentation of a slide", "a segmentation of a volume")
    count = int(dataset.get("NumberOfFrames", 1) or 1)
    if not 1 <= count <= MOST_FRAMES:
        raise ReadError("too_large", part.name, f"{count:,} frames", f"1 to {MOST_FRAMES:,}")
    size = count * rows * columns * bits // 8
    if part.size * (_RLE_RATIO if syntax == RUN_LENGTHS else 1) < size:
        raise ReadError("truncated", part.name, f"{part.size:,} bytes", f"{size:,} bytes of voxels")
    is_signed = int(dataset.get("PixelRepresentation", 0)) == 1
    return Instance(
        part,
        kind,
        str(dataset.get("SeriesInstanceUID", "")),
        str(dataset.get("SegmentationType", "")).upper(),
        syntax,
        element_start,
        columns,
        rows,
        bits,
        int(dataset.get("BitsStored", bits) or bits),
        np.dtype(f"{'i' if is_signed else 'u'}{max(1, bits // 8)}"),
        _frames(dataset, count, is_binary=kind == SEGMENTATION, name=part.name),
    )


def _frames(dataset: Any, count: int, *, is_binary: bool, name: str) -> tuple[Frame, ...]:
    per_frame = dataset.get("PerFrameFunctionalGroupsSequence")
    if per_frame is None:
        if count > 1:
            raise ReadError("dimensions", name, f"{count} frames without positions", "frames with positions")
        return (_frame(0, [dataset], [dataset], is_binary=False),)
    if len(per_frame) != count:
        raise ReadError("header", name, f"{len(per_frame)} descriptions of {count} frames")
    shared_groups = dataset.get("SharedFunctionalGroupsSequence") or [None]
    return tuple(
        _frame(index, [group, shared_groups[0]], [dataset], is_binary=is_binary)
        for index, group in enumerate(per_frame)
    )


def _frame(index: int, groups: Sequence[Any], plain: Sequence[Any], *, is_binary: bool) -> Frame:
    """The frame, by its groups or by the plain entries of a file with one frame."""

    def value_of(sequence: str, tag: str) -> Any:
        for group in groups:
            items = None if group is None else group.get(sequence)
            if items:
                return items[0].get(tag)
        return plain[0].get(tag)

    position = _numbers(value_of("PlanePositionSequence", "ImagePositionPatient"), 3)
    orientation = _numbers(value_of("PlaneOrientationSequence", "ImageOrientationPatient"), 6)
    spacing = _numbers(value_of("PixelMeasuresSequence", "PixelSpacing"), 2)
    gap = _numbers(value_of("PixelMeasuresSequence", "SpacingBetweenSlices"), 1)
    thickness = _numbers(value_of("PixelMeasuresSequence", "SliceThickness"), 1)
    slope = _numbers(value_of("PixelValueTransformationSequence", "RescaleSlope"), 1)
    intercept = _numbers(value_of("PixelValueTransformationSequence", "RescaleIntercept"), 1)
    segment = value_of("SegmentIdentificationSequence", "ReferencedSegmentNumber") if is_binary else 0
    return Frame(
        index,
        position if orientation else None,
        (orientation or ())[:3],
        (orientation or ())[3:],
        (spacing[1], spacing[0]) if spacing else None,
        abs((gap or thickness or (0.0,))[0]),
        slope[0] if slope else 1.0,
        intercept[0] if intercept else 0.0,
        int(segment or 0),
    )


def _numbers(value: Any, count: int) -> tuple[float, ...] | None:
    """Finite numbers of an entry; ``None`` if there is no value."""
    if value is None or value == "":
        return None
    numbers = tuple(float(number) for number in (value if count > 1 else [value]))
    if len(numbers) != count or not np.isfinite(numbers).all() or max(map(abs, numbers)) > _FARTHEST:
        message = "another number of values, or values that no scanner has"
        raise ValueError(message)
    return numbers
