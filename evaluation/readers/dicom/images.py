"""The image of a DICOM file or folder: a series of intensities or a segmentation, with its grid."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evaluation.readers.dicom.frames import LABEL_MAP, SEGMENTATION, read_bits, read_instance, read_pixels
from evaluation.readers.dicom.parts import parts_of
from evaluation.readers.dicom.stacks import stacked, step_of
from evaluation.readers.errors import ReadError
from evaluation.readers.geometry import Geometry
from evaluation.readers.header import Header, check_size, check_spacing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evaluation.readers.dicom.frames import Frame, Instance
    from evaluation.readers.dicom.stacks import Stack
    from evaluation.readers.limits import Limits

_SEGMENTATIONS: Final = (SEGMENTATION, LABEL_MAP)


def read_header(path: Path, limits: Limits, *, labels: bool = True) -> Header:
    """Read and check what places the voxels of a DICOM file, a folder or a packed folder.

    Parameters
    ----------
    path
        A file, a folder whose DICOM files are one image, or what `pack` made of a folder.
    limits
        Limits on the resources that the image may require.
    labels
        Whether a segmentation in the folder is read, on the grid of a series next to it. Otherwise the series is read.

    Raises
    ------
    ReadError
        If the files are not one such image or ask for more than the limits allow.
    """
    readings = (read_instance(part) for part in parts_of(path, limits))
    instances = [instance for instance in readings if instance is not None]
    segmentations = [instance for instance in instances if instance.kind in _SEGMENTATIONS]
    images = [instance for instance in instances if instance.kind not in _SEGMENTATIONS]
    if segmentations and labels:
        if len(segmentations) > 1:
            raise ReadError("duplicate", path.name, f"{len(segmentations)} segmentations", "one segmentation")
        header = _segmentation(segmentations[0], path.name, limits, None)
        if images and header.on_grid is not None:
            return header.on_grid(_series(images, path.name, limits).geometry)
        return header
    if not images:
        content_words = "only a segmentation" if segmentations else "no images"
        raise ReadError("not_found", path.name, f"{content_words} among the DICOM files", "a series of images")
    return _series(images, path.name, limits)


# Series ---------------------------------------------------------------------------------------------------------------


def _series(images: Sequence[Instance], name: str, limits: Limits) -> Header:
    first = images[0]
    if len(series := {image.series for image in images}) > 1:
        raise ReadError("duplicate", name, f"images of {len(series)} series", "one series")
    if any((image.columns, image.rows) != (first.columns, first.rows) for image in images):
        raise ReadError("dimensions", name, "images of different sizes", "one series of equal images")
    if any(image.dtype != first.dtype for image in images):
        raise ReadError("datatype", name, "images with different number types", "one series of equal images")
    frames = [frame for image in images for frame in image.frames]
    scales = {(frame.slope, frame.intercept) for frame in frames}
    dtype = first.dtype if len(scales) == 1 else np.dtype(np.float64)
    slope, intercept = scales.pop() if len(scales) == 1 else (1.0, 0.0)
    if len(frames) == 1 and frames[0].position is None:
        geometry = _flat(first, frames[0], name)
        check_size(geometry.shape, dtype, name, limits)
        planes = np.zeros(1, dtype=np.int64)
    else:
        stack = stacked(frames, (first.columns, first.rows), name)
        check_size(stack.shape, dtype, name, limits)
        geometry, planes = stack.geometry(name), stack.planes
    return Header(geometry, lambda: _load_series(images, geometry.shape, planes, dtype), slope, intercept)


def _flat(image: Instance, frame: Frame, name: str) -> Geometry:
    """The grid of a single image without a position."""
    spacing = None if frame.spacing is None else check_spacing(frame.spacing, name)
    return Geometry((image.columns, image.rows), spacing)


def _load_series(
    images: Sequence[Instance], shape: tuple[int, ...], planes: NDArray[np.int64], dtype: np.dtype[Any]
) -> NDArray[Any]:
    data = np.empty((*shape[2:], shape[1], shape[0]), dtype=dtype).reshape(-1, shape[1], shape[0])
    number = 0
    for image in images:
        pixels = read_pixels(image).reshape(-1, image.rows, image.columns)
        if len(pixels) != len(image.frames):
            raise ReadError("truncated", image.part.name, f"{len(pixels)} frames", f"{len(image.frames)}")
        for frame, values in zip(image.frames, pixels, strict=True):
            is_scaled = dtype != image.dtype
            data[planes[number]] = values * frame.slope + frame.intercept if is_scaled else values
            number += 1
    return data[0].T if len(shape) == 2 else data.transpose(2, 1, 0)


# Segmentations --------------------------------------------------------------------------------------------------------


def _segmentation(image: Instance, name: str, limits: Limits, grid: Geometry | None) -> Header:
    """The labels of a segmentation; on another grid, if there is one that contains its planes."""
    is_map = image.kind == LABEL_MAP or image.segmentation_type == "LABELMAP"
    if not is_map and image.segmentation_type != "BINARY":
        content = f"a segmentation of type {image.segmentation_type.lower()[:20] or 'unknown'}"
        raise ReadError("not_integer", name, content, "a binary segmentation or a label map")
    if not is_map and any(frame.segment < 1 for frame in image.frames):
        raise ReadError("header", name, "frames without a segment number", "a segment number from 1 on in each")
    if is_map and image.bits < 8:
        raise ReadError("datatype", name, f"a label map of {image.bits} bit", "8 or 16 bits")
    step = step_of(grid, image.frames[0])
    stack = stacked(image.frames, (image.columns, image.rows), name, is_sparse=True, step=step)
    if grid is not None:
        stack = stack.covering(grid, name)
    most = 255 if is_map else max(frame.segment for frame in image.frames)
    dtype = image.dtype if is_map else np.min_scalar_type(most)
    check_size(stack.shape, dtype, name, limits)
    if is_map and len(set(stack.planes.tolist())) < len(image.frames):
        raise ReadError("dimensions", name, "two frames at the same position", "one frame per position")
    return Header(
        stack.geometry(name),
        lambda: _load_map(image, stack, dtype) if is_map else _load_segments(image, stack, dtype, name),
        on_grid=lambda wanted: replace(_segmentation(image, name, limits, wanted), on_grid=None),
    )


def _load_map(image: Instance, stack: Stack, dtype: np.dtype[Any]) -> NDArray[Any]:
    data = np.zeros((stack.shape[2], image.rows, image.columns), dtype=dtype)
    pixels = read_pixels(image).reshape(-1, image.rows, image.columns)
    if len(pixels) != len(image.frames):
        raise ReadError("truncated", image.part.name, f"{len(pixels)} frames", f"{len(image.frames)}")
    data[stack.planes] = pixels
    return data.transpose(2, 1, 0)


def _load_segments(image: Instance, stack: Stack, dtype: np.dtype[Any], name: str) -> NDArray[Any]:
    """Labels by segment numbers; a voxel of two segments has no label."""
    data = np.zeros((stack.shape[2], image.rows, image.columns), dtype=dtype)
    size = image.rows * image.columns
    stored = read_bits(image) if image.bits == 1 and not image.is_compressed else None
    shared = 0
    for frame, plane in zip(image.frames, stack.planes.tolist(), strict=True):
        if stored is None:
            mask = read_pixels(image, frame.index).reshape(image.rows, image.columns) != 0
        else:
            start = frame.index * size
            piece = stored[start // 8 : -(-(start + size) // 8)]
            bits = np.unpackbits(piece, bitorder="little")[start % 8 : start % 8 + size]
            mask = bits.view(bool).reshape(image.rows, image.columns)
        target = data[plane]
        before = target[mask]
        shared += int(np.count_nonzero((before != 0) & (before != frame.segment)))
        target[mask] = frame.segment
    if shared:
        message = f"segments that overlap in {shared:,} voxels"
        raise ReadError("overlap", name, message, "at most one segment per voxel")
    return data.transpose(2, 1, 0)
