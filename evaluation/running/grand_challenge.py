"""Grand Challenge's conventions: an algorithm that was made for them runs unchanged, one case a start.

A mapping from each socket to the slug, path and kind of Grand Challenge is registered with the phase. Images go in and come
out as `.mha`, exactly one in a folder; what is no image is a file of its own.
"""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.running.interface import Socket

MODEL_TARGETS: Final = ("/model", "/opt/ml/model", "/opt/algorithm/model")
OUTPUT_SUFFIXES: Final = (".mha", ".tif", ".tiff")
IMAGE, VALUE, FILE = "Image", "Value", "File"
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,127}")
_PATH: Final = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")
_TYPES: Final = {
    "i1": "MET_CHAR",
    "u1": "MET_UCHAR",
    "i2": "MET_SHORT",
    "u2": "MET_USHORT",
    "i4": "MET_INT",
    "u4": "MET_UINT",
    "i8": "MET_LONG_LONG",
    "u8": "MET_ULONG_LONG",
    "f4": "MET_FLOAT",
    "f8": "MET_DOUBLE",
}


class AdapterError(ValueError):
    """A mapping or a file that cannot be adapted; the message says what is wrong."""


@dataclass(frozen=True)
class GrandChallengeSocket:
    """What a socket is called there."""

    slug: str
    relative_path: str
    """`images/<name>` for images, else the name of a file."""
    super_kind: str

    def __post_init__(self) -> None:
        if not _SLUG.fullmatch(self.slug):
            message = f"{self.slug[:80]!r} is no slug: small letters, digits and hyphens"
            raise AdapterError(message)
        if self.super_kind not in (IMAGE, VALUE, FILE):
            message = f"the kind of {self.slug} is {self.super_kind!r}; {IMAGE}, {VALUE} or {FILE} was expected"
            raise AdapterError(message)
        if not _PATH.fullmatch(self.relative_path) or ".." in self.relative_path.split("/"):
            message = f"the path of {self.slug} is {self.relative_path[:80]!r}; a plain relative path was expected"
            raise AdapterError(message)
        if (self.super_kind == IMAGE) != self.relative_path.startswith("images/"):
            message = f"the path of {self.slug} has to begin with images/ exactly when it is an image"
            raise AdapterError(message)


def read_mapping(document: object, sockets: Sequence[Socket]) -> dict[str, GrandChallengeSocket]:
    """Read the mapping of a phase: `{socket: {"slug", "relative_path", "super_kind"}}`.

    Raises
    ------
    AdapterError
        When a socket is missing or unknown, or two share a slug or a path.
    """
    if not isinstance(document, dict):
        message = "the mapping has to be an object"
        raise AdapterError(message)
    names = {own.name for own in sockets}
    for name in document:
        if name not in names:
            message = f"{str(name)[:80]} is no socket of this interface"
            raise AdapterError(message)
    mapping: dict[str, GrandChallengeSocket] = {}
    for own in sockets:
        entry = document.get(own.name)
        if not isinstance(entry, dict):
            message = f"the mapping lacks the socket {own.name}"
            raise AdapterError(message)
        mapping[own.name] = GrandChallengeSocket(
            str(entry.get("slug", "")), str(entry.get("relative_path", "")), str(entry.get("super_kind", ""))
        )
    for what in ("slug", "relative_path"):
        values = [getattr(own, what) for own in mapping.values()]
        if len(set(values)) < len(values):
            message = f"two sockets share one {what}"
            raise AdapterError(message)
    return mapping


