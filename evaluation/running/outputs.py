"""Check of the output of an algorithm for a case, with the readers that read all predictions."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from evaluation.readers import Limits, ReadError, check_prediction, read_geometry

if TYPE_CHECKING:
    from pathlib import Path

    from evaluation.readers import Geometry
    from evaluation.running.interface import Socket

_TEXT_BYTES = 64 * 1024**2
_VOXEL_BYTES = 8


def grid_of(path: Path) -> Geometry | None:
    """Return the grid of an input, which outputs have to keep to; None for a file that is no image."""
    try:
        return read_geometry(path)
    except ReadError:
        return None


def check_output(path: Path, socket: Socket, grid: Geometry | None) -> str:
    """Describe the problem of an output in one sentence; empty if the output can be used.

    Parameters
    ----------
    path
        The file.
    socket
        Socket that the file must match.
    grid
        Grid of the case, if it has images.
    """
    if socket.kind == "label_image":
        labels = [int(label) for label in socket.labels] or None
        issues = check_prediction(path, grid, labels, limits=_limits(grid))
        return f"{socket.file}: {issues[0].message}. {issues[0].remedy}" if issues else ""
    if socket.kind == "image":
        try:
            geometry = read_geometry(path)
        except ReadError as error:
            return f"{socket.file}: {error.issue.message}. {error.issue.remedy}"
        if grid is not None and geometry.shape != grid.shape:
            return f"{socket.file} has the shape {geometry.shape}, the case {grid.shape}. Write it on the grid of the input."
        return ""
    if socket.kind in ("json", "csv"):
        return _text(path, socket)
    return "" if path.stat().st_size else f"{socket.file} is empty."


def _text(path: Path, socket: Socket) -> str:
    if path.stat().st_size > _TEXT_BYTES:
        return f"{socket.file} is larger than {_TEXT_BYTES:,} bytes."
    try:
        content = path.read_text("utf-8")
        if socket.kind == "json":
            json.loads(content)
        elif not next(csv.reader(content.splitlines(), strict=True), None):
            return f"{socket.file} has no line with the names of columns."
    except (ValueError, RecursionError, csv.Error) as error:
        return f"{socket.file} is no {socket.kind.upper()} that can be read ({str(error)[:120]})."
    return ""


def _limits(grid: Geometry | None) -> Limits:
    if grid is None:
        return Limits()
    voxels = 1
    for length in grid.shape:
        voxels *= length
    return Limits(decoded_bytes=_VOXEL_BYTES * voxels + 4 * 1024**2)
