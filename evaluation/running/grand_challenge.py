"""Conventions of Grand Challenge: an algorithm made for them runs unchanged, with one case per start.

The phase registers a mapping from each socket to the slug, path and kind of Grand Challenge. Input images are
`.mha` files. Output images are `.mha` or TIFF files, exactly one per folder. Anything that is not an image is a
separate file.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evaluation.running.interface import Socket

MODEL_TARGETS: Final = ("/opt/ml/model", "/opt/algorithm/model", "/model")
OUTPUT_SUFFIXES: Final = (".mha", ".tif", ".tiff")
IMAGE, VALUE, FILE = "Image", "Value", "File"
KEY: Final = "grand_challenge"
"""Of `interface.json`: what each socket is called there, under `inputs` and `outputs`."""
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,127}")
_PATH: Final = re.compile(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*")


class AdapterError(ValueError):
    """Error for a mapping or a file that cannot be adapted; the message states the reason."""


@dataclass(frozen=True)
class GrandChallengeSocket:
    """Names of a socket on Grand Challenge."""

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

    @classmethod
    def of_image(cls, slug: str, path: str = "") -> GrandChallengeSocket:
        """Return the socket of an image, in the folder of its slug unless a path is specified.

        Examples
        --------
        >>> GrandChallengeSocket.of_image("brain-mri").relative_path
        'images/brain-mri'
        """
        return cls(slug, path or f"images/{slug}", IMAGE)

    def document(self) -> dict[str, str]:
        """Return the socket as JSON values."""
        return {"slug": self.slug, "relative_path": self.relative_path, "super_kind": self.super_kind}


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
    names = {socket.name for socket in sockets}
    for name in document:
        if name not in names:
            message = f"{str(name)[:80]} is no socket of this interface"
            raise AdapterError(message)
    mapping: dict[str, GrandChallengeSocket] = {}
    for socket in sockets:
        entry = document.get(socket.name)
        if not isinstance(entry, dict):
            message = f"the mapping lacks the socket {socket.name}"
            raise AdapterError(message)
        mapping[socket.name] = GrandChallengeSocket(
            str(entry.get("slug", "")), str(entry.get("relative_path", "")), str(entry.get("super_kind", ""))
        )
    for what in ("slug", "relative_path"):
        values = [getattr(mapped_socket, what) for mapped_socket in mapping.values()]
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

    Raises
    ------
    evaluation.readers.ReadError
        For an image that cannot be converted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    laid: dict[str, Path] = {}
    entries: list[dict[str, Any]] = []
    for number, socket in enumerate(sockets, 1):
        mapped_socket, path = mapping[socket.name], files[socket.name]
        value, image = None, None
        if mapped_socket.super_kind == IMAGE:
            converted = _as_image(path, folder / f"{socket.name}.mha")
            name = f"{case}{converted.suffix.lower()}"
            laid[f"{mapped_socket.relative_path}/{name}"] = converted
            image = {"pk": str(number), "name": name}
        else:
            laid[mapped_socket.relative_path] = path
            if mapped_socket.super_kind == VALUE:
                value = json.loads(path.read_text("utf-8"))
        entries.append(
            {
                "pk": number,
                "interface": {
                    "title": mapped_socket.slug,
                    "description": "",
                    "slug": mapped_socket.slug,
                    "kind": "Image" if mapped_socket.super_kind == IMAGE else "Anything",
                    "pk": number,
                    "default_value": None,
                    "super_kind": mapped_socket.super_kind,
                    "relative_path": mapped_socket.relative_path,
                    "overlay_segments": [],
                    "look_up_table": None,
                },
                "value": value,
                "file": mapped_socket.relative_path if mapped_socket.super_kind == FILE else None,
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
    source: str = ""


def outputs_of_case(sockets: Sequence[Socket], mapping: Mapping[str, GrandChallengeSocket]) -> list[ExpectedOutput]:
    """Return the files to collect for a case, under the file names of their sockets.

    For an image, this is the only file of its folder, independent of its name.
    """
    expected = []
    for socket in sockets:
        mapped_socket = mapping[socket.name]
        if mapped_socket.super_kind == IMAGE:
            expected.append(ExpectedOutput(socket.file, socket.required, mapped_socket.relative_path, OUTPUT_SUFFIXES))
        else:
            expected.append(ExpectedOutput(socket.file, socket.required, source=mapped_socket.relative_path))
    return expected


def environment(memory_bytes: int) -> dict[str, str]:
    """Return the variables that some images made for Grand Challenge read."""
    return {
        "GRAND_CHALLENGE_COMPONENT_MAX_MEMORY_MB": str(memory_bytes // 1024**2),
        "LOG_LEVEL": "INFO",
        "PYTHONUNBUFFERED": "1",
    }


def _as_image(path: Path, target: Path) -> Path:
    """An image in a format of Grand Challenge; one that is so already stays as it is."""
    if path.name.lower().endswith(OUTPUT_SUFFIXES):
        return path
    from evaluation.running.as_mha import write_mha

    return write_mha(path, target)