def inputs_of_case(
    case: str,
    files: Mapping[str, Path],
    sockets: Sequence[Socket],
    mapping: Mapping[str, GrandChallengeSocket],
    folder: Path,
) -> dict[str, Path]:
    """Write the inputs of a case as Grand Challenge lays them out.

    Parameters
    ----------
    case
        Its opaque name, which names the file of an image.
    files
        Input files, by socket.
    sockets
        Inputs of the interface.
    mapping
        From `read_mapping`.
    folder
        Where to write what is converted.

    Returns
    -------
    dict
        Path of each file by its name below `/input`, `inputs.json` included: files of a case of a flat `Batch`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    laid: dict[str, Path] = {}
    entries: list[dict[str, Any]] = []
    for number, socket in enumerate(sockets, 1):
        own, path = mapping[socket.name], files[socket.name]
        value, image = None, None
        if own.super_kind == IMAGE:
            name = f"{case}.mha"
            laid[f"{own.relative_path}/{name}"] = _as_mha(path, folder / f"{socket.name}.mha")
            image = {"pk": str(number), "name": name}
        else:
            laid[own.relative_path] = path
            if own.super_kind == VALUE:
                value = json.loads(path.read_text("utf-8"))
        entries.append(
            {
                "pk": number,
                "interface": {
                    "title": own.slug,
                    "description": "",
                    "slug": own.slug,
                    "kind": "Image" if own.super_kind == IMAGE else "Anything",
                    "pk": number,
                    "default_value": None,
                    "super_kind": own.super_kind,
                    "relative_path": own.relative_path,
                    "overlay_segments": [],
                    "look_up_table": None,
                },
                "value": value,
                "file": own.relative_path if own.super_kind == FILE else None,
                "image": image,
            }
        )
    listed = folder / "inputs.json"
    listed.write_text(json.dumps(entries, indent=1))
    return laid | {"inputs.json": listed}


@dataclass(frozen=True)
class ExpectedOutput:
    """An output as it is to be collected: the keyword arguments of `confinement.containers.batches.Expected`."""

    file: str
    required: bool
    only_of: str = ""
    suffixes: tuple[str, ...] = ()


def outputs_of_case(sockets: Sequence[Socket], mapping: Mapping[str, GrandChallengeSocket]) -> list[ExpectedOutput]:
    """What is collected of a case: of an image the only file of its folder, whatever its name."""
    expected = []
    for socket in sockets:
        own = mapping[socket.name]
        if own.super_kind == IMAGE:
            expected.append(ExpectedOutput(f"{socket.name}.mha", socket.required, own.relative_path, OUTPUT_SUFFIXES))
        else:
            expected.append(ExpectedOutput(own.relative_path, socket.required))
    return expected


def environment(memory_bytes: int) -> dict[str, str]:
    """Return the variables that some images made for Grand Challenge read."""
    return {
        "GRAND_CHALLENGE_COMPONENT_MAX_MEMORY_MB": str(memory_bytes // 1024**2),
        "LOG_LEVEL": "INFO",
        "PYTHONUNBUFFERED": "1",
    }


def _as_mha(path: Path, target: Path) -> Path:
    """Write an image as `.mha`, its voxels as they are; one that is so already stays as it is."""
    from evaluation.readers.images import read_header
    from evaluation.readers.limits import DEFAULT

    if path.name.lower().endswith(OUTPUT_SUFFIXES):
        return path
    header = read_header(path, DEFAULT)
    voxels, grid = np.asarray(header.load()), header.geometry
    if header.channels > 1:
        message = f"{path.name} has several numbers a voxel, which is not adapted"
        raise AdapterError(message)
    if (header.slope, header.intercept) != (1.0, 0.0):
        voxels = (voxels * header.slope + header.intercept).astype(np.float32)
    count = voxels.ndim
    kind = _TYPES.get(voxels.dtype.newbyteorder("=").str[1:])
    if kind is None:
        message = f"{path.name} has voxels of type {voxels.dtype}, which .mha does not know"
        raise AdapterError(message)
    flip = np.diag([-1.0, -1.0, 1.0])[:count, :count]
    spacing = np.asarray(grid.spacing or (1.0,) * count)
    affine = np.eye(4) if grid.affine is None else np.asarray(grid.affine)
    axes = flip @ affine[:count, :count] / spacing if grid.affine is not None else np.eye(count)
    origin = flip @ affine[:count, 3]
    fields = {
        "ObjectType": "Image",
        "NDims": str(count),
        "BinaryData": "True",
        "BinaryDataByteOrderMSB": "False",
        "CompressedData": "True",
        "CompressedDataSize": "",
        "TransformMatrix": _numbers(axes.T.ravel()),
        "Offset": _numbers(origin),
        "CenterOfRotation": _numbers(np.zeros(count)),
        "ElementSpacing": _numbers(spacing),
        "DimSize": " ".join(map(str, voxels.shape)),
        "ElementType": kind,
        "ElementDataFile": "LOCAL",
    }
    # A text says nothing but what is needed to place the voxels: what a scanner wrote into a header stays behind.
    little = voxels.astype(voxels.dtype.newbyteorder("<"))
    packed = zlib.compress(little.tobytes(order="F"), 1)
    fields["CompressedDataSize"] = str(len(packed))
    target.write_bytes("".join(f"{key} = {value}\n" for key, value in fields.items()).encode() + packed)
    return target


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
