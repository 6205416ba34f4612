"""`interface.json`: description of inputs, outputs, cases and limits for a container."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from evaluation.running.identity import INTERFACE, INTERFACES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCHEMA: Final = 1
KINDS: Final = ("image", "label_image", "json", "csv", "file")
_SOCKET: Final = re.compile(r"[a-z][a-z0-9-]{0,62}")
_SUFFIX: Final = re.compile(r"(\.[a-z0-9]{1,8}){1,2}")
LIMITS: Final = (
    "case_seconds",
    "start_seconds",
    "memory_bytes",
    "cpus",
    "gpus",
    "gpu_memory_bytes",
    "output_bytes",
    "scratch_bytes",
    "pids",
)


class InterfaceError(ValueError):
    """Error for an interface that cannot be used; the message names the key and the reason."""


@dataclass(frozen=True)
class Socket:
    """An input or output of an algorithm: a file of each case."""

    name: str
    kind: str
    suffix: str
    """Ending of the file, with its dot: `.nii.gz`."""
    ndim: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    """Of a label image: name of each label, by its number as text."""
    required: bool = True

    def __post_init__(self) -> None:
        if not _SOCKET.fullmatch(self.name):
            message = (
                f"the socket {self.name[:80]!r} has to begin with a small letter and consist of small letters, digits and "
                "hyphens, at most 63"
            )
            raise InterfaceError(message)
        if self.kind not in KINDS:
            message = f"the kind of {self.name} is {self.kind!r}; known are {', '.join(KINDS)}"
            raise InterfaceError(message)
        if not _SUFFIX.fullmatch(self.suffix):
            message = f"{self.name} has the ending {self.suffix!r}; one like .nii.gz was expected"
            raise InterfaceError(message)

    @property
    def file(self) -> str:
        """Name of its file in the folder of a case."""
        return self.name + self.suffix

    def described(self, *, output: bool) -> dict[str, Any]:
        """Return the entry of the socket in `interface.json`."""
        document: dict[str, Any] = {"socket": self.name, "file": self.file, "kind": self.kind}
        if self.ndim is not None:
            document["ndim"] = self.ndim
        if self.labels:
            document["labels"] = dict(self.labels)
        return document | ({"required": self.required} if output else {})


def interface_document(
    inputs: Sequence[Socket],
    outputs: Sequence[Socket],
    *,
    limits: Mapping[str, float | None],
    cases: Sequence[Mapping[str, Any]] = (),
    interface: str = INTERFACE,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write `interface.json`.

    Parameters
    ----------
    inputs, outputs
        What an algorithm is given and what it writes, for each case.
    limits
        `RunLimits.described()`.
    cases
        ``{"case": name as the container sees it, "inputs": {socket: facts}}``; none for the document that is offered for
        download.
    interface
        By which it is run.
    more
        Further keys: `metrics` and `regions` of a scorer, `metadata`.

    Raises
    ------
    InterfaceError
        When a socket is there twice, there is no output, or a limit is missing.
    """
    for sockets in (inputs, outputs):
        names = [socket.name for socket in sockets]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            message = f"the socket {twice[0]} is there twice"
            raise InterfaceError(message)
    if not outputs:
        message = "there is no output"
        raise InterfaceError(message)
    if lacking := [name for name in LIMITS if name not in limits]:
        message = f"the limit {lacking[0]} is missing"
        raise InterfaceError(message)
    return {
        "schema": SCHEMA,
        "interface": interface,
        "inputs": [socket.described(output=False) for socket in inputs],
        "outputs": [socket.described(output=True) for socket in outputs],
        "cases": [dict(case) for case in cases],
        "limits": {name: limits[name] for name in LIMITS},
        **(more or {}),
    }


def read_interface(document: object) -> tuple[list[Socket], list[Socket], dict[str, Any]]:
    """Read `interface.json`: inputs, outputs and limits.

    Raises
    ------
    InterfaceError
        When it is not one.
    """
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        message = f"this is no interface.json of schema {SCHEMA}"
        raise InterfaceError(message)
    if document.get("interface") not in INTERFACES:
        message = f"the interface is {document.get('interface')!r}; known are {' and '.join(INTERFACES)}"
        raise InterfaceError(message)
    limits = document.get("limits")
    if not isinstance(limits, dict):
        message = "limits has to be an object"
        raise InterfaceError(message)
    for name, value in limits.items():
        if name not in LIMITS or not (
            value is None or (isinstance(value, int | float) and not isinstance(value, bool))
        ):
            message = f"the limit {str(name)[:80]} = {value!r} is not known or no number"
            raise InterfaceError(message)
    inputs, outputs = _sockets(document, "inputs"), _sockets(document, "outputs")
    if not outputs:
        message = "there is no output"
        raise InterfaceError(message)
    return inputs, outputs, dict(limits)


def _sockets(document: Mapping[str, Any], key: str) -> list[Socket]:
    entries = document.get(key)
    if not isinstance(entries, list):
        message = f"{key} has to be a list"
        raise InterfaceError(message)
    read = []
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            message = f"{key}[{number}] has to be an object"
            raise InterfaceError(message)
        name, file = str(entry.get("socket", "")), str(entry.get("file", ""))
        if not name or not file.startswith(name):
            message = f"{key}[{number}]: the file has to be named as the socket is, with an ending"
            raise InterfaceError(message)
        ndim, labels = entry.get("ndim"), entry.get("labels") or {}
        if not (ndim is None or isinstance(ndim, int)) or not isinstance(labels, dict):
            message = f"{key}[{number}]: ndim has to be a number and labels an object"
            raise InterfaceError(message)
        required = entry.get("required", True) is not False
        read.append(Socket(name, str(entry.get("kind", "")), file[len(name) :], ndim, labels, required))
    return read
