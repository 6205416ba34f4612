"""Orders: everything that a machine needs to know to run one batch, and the report that it returns, both as JSON.

An order contains no name of a team, no name of a hidden case and no secret. The worker next to the database and the runner
on another machine execute orders with the same function.
"""

import base64
import binascii
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol

from confinement.containers.batches import Batch, BatchReport, CaseInput, Collected, Expected, Taken
from confinement.containers.engine import Engine
from confinement.containers.limits import RunLimits
from confinement.containers.logs import KEPT_BYTES, Log
from confinement.containers.runner import run_batch
from confinement.limits import ChildLimits
from confinement.sandbox import answers

VERSION: Final = 1
"""Version of the two documents."""
_NAME = re.compile(r"[^/\\\0-\x1f]{1,150}")
_MOST_SENTENCE = 500


class OrderError(ValueError):
    """Error for an order or a report that is invalid; the message names the field."""


class LayingError(Exception):
    """The image of a case cannot be converted to the conventions of the phase; the message names the case."""


class Conventions(Protocol):
    """Conventions by which a container finds its cases (`evaluation.running.conventions`)."""

    @property
    def writes_inputs(self) -> bool:
        """True if the inputs are rewritten before the container sees them."""

    def files_of_case(self, case: str, files: Mapping[str, Path], folder: Path) -> dict[str, Path]:
        """Files of a case by their names below its folder."""


@dataclass(frozen=True)
class OrderedCase:
    """A case of an order."""

    name: str
    """Name under which the container sees it."""
    ending: str
    """Ending of the file of its image."""


@dataclass(frozen=True)
class Order:
    """One start of a container, without its files."""

    batch: str
    attempt: int
    lease: str
    image_id: str
    cases: tuple[OrderedCase, ...]
    outputs: tuple[Expected, ...]
    interface: Mapping[str, Any]
    sockets: Mapping[str, Any]
    """Sockets of the interface, `inputs` and `outputs`, as `evaluation.running.interface.Socket` describes them."""
    limits: RunLimits
    flat: bool = False
    model_digest: str = ""
    model_targets: tuple[str, ...] = ("/model",)
    environment: Mapping[str, str] = field(default_factory=dict)
    tells_interface: bool = True
    gpus: tuple[str, ...] = ()
    exclusive: bool = False
    """True if no other container may run on the machine at the same time."""

    def as_json(self) -> dict[str, Any]:
        """Return the order as a JSON document."""
        return {"version": VERSION} | asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Order":
        """Read an order.

        Raises
        ------
        OrderError
            For another version and for names that could leave the folder of the run.
        """
        if document.get("version") != VERSION:
            raise OrderError(f"The order has version {document.get('version')!r}; this program reads {VERSION}.")
        try:
            values = {entry.name: document[entry.name] for entry in fields(cls)}
            order = cls(
                **{
                    **values,
                    "cases": tuple(OrderedCase(**case) for case in values["cases"]),
                    "outputs": tuple(
                        Expected(**{**output, "suffixes": tuple(output["suffixes"])}) for output in values["outputs"]
                    ),
                    "limits": RunLimits(**values["limits"]),
                    "model_targets": tuple(values["model_targets"]),
                    "gpus": tuple(values["gpus"]),
                }
            )
        except (KeyError, TypeError) as error:
            raise OrderError(f"The order cannot be read: {error}") from error
        names = [order.batch, order.lease, *(case.name for case in order.cases)]
        if bad := [name for name in names if not is_name(name)]:
            raise OrderError(f"The order contains the invalid name {bad[0]!r}.")
        return order


def is_name(name: object) -> bool:
    """Return whether a text can be the name of one folder.

    Examples
    --------
    >>> [is_name(name) for name in ("brain 01", "..", "a/b", "")]
    [True, False, False, False]
    """
    return isinstance(name, str) and name not in (".", "..") and _NAME.fullmatch(name) is not None


def execute(
    engine: Engine,
    order: Order,
    cases: Sequence[CaseInput],
    model: Path | None,
    folder: Path,
    *,
    beat: Callable[[], None] = lambda: None,
) -> BatchReport:
    """Run an order whose image the engine contains, and return the observations.

    Parameters
    ----------
    cases
        Files of its cases as the container sees them (`laid`).
    model
        Folder of unpacked weights.
    folder
        Folder of this lease only (`confinement.containers.runner.run_batch`).
    beat
        Called about every second. Its exceptions end the container and are passed on.
    """
    start = Batch(
        batch=order.batch,
        attempt=order.attempt,
        lease=order.lease,
        image_id=order.image_id,
        cases=cases,
        outputs=order.outputs,
        interface=order.interface,
        limits=order.limits,
        model=model,
        model_targets=order.model_targets,
        flat=order.flat,
        environment=order.environment,
        tells_interface=order.tells_interface,
        gpus=order.gpus,
    )
    return run_batch(engine, start, folder, beat=beat)


