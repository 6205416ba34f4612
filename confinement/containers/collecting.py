"""Collecting what a container wrote, after its end: expected files only, opened step by step, never through a link."""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from confinement.archive import BLOCK
from confinement.containers.batches import Collected, Expected, Taken

_STEP = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_ENTRIES = 1_000
_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class _RefusedError(Exception):
    """An expected file that is not taken, with the sentence for the team."""


def collect(
    output: Path,
    cases: Sequence[str],
    expected: Sequence[Expected],
    target: Path,
    *,
    most_bytes: int,
    flat: bool = False,
) -> dict[str, dict[str, Collected]]:
    """Copy the expected files of each case to `target`.

    Parameters
    ----------
    output
        Output folder of the container, which has ended.
    cases
        Names of the folders of cases.
    expected
        Files of each case.
    target
        Destination folder; the files are stored as `<case>/<file>`.
    most_bytes
        Bound on all files together.
    flat
        Whether the files of the only case are directly in `output`.
    """
    left = most_bytes
    collected: dict[str, dict[str, Collected]] = {}
    top = os.open(output, _STEP)
    try:
        for case in cases:
            case_files: dict[str, Collected] = {}
            for file in expected:
                where = target / case / file.file
                try:
                    where, size = _copy(top, [] if flat else [case], file, where, left)
                except FileNotFoundError:
                    case_files[file.file] = Collected(Taken.ABSENT)
                except _RefusedError as refusal:
                    case_files[file.file] = Collected(Taken.REFUSED, reason=str(refusal))
                else:
                    left -= size
                    case_files[file.file] = Collected(Taken.TAKEN, where, size)
            collected[case] = case_files
    finally:
        os.close(top)
    return collected


def _copy(top: int, folders: Sequence[str], file: Expected, target: Path, left: int) -> tuple[Path, int]:
    source_path = Path(file.source or file.file)
    steps = [*folders, *(file.only_of or str(source_path.parent)).split("/")]
    with _folder(top, [step for step in steps if step not in ("", ".")], file) as folder:
        name = _only(folder, file) if file.only_of else source_path.name
        if file.only_of and file.suffixes:
            # The reader goes by the ending.
            ending = next(suffix for suffix in file.suffixes if name.lower().endswith(suffix))
            target = target.with_name(target.name[: target.name.index(".")] + ending)
        status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        _check_kind(status, file)
        try:
            source = os.open(name, _FILE, dir_fd=folder)
        except OSError as error:
            raise _RefusedError(f"{file.file} cannot be opened.") from error
        with os.fdopen(source, "rb") as stream:
            status = os.fstat(source)
            _check_kind(status, file)
            if status.st_nlink != 1:
                raise _RefusedError(f"{file.file} has several names (hard links); write the file itself.")
            most = left if file.most_bytes is None else min(left, file.most_bytes)
            if status.st_size > most:
                raise _RefusedError(f"{file.file} has {status.st_size:,} bytes; at most {most:,} are taken.")
            target.parent.mkdir(parents=True, exist_ok=True)
            copied = 0
            with target.open("wb") as sink:
                while piece := stream.read(min(BLOCK, most - copied)):
                    copied += len(piece)
                    sink.write(piece)
            return target, copied


@contextlib.contextmanager
def _folder(top: int, steps: Sequence[str], file: Expected) -> Iterator[int]:
    """Open a folder step by step."""
    with contextlib.ExitStack() as opened:
        descriptor = top
        for step in steps:
            status = os.stat(step, dir_fd=descriptor, follow_symlinks=False)
            if not stat.S_ISDIR(status.st_mode):
                raise _RefusedError(f"The folder of {file.file} is {_kind(status)}; write a folder.")
            descriptor = os.open(step, _STEP, dir_fd=descriptor)
            opened.callback(os.close, descriptor)
        yield descriptor


def _only(folder: int, file: Expected) -> str:
    names = []
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= _MOST_ENTRIES:
                raise _RefusedError(
                    f"The folder {file.only_of} holds more than {_MOST_ENTRIES:,} files; one is expected."
                )
            if not file.suffixes or entry.name.lower().endswith(file.suffixes):
                names.append(entry.name)
    if not names:
        raise FileNotFoundError
    if len(names) > 1:
        raise _RefusedError(f"The folder {file.only_of} holds {len(names)} files; exactly one is expected.")
    return names[0]


def _check_kind(status: os.stat_result, file: Expected) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _RefusedError(f"{file.file} is {_kind(status)}; write a regular file.")


def _kind(status: os.stat_result) -> str:
    return next(
        (name for test, name in _KINDS if test(status.st_mode)),
        "a regular file" if stat.S_ISREG(status.st_mode) else "of an unknown kind",
    )
