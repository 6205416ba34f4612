"""Reading uploaded references in a confined child: bounded, without secrets, network or other files, free to die."""

import logging
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from confinement.archive import ArchiveError
from confinement.limits import ChildLimits
from confinement.sandbox import ChildError, Failure, answers
from designs.services.sent_files import Arrived
from evaluation.assessment import Region
from evaluation.readers import ReadError

SECONDS: Final = 300
MEMORY: Final = 4 * 1024**3
# Of one archive: as many files, and so many bytes once unpacked.
MAX_MEMBERS: Final = 1000
MAX_UNPACKED: Final = 2 * 1024**3
_BLOCK: Final = 1024**2
_MESSAGE: Final = 32 * 1024**2
_BROKEN_OFF: Final = "The reader broke off at these files. Fewer or smaller cases may help."
_LOG: Final = logging.getLogger(__name__)


class ScanError(ValueError):
    """Error for files that cannot be read, with a message for the person who uploaded them."""


def scan_folder(plan: Mapping[str, Any], folder: Path, arrived: Sequence[Arrived] = ()) -> dict[str, Any]:
    """Scan the uploaded files, or `folder`/references, in a confined child process.

    Archives are also unpacked in the child.

    Parameters
    ----------
    plan
        ``problem`` and ``regions`` as in an assessment.
    folder
        The only folder besides libraries that the child reads; it writes to a separate folder.

    Raises
    ------
    ScanError
        When the files cannot be read, or not within the limits.
    """
    # Here and not above, so that only workers carry the readers of images; and before the child is forked, which inherits them.
    from evaluation.advice.pitfalls.__main__ import scan

    regions = [Region(entry["name"], tuple(entry.get("labels", ()))) for entry in plan.get("regions", ())]

    def work(child_folder: Path) -> dict[str, Any]:
        for file in arrived:
            with file.path.open("rb") as stream:
                lay_out(stream, file.name, file.role, child_folder)
        root = child_folder if arrived else folder
        predictions = root / "predictions"
        return scan(plan["problem"], regions, root / "references", predictions if predictions.is_dir() else None)

    return read_in_child(work, folder)


def read_in_child(work: Callable[[Path], dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Call a function in a confined child process with a folder that the child may write, and return its document.

    Parameters
    ----------
    work
        Function that reads the files and raises `ScanError`, `ReadError` or `ArchiveError` if it cannot.
    folder
        The only folder besides libraries that the child reads.

    Raises
    ------
    ScanError
        When the files cannot be read, or not within the limits.
    """

    def answered(_item: str, child_folder: Path) -> dict[str, Any]:
        try:
            return {"document": work(child_folder)}
        except (ScanError, ReadError, ArchiveError) as error:
            return {"problem": str(error)[:1000]}

    limits = ChildLimits(
        memory_bytes=MEMORY,
        file_bytes=MAX_UNPACKED,
        folder_bytes=MAX_UNPACKED,
        folder_files=3 * MAX_MEMBERS,
        item_seconds=SECONDS,
        message_bytes=_MESSAGE,
        scratch=folder.parent,
    )
    try:
        [answer] = answers(["files"], answered, limits=limits, reads=[folder])
    except ChildError as error:
        _LOG.exception("Reading files of an organizer failed.")
        raise ScanError(_BROKEN_OFF) from error
    if answer.failure == Failure.TIME:
        raise ScanError("Reading the files took too long. A few typical cases are enough.")
    if answer.failure == Failure.SPACE:
        raise ScanError(f"The files unpack to more than {MAX_UNPACKED // 1024**3} GB. A few typical cases are enough.")
    if answer.failure is not None or not isinstance(answer.value, dict):
        raise ScanError(_BROKEN_OFF)
    if "document" not in answer.value:
        raise ScanError(str(answer.value.get("problem", _BROKEN_OFF)))
    document: dict[str, Any] = answer.value["document"]
    return document


def lay_out(stream: BinaryIO, name: str, role: str, folder: Path) -> None:
    """Put one upload into the folder that the scan reads; archives are unpacked without their paths.

    Predictions are stored in one folder per algorithm.
    It is named after the folder that contains them in the archive, otherwise “predictions”.

    Raises
    ------
    ScanError
        When a file is not a valid archive, or contains too much.
    """
    target = folder / role
    if not name.lower().endswith(".zip"):
        _write(stream, _place(target, PurePosixPath(name), role), MAX_UNPACKED)
        return
    try:
        with zipfile.ZipFile(stream) as archive:
            members = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(members) > MAX_MEMBERS or sum(entry.file_size for entry in members) > MAX_UNPACKED:
                raise ScanError(f"{name} holds more than {MAX_MEMBERS:,} files or {MAX_UNPACKED // 1024**3} GB.")
            for entry in members:
                path = PurePosixPath(entry.filename.replace("\\", "/"))
                if path.name.startswith((".", "__")) or "__MACOSX" in path.parts:
                    continue
                with archive.open(entry) as member:
                    _write(member, _place(target, path, role), entry.file_size)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError) as error:
        raise ScanError(f"{name} cannot be unpacked.") from error


def _place(target: Path, path: PurePosixPath, role: str) -> Path:
    if role == "predictions":
        algorithm = path.parent.name
        target = target / (algorithm if algorithm.strip(".") else "predictions")
    target.mkdir(parents=True, exist_ok=True)
    return target / path.name


def _write(source: Any, target: Path, limit: int) -> None:
    written = 0
    with target.open("wb") as stream:
        while block := source.read(_BLOCK):
            written += len(block)
            # What a header says of its size is not to be relied on.
            if written > limit:
                raise ScanError(f"{target.name} is larger than it says.")
            stream.write(block)