@contextmanager
def laid(
    conventions: Conventions,
    socket: str,
    images: Mapping[str, Path],
    folder: Path,
    limits: ChildLimits,
    beat: Callable[[], None],
) -> Iterator[list[CaseInput]]:
    """Give the cases of a start with their input files.

    Parameters
    ----------
    socket
        Name of the input, the image of a case.
    images
        Image of each case, by the name under which the container sees the case.
    folder
        Empty folder for files that are converted.
    limits
        Bounds on the child that converts them.

    Raises
    ------
    LayingError
        For an image that cannot be converted.
    """
    if conventions.writes_inputs:
        files = _written(conventions, socket, images, folder, limits, beat)
    else:
        files = {case: conventions.files_of_case(case, {socket: images[case]}, folder) for case in images}
    yield [CaseInput(case, files[case]) for case in images]


def _written(
    conventions: Conventions,
    socket: str,
    images: Mapping[str, Path],
    folder: Path,
    limits: ChildLimits,
    beat: Callable[[], None],
) -> dict[str, dict[str, Path]]:
    """Write the inputs in a confined child, as for all files that came from outside."""
    places = {case: folder / str(number) for number, case in enumerate(images)}

    def work(case: str, _: Path) -> dict[str, str] | str:
        try:
            files = conventions.files_of_case(case, {socket: images[case]}, places[case])
        except ValueError as error:
            return str(error)
        return {name: str(path) for name, path in files.items()}

    files_by_case = {}
    reads = sorted({path.parent for path in images.values()})
    for answer in answers(list(images), work, limits=limits, reads=reads, beat=beat, hands_over=folder):
        if answer.failure is not None or not isinstance(answer.value, dict):
            raise LayingError(f"{answer.item}: its image cannot be converted ({answer.failure or answer.value}).")
        allowed = {str(images[answer.item])}
        input_files = {str(name): Path(str(path)) for name, path in answer.value.items()}
        # Only what was written here, or the image itself: the child has read a file from outside.
        if any(str(path) not in allowed and path.parent != places[answer.item] for path in input_files.values()):
            raise LayingError(f"{answer.item}: its image cannot be converted.")
        files_by_case[answer.item] = input_files
    return files_by_case


# --- Reports ----------------------------------------------------------------------------------------------------------
_NUMBERS: Final = {
    "wall_seconds": float,
    "cpu_seconds": float,
    "peak_memory_bytes": int,
    "high_water_bytes": int,
    "gpu_seconds": float,
    "gpu_peak_memory_bytes": int,
    "gpu_memory_time": float,
    "gpu_utilization": float,
    "energy_joule": float,
    "output_bytes": int,
    "output_files": int,
}
_REQUIRED: Final = {"wall_seconds", "output_bytes", "output_files"}
_FLAGS: Final = ("timed", "out_of_memory", "log_bound", "not_started", "exclusive")
_SENTENCES: Final = ("fault", "output_bound")
_MOST_NUMBER: Final = 2.0**62


def measurements_of(report: BatchReport) -> dict[str, Any]:
    """Return the observations of a start without its files, as a JSON document."""
    return {
        "version": VERSION,
        **{name: getattr(report, name) for name in (*_NUMBERS, *_FLAGS, *_SENTENCES, "exit_code", "signal")},
        "started_at": report.started_at.isoformat() if report.started_at else None,
        "versions": dict(report.versions),
        "log": {
            "first": base64.b64encode(report.log.first).decode(),
            "last": base64.b64encode(report.log.last).decode(),
            "size": report.log.size,
            "lines": report.log.lines,
        },
    }


def report_of(document: Mapping[str, Any]) -> BatchReport:
    """Read the observations of a start; every value is checked, since another machine states them.

    Raises
    ------
    OrderError
        For a value that no observation can have.
    """
    if document.get("version") != VERSION:
        raise OrderError(f"The measurements have version {document.get('version')!r}; {VERSION} is read.")
    values: dict[str, Any] = {name: _number(document, name, kind) for name, kind in _NUMBERS.items()}
    for name in _FLAGS:
        values[name] = document.get(name)
        if not isinstance(values[name], bool):
            raise OrderError(f"{name} must be true or false.")
    for name in _SENTENCES:
        values[name] = _sentence(document.get(name, ""), name)
    for name in ("exit_code", "signal"):
        value = document.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not -1 <= value <= 255):
            raise OrderError(f"{name} must be empty or a number from 0 to 255.")
        values[name] = value
    return BatchReport(
        **values, started_at=_moment(document.get("started_at")), versions=_versions(document), log=_log(document)
    )


def _number(document: Mapping[str, Any], name: str, kind: type) -> float | int | None:
    value = document.get(name)
    if value is None and name not in _REQUIRED:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise OrderError(f"{name} must be a number.")
    if not 0 <= value <= _MOST_NUMBER:
        raise OrderError(f"{name} is {value:g}; it cannot be negative or so large.")
    return int(value) if kind is int else float(value)


def _sentence(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise OrderError(f"{name} must be text.")
    return "".join(mark for mark in value if mark.isprintable())[:_MOST_SENTENCE]


def _moment(value: object) -> datetime | None:
    if value is None:
        return None
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        raise OrderError("started_at is no moment.") from None
    if moment.tzinfo is None:
        raise OrderError("started_at needs a time zone.")
    return moment


def _versions(document: Mapping[str, Any]) -> dict[str, str]:
    versions = document.get("versions", {})
    if not isinstance(versions, dict) or len(versions) > 20:
        raise OrderError("versions must be an object of at most 20 entries.")
    return {_sentence(name, "versions")[:40]: _sentence(value, "versions")[:100] for name, value in versions.items()}


def _log(document: Mapping[str, Any]) -> Log:
    given = document.get("log")
    if not isinstance(given, dict):
        raise OrderError("log must be an object.")
    try:
        first, last = (base64.b64decode(given.get(name, ""), validate=True) for name in ("first", "last"))
    except (TypeError, ValueError, binascii.Error):
        raise OrderError("log must be base64.") from None
    size, lines = (_number(given, name, int) for name in ("size", "lines"))
    if len(first) > KEPT_BYTES or len(last) > KEPT_BYTES or size is None or lines is None:
        raise OrderError(f"log has at most {KEPT_BYTES:,} bytes at its beginning and at its end, a size and lines.")
    return Log(first, last, int(size), int(lines))


@dataclass(frozen=True)
class OutputEntry:
    """An expected file in the manifest of a run; the contents of all taken files follow each other in one stream."""

    case: str
    file: str
    taken: Taken
    name: str = ""
    """Its name with the ending that it has where several are taken."""
    size: int = 0
    sha256: str = ""
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the entry as a JSON document."""
        return asdict(self) | {"taken": str(self.taken)}


def manifest_from_json(order: Order, rows: object) -> list[OutputEntry]:
    """Read the manifest of a run.

    Raises
    ------
    OrderError
        For a case that the run does not have, a file that is not expected, an entry that is missing or doubled, and a
        size or digest that is invalid.
    """
    if not isinstance(rows, list) or len(rows) > len(order.cases) * len(order.outputs):
        raise OrderError("The manifest must be a list with one entry per case and output.")
    cases, expected = {case.name for case in order.cases}, {output.file: output for output in order.outputs}
    entries: dict[tuple[str, str], OutputEntry] = {}
    for row in rows:
        try:
            entry = OutputEntry(**row)
            entry = replace(entry, taken=Taken(entry.taken))
        except (TypeError, ValueError) as error:
            raise OrderError(f"An entry of the manifest cannot be read: {error}") from error
        if entry.case not in cases:
            raise OrderError(f"{str(entry.case)[:150]} is no case of this run. Return the cases that the order names.")
        if entry.file not in expected:
            raise OrderError(f"{str(entry.file)[:150]} is no output of this run.")
        if (entry.case, entry.file) in entries:
            raise OrderError(f"{entry.file} of {entry.case} is in the manifest twice.")
        _check_entry(entry, expected[entry.file])
        entries[entry.case, entry.file] = replace(entry, reason=_sentence(entry.reason, "reason"))
    if len(entries) != len(cases) * len(expected):
        raise OrderError("The manifest lacks an entry. Every output of every case needs one, also if it is absent.")
    return list(entries.values())


def _check_entry(entry: OutputEntry, expected: Expected) -> None:
    if entry.taken is not Taken.TAKEN:
        return
    stem = entry.file[: entry.file.index(".")] if "." in entry.file else entry.file
    names = {entry.file, *(stem + suffix for suffix in expected.suffixes)}
    if entry.name not in names:
        raise OrderError(f"{str(entry.name)[:150]} cannot be the name of {entry.file}.")
    if isinstance(entry.size, bool) or not isinstance(entry.size, int) or entry.size < 0:
        raise OrderError(f"The size of {entry.file} of {entry.case} must be a number of bytes.")
    if not isinstance(entry.sha256, str) or not re.fullmatch(r"[0-9a-f]{64}", entry.sha256):
        raise OrderError(f"The SHA-256 of {entry.file} of {entry.case} must have 64 hexadecimal digits.")


def collected(entries: Sequence[OutputEntry], folder: Path) -> dict[str, dict[str, Collected]]:
    """Return the files of a manifest that lie in a folder as `<case>/<name>`, in the form of `BatchReport.files`."""
    files: dict[str, dict[str, Collected]] = {}
    for entry in entries:
        path = folder / entry.case / entry.name if entry.taken is Taken.TAKEN else None
        files.setdefault(entry.case, {})[entry.file] = Collected(entry.taken, path, entry.size, entry.reason)
    return files
